/* learn_decode.c - fetch and decode: what copies of code take that come from the decoders. uiCA paper,
 * section 4.1.1, has the mechanisms; here each is looked for with NOPs. */

#include "learn/lab.h"

/* ---- where copies come from ---- */

int learn_copies(lab *l)
{
    enum {
        FROM = 8,
        TO = 13, /* bytes */
        FEW = 24,
        MANY = 96,
        COPIES = 64
    };
    for (unsigned bytes = FROM; bytes <= TO; bytes++) {
        lab_loop(l, TACHO_MODE_LOOP);
        lab_nops(l, bytes, FEW);
        lab_loop(l, TACHO_MODE_LOOP);
        lab_nops(l, bytes, MANY);
        lab_loop(l, TACHO_MODE_UNROLL);
        lab_nops(l, bytes, COPIES);
    }
    lab_time(l);
    curve *loops = lab_curve(l, "NOPs in a loop", "bytes of a NOP", "cycles a NOP"),
          *copies = lab_curve(l, "NOPs unrolled", "bytes of a NOP", "cycles a NOP");
    double most = NAN;
    for (unsigned i = 0; i <= TO - FROM; i++) {
        double looped = (lab_timed(l, 3 * i + 1) - lab_timed(l, 3 * i)) / (MANY - FEW),
               copied = lab_timed(l, 3 * i + 2) / COPIES;
        curve_add(l, loops, FROM + i, looped);
        curve_add(l, copies, FROM + i, copied);
        most = fmax(most, copied / looped); /* of a NaN and a number the number */
    }
    return lab_less(l, "dsb_holds_copies", most, 1.15);
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
    static const char name[] = "predecode_block_bytes";
    for (unsigned bytes = FROM; bytes <= TO; bytes++) {
        lab_loop(l, TACHO_MODE_UNROLL);
        lab_nops(l, bytes, COPIES);
    }
    lab_loop(l, TACHO_MODE_UNROLL);
    lab_fill_plain(l, 7 * COPIES, COPIES);
    lab_time(l);
    curve *c = lab_curve(l, "bytes that are fetched: of NOPs, and of moves of immediates (at 16)",
                         "bytes of an instruction", "bytes a cycle");
    double issue = lab_number(l, "issue_width", 1), most = 0;
    for (unsigned x = FROM; x <= MOVES; x++) {
        double rate = COPIES / lab_timed(l, x - FROM);
        unsigned bytes = x == MOVES ? 7 : x;
        curve_add(l, c, x, rate * bytes);
        /* no more than the renamer takes */
        if (rate < 0.85 * issue && rate * bytes > most)
            most = rate * bytes;
    }
    double size = 8 * round(most / 8);
    if (!(most >= 12) || fabs(most - size) > 0.08 * size)
        return lab_undecided(l, name, "%.1f bytes a cycle at most: no size of a block", most);
    return lab_found(l, name, most, most, "%.0f", size);
}

/* ---- decoders ---- */

enum {
    MOST_NOPS = 18,
    PATTERNS = 8,
    MOST_DECODERS = 16,
    MOST_UOPS = 3,
    KINDS = 6 /* of instructions that need the complex decoder, each with NOPs of two lengths */
};

/* The n-th of some plain instructions that need the complex decoder. */
static void add_complex(lab *l, unsigned kind, unsigned n)
{
    static const char *const wide[PATTERNS] = {"rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"};
    if (kind == 0)
        lab_code(l, 1, "bswap %s", wide[n]);
    else
        lab_code(l, 1, kind == 1 ? "pinsrw xmm%u, eax, 0" : "cvtsi2sd xmm%u, rax", n);
}

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
    for (size_t i = 0; c && i < c->count; i++) {
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
    const bool several = a->decoders > 1 && a->misfit < 0.06;
    const bool others = b->decoders > 1 && b->misfit < 0.06;
    return several != others ? several : a->misfit < b->misfit;
}

int learn_decoders(lab *l)
{
    /* there are decoders that find NOPs of two or of three bytes hard */
    static const char name[] = "decoders", *const titles[KINDS] = {
                                               "a byte swap, NOPs of 2 bytes behind it",
                                               "a byte swap, NOPs of 3 bytes behind it",
                                               "an insertion into a vector, NOPs of 2 bytes behind it",
                                               "an insertion into a vector, NOPs of 3 bytes behind it",
                                               "a conversion, NOPs of 2 bytes behind it",
                                               "a conversion, NOPs of 3 bytes behind it"};
    decode_fit best = {INFINITY, INFINITY, 0};
    for (unsigned kind = 0; kind < KINDS; kind++)
        for (unsigned k = 0; k <= MOST_NOPS; k++) {
            lab_loop(l, TACHO_MODE_UNROLL);
            for (unsigned n = 0; n < PATTERNS; n++) {
                add_complex(l, kind / 2, n);
                lab_nops(l, 2 + kind % 2, k);
            }
        }
    for (unsigned kind = 0; kind < KINDS; kind++) {
        curve *c =
            lab_draw(l, titles[kind], "NOPs", "cycles", (axis){.count = MOST_NOPS + 1, .per = PATTERNS});
        decode_fit f = fit_decoders(c, lab_number(l, "issue_width", 4));
        best = is_better(&f, &best) ? f : best;
        curve_bend(c, f.decoders);
    }
    if (best.misfit > 0.06)
        return lab_undecided(l, name, "no number explains what complex instructions and NOPs take");
    if (best.second < best.misfit + 0.015)
        return lab_undecided(l, name,
                             "several numbers explain what complex instructions and NOPs take, %u best",
                             best.decoders);
    return lab_about(l, name, best.decoders, 0);
}

/* ---- instructions of a block ---- */

int learn_predecode_width(lab *l)
{
    enum {
        BLOCKS = 8
    };
    static const char name[] = "predecode_width";
    unsigned bytes = (unsigned)lab_number(l, "predecode_block_bytes", 16), least = (bytes + 6) / 7, low = 0,
             high = 0;
    double narrow = fmin(lab_number(l, "decoders", 4), lab_number(l, "issue_width", 4));
    for (unsigned n = least; n <= bytes; n++) {
        lab_loop(l, TACHO_MODE_UNROLL);
        for (unsigned k = 0; k < BLOCKS; k++)
            lab_fill_plain(l, bytes, n);
    }
    curve *c = lab_draw(l, "instructions of a block of code", "instructions in the block", "cycles a block",
                        (axis){.from = least, .per = BLOCKS});
    for (unsigned width = 1; width <= bytes; width++) {
        unsigned wrong = 0, count = bytes - least + 1;
        for (unsigned n = least; n <= bytes; n++) {
            double y = curve_at(c, n - least);
            wrong += !isnan(y) && !near_to(y, fmax(ceil((double)n / width), n / narrow), 0.04);
        }
        if (wrong <= count / 12) {
            low = low ? low : width;
            high = width;
        }
    }
    if (low && low == high)
        return lab_found(l, name, low, high, "%u", low);
    if (low)
        return lab_at_least(l, name, low, "%u and more are all alike: the decoders are the limit", low);
    return lab_undecided(l, name, "no number explains what NOPs of several lengths take");
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
    for (unsigned n = 1; n <= MOST; n++) {
        lab_loop(l, TACHO_MODE_LOOP);
        lab_nops(l, 1, n * DENSE);
    }
    curve *c = lab_draw(l, "NOPs of a byte in a loop", "64 NOPs", "cycles an iteration", (axis){.from = 1});
    double slope = curve_slope(c, 0), width = lab_number(l, "predecode_width", NAN),
           bytes = lab_number(l, "predecode_block_bytes", 16), rest = 0;
    unsigned known = 0;
    for (unsigned n = 1; n <= MOST; n++)
        if (!isnan(curve_at(c, n - 1))) {
            rest += curve_at(c, n - 1) - n * slope - 1;
            known++;
        }
    if (isnan(width) || !near_to(slope, DENSE / bytes * ceil(bytes / width), 0.03))
        return lab_undecided(l, "predecode_taken_cycles", "the predecoder is not what limits dense loops");
    return lab_cycles(l, "predecode_taken_cycles", rest / known, 0.3);
}

/* ---- prefixes that change the length ---- */

int learn_length_changing(lab *l)
{
    enum {
        BLOCKS = 4,
        MOST = 3
    };
    for (unsigned k = 0; k <= MOST; k++) {
        lab_loop(l, TACHO_MODE_UNROLL);
        for (unsigned n = 0; n < BLOCKS; n++) {
            lab_code(l, k, "mov cx, 0x1234"); /* of 4 bytes */
            lab_code(l, 4 - k, "lea rcx, [rax+1]");
        }
    }
    curve *c = lab_draw(l, "operand-size prefixes before immediates", "of four instructions in 16 bytes",
                        "cycles for 16 bytes", (axis){.per = BLOCKS});
    return lab_cycles(l, "lcp_penalty_cycles", curve_slope(c, 0), 0.2);
}

/* ---- which instructions go to which decoder ---- */

enum {
    GROUPS = 6
};

/* Five instructions in 16 bytes, three of them as given, on registers of their own. */
static void add_fives(lab *l, const char *mnemonic)
{
    static const char *const regs[2][3] = {{"rcx", "rdx", "rsi"}, {"r8", "r9", "r10"}};
    lab_loop(l, TACHO_MODE_UNROLL);
    for (unsigned k = 0; k < GROUPS; k++) {
        const char *const *reg = regs[k % 2];
        lab_nops(l, 2, 1);
        lab_code(l, 1, "%s %s, 1; %s %s, 1", mnemonic, reg[0], mnemonic, reg[1]);
        lab_nops(l, 2, 1);
        lab_code(l, 1, "%s %s, 1", mnemonic, reg[2]);
    }
}

int learn_fusible_on_last(lab *l)
{
    static const char name[] = "fusible_on_last_decoder";
    add_fives(l, "or");
    add_fives(l, "cmp");
    curve *c = lab_draw(l, "NOPs and disjunctions (0), NOPs and comparisons (1), which could be fused",
                        "which", "cycles for 30 instructions", (axis){0});
    double narrow = fmin(lab_number(l, "decoders", 4), lab_number(l, "issue_width", 4));
    if (!(curve_at(c, 0) < 1.1 * GROUPS * 5 / narrow && curve_at(c, 1) > 0))
        return lab_undecided(l, name, "disjunctions and NOPs do not fill the decoders");
    return lab_less(l, name, curve_at(c, 1), 1.05 * curve_at(c, 0));
}

/* R12 has the number of RSP, but for its prefix, and POP the exception that RSP is. */
int learn_pop_rsp(lab *l)
{
    for (unsigned i = 0; i < 4; i++) {
        lab_loop(l, TACHO_MODE_UNROLL);
        for (unsigned k = 0; k < GROUPS; k++) {
            lab_code(l, 1, "pop %s", i % 2 ? "r12" : "r13");
            lab_nops(l, 1, 1 + i / 2);
        }
    }
    curve *c = lab_draw(l, "POP of r13 (0), of r12 (1), with a NOP each; the same with two NOPs (2, 3)",
                        "which", "cycles a POP", (axis){.per = GROUPS});
    if (curve_at(c, 0) < 0.8 && curve_at(c, 1) > 0 && curve_at(c, 2) < 1.3 && curve_at(c, 3) > 0) {
        lab_yes(l, "pop_rsp_complex", curve_at(c, 1) > 1.2 * curve_at(c, 0));
        return lab_yes(l, "pop_rsp_ends_decode", curve_at(c, 3) > 1.5);
    }
    lab_undecided(l, "pop_rsp_complex", "POP and NOP take a cycle with any register");
    return lab_undecided(l, "pop_rsp_ends_decode", "POP and NOP take a cycle with any register");
}
