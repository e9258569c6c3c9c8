/* learn.c - learns a processor: experiments, forms, the model, and how good it is. */

#include "base/mem.h"
#include "base/options_take.h"
#include "base/seconds.h"
#include "learn/learn_internal.h"

enum {
    FORMS = 1500,
    FORMS_QUICK = 300,
    BLOCKS = 300,
    BLOCKS_QUICK = 100,
    SECONDS = 1800,
    SECONDS_QUICK = 300
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
    if (!text && !l->failed)
        l->failed = tacho_no_memory(l->err);
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
    return o->from ? o->from : o->of ? o->of : only_record(o) ? own->core : tacho_arch_find("native", NULL);
}

/* ---- subjects ---- */

static void tick(void *payload)
{
    learning *l = payload;
    l->progress.loops = l->own->timed;
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

static void open_subjects(learning *l)
{
    const tacho_learn_options *o = &l->options;
    l->failed = open_own(o, &l->own, l->err);
    if (l->failed)
        return;
    l->own->stop = stopped;
    l->own->tick = tick;
    l->own->payload = l;
    l->own->keeping = true;
    l->from = core_to_start_from(o, l->own);
    if (l->from) {
        l->reference = subject_of_core(l->from, l->err);
        if (!l->reference) {
            l->failed = l->err->code;
            return;
        }
        l->ports_unnamed = true; /* until all are found */
        l->reference->stop = o->stop;
        l->reference->payload = o->payload;
        l->reference->other = l->own;
    }
    l->lab = (lab){.s = l->own, .start = l->from, .err = l->err};
    l->other = (lab){.s = l->reference, .start = l->from, .err = l->err};
    l->result.processor = learning_text(l, "%s", l->own->identity);
    l->result.core = l->from ? tacho_arch_name(l->from) : NULL;
    l->result.problem = "";
    name_model(l);
}

/* ---- all of it ---- */

/* What does not load is not lost. */
static void reload_model(learning *l)
{
    tacho_arch_free(l->model);
    l->model = NULL;
    learning_conclude(l);
    learning_write(l);
    if (l->failed)
        return;
    int failed = tacho_arch_load(&l->model, l->result.text, strlen(l->result.text), NULL, l->err);
    if (failed == TACHO_ERR_MEMORY)
        l->failed = failed;
    else if (failed)
        l->result.problem = learning_text(l, "%s", l->err->message);
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

void learning_note(learning *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = arena_vformat(&l->memory, format, args);
    va_end(args);
    if (!text && !l->failed)
        l->failed = tacho_no_memory(l->err);
    if (l->failed)
        return;
    const tacho_learn_so_far so_far = {"blocks", text, NULL, l->progress.seconds_left};
    if (l->options.part)
        l->options.part(l->options.payload, &so_far);
    l->failed = subject_note(l->own, learning_text(l, "blocks: %s", text), l->err);
}

void learning_part_done(learning *l, const char *part)
{
    tacho_str found = {0};
    if (!l->options.part || l->options.only || l->failed)
        return;
    reload_model(l);
    if (l->model && l->blocks) {
        learning_score(l, l->model);
        learning_write(l);
    }
    put_found(&found, l, part);
    if (found.failed && !l->failed)
        l->failed = tacho_no_memory(l->err);
    if (!l->failed) {
        const tacho_learn_so_far so_far = {part, found.length ? found.data : "",
                                           l->model ? l->result.text : NULL, l->progress.seconds_left};
        l->options.part(l->options.payload, &so_far);
    }
    l->result.problem = "";
    tacho_str_free(&found);
}

/* Written once to find what only a whole model tells, once to be judged, and then with the scores at its
 * head. */
static void make_model(learning *l)
{
    reload_model(l);
    if (learning_fit(l)) {
        learning_rows_again(l, true, 1);
        reload_model(l);
    }
    learning_judge(l);
    learning_write(l);
}

static void put_questions(learning *l)
{
    tacho_str out = {0};
    const loop_list *open = &l->own->open;
    record_put_questions(&out, open->items, open->count);
    l->result.questions = out.failed ? NULL : arena_text_n(&l->memory, out.data, out.length);
    tacho_str_free(&out);
    if (!l->result.questions && !l->failed)
        l->failed = tacho_no_memory(l->err);
}

static void run(learning *l)
{
    open_subjects(l);
    if (l->failed)
        return;
    learning_plan(l);
    learning_conclude(l);
    if (learning_wants(l, "forms", NULL))
        learning_choose_forms(l);
    learning_part_done(l, "");
    if (!l->options.only) /* from scratch there is no model yet that could make some */
        learning_blocks(l, l->from);
    learning_experiment(l);
    learning_conclude(l); /* rows are judged with the parameters that were found */
    if (learning_wants(l, "forms", NULL))
        learning_forms(l);
    learning_conclude(l);
    if (!l->options.only)
        make_model(l);
    if (l->options.questions)
        put_questions(l);
}

static void set_defaults(tacho_learn_options *o)
{
    o->forms = o->forms ? o->forms : o->quick ? FORMS_QUICK : FORMS;
    o->blocks = o->blocks ? o->blocks : o->quick ? BLOCKS_QUICK : BLOCKS;
    o->seconds = o->seconds > 0 ? o->seconds : o->quick ? SECONDS_QUICK : SECONDS;
}

int tacho_learn(tacho_learnt **out, const tacho_learn_options *options, tacho_error *err)
{
    tacho_error own;
    *out = NULL;
    learning *l = tacho_mem_zalloc(1, sizeof *l);
    if (!l)
        return tacho_no_memory(err);
    l->err = err ? err : &own;
    l->start = seconds_now();
    l->reload = reload_model;
    l->failed = OPTIONS_TAKE(learn, &l->options, options, l->err);
    if (!l->failed)
        l->failed = check_only(l->options.only, l->err);
    if (!l->failed && l->options.of && l->options.record_count)
        l->failed =
            tacho_error_set(l->err, TACHO_ERR_USAGE, "a record is of a processor, not of a core to simulate");
    set_defaults(&l->options);
    if (!l->failed)
        run(l);
    if (l->failed) {
        int failed = l->failed;
        tacho_learnt_free(&l->result);
        return failed;
    }
    l->result.loops = l->own->timed;
    l->result.answered = l->own->answered;
    l->result.open = l->own->open.count;
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
        progress.loops = s->timed;
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
        s->stop = o.stop;
        s->payload = o.payload;
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
    tacho_arch_free(l->model);
    tacho_predictor_free(l->predictor);
    tacho_mem_free(l->learnt);
    arena_free(&l->memory);
    tacho_mem_free(l);
}
