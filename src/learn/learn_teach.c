/* learn_teach.c - blocks as teachers. Their errors are grouped by what blocks share, and what would mend most
 * is proposed: first forms that nobody has looked at, where blocks with them are predicted worse than others;
 * then values of parameters. Nothing is fitted to blocks: a form is timed as all forms are, and a parameter
 * is decided by the loops of experiments and forms, and what a record has beside blocks, that tell both
 * values apart; where there are too few, loops are made of the blocks' own forms and timed. The half of the
 * blocks that judges must be predicted better, too. The journal has each proposal, and what became of it.
 * Blocks teach as long as there is time. */

#include "base/mem.h"
#include "base/search.h"
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

static void teach_forms(learning *l)
{
    suspect *all = tacho_mem_zalloc(tacho_form_count() + 1, sizeof *all);
    uint32_t forms[MOST_FORMS];
    size_t count = 0, before = l->learnt_count;
    if (!l->failed && !all)
        l->failed = tacho_no_memory(l->err);
    learning_predict(l, l->model, false);
    if (!l->failed)
        count = rank_forms(l, l->model, all);
    tacho_sort(all, count, sizeof *all, by_error);
    count = count < MOST_FORMS ? count : MOST_FORMS;
    for (size_t i = 0; i < count; i++)
        forms[i] = all[i].form;
    tacho_mem_free(all);
    if (count)
        learning_more_forms(l, forms, count);
    for (size_t i = before; i < l->learnt_count; i++)
        learning_note(l, "%s: %s", l->forms[i].name,
                      l->forms[i].differs ? "its row is adopted" : "keeps its row");
    if (l->learnt_count != before)
        l->reload(l);
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
    return l->result.findings[parameter].state == TACHO_LEARN_FOUND && !l->parameters[parameter].taught;
}

/* What the start has, switches turned, other rules, and numbers, also of two together. */
static size_t propose(const learning *l, proposal *out)
{
    const tacho_arch *model = l->model;
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
                out[count - 1].start = !l->parameters[i].taught;
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

static void weigh(learning *l, proposal *p, const trial_blocks *blocks)
{
    tacho_arch *trial = with_proposal(l->model, p);
    bool any = false;
    p->mend = 0;
    for (size_t i = 0; i < blocks->count && trial && !l->failed; i++) {
        if (i == blocks->bad && p->mend < LEAST_MEND * blocks->sum)
            break; /* the others can only make it less */
        const learn_block *b = &l->blocks[blocks->items[i]];
        const double cycles = learning_cycles(l, trial, &b->loop),
                     less = learn_block_error(b) - learn_error(&b->loop, cycles);
        any |= cycles != b->predicted;
        /* what is better shows among the worst ones, what is worse among others */
        p->mend += i < blocks->bad ? less : fmin(0, less) * blocks->weight;
    }
    p->dead = !any;
    tacho_arch_free(trial);
}

/* What is known in a round, in which the model stays the same. */
typedef struct trial_round {
    trial_blocks blocks;
    learn_known known;
    double errors[LEARN_MODES]; /* of the half that judges */
    bool made;                  /* loops of the forms of bad blocks, for what other loops do not decide */
} trial_round;

static void make_loops(learning *l, const trial_blocks *blocks)
{
    subject_loop loops[MADE_LOOPS] = {{0}};
    for (size_t i = 0; i < MADE_LOOPS && blocks->bad && !l->failed; i++) {
        const learn_block *b = &l->blocks[blocks->items[i / 2 % blocks->bad]];
        uint32_t forms[64];
        size_t n = 0;
        for (size_t at = 0; at < b->loop.size && n < 64;) {
            at = form_at(l->model, &b->loop, at, &forms[n]);
            n += forms[n] != UINT32_MAX;
        }
        loops[i].mode = b->loop.mode;
        l->failed = learn_block_make(&loops[i], forms, NULL, n, i, l->err);
    }
    if (!l->failed && blocks->bad)
        l->failed = subject_time(l->own, loops, MADE_LOOPS, l->err);
    for (size_t i = 0; i < MADE_LOOPS; i++)
        subject_loop_free(&loops[i]);
}

/* Whether the half that judges is predicted better, and no mode of it worse. */
static bool confirm(learning *l, const tacho_arch *trial, const double now[LEARN_MODES])
{
    double then[LEARN_MODES], sum = 0;
    bool worse = false;
    learning_errors(l, trial, true, then);
    for (size_t m = 0; m < LEARN_MODES; m++)
        if (!isnan(now[m]) && !isnan(then[m])) {
            worse |= then[m] > now[m] + 0.0005;
            sum += now[m] - then[m];
        }
    return !l->failed && !worse && sum > 0;
}

static void decide(learning *l, proposal *p, trial_round *r)
{
    char now[80];
    bool better = false;
    tacho_arch *trial = with_proposal(l->model, p);
    if (!l->failed && !trial)
        l->failed = tacho_no_memory(l->err);
    if (l->failed)
        return;
    const tacho_arch *const both[2] = {l->model, trial};
    learn_vote v = learn_compare(l, both, &l->own->kept, &r->known);
    if (v.count < FEW_LOOPS && !r->made) {
        make_loops(l, &r->blocks);
        r->made = true;
        v = learn_compare(l, both, &l->own->kept, &r->known);
    }
    /* what learning started from needs no more than to be better */
    const bool nearer = v.count >= FEW_LOOPS && (p->start ? v.errors[1] < v.errors[0] : learn_is_nearer(&v));
    if (nearer)
        better = confirm(l, trial, r->errors);
    tacho_arch_free(trial);
    p->worth = better ? (double)v.count * (v.errors[0] - v.errors[1]) : 0;
    p->share = better ? 1 - v.errors[1] / v.errors[0] : 0;
    tacho_arch_parameter_text(l->model, p->parameter, now, sizeof now);
    p->lesson =
        learning_text(l, "%zu loops that tell %s from %s: %.1f %% off, not %.1f %%; judging blocks: %s",
                      v.count, p->value, now, 100 * v.errors[1], 100 * v.errors[0],
                      better   ? "better"
                      : nearer ? "not better"
                               : "not asked");
    const bool alone = p->also == ALONE;
    learning_note(l, "%s%s%s %s %s: %s", name_of(p->parameter), alone ? "" : " and ",
                  alone ? "" : name_of((size_t)p->also), p->value,
                  p->worth > 0 ? "is possible" : "is refused", p->lesson);
}

static bool are_alike(const proposal *p, const proposal *q)
{
    return p->parameter == q->parameter || (int)p->parameter == q->also || p->also == (int)q->parameter ||
           (p->also != ALONE && p->also == q->also);
}

/* What the loops say that tell two proposals apart, as one mechanism can look like another one where both are
 * away; where there are too few, of values of a parameter the one that mends most is the better one, of
 * parameters the one that leaves least. */
static bool is_better(learning *l, const proposal *p, const proposal *than)
{
    if (!than)
        return true;
    tacho_arch *const both[2] = {with_proposal(l->model, than), with_proposal(l->model, p)};
    learn_vote v = {0};
    if (!both[0] || !both[1])
        l->failed = tacho_no_memory(l->err);
    else
        v = learn_compare(l, (const tacho_arch *const *)both, &l->own->kept, NULL);
    tacho_arch_free(both[0]);
    tacho_arch_free(both[1]);
    if (v.count >= FEW_LOOPS)
        return v.errors[1] < v.errors[0];
    return are_alike(p, than) ? p->worth > than->worth : p->share > than->share;
}

/* Whether it is to be put to the test: it mends enough, and is not one of many of the same kind. */
static bool is_due(const proposal *all, size_t i, double least)
{
    unsigned alike = 0;
    for (size_t k = 0; k < i; k++)
        alike += all[k].lesson && are_alike(&all[k], &all[i]);
    return !all[i].dead && all[i].mend >= least && alike < MOST_ALIKE;
}

/* Says which proposals mend how much of the worst blocks' errors, and sorts them by that. */
static void weigh_all(learning *l, proposal *all, size_t count, trial_round *r)
{
    *r = (trial_round){.made = false};
    learning_predict(l, l->model, false);
    learning_errors_now(l, true, r->errors);
    find_worst(l, &r->blocks);
    for (size_t i = 0; i < count && r->blocks.bad && !l->failed; i++) {
        if (i % 50 == 0)
            learning_look_at(l, name_of(all[i].parameter));
        all[i].lesson = NULL;
        if (!all[i].dead)
            weigh(l, &all[i], &r->blocks);
        l->progress.done = i;
    }
    tacho_sort(all, count, sizeof *all, by_mend);
}

static void adopt(learning *l, proposal *best)
{
    const size_t both[] = {best->parameter, best->also == ALONE ? best->parameter : (size_t)best->also};
    best->dead = true;
    for (size_t i = 0; i < 2; i++) {
        learn_parameter *p = &l->parameters[both[i]];
        p->taught = learning_text(l, "%s", best->value);
        p->lesson = best->lesson;
        p->doubt_by_blocks = NULL; /* that was of another value */
    }
    learning_note(l, "%s %s is adopted", name_of(best->parameter), best->value);
}

/* Of the best proposals that one is adopted that mends most where it is decided; one a round, as it changes
 * what all others would mend. @return whether there may be more */
static bool teach_round(learning *l, proposal *all, size_t count, bool *adopted)
{
    trial_round r;
    proposal *best = NULL;
    size_t tried = 0;
    weigh_all(l, all, count, &r);
    for (size_t i = 0; i < count && r.blocks.bad && tried < MOST_TRIALS && !l->failed; i++) {
        if (!is_due(all, i, LEAST_MEND * r.blocks.sum))
            continue;
        tried++;
        decide(l, &all[i], &r);
        all[i].dead = !(all[i].worth > 0);
        if (!all[i].dead && is_better(l, &all[i], best))
            best = &all[i];
    }
    tacho_mem_free(r.known.cycles);
    *adopted = best && !l->failed;
    if (*adopted)
        adopt(l, best);
    return best || tried == MOST_TRIALS;
}

/* @return whether a value was adopted */
static bool teach_parameters(learning *l, proposal *all)
{
    const size_t count = propose(l, all);
    bool more = true, any = false;
    for (unsigned round = 0; round < MOST_ROUNDS && more && l->model && !l->failed; round++) {
        bool adopted;
        if (learning_late(l, LEARN_LESSONS_END))
            break;
        learning_stage(l, TACHO_LEARN_LESSONS, count);
        learning_step(l, "");
        more = teach_round(l, all, count, &adopted);
        learning_steps_end(l, 1);
        if (adopted) {
            l->reload(l);
            learning_part_done(l, "blocks");
        }
        any |= adopted;
    }
    return any;
}

/* Rows that were adopted may have been there for what a parameter does. */
void learning_teach(learning *l)
{
    proposal *all = tacho_mem_zalloc(tacho_arch_parameter_count() * VALUES + 1, sizeof *all);
    const bool forms = l->from && l->lab.resources && !l->ports_unnamed;
    if (!l->failed && !all)
        l->failed = tacho_no_memory(l->err);
    for (unsigned pass = 0; pass < MOST_PASSES && l->model && !l->failed; pass++) {
        if (forms)
            teach_forms(l);
        if (!l->model || l->failed || !teach_parameters(l, all))
            break;
        if (forms)
            learning_rows_again(l, false, LEARN_LESSONS_END);
        l->reload(l);
    }
    l->costs[TACHO_LEARN_LESSONS].left = 0;
    tacho_mem_free(all);
}
