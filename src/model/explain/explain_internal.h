/* explain_internal.h - what the parts of an explanation share: the code that is explained, variants of it to
 * simulate, and the table of kinds of advice. Above the predictor's public interface only. */
#ifndef TACHO_EXPLAIN_INTERNAL_H
#define TACHO_EXPLAIN_INTERNAL_H

#include "base/arena.h"
#include "tacho/explain.h"
#include "x86/arch/arch_struct.h"
#include "x86/decode/regs.h"

enum {
    MAX_VARIANTS = 80,
    MAX_SINGLES = 8, /* instructions that are also tried one by one */
};

/* The prediction to explain, and how it was made. */
typedef struct subject {
    const tacho_prediction *p;
    const uint8_t *code;
    size_t size;
    tacho_predict_options options; /* for what is simulated again: no details, the mode that it had */
    arena *memory;
    const tacho_what_if *what_ifs;
    size_t what_if_count;
    bool fixed_code; /* only the machine and the options can be changed */
    bool failed;     /* memory ran out */
} subject;

/* A variant: the code, its place or the machine changed, and the cycles that came out. */
typedef struct variant {
    const uint32_t *insns; /* of the block, that are concerned; rising */
    uint32_t insn_count;
    const tacho_arch *arch;
    const uint8_t *code;
    size_t size;
    tacho_predict_options options;
    uint32_t iterations; /* of the block in one of this code */
    tacho_reg reg;       /* for the sentence, where there is one */
    double cycles;       /* per iteration of the block; NaN: not simulated */
    int64_t num, den;
} variant;

typedef struct variant_list {
    variant items[MAX_VARIANTS];
    uint32_t count;
} variant_list;

enum {
    EXPLAIN_ROOM = 2 * TACHO_MAX_INSN_BYTES
};
typedef bool explain_test(const subject *s, uint32_t i);
/* Writes what the instruction becomes, up to EXPLAIN_ROOM bytes, and returns how many; 0: it stays as it is.
 */
typedef uint8_t explain_rewrite(const tacho_insn *insn, uint8_t *out);

/* One kind of advice: which variants there are, the simplest first, and what to say of the best: what to do,
 * so that "gives 3 cycles instead of 4" can follow. */
typedef struct advice_kind {
    const char *name;
    /* the kind is tried only where this what-if gains at least 1 %; TACHO_WHAT_COUNT: always */
    tacho_what requires;
    /* NULL: the instructions for which `wanted` holds are rewritten, all together and, if they are few, one
     * by one */
    void (*find)(subject *s, variant_list *out);
    explain_test *wanted;
    explain_rewrite *rewrite;
    const char *words[2]; /* what stands before and behind the numbers of the variant's instructions; or: */
    void (*say)(const subject *s, const variant *v, char *out, size_t size);
    double step; /* by which a later variant must be faster than the best before it; 0: 1 % */
} advice_kind;

/* Defines explain_KIND. `what` is the end of a name of tacho_what. */
#define ADVICE(kind, what, ...)                                                                              \
    const advice_kind explain_##kind = {.name = #kind, .requires = TACHO_WHAT_##what, __VA_ARGS__}

extern const advice_kind explain_alignment, explain_jcc_erratum, explain_lcp, explain_dsb_capacity,
    explain_lsd_capacity, explain_macro_fusion, explain_unlamination, explain_false_dependency,
    explain_partial_register, explain_high8_merge, explain_move_elimination, explain_narrow_division,
    explain_accumulators, explain_unroll, explain_memory_to_register, explain_advance;

/* ---- explain.c ---- */
static inline const tacho_insn *insn_at(const subject *s, size_t i)
{
    return s->p->instructions[i]->insn;
}
/* The largest gain of that kind alone, 0 without one. */
double explain_gain(const subject *s, tacho_what what);

/* ---- explain_variants.c ---- */
void *explain_alloc(subject *s, size_t bytes);
/* A variant that changes nothing yet. */
variant explain_unchanged(const subject *s);
/* Gives the variant a copy of its microarchitecture's parameters to change; NULL when memory runs out. */
tacho_arch *explain_own_arch(subject *s, variant *v);
/* Adds a variant to the list; NULL when there are too many. */
variant *explain_add(subject *s, variant_list *list);
/* The same with parameters of its own. */
variant *explain_add_arch(subject *s, variant_list *list, tacho_arch **arch);
/* One for the instructions with this note, with parameters of its own; NULL where none has it. */
variant *explain_add_noted(subject *s, variant_list *list, uint32_t note, tacho_arch **arch);
void explain_set_insns(subject *s, variant *v, const uint32_t *insns, uint32_t count);
/* Numbers of the instructions for which `wanted` holds, rising. */
const uint32_t *explain_find_insns(subject *s, explain_test *wanted, uint32_t *count);
/* A variant with each of the wanted instructions rewritten, and (few of them) variants with one each. */
void explain_rewrites(subject *s, variant_list *list, explain_test *wanted, explain_rewrite *rewrite);
/* "instruction 3", "instructions 1, 2 and 4". */
const char *explain_insns_text(const variant *v, char *out, size_t size);
enum {
    EXPLAIN_INSNS_TEXT = 160
};

bool insn_reads_reg(const tacho_insn *insn, tacho_reg reg); /* addresses included */
/* Whether an instruction after it, perhaps of the next iteration, reads flags that it writes. */
bool explain_flags_used(const subject *s, uint32_t i);
/* Numbers of registers of that kind that the block does not use, RSP never; returns how many. */
uint32_t explain_free_registers(const subject *s, tacho_reg like, uint8_t *out, uint32_t wanted);

/* ---- unroll.c ---- */
enum {
    UNROLL_MOST = 8
};
/* `copies` copies of the block, one after the other. In all but the last, `reg` is renamed to `others` (class
 * NONE: nothing is renamed), and the branch and what only it needs are left out. NULL where that is not
 * possible. */
variant *explain_add_unrolled(subject *s, variant_list *list, uint32_t copies, tacho_reg reg,
                              const uint8_t *others);

/* ---- explain_what_if.c ---- */
/* The what-ifs that apply; `v` has the machine and the options for each. */
typedef struct what_if_list {
    tacho_what_if *items;
    variant *variants;
    size_t count, capacity;
} what_if_list;
void explain_find_what_ifs(subject *s, what_if_list *out);
/* Adds what-ifs with two parts at once. */
void explain_find_pairs(subject *s, what_if_list *list);

#endif
