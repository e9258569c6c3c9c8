/* diff_align.c - the code of two places side by side: an alignment with the largest sum of likenesses of
 * instructions (S. Needleman, C. Wunsch, 1970), where gaps cost nothing. Compilers choose registers,
 * displacements and the places of code anew each time, so these do not count. */
#include <math.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/search.h"
#include "program/hot/diff.h"
#include "x86/decode/insn_struct.h"

enum {
    MAX_TOKENS = 1000, /* of a place: what follows does not count */
    SAME = 4,          /* likeness of instructions of one shape; */
    SIMILAR = 2        /* of one mnemonic */
};

static uint64_t shape_of(const tacho_insn *insn)
{
    uint64_t hash = hash_mix(insn->mnemonic);
    for (size_t i = 0; i < insn->visible_count; i++) {
        const tacho_operand *o = &insn->operands[i];
        bool zero_index = o->mem.scale == 0;
        hash = hash_mix(hash ^ (uint64_t)o->kind << 32 ^ o->width_bits);
        if (o->kind == TACHO_OPERAND_REG)
            hash = hash_mix(hash ^ o->reg.class_);
        else if (o->kind == TACHO_OPERAND_MEM || o->kind == TACHO_OPERAND_AGEN)
            hash = hash_mix(hash ^ zero_index);
        else if (o->kind == TACHO_OPERAND_IMM)
            hash = hash_mix(hash ^ (uint64_t)o->imm);
    }
    return hash;
}

typedef struct ordered_insn {
    int32_t order, insn;
} ordered_insn;
ORDER_BY_TWO(by_order, ordered_insn, order, insn);

/* The path's instructions in their order; all, where there is none. */
static size_t choose_insns(ordered_insn *out, const tacho_hot_place *place)
{
    size_t count = 0;
    for (size_t i = 0; i < place->insn_count; i++)
        if (place->insns[i].on_path >= 0)
            out[count++] = (ordered_insn){place->insns[i].on_path, (int32_t)i};
    for (size_t i = 0; !count && i < place->insn_count; i++)
        out[i] = (ordered_insn){(int32_t)i, (int32_t)i};
    count = count ? count : place->insn_count;
    tacho_sort(out, count, sizeof *out, by_order);
    return count < MAX_TOKENS ? count : MAX_TOKENS;
}

int diff_read_code(diff_code *out, arena *memory, const tacho_hot_place *place)
{
    ordered_insn *insns = arena_alloc(memory, (place->insn_count + 1) * sizeof *insns);
    diff_token *tokens = arena_alloc(memory, (place->insn_count + 1) * sizeof *tokens);
    tacho_insn insn;
    if (!insns || !tokens)
        return TACHO_ERR_MEMORY;
    *out = (diff_code){.tokens = tokens};
    const size_t count = choose_insns(insns, place);
    for (size_t i = 0; i < count; i++) {
        const tacho_hot_insn *at = &place->insns[insns[i].insn];
        if (tacho_decode(&insn, at->bytes, at->length, NULL) || insn.is_nop)
            continue;
        tokens[out->count++] = (diff_token){shape_of(&insn), insn.mnemonic, insns[i].insn};
    }
    return 0;
}

static unsigned alike(const diff_token *a, const diff_token *b)
{
    return a->shape == b->shape ? SAME : a->mnemonic == b->mnemonic ? SIMILAR : 0;
}

/* Backwards, so that the way through the table goes forwards: best[i][j] is of what follows a's i-th and b's
 * j-th. */
static void fill_table(unsigned *best, const diff_code *a, const diff_code *b)
{
    const size_t width = b->count + 1;
    for (size_t i = a->count; i-- > 0;)
        for (size_t j = b->count; j-- > 0;) {
            unsigned likeness = alike(&a->tokens[i], &b->tokens[j]);
            unsigned both = likeness ? likeness + best[(i + 1) * width + j + 1] : 0;
            unsigned skip_a = best[(i + 1) * width + j], skip_b = best[i * width + j + 1];
            unsigned skip = skip_a > skip_b ? skip_a : skip_b;
            best[i * width + j] = both >= skip ? both : skip;
        }
}

static size_t follow_table(const unsigned *best, const diff_code *a, const diff_code *b,
                           tacho_hot_pair *pairs)
{
    const size_t width = b->count + 1;
    size_t n = 0, i = 0, j = 0;
    while (i < a->count || j < b->count) {
        const diff_token *x = &a->tokens[i], *y = &b->tokens[j];
        unsigned here = best[i * width + j];
        unsigned likeness = i < a->count && j < b->count ? alike(x, y) : 0;
        if (likeness && here == likeness + best[(i + 1) * width + j + 1]) {
            pairs[n++] = (tacho_hot_pair){x->insn, y->insn, likeness == SAME};
            i++;
            j++;
        } else if (i < a->count && (j == b->count || here == best[(i + 1) * width + j])) {
            pairs[n++] = (tacho_hot_pair){x->insn, -1, false};
            i++;
        } else {
            pairs[n++] = (tacho_hot_pair){-1, y->insn, false};
            j++;
        }
    }
    return n;
}

int diff_align(const diff_code *a, const diff_code *b, double *likeness, tacho_hot_pair *pairs, size_t *count)
{
    const size_t more = a->count > b->count ? a->count : b->count;
    unsigned *best = tacho_mem_zalloc((a->count + 1) * (b->count + 1), sizeof *best);
    if (!best)
        return TACHO_ERR_MEMORY;
    fill_table(best, a, b);
    *likeness = more ? (double)best[0] / ((double)more * SAME) : 0;
    if (pairs)
        *count = follow_table(best, a, b, pairs);
    tacho_mem_free(best);
    return 0;
}

int tacho_hot_align(tacho_hot_pair *out, size_t *count, const tacho_hot_place *a, const tacho_hot_place *b)
{
    arena memory = {0};
    diff_code code_a, code_b;
    double likeness;
    int rc = diff_read_code(&code_a, &memory, a);
    rc = rc ? rc : diff_read_code(&code_b, &memory, b);
    rc = rc ? rc : diff_align(&code_a, &code_b, &likeness, out, count);
    arena_free(&memory);
    return rc;
}
