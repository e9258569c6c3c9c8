/* learn_decode.c - fetch and decode: what copies of code take that come from the decoders. uiCA paper,
 * section 4.1.1, has the mechanisms; here each is looked for with NOPs. */
#include "learn/learn_decode.h"

#include <math.h>

#include "learn/learn_experiments.h"

/* ---- where copies come from ---- */

int learn_copies(lab *l)
{
    enum {
        FROM = 8,
        TO = 13, /* bytes */
        FEW = 24,
        MANY = 96
    };
    loopset s = loopset_of(l);
    for (unsigned bytes = FROM; bytes <= TO; bytes++) {
        loopset_loop(&s, TACHO_MODE_LOOP);
        loopset_nops(&s, bytes, FEW);
        loopset_loop(&s, TACHO_MODE_LOOP);
        loopset_nops(&s, bytes, MANY);
        loopset_loop(&s, TACHO_MODE_UNROLL);
        loopset_nops(&s, bytes, 64);
    }
    loopset_time(&s);
    curve *loops = loopset_curve(&s, "NOPs in a loop", "bytes of a NOP", "cycles a NOP"),
          *copies = loopset_curve(&s, "NOPs unrolled", "bytes of a NOP", "cycles a NOP");
    double most = NAN;
    for (unsigned bytes = FROM; bytes <= TO && !l->failed; bytes++) {
        size_t first = 3 * (bytes - FROM);
        double looped = (loopset_cycles(&s, first + 1) - loopset_cycles(&s, first)) / (MANY - FEW),
               copied = loopset_cycles(&s, first + 2) / 64;
        loopset_point(&s, loops, bytes, looped);
        loopset_point(&s, copies, bytes, copied);
        most = fmax(most, copied / looped); /* of a NaN and a number the number */
    }
    if (isnan(most))
        lab_undecided(l, "dsb_holds_copies", "NOPs could not be timed");
    else
        lab_yes(l, "dsb_holds_copies", most < 1.15);
    return loopset_end(&s);
}

bool learn_decodes_copies(loopset *s, const char *const *names, size_t count)
{
    const finding *f = lab_finding(s->l, "dsb_holds_copies");
    bool known = f && f->state == FINDING_MEASURED, held = known && f->value[0] == 'y';
    for (size_t i = 0; i < count && (!known || held); i++)
        held ? lab_moot(s->l, names[i], "copies of code come from a cache of µops, and so do loops")
             : lab_undecided(s->l, names[i], "where copies of code come from is not known");
    return known && !held && !s->l->failed;
}

/* ---- bytes a cycle ---- */

int learn_fetch(lab *l)
{
    enum {
        FROM = 7,
        TO = 15,
        COPIES = 64, /* whole blocks of any size */
        MOVES = TO + 1
    };
    static const char *const names[] = {"predecode_block_bytes"};
    loopset s = loopset_of(l);
    if (!learn_decodes_copies(&s, names, 1))
        return loopset_end(&s);
    for (unsigned bytes = FROM; bytes <= TO; bytes++) {
        loopset_loop(&s, TACHO_MODE_UNROLL);
        loopset_nops(&s, bytes, COPIES);
    }
    loopset_loop(&s, TACHO_MODE_UNROLL);
    loopset_fill_plain(&s, 7 * COPIES, COPIES);
    loopset_time(&s);
    curve *c = loopset_curve(&s, "bytes that are fetched: of NOPs, and of moves of immediates (at 16)",
                             "bytes of an instruction", "bytes a cycle");
    double issue = lab_number(l, "issue_width", 1), most = 0;
    for (unsigned x = FROM; x <= MOVES; x++) {
        double rate = COPIES / loopset_cycles(&s, x - FROM);
        unsigned bytes = x == MOVES ? 7 : x;
        loopset_point(&s, c, x, rate * bytes);
        /* no more than the renamer takes */
        if (rate < 0.85 * issue && rate * bytes > most)
            most = rate * bytes;
    }
    double size = 8 * round(most / 8);
    if (!(most >= 12) || fabs(most - size) > 0.08 * size)
        lab_undecided(l, names[0], "%.1f bytes a cycle at most: no size of a block", most);
    else
        lab_found(l, names[0], most, most, "%.0f", size);
    return loopset_end(&s);
}

/* ---- decoders ---- */

void learn_add_complex(loopset *s, unsigned kind, unsigned n)
{
    static const char *const wide[] = {"rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"};
    n %= 8;
    if (kind == 0)
        loopset_add(s, 1, "bswap %s", wide[n]);
    else if (kind == 1)
        loopset_add(s, 1, "pinsrw xmm%u, eax, 0", n);
    else
        loopset_add(s, 1, "cvtsi2sd xmm%u, rax", n);
}

enum {
    MOST_NOPS = 18,
    PATTERNS = 8,
    MOST_DECODERS = 16,
    MOST_UOPS = 3,
    FILLERS = 2, /* NOPs of two or three bytes: there are decoders that find one of them hard */
};

typedef struct decode_fit {
    double misfit; /* the mean relative difference */
    double second; /* that of the next best number of decoders */
    unsigned decoders;
} decode_fit;

/* How badly `decoders`, of which `beside` can be used beside a complex instruction of `uops` µops, explain
 * what it takes with NOPs behind it. */
static double misfit(const curve *c, unsigned decoders, unsigned beside, unsigned uops, double issue)
{
    double sum = 0;
    unsigned n = 0;
    for (size_t i = 0; i < c->count; i++) {
        double k = c->points[i].x, groups = 1 + fmax(0, ceil((k - beside) / decoders)),
               expected = fmax(groups, (uops + k) / issue);
        if (isnan(c->points[i].cycles))
            continue;
        sum += fabs(c->points[i].cycles / expected - 1);
        n++;
    }
    return n > MOST_NOPS / 2 ? sum / n : INFINITY;
}

static decode_fit fit_decoders(const curve *c, double issue)
{
    decode_fit best = {INFINITY, INFINITY, 0};
    for (unsigned d = 1; d <= MOST_DECODERS; d++) {
        double least = INFINITY;
        for (unsigned beside = d < 3 ? 0 : d - 3; beside < d; beside++)
            for (unsigned uops = 1; uops <= MOST_UOPS; uops++)
                least = fmin(least, misfit(c, d, beside, uops, issue));
        if (least < best.misfit)
            best = (decode_fit){least, best.misfit, d};
        else
            best.second = fmin(best.second, least);
    }
    return best;
}

/* One decoder explains what NOPs take that need the complex decoder themselves. */
static bool is_better(const decode_fit *a, const decode_fit *b)
{
    bool several = a->decoders > 1 && a->misfit<0.06, other = b->decoders> 1 && b->misfit < 0.06;
    return several != other ? several : a->misfit < b->misfit;
}

static int say_decoders(lab *l, const decode_fit *f)
{
    if (f->misfit > 0.06)
        return lab_undecided(l, "decoders", "no number explains what complex instructions and NOPs take");
    if (f->second < f->misfit + 0.015)
        return lab_undecided(l, "decoders",
                             "several numbers explain what complex instructions and NOPs take, %u best",
                             f->decoders);
    return lab_about(l, "decoders", f->decoders, 0);
}

int learn_decoders(lab *l)
{
    static const char *const names[] = {"decoders"},
                             *const titles[LEARN_COMPLEX_KINDS * FILLERS] = {
                                 "a byte swap, NOPs of 2 bytes behind it",
                                 "a byte swap, NOPs of 3 bytes behind it",
                                 "an insertion into a vector, NOPs of 2 bytes behind it",
                                 "an insertion into a vector, NOPs of 3 bytes behind it",
                                 "a conversion, NOPs of 2 bytes behind it",
                                 "a conversion, NOPs of 3 bytes behind it"};
    loopset s = loopset_of(l);
    decode_fit best = {INFINITY, INFINITY, 0};
    if (!learn_decodes_copies(&s, names, 1))
        return loopset_end(&s);
    for (unsigned kind = 0; kind < LEARN_COMPLEX_KINDS * FILLERS; kind++)
        for (unsigned k = 0; k <= MOST_NOPS; k++) {
            loopset_loop(&s, TACHO_MODE_UNROLL);
            for (unsigned n = 0; n < PATTERNS; n++) {
                learn_add_complex(&s, kind / FILLERS, n);
                loopset_nops(&s, 2 + kind % FILLERS, k);
            }
        }
    for (unsigned kind = 0; kind < LEARN_COMPLEX_KINDS * FILLERS; kind++) {
        const sweep of = {.first = kind * (MOST_NOPS + 1), .count = MOST_NOPS + 1, .per = PATTERNS};
        curve *c = loopset_draw(&s, &of, titles[kind], "NOPs", "cycles");
        if (l->failed)
            break;
        decode_fit f = fit_decoders(c, lab_number(l, "issue_width", 4));
        best = is_better(&f, &best) ? f : best;
        c->bend = f.decoders;
    }
    say_decoders(l, &best);
    return loopset_end(&s);
}

/* ---- instructions of a block ---- */

int learn_predecode_width(lab *l)
{
    enum {
        BLOCKS = 8
    };
    static const char *const names[] = {"predecode_width"};
    loopset s = loopset_of(l);
    if (!learn_decodes_copies(&s, names, 1))
        return loopset_end(&s);
    unsigned bytes = (unsigned)lab_number(l, "predecode_block_bytes", 16), least = (bytes + 6) / 7;
    double narrow = fmin(lab_number(l, "decoders", 4), lab_number(l, "issue_width", 4));
    for (unsigned n = least; n <= bytes; n++) {
        loopset_loop(&s, TACHO_MODE_UNROLL);
        for (unsigned k = 0; k < BLOCKS; k++)
            loopset_fill_plain(&s, bytes, n);
    }
    curve *c = loopset_draw(&s, &(sweep){.from = least, .count = bytes - least + 1, .per = BLOCKS},
                            "instructions of a block of code", "instructions in the block", "cycles a block");
    unsigned low = 0, high = 0;
    for (unsigned width = 1; width <= bytes && !l->failed; width++) {
        unsigned wrong = 0;
        for (size_t i = 0; i < c->count; i++) {
            double x = c->points[i].x, y = c->points[i].cycles;
            wrong += !isnan(y) && !near_to(y, fmax(ceil(x / width), x / narrow), 0.04);
        }
        if (wrong <= c->count / 12) {
            low = low ? low : width;
            high = width;
        }
    }
    if (low && low == high)
        lab_found(l, names[0], low, high, "%u", low);
    else if (low)
        lab_at_least(l, names[0], low, "%u and more are all alike: the decoders are the limit", low);
    else
        lab_undecided(l, names[0], "no number explains what NOPs of several lengths take");
    return loopset_end(&s);
}

/* ---- the first block behind a taken branch ---- */

/* Loops that are too dense to be held by the cache of µops: what is left for no NOPs is the block of the
 * loop's own branch and what is lost behind it. */
int learn_taken_block(lab *l)
{
    enum {
        DENSE = 64,
        MOST = 6
    };
    static const char *const names[] = {"predecode_taken_cycles"};
    loopset s = loopset_of(l);
    if (!learn_decodes_copies(&s, names, 1))
        return loopset_end(&s);
    for (unsigned n = 1; n <= MOST; n++) {
        loopset_loop(&s, TACHO_MODE_LOOP);
        loopset_nops(&s, 1, n * DENSE);
    }
    curve *c = loopset_draw(&s, &(sweep){.from = 1, .count = MOST}, "NOPs of a byte in a loop", "64 NOPs",
                            "cycles an iteration");
    double slope = curve_slope(c, 0), width = lab_number(l, "predecode_width", NAN),
           bytes = lab_number(l, "predecode_block_bytes", 16), rest = 0;
    unsigned known = 0;
    for (unsigned n = 1; n <= MOST && !l->failed; n++)
        if (!isnan(c->points[n - 1].cycles)) {
            rest += c->points[n - 1].cycles - n * slope - 1;
            known++;
        }
    rest /= known;
    if (isnan(width) || !near_to(slope, DENSE / bytes * ceil(bytes / width), 0.03))
        lab_undecided(l, names[0], "the predecoder is not what limits dense loops");
    else
        lab_cycles(l, names[0], rest, 0.3);
    return loopset_end(&s);
}

/* ---- prefixes that change the length ---- */

int learn_length_changing(lab *l)
{
    enum {
        BLOCKS = 4,
        MOST = 3
    };
    static const char *const names[] = {"lcp_penalty_cycles"};
    loopset s = loopset_of(l);
    if (!learn_decodes_copies(&s, names, 1))
        return loopset_end(&s);
    for (unsigned k = 0; k <= MOST; k++) {
        loopset_loop(&s, TACHO_MODE_UNROLL);
        for (unsigned n = 0; n < BLOCKS; n++) {
            loopset_add(&s, k, "mov cx, 0x1234"); /* of 4 bytes */
            loopset_add(&s, 4 - k, "lea rcx, [rax+1]");
        }
    }
    curve *c = loopset_draw(&s, &(sweep){.count = MOST + 1, .per = BLOCKS},
                            "operand-size prefixes before immediates", "of four instructions in 16 bytes",
                            "cycles for 16 bytes");
    double slope = curve_slope(c, 0);
    lab_cycles(l, names[0], slope, 0.2);
    return loopset_end(&s);
}
