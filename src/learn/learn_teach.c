/* learn_teach.c - blocks as teachers. Their errors are grouped by what blocks share, and what would mend most
 * is proposed: first forms that nobody has looked at, where blocks with them are predicted worse than others;
 * then values of parameters. Nothing is fitted to blocks: a form is timed as all forms are, and a parameter
 * is decided by the loops of experiments and forms, and what a record has beside blocks, that tell both
 * values apart; where there are too few, loops are made of the blocks' own forms and timed. The half of the
 * blocks that judges must be predicted better, too. The journal has each proposal, and what became of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"
#include "learn/learn_blocks.h"
#include "learn/learn_internal.h"
#include "x86/decode/insn_struct.h"

enum {
    LEAST_BLOCKS = 3, /* with a form */
    MOST_FORMS = 40,  /* that are looked at */
    MOST_WORST = 60,  /* blocks that proposals are tried on */
    MOST_OTHERS = 60,
    MOST_TRIALS = 12, /* proposals of a round that are put to the test */
    MOST_ALIKE = 3,   /* of these, about the same parameter */
    MOST_ROUNDS = 8,
    MOST_PASSES = 3,
    FEW_LOOPS = 3, /* too few to decide */
    MADE_LOOPS = 24,
    VALUES = 60, /* of a parameter, and of others with it */
    ALONE = -1
};

/* A block is predicted badly from this error on; a proposal mends that much of the worst ones' sum at least.
 */
#define BAD        0.02
#define LEAST_MEND 0.01

/* ---- forms ---- */

typedef struct suspect {
    uint32_t form;
    unsigned count;
    double error; /* of blocks with it, together, beyond the mean of all */
} suspect;

ORDER_BY_FALLING(by_error, suspect, error);

/* The form of the instruction at `at`; UINT32_MAX: none. @return where the next one begins */
static size_t form_at(const tacho_arch *model, const subject_loop *loop, size_t at, uint32_t *out)
{
    tacho_insn insn;
    tacho_form form;
    tacho_figures figures;
    *out = UINT32_MAX;
    if (tacho_decode(&insn, loop->code + at, loop->size - at, NULL))
        return loop->size;
    tacho_insndb_match(model, &insn, &form, &figures);
    *out = form.id;
    return at + insn.length;
}

static size_t rank_forms(const learning *l, const tacho_arch *model, suspect *all)
{
    size_t timed = 0, count = 0;
    double mean = 0;
    for (size_t i = 0; i < l->block_count; i++)
        if (!l->blocks[i].held && !isnan(l->blocks[i].predicted)) {
            mean += learn_block_error(&l->blocks[i]);
            timed++;
        }
    mean = timed ? mean / (double)timed : 0;
    for (uint32_t f = 0; f < tacho_form_count(); f++)
        all[f].form = f;
    for (size_t i = 0; i < l->block_count; i++) {
        const learn_block *b = &l->blocks[i];
        for (size_t at = 0; !b->held && !isnan(b->predicted) && at < b->loop.size;) {
            uint32_t form;
            at = form_at(model, &b->loop, at, &form);
            if (form == UINT32_MAX)
                continue;
            all[form].count++;
            all[form].error += learn_block_error(b) - mean;
        }
    }
    for (size_t i = 0; i < l->learnt_count; i++)
        all[l->learnt[i].form].count = 0; /* looked at already */
    for (uint32_t f = 0; f < tacho_form_count(); f++)
        if (all[f].count >= LEAST_BLOCKS && all[f].error > BAD)
            all[count++] = all[f];
    return count;
}

static int teach_forms(learning *l, tacho_arch **model, learn_reload *reload, tacho_error *err)
{
    suspect *all = tacho_mem_zalloc(tacho_form_count() + 1, sizeof *all);
    uint32_t forms[MOST_FORMS];
    int failed = all ? learning_predict(l, *model, false, err) : tacho_no_memory(err);
    size_t count = failed ? 0 : rank_forms(l, *model, all), before = l->learnt_count;
    tacho_sort(all, count, sizeof *all, by_error);
    count = count < MOST_FORMS ? count : MOST_FORMS;
    for (size_t i = 0; i < count; i++)
        forms[i] = all[i].form;
    tacho_mem_free(all);
    if (!failed && count)
        failed = learning_more_forms(l, forms, count, err);
    for (size_t i = before; i < l->learnt_count && !failed; i++)
        failed = learning_note(l, err, "%s: %s", l->forms[i].name,
                               l->forms[i].differs ? "its row is adopted" : "keeps its row");
    return failed || l->learnt_count == before ? failed : reload(l, model, err);
}

/* ---- parameters ---- */

typedef struct proposal {
    size_t parameter;
    int also; /* another parameter that has the same value; ALONE */
    char value[80];
    bool start;   /* it is what learning started from */
    bool dead;    /* without effect, or refused */
    double mend;  /* by so much the worst blocks' errors are less, together */
    double worth; /* the same of loops that decide, and what share of their errors; 0: it was refused */
    double share;
    const char *lesson; /* NULL: not put to the test in this round */
} proposal;

ORDER_BY_FALLING(by_mend, proposal, mend);

static void add_proposal(proposal *out, size_t *count, size_t parameter, int also, const char *value)
{
    for (size_t i = *count; i-- > 0 && out[i].parameter == parameter && out[i].also == also;)
        if (!strcmp(out[i].value, value))
            return;
    out[*count] = (proposal){.parameter = parameter, .also = also};
    snprintf(out[(*count)++].value, sizeof out->value, "%s", value);
}

/* Numbers near the value and some way off; of what is off, of any size. */
static void propose_numbers(const tacho_arch *model, proposal *out, size_t *count, size_t i, int also)
{
    const int64_t now = tacho_arch_parameter_number(model, i), off[] = {1, 2, 3, 4, 6, 8, 12, 16, 32, 64},
                  on[] = {0,       now - 2, now - 1,     now + 1,     now + 2,
                          now / 2, now * 2, now * 3 / 4, now * 3 / 2, now * 4};
    tacho_arch_parameter p;
    char text[12];
    tacho_arch_parameter_get(i, &p);
    for (size_t k = 0; k < sizeof on / sizeof *on; k++) {
        const int64_t value = now ? on[k] : off[k];
        snprintf(text, sizeof text, "%d", (int)value);
        if (value != now && value >= p.min && value <= p.max)
            add_proposal(out, count, i, also, text);
    }
}

/* Numbers of one structure, as their names begin alike, that are the same now: perhaps they are one. */
static bool may_be_one(const tacho_arch *model, size_t a, size_t b)
{
    tacho_arch_parameter p, q;
    tacho_arch_parameter_get(a, &p);
    tacho_arch_parameter_get(b, &q);
    const size_t first = strcspn(p.name, "_") + 1;
    return p.type == TACHO_PARAMETER_NUMBER && q.type == TACHO_PARAMETER_NUMBER &&
           !strncmp(p.name, q.name, first) && tacho_arch_parameter_number(model, a) > 1 &&
           tacho_arch_parameter_number(model, a) == tacho_arch_parameter_number(model, b);
}

/* An experiment has decided it: blocks can only say that the start knew better. */
static bool is_decided(const learning *l, size_t parameter)
{
    return l->result.findings[parameter].state == TACHO_LEARN_FOUND && !l->taught[parameter];
}

/* What the start has, switches turned, other rules, and numbers, also of two together. */
static size_t propose(const learning *l, const tacho_arch *model, proposal *out)
{
    static const char *const policies[] = {"6", "8", "10", "12", "16"};
    tacho_arch_parameter p;
    size_t count = 0;
    char own[80], text[80];
    for (size_t i = 0; !tacho_arch_parameter_get(i, &p); i++) {
        tacho_arch_parameter_text(model, i, own, sizeof own);
        if (l->from) {
            tacho_arch_parameter_text(l->from, i, text, sizeof text);
            if (strcmp(text, own) != 0) {
                add_proposal(out, &count, i, ALONE, text);
                out[count - 1].start = !l->taught[i];
            }
        }
        if (is_decided(l, i))
            continue;
        if (p.type == TACHO_PARAMETER_BOOL)
            add_proposal(out, &count, i, ALONE, tacho_arch_parameter_number(model, i) ? "no" : "yes");
        for (size_t k = 0; p.type == TACHO_PARAMETER_POLICY && k < sizeof policies / sizeof *policies; k++)
            if (strcmp(own, policies[k]) != 0)
                add_proposal(out, &count, i, ALONE, policies[k]);
        if (p.type == TACHO_PARAMETER_NUMBER)
            propose_numbers(model, out, &count, i, ALONE);
        for (size_t k = 0; k < i; k++)
            if (!is_decided(l, k) && may_be_one(model, i, k))
                propose_numbers(model, out, &count, i, (int)k);
    }
    return count;
}

static const char *name_of(size_t parameter)
{
    tacho_arch_parameter p;
    tacho_arch_parameter_get(parameter, &p);
    return p.name;
}

/* NULL: the model cannot have it. */
static tacho_arch *with_proposal(const tacho_arch *model, const proposal *p)
{
    tacho_arch *trial = tacho_arch_copy(model);
    if (trial && !tacho_arch_parameter_set(trial, name_of(p->parameter), p->value, NULL) &&
        (p->also == ALONE || !tacho_arch_parameter_set(trial, name_of((size_t)p->also), p->value, NULL)) &&
        !tacho_arch_check(trial, NULL))
        return trial;
    tacho_arch_free(trial);
    return NULL;
}

/* Blocks that proposals are tried on: the worst ones, and then some of all. */
typedef struct trial_blocks {
    size_t items[MOST_WORST + MOST_OTHERS], bad, count;
    double sum, weight; /* errors of the bad ones; so many blocks each of the others stands for */
} trial_blocks;

static void find_worst(const learning *l, trial_blocks *out)
{
    size_t teaching = 0, others = 0;
    *out = (trial_blocks){.bad = 0};
    for (size_t i = 0; i < l->block_count; i++) {
        const learn_block *b = &l->blocks[i];
        if (b->held || isnan(b->predicted))
            continue;
        teaching++;
        if (learn_block_error(b) < BAD)
            continue;
        size_t at = out->bad < MOST_WORST ? out->bad++ : MOST_WORST;
        for (; at && learn_block_error(&l->blocks[out->items[at - 1]]) < learn_block_error(b); at--)
            if (at < MOST_WORST)
                out->items[at] = out->items[at - 1];
        if (at < MOST_WORST)
            out->items[at] = i;
    }
    for (size_t i = 0; i < out->bad; i++)
        out->sum += learn_block_error(&l->blocks[out->items[i]]);
    out->count = out->bad;
    for (size_t i = 0, seen = 0; i < l->block_count && others < MOST_OTHERS; i++)
        if (!l->blocks[i].held && !isnan(l->blocks[i].predicted) &&
            seen++ * MOST_OTHERS >= others * teaching) {
            out->items[out->count++] = i;
            others++;
        }
    out->weight = others ? (double)teaching / (double)others : 0;
}

static int weigh(const learning *l, const tacho_arch *model, proposal *p, const trial_blocks *blocks,
                 tacho_error *err)
{
    tacho_arch *trial = with_proposal(model, p);
    tacho_predictor *predictor = tacho_predictor_new();
    bool any = false;
    int failed = predictor ? 0 : tacho_no_memory(err);
    p->mend = 0;
    for (size_t i = 0; i < blocks->count && trial && !failed; i++) {
        if (i == blocks->bad && p->mend < LEAST_MEND * blocks->sum)
            break; /* the others can only make it less */
        const learn_block *b = &l->blocks[blocks->items[i]];
        double cycles;
        failed = subject_predict(predictor, trial, &b->loop, false, &cycles, err);
        const learn_block then = {.loop = b->loop, .predicted = cycles};
        const double less = learn_block_error(b) - learn_block_error(&then);
        any |= cycles != b->predicted;
        /* what is better shows among the worst ones, what is worse among others */
        p->mend += i < blocks->bad ? less : fmin(0, less) * blocks->weight;
    }
    p->dead = !any;
    tacho_arch_free(trial);
    tacho_predictor_free(predictor);
    return failed;
}

/* Loops of the forms of bad blocks, for what other loops do not decide. */
static int make_loops(learning *l, const tacho_arch *model, const trial_blocks *blocks, tacho_error *err)
{
    subject_loop loops[MADE_LOOPS] = {{0}};
    int failed = 0;
    for (size_t i = 0; i < MADE_LOOPS && blocks->bad && !failed; i++) {
        const learn_block *b = &l->blocks[blocks->items[i / 2 % blocks->bad]];
        uint32_t forms[64];
        size_t n = 0;
        for (size_t at = 0; at < b->loop.size && n < 64;) {
            at = form_at(model, &b->loop, at, &forms[n]);
            n += forms[n] != UINT32_MAX;
        }
        loops[i].mode = b->loop.mode;
        failed = learn_block_make(&loops[i], forms, NULL, n, i, err);
        if (!failed && !loops[i].size)
            failed = subject_add(&loops[i], "nop", 1, err);
    }
    if (!failed && blocks->bad)
        failed = subject_time(l->own, loops, MADE_LOOPS, err);
    for (size_t i = 0; i < MADE_LOOPS; i++)
        subject_loop_free(&loops[i]);
    return failed;
}

/* Whether the half that judges is predicted better, and no mode of it worse. */
static int confirm(learning *l, const tacho_arch *model, const tacho_arch *trial, bool *better,
                   tacho_error *err)
{
    double now[LEARN_MODES], then[LEARN_MODES], sum = 0;
    bool worse = false;
    int failed = learning_errors(l, trial, true, then, err);
    if (!failed)
        failed = learning_errors(l, model, true, now, err);
    for (size_t m = 0; m < LEARN_MODES && !failed; m++)
        if (!isnan(now[m]) && !isnan(then[m])) {
            worse |= then[m] > now[m] + 0.0005;
            sum += now[m] - then[m];
        }
    *better = !failed && !worse && sum > 0;
    return failed;
}

static int decide(learning *l, const tacho_arch *model, proposal *p, const trial_blocks *blocks,
                  learn_known *known, tacho_error *err)
{
    char now[80];
    learn_vote v = {0};
    bool better = false;
    tacho_arch *trial = with_proposal(model, p);
    int failed = trial ? 0 : tacho_no_memory(err);
    const tacho_arch *const both[2] = {model, trial};
    if (!failed)
        failed = learn_compare(both, subject_kept(l->own), known, &v, err);
    if (!failed && v.count < FEW_LOOPS) {
        failed = make_loops(l, model, blocks, err);
        if (!failed)
            failed = learn_compare(both, subject_kept(l->own), known, &v, err);
    }
    /* what learning started from needs no more than to be better */
    const bool nearer =
        !failed && v.count >= FEW_LOOPS && (p->start ? v.errors[1] < v.errors[0] : learn_is_nearer(&v));
    if (nearer)
        failed = confirm(l, model, trial, &better, err);
    tacho_arch_free(trial);
    if (failed)
        return failed;
    p->worth = nearer && better ? (double)v.count * (v.errors[0] - v.errors[1]) : 0;
    p->share = nearer && better ? 1 - v.errors[1] / v.errors[0] : 0;
    tacho_arch_parameter_text(model, p->parameter, now, sizeof now);
    p->lesson =
        learning_text(l, "%zu loops that tell %s from %s: %.1f %% off, not %.1f %%; judging blocks: %s",
                      v.count, p->value, now, 100 * v.errors[1], 100 * v.errors[0],
                      better   ? "better"
                      : nearer ? "not better"
                               : "not asked");
    const bool alone = p->also == ALONE;
    return learning_note(l, err, "%s%s%s %s %s: %s", name_of(p->parameter), alone ? "" : " and ",
                         alone ? "" : name_of((size_t)p->also), p->value,
                         p->worth > 0 ? "is possible" : "is refused", p->lesson);
}

static bool are_alike(const proposal *p, const proposal *q)
{
    return p->parameter == q->parameter || (int)p->parameter == q->also || p->also == (int)q->parameter ||
           (p->also != ALONE && p->also == q->also);
}

/* Of values of a parameter the one that mends most is the better one; of parameters the one that leaves
 * least. */
static bool is_better(const proposal *p, const proposal *than)
{
    return !than || (are_alike(p, than) ? p->worth > than->worth : p->share > than->share);
}

/* Whether it is to be put to the test: it mends enough, and is not one of many of the same kind. */
static bool is_due(const proposal *all, size_t i, double least)
{
    unsigned alike = 0;
    for (size_t k = 0; k < i; k++)
        alike += all[k].lesson && are_alike(&all[k], &all[i]);
    return !all[i].dead && all[i].mend >= least && alike < MOST_ALIKE;
}

/* Of the best proposals that one is adopted that mends most where it is decided; one a round, as it changes
 * what all others would mend. */
static int teach_round(learning *l, const tacho_arch *model, proposal *all, size_t count, bool *adopted,
                       bool *more, tacho_error *err)
{
    trial_blocks blocks;
    learn_known known = {0};
    proposal *best = NULL;
    int failed = learning_predict(l, model, false, err);
    find_worst(l, &blocks);
    learning_stage(l, TACHO_LEARN_LESSONS, count);
    for (size_t i = 0; i < count && blocks.bad && !failed; i++) {
        if (i % 50 == 0)
            learning_step(l, name_of(all[i].parameter));
        all[i].lesson = NULL;
        if (!all[i].dead)
            failed = weigh(l, model, &all[i], &blocks, err);
        l->progress.done = i;
    }
    tacho_sort(all, count, sizeof *all, by_mend);
    size_t tried = 0;
    for (size_t i = 0; i < count && blocks.bad && tried < MOST_TRIALS && !failed; i++) {
        if (!is_due(all, i, LEAST_MEND * blocks.sum))
            continue;
        tried++;
        failed = decide(l, model, &all[i], &blocks, &known, err);
        all[i].dead = !(all[i].worth > 0);
        if (!all[i].dead && is_better(&all[i], best))
            best = &all[i];
    }
    tacho_mem_free(known.cycles);
    *more = best || tried == MOST_TRIALS;
    if (failed || !best)
        return failed;
    *adopted = best->dead = true;
    const size_t both[] = {best->parameter, best->also == ALONE ? best->parameter : (size_t)best->also};
    for (size_t i = 0; i < 2; i++) {
        l->taught[both[i]] = learning_text(l, "%s", best->value);
        l->lessons[both[i]] = best->lesson;
        l->doubts_by_blocks[both[i]] = NULL; /* that was of another value */
    }
    return learning_note(l, err, "%s %s is adopted", name_of(best->parameter), best->value);
}

static int teach_parameters(learning *l, tacho_arch **model, proposal *all, bool *any, learn_reload *reload,
                            tacho_error *err)
{
    const size_t count = propose(l, *model, all);
    bool more = true, adopted;
    int failed = 0;
    for (unsigned round = 0; round < MOST_ROUNDS && more && *model && !failed; round++) {
        adopted = false;
        failed = teach_round(l, *model, all, count, &adopted, &more, err);
        learning_steps_end(l, 1);
        if (!failed && adopted)
            failed = reload(l, model, err);
        if (!failed && adopted)
            failed = learning_part_done(l, "blocks", err);
        *any |= adopted;
    }
    return failed;
}

/* Rows that were adopted may have been there for what a parameter does. */
int learning_teach(learning *l, tacho_arch **model, learn_reload *reload, tacho_error *err)
{
    proposal *all = tacho_mem_zalloc(tacho_arch_parameter_count() * VALUES + 1, sizeof *all);
    int failed = all ? 0 : tacho_no_memory(err);
    const bool forms = l->from && l->lab.resources && !l->ports_unnamed;
    bool again = true;
    for (unsigned pass = 0; pass < MOST_PASSES && again && *model && !failed; pass++) {
        again = false;
        if (forms)
            failed = teach_forms(l, model, reload, err);
        if (!failed && *model)
            failed = teach_parameters(l, model, all, &again, reload, err);
        if (!failed && again && forms)
            failed = learning_rows_again(l, err);
        if (!failed && again)
            failed = reload(l, model, err);
    }
    l->weight_left = 0;
    tacho_mem_free(all);
    return failed;
}
