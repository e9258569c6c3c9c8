/* learn.c - learns a processor: experiments, forms, the model, and how good it is. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/options_take.h"
#include "base/seconds.h"
#include "base/str.h"
#include "learn/host.h"
#include "learn/learn_internal.h"
#include "learn/learn_record.h"

enum {
    FORMS = 1500,
    FORMS_QUICK = 300,
    BLOCKS = 300,
    BLOCKS_QUICK = 100
};

OPTIONS_DEFINE(learn, TACHO_LEARN_OPTIONS_INIT)

size_t tacho_learn_experiment_count(void)
{
    size_t count = 0;
    while (learn_experiments[count].part)
        count++;
    return count;
}

int tacho_learn_experiment_get(size_t i, tacho_learn_experiment *out)
{
    if (i >= tacho_learn_experiment_count())
        return TACHO_ERR_USAGE;
    const experiment *e = &learn_experiments[i];
    *out = (tacho_learn_experiment){e->part, e->name, e->parameters, e->method};
    return 0;
}

const char *tacho_learn_processor(char *out, size_t size)
{
    char name[HOST_NAME_SIZE];
    host_identity(name, "");
    tacho_format_fit(out, size, "%s", name);
    return out;
}

const char *learning_text(learning *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = arena_vformat(&l->memory, format, args);
    va_end(args);
    l->no_memory |= !text;
    return text ? text : "";
}

/* ---- what was asked for ---- */

static bool is_known_part(const char *word)
{
    if (!strcmp(word, "forms") || !strcmp(word, "blocks"))
        return true;
    for (const experiment *e = learn_experiments; e->part; e++)
        if (!strcmp(word, e->part) || !strcmp(word, e->name))
            return true;
    return false;
}

/* The next word of a list with commas. */
static bool next_word(const char **rest, char word[64])
{
    if (!*rest || !**rest)
        return false;
    size_t length = strcspn(*rest, ",");
    tacho_format_fit(word, 64, "%.*s", (int)length, *rest);
    *rest += length + ((*rest)[length] == ',');
    return true;
}

static int check_only(const char *only, tacho_error *err)
{
    char word[64];
    while (next_word(&only, word))
        if (!is_known_part(word))
            return tacho_error_set(err, TACHO_ERR_USAGE, "there is no part and no experiment '%s'", word);
    return 0;
}

bool learning_wants(const learning *l, const char *part, const char *name)
{
    const char *rest = l->options.only;
    char word[64];
    if (!rest)
        return true;
    while (next_word(&rest, word))
        if (!strcmp(word, part) || (name && !strcmp(word, name)))
            return true;
    return false;
}

static bool only_record(const tacho_learn_options *o)
{
    return o->record_count && !o->also_measure;
}

static const tacho_arch *core_to_start_from(const tacho_learn_options *o, const subject *own)
{
    if (o->from_scratch)
        return NULL;
    return o->from          ? o->from
           : o->of          ? o->of
           : only_record(o) ? subject_recorded_core(own)
                            : tacho_arch_find("native", NULL);
}

/* ---- subjects ---- */

static void tick(void *payload)
{
    learning *l = payload;
    l->progress.loops = subject_timed(l->own);
    if (l->options.progress)
        l->options.progress(l->options.payload, &l->progress);
}

static bool stopped(void *payload)
{
    const learning *l = payload;
    return l->options.stop && l->options.stop(l->options.payload);
}

/* "ZEN5-learnt"; "learnt" where nothing is known of the processor. */
static void name_model(learning *l)
{
    const tacho_arch *of = l->options.of ? l->options.of : l->from;
    snprintf(l->name, sizeof l->name, "%.20s%slearnt", of ? tacho_arch_name(of) : "", of ? "-" : "");
}

static int open_own(const tacho_learn_options *o, subject **out, tacho_error *err)
{
    int failed = 0;
    *out = o->of            ? subject_of_core(o->of, err)
           : only_record(o) ? subject_of_record(o->records, o->record_count, err)
                            : subject_of_machine(&o->measurer, TACHO_QUALITY_QUICK, err);
    if (!*out)
        return err->code;
    if (o->record_count && o->also_measure)
        failed = subject_take_record(*out, o->records, o->record_count, err);
    return failed || !o->journal ? failed : subject_journal(*out, o->journal, o->resume, err);
}

static int open_subjects(learning *l, tacho_error *err)
{
    const tacho_learn_options *o = &l->options;
    int failed = open_own(o, &l->own, err);
    if (failed)
        return failed;
    subject_watch(l->own, stopped, tick, l);
    subject_keep(l->own, true);
    l->from = core_to_start_from(o, l->own);
    if (l->from) {
        l->reference = subject_of_core(l->from, err);
        if (!l->reference)
            return err->code;
        l->ports_unnamed = true; /* until all are found */
        subject_watch(l->reference, o->stop, NULL, o->payload);
        subject_answer_no_more_than(l->reference, l->own);
    }
    l->lab = (lab){.s = l->own, .start = l->from, .err = err};
    l->other = (lab){.s = l->reference, .start = l->from, .err = err};
    l->result.processor = learning_text(l, "%s", subject_identity(l->own));
    l->result.core = l->from ? tacho_arch_name(l->from) : NULL;
    l->result.problem = "";
    name_model(l);
    return failed;
}

/* ---- all of it ---- */

/* What does not load is not lost. */
static int load_model(learning *l, tacho_arch **model, tacho_error *err)
{
    *model = NULL;
    int failed = learning_write(l, err);
    if (!failed)
        failed = tacho_arch_load(model, l->result.text, strlen(l->result.text), NULL, err);
    if (!failed || failed == TACHO_ERR_MEMORY)
        return failed;
    l->result.problem = learning_text(l, "%s", err->message);
    return 0;
}

/* Whether an experiment of that part found it, or blocks. */
static bool is_of_part(const tacho_learn_finding *f, const char *part)
{
    const experiment *e = learn_experiments;
    if (!f->value || !f->experiment)
        return false;
    while (e->part && strcmp(e->name, f->experiment) != 0)
        e++;
    return !strcmp(e->part ? e->part : f->experiment, part);
}

static void put_found(tacho_str *out, const learning *l, const char *part)
{
    for (size_t i = 0; i < l->result.finding_count; i++) {
        const tacho_learn_finding *f = &l->result.findings[i];
        if (is_of_part(f, part))
            tacho_str_printf(out, "%s%s %s%s", out->length ? ", " : "", f->name, f->value,
                             f->state == TACHO_LEARN_DOUBTED ? " (doubted)" : "");
    }
    if (!strcmp(part, "forms"))
        tacho_str_printf(out, "%zu of %zu", l->progress.done, l->progress.count);
}

int learning_note(learning *l, tacho_error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = arena_vformat(&l->memory, format, args);
    va_end(args);
    if (!text)
        return tacho_no_memory(err);
    const tacho_learn_so_far so_far = {"blocks", text, NULL, l->progress.seconds_left};
    if (l->options.part)
        l->options.part(l->options.payload, &so_far);
    return subject_note(l->own, learning_text(l, "blocks: %s", text), err);
}

int learning_part_done(learning *l, const char *part, tacho_error *err)
{
    tacho_arch *model = NULL;
    tacho_str found = {0};
    if (!l->options.part || l->options.only)
        return 0;
    int failed = learning_conclude(l, err);
    if (!failed)
        failed = load_model(l, &model, err);
    if (!failed && model && l->blocks)
        failed = learning_score(l, model, err);
    if (!failed && model && l->blocks)
        failed = learning_write(l, err);
    put_found(&found, l, part);
    if (!failed && found.failed)
        failed = tacho_no_memory(err);
    if (!failed) {
        const tacho_learn_so_far so_far = {part, found.length ? found.data : "",
                                           model ? l->result.text : NULL, l->progress.seconds_left};
        l->options.part(l->options.payload, &so_far);
    }
    l->result.problem = "";
    tacho_str_free(&found);
    tacho_arch_free(model);
    return failed;
}

static int reload_model(learning *l, tacho_arch **model, tacho_error *err)
{
    tacho_arch_free(*model);
    *model = NULL;
    int failed = learning_conclude(l, err);
    return failed ? failed : load_model(l, model, err);
}

/* Written once to find what only a whole model tells, once to be judged, and then with the scores at its
 * head. */
static int make_model(learning *l, tacho_error *err)
{
    tacho_arch *model;
    bool more = false;
    int failed = load_model(l, &model, err);
    if (!failed)
        failed = learning_fit(l, model, &more, err);
    if (!failed && more)
        failed = reload_model(l, &model, err);
    if (!failed && model)
        failed = learning_judge(l, &model, reload_model, err);
    tacho_arch_free(model);
    return failed ? failed : learning_write(l, err);
}

static int put_questions(learning *l, tacho_error *err)
{
    tacho_str out = {0};
    const loop_list *open = subject_open(l->own);
    record_put_questions(&out, open->items, open->count);
    l->result.questions = out.failed ? NULL : arena_text_n(&l->memory, out.data, out.length);
    tacho_str_free(&out);
    return l->result.questions ? 0 : tacho_no_memory(err);
}

static int run(learning *l, tacho_error *err)
{
    int failed = open_subjects(l, err);
    if (failed)
        return failed;
    learning_plan(l);
    failed = learning_conclude(l, err);
    if (!failed && learning_wants(l, "forms", NULL))
        failed = learning_choose_forms(l, err);
    if (!failed)
        failed = learning_part_done(l, "", err);
    if (!failed && !l->options.only) /* from scratch there is no model yet that could make some */
        failed = learning_blocks(l, l->from, err);
    if (!failed)
        failed = learning_experiment(l, err);
    if (!failed) /* rows are judged with the parameters that were found */
        failed = learning_conclude(l, err);
    if (!failed && learning_wants(l, "forms", NULL))
        failed = learning_forms(l, err);
    if (!failed)
        failed = learning_conclude(l, err);
    if (!failed && !l->options.only)
        failed = make_model(l, err);
    if (!failed && l->options.questions)
        failed = put_questions(l, err);
    return failed;
}

int tacho_learn(tacho_learnt **out, const tacho_learn_options *options, tacho_error *err)
{
    tacho_error own;
    err = err ? err : &own;
    *out = NULL;
    learning *l = tacho_mem_zalloc(1, sizeof *l);
    if (!l)
        return tacho_no_memory(err);
    l->start = seconds_now();
    int failed = OPTIONS_TAKE(learn, &l->options, options, err);
    if (!failed)
        failed = check_only(l->options.only, err);
    if (!failed && l->options.of && l->options.record_count)
        failed =
            tacho_error_set(err, TACHO_ERR_USAGE, "a record is of a processor, not of a core to simulate");
    if (!failed) {
        l->options.forms = l->options.forms ? l->options.forms : l->options.quick ? FORMS_QUICK : FORMS;
        l->options.blocks = l->options.blocks ? l->options.blocks : l->options.quick ? BLOCKS_QUICK : BLOCKS;
        failed = run(l, err);
        if (!failed && l->no_memory)
            failed = tacho_no_memory(err);
    }
    if (failed) {
        tacho_learnt_free(&l->result);
        return failed;
    }
    l->result.loops = subject_timed(l->own);
    l->result.answered = subject_answered(l->own);
    l->result.open = subject_open(l->own)->count;
    l->result.seconds = seconds_now() - l->start;
    *out = &l->result;
    return 0;
}

/* ---- what others ask ---- */

static int answer_all(subject *s, const tacho_learn_options *o, const record_row *rows, size_t count,
                      size_t *answered, tacho_error *err)
{
    enum {
        TOGETHER = 50
    };
    int failed = 0;
    tacho_learn_progress progress = {
        .stage = TACHO_LEARN_BLOCKS, .count = count, .name = "", .seconds_left = NAN};
    const double start = seconds_now();
    for (size_t i = 0; i < count && !failed; i += TOGETHER) {
        subject_loop loops[TOGETHER];
        size_t n = count - i < TOGETHER ? count - i : TOGETHER;
        for (size_t k = 0; k < n; k++)
            loops[k] = rows[i + k].loop;
        failed = subject_time(s, loops, n, err);
        for (size_t k = 0; k < n && !failed; k++)
            *answered += loops[k].status == TACHO_MEASURED_OK;
        progress.done = i + n;
        progress.loops = subject_timed(s);
        progress.seconds_left = (seconds_now() - start) / (double)(i + n) * (double)(count - i - n);
        if (o->progress)
            o->progress(o->payload, &progress);
    }
    return failed;
}

int tacho_learn_answer(const char *questions, const tacho_learn_options *options, size_t *count,
                       tacho_error *err)
{
    tacho_error own;
    err = err ? err : &own;
    tacho_learn_options o;
    subject *s = NULL;
    record_row *rows = NULL;
    size_t row_count = 0;
    *count = 0;
    int failed = OPTIONS_TAKE(learn, &o, options, err);
    if (!failed && (!o.journal || o.record_count))
        failed = tacho_error_set(err, TACHO_ERR_USAGE, "answers go to a journal, and come from no record");
    if (!failed)
        failed = record_read_rows(questions, false, &rows, &row_count, err);
    if (!failed)
        failed = open_own(&o, &s, err);
    if (!failed) {
        subject_watch(s, o.stop, NULL, o.payload);
        failed = answer_all(s, &o, rows, row_count, count, err);
    }
    record_free_rows(rows, row_count);
    subject_free(s);
    return failed;
}

void tacho_learnt_free(tacho_learnt *learnt)
{
    learning *l = (learning *)learnt;
    if (!l)
        return;
    lab_free(&l->lab);
    lab_free(&l->other);
    subject_free(l->own);
    subject_free(l->reference);
    learning_blocks_free(l);
    tacho_mem_free(l->learnt);
    arena_free(&l->memory);
    tacho_mem_free(l);
}
