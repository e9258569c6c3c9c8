/* test_cache.c - the cache of instructions: a block made with it is the block made without, also when its
 * instructions are known with other displacements, immediates and neighbours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../../support/support.h"
#include "model/block/cache.h"
#include "x86/decode/shape.h"

static const char *corpus;

static void check_operands(const tacho_insn *a, const tacho_insn *b)
{
    assert_memory_equal(a->bytes, b->bytes, a->length);
    assert_int_equal(a->operand_count, b->operand_count);
    for (int i = 0; i < a->operand_count; i++) {
        assert_int_equal(a->operands[i].kind, b->operands[i].kind);
        assert_int_equal(a->operands[i].imm, b->operands[i].imm);
        assert_int_equal(a->operands[i].mem.disp, b->operands[i].mem.disp);
        assert_int_equal(a->operands[i].reg.class_ << 8 | a->operands[i].reg.number,
                         b->operands[i].reg.class_ << 8 | b->operands[i].reg.number);
    }
}

static void check_insns(const block_insn *a, const block_insn *b, bool whole)
{
    if (whole)
        check_operands(a->insn, b->insn);
#define SAME(field) assert_int_equal(a->field, b->field)
    SAME(offset), SAME(address), SAME(length), SAME(jumps), SAME(has_form), SAME(facts->form.id), SAME(notes);
    SAME(uop_first), SAME(fused_first), SAME(laminated_first), SAME(uop_count), SAME(fused_count);
    SAME(laminated_count), SAME(uops_mite), SAME(uops_ms), SAME(complex_decoder), SAME(simple_decoders);
    SAME(tp_cycles), SAME(throttle_owner), SAME(fusible), SAME(fused_with_next), SAME(fused_into_previous);
    SAME(kill_count), SAME(eliminable), SAME(stack_delta), SAME(uses_rsp), SAME(extra_slot), SAME(mem_count);
    SAME(value_op), SAME(value_target), SAME(value_source), SAME(value_imm), SAME(value_disp),
        SAME(is_transfer), SAME(is_conditional), SAME(written_gprs);
    SAME(reads.bits[0]), SAME(reads.bits[1]), SAME(writes.bits[0]), SAME(writes.bits[1]);
    SAME(variant->uops), SAME(variant->div_cycles), SAME(derived_fields);
    if (a->eliminable)
        SAME(uneliminated_first);
#undef SAME
    assert_memory_equal(a->kills, b->kills, a->kill_count);
    for (int m = 0; m < a->mem_count; m++) {
        assert_int_equal(a->mem[m].disp, b->mem[m].disp);
        assert_int_equal(a->mem[m].base << 8 | a->mem[m].index, b->mem[m].base << 8 | b->mem[m].index);
    }
}

static void check_blocks(const block *a, const block *b)
{
    assert_int_equal(a->insn_count, b->insn_count);
    assert_int_equal(a->uop_count, b->uop_count);
    assert_int_equal(a->fused_count, b->fused_count);
    assert_int_equal(a->laminated_count, b->laminated_count);
    assert_int_equal(a->issue_slots, b->issue_slots);
    assert_int_equal(a->has_stack + 2 * a->has_zmm + 4 * a->has_microcode + 8 * a->has_load,
                     b->has_stack + 2 * b->has_zmm + 4 * b->has_microcode + 8 * b->has_load);
    for (uint32_t i = 0; i < a->insn_count; i++)
        check_insns(&a->insns[i], &b->insns[i], a->whole_insns);
    assert_int_equal(a->same_code != NULL, b->same_code != NULL);
    for (uint32_t i = 0; a->same_code && i < a->insn_count; i++)
        assert_int_equal(a->same_code[i], b->same_code[i]);
    assert_memory_equal(a->uops, b->uops, a->uop_count * sizeof *a->uops);
    for (uint32_t i = 0; i < a->fused_count; i++)
        assert_int_equal(a->fused[i].first << 8 | a->fused[i].count,
                         b->fused[i].first << 8 | b->fused[i].count);
    for (uint32_t i = 0; i < a->laminated_count; i++)
        assert_int_equal(a->laminated[i].first << 8 | a->laminated[i].count,
                         b->laminated[i].first << 8 | b->laminated[i].count);
}

typedef struct builders {
    arena plain, cached;
    insn_cache *cache;
    uint32_t random;
} builders;

static void compare(builders *s, const tacho_arch *arch, const uint8_t *bytes, size_t size)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    block a, b;
    arena_reset(&s->plain);
    arena_reset(&s->cached);
    o.alignment = s->random >> 8 & 63;
    o.details = s->random >> 14 & 1;
    o.ignore_isa = s->random >> 15 & 3;
    int rc = tacho_block_build(&a, &s->plain, NULL, arch, bytes, size, &o, NULL);
    assert_int_equal(tacho_insn_cache_take(s->cache, arch, o.variants, bytes, size), 0);
    assert_int_equal(tacho_block_build(&b, &s->cached, s->cache, arch, bytes, size, &o, NULL), rc);
    if (!rc)
        check_blocks(&a, &b);
}

/* The block, and then with bytes of its displacements and immediates (and whatever else) changed. */
static int check_block(const test_block *b, long at, const char *rest, void *payload)
{
    static const char *const names[] = {"ICX", "SKL", "SKL", "ADL", "ZEN5"};
    builders *s = payload;
    uint8_t *copy = malloc(b->size);
    assert_non_null(copy);
    for (int turn = 0; turn < 6; turn++) {
        memcpy(copy, b->bytes, b->size);
        for (int k = 0; turn && k < turn; k++) {
            s->random = s->random * 1664525u + 1013904223u;
            copy[(s->random >> 12) % b->size] ^= (uint8_t)(s->random >> 4);
        }
        compare(s, tacho_arch_find(names[at % 5], NULL), copy, b->size);
    }
    free(copy);
    return 0;
}

static void test_cache__blocks_are_as_without(void **state)
{
    builders s = {.cache = tacho_insn_cache_new(), .random = 20};
    assert_non_null(s.cache);
    assert_true(test_corpus_each(corpus, check_block, &s) > 0);
    arena_free(&s.plain);
    arena_free(&s.cached);
    tacho_insn_cache_free(s.cache);
}

/* Two stores that differ in their displacement are two instructions, which memory renaming tells apart; with
 * the cache they were one. mov [rsi+8], rax; mov [rsi+16], rax; mov rax, [rsi+8] */
static void test_cache__instructions_with_other_numbers_are_others(void **state)
{
    static const uint8_t code[] = {0x48, 0x89, 0x46, 0x08, 0x48, 0x89, 0x46, 0x10, 0x48, 0x8b, 0x46, 0x08};
    builders s = {.cache = tacho_insn_cache_new()};
    assert_non_null(s.cache);
    for (int turn = 0; turn < 2; turn++)
        compare(&s, tacho_arch_find("ZEN5", NULL), code, sizeof code);
    arena_free(&s.plain);
    arena_free(&s.cached);
    tacho_insn_cache_free(s.cache);
}

static int check_shapes(const test_block *b, long at, const char *rest, void *payload)
{
    uint32_t *told = payload;
    for (size_t offset = 0; offset < b->size;) {
        uint8_t bytes[SHAPE_READ_BYTES] = {0};
        size_t left = b->size - offset;
        tacho_insn insn;
        insn_shape shape;
        memcpy(bytes, b->bytes + offset, left < sizeof bytes ? left : sizeof bytes);
        assert_int_equal(tacho_decode(&insn, b->bytes + offset, left, NULL), 0);
        bool is_told = insn_shape_find(&shape, bytes);
        if (is_told && shape.length != insn.length)
            fail_msg("line %ld, offset %zu: %u bytes, not %u", at, offset, insn.length, shape.length);
        told[is_told]++;
        offset += insn.length;
    }
    return 0;
}

static void test_shape__lengths_are_the_decoders(void **state)
{
    uint32_t told[2] = {0, 0};
    assert_true(test_corpus_each(corpus, check_shapes, told) > 0);
    print_message("%u lengths told, %u left to the decoder\n", told[1], told[0]);
    assert_true(told[1] > 5 * told[0]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cache__blocks_are_as_without),
        cmocka_unit_test(test_cache__instructions_with_other_numbers_are_others),
        cmocka_unit_test(test_shape__lengths_are_the_decoders),
    };
    if (argc != 2)
        return 2;
    corpus = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
