/* test_decode.c - bytes to tacho_insn: prefixes, operands, offsets, flags, text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../../support/support.h"
#include "x86/decode/insn_struct.h"
#include "x86/decode/operations.h"
#include "x86/decode/ops.h"

static tacho_insn decode(const char *hex)
{
    uint8_t bytes[32];
    size_t n = 0;
    unsigned byte;
    tacho_insn insn;
    tacho_error err;
    for (; *hex && sscanf(hex, "%2x", &byte) == 1; hex += 2)
        bytes[n++] = (uint8_t)byte;
    if (tacho_decode(&insn, bytes, n, &err))
        fail_msg("%s", err.message);
    assert_int_equal(insn.length, n);
    return insn;
}

static void test_decode__primary_opcode_after_prefixes_and_escapes(void **state)
{
    static const struct {
        const char *hex;
        unsigned offset;
    } CASES[] = {
        {"90", 0},
        {"4801d8", 1},
        {"f30f7ec1", 2},
        {"660f3814c1", 3},
        {"c5f858c2", 2},
        {"c4e3694bcb40", 3},
        {"62f17c0858c2", 4},
        {"e800000000", 0},
        {"0f8400000000", 1},
        {"7400", 0},
        {"48b80100000000000000", 1},
        {"48a10000000000000000", 1},
        {"c8000000", 0},
        {"6690", 1},
        {"f3c3", 1},
        {"410fc8", 2},
        {"f0480fc708", 3},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        assert_int_equal(decode(CASES[i].hex).opcode_offset, CASES[i].offset);
}

static void test_decode__length_changing_prefixes(void **state)
{
    static const struct {
        const char *hex;
        bool lcp;
    } CASES[] = {
        {"6681c03412", true}, {"81c078563412", false},     {"6683c012", false}, {"66c7003412", true},
        {"66b83412", true},   {"664881c078563412", false}, {"c20800", false},   {"66c20800", false},
        {"66a93412", true},   {"66f7c03412", true},        {"666a12", false},   {"66683412", true},
        {"6669c03412", true}, {"67a100000000", true},      {"678b03", false},   {"660f1f440000", false},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        if (decode(CASES[i].hex).lcp != CASES[i].lcp)
            fail_msg("%s", CASES[i].hex);
}

static void test_decode__memory_operand(void **state)
{
    tacho_insn insn = decode("64488b44b308"); /* mov rax, fs:[rbx+rsi*4+8] */
    const tacho_mem *mem = &insn.operands[1].mem;
    assert_int_equal(insn.visible_count, 2);
    assert_int_equal(insn.operands[1].kind, TACHO_OPERAND_MEM);
    assert_int_equal(insn.operands[1].access, TACHO_READ);
    assert_int_equal(insn.operands[1].width_bits, 64);
    assert_int_equal(mem->base.class_, TACHO_REG_R64);
    assert_int_equal(mem->base.number, 3);
    assert_int_equal(mem->index.number, 6);
    assert_int_equal(mem->scale, 4);
    assert_int_equal(mem->disp, 8);
    assert_int_equal(mem->disp_bytes, 1);
    assert_int_equal(mem->segment.class_, TACHO_REG_SEG);
    assert_int_equal(mem->segment.number, 4);
    insn = decode("488b0510000000");
    assert_int_equal(insn.operands[1].mem.base.class_, TACHO_REG_RIP);
    assert_int_equal(insn.operands[1].mem.disp, 16);
}

static void test_decode__evex_displacement_is_scaled_and_broadcast_counted(void **state)
{
    tacho_insn insn = decode("62f17cd9584001"); /* vaddps zmm0{k1}{z}, zmm0, [rax+4]{1to16} */
    assert_int_equal(insn.visible_count, 4);
    assert_int_equal(insn.operands[1].reg.class_, TACHO_REG_K);
    assert_int_equal(insn.mask, 1);
    assert_true(insn.zeroing);
    assert_int_equal(insn.operands[3].mem.disp, 4);
    assert_int_equal(insn.operands[3].mem.disp_bytes, 1);
    assert_int_equal(insn.operands[3].mem.broadcast, 16);
    assert_int_equal(insn.operands[3].element_bits_log2, 5);
    insn = decode("62f17c48584001"); /* no mask, no broadcast: disp8 counts 64 bytes */
    assert_int_equal(insn.visible_count, 3);
    assert_int_equal(insn.operands[2].mem.disp, 64);
    assert_int_equal(insn.operands[2].mem.broadcast, 0);
    assert_int_equal(insn.operands[2].width_bits, 512);
}

static void test_decode__flags(void **state)
{
    tacho_insn adc = decode("4811d8"), inc = decode("48ffc0"), jz = decode("7400"), lea = decode("488d0433");
    assert_int_equal(adc.flags_read, TACHO_FLAG_C);
    assert_int_equal(adc.flags_written, TACHO_FLAG_C | TACHO_FLAG_SPAZO);
    assert_int_equal(inc.flags_written, TACHO_FLAG_SPAZO);
    assert_int_equal(jz.flags_read, TACHO_FLAG_SPAZO);
    assert_int_equal(lea.flags_written, 0);
}

static void test_decode__kinds_of_branches(void **state)
{
    assert_true(decode("7500").is_conditional && decode("7500").is_branch);
    assert_true(decode("eb00").is_branch && !decode("eb00").is_conditional);
    assert_true(decode("e200").is_conditional); /* loop */
    assert_true(decode("ffe0").is_branch);
    assert_true(decode("e800000000").is_call && !decode("e800000000").is_branch);
    assert_true(decode("c3").is_ret && !decode("c3").is_branch);
    assert_int_equal(decode("75f0").operands[0].imm, -16);
}

static void test_decode__prefixes(void **state)
{
    assert_true(decode("f0480118").lock);
    assert_true(decode("f3a4").rep && !decode("f3a4").repne);
    assert_true(decode("f2ae").repne);
    assert_false(decode("f30f10c1").rep); /* part of the opcode */
    assert_true(decode("f3c3").rep);      /* ignored */
    assert_false(decode("f390").rep);
    assert_true(decode("0faee8").serializing);
    assert_true(decode("0fa2").serializing);
    assert_false(decode("0faef0").serializing);
    assert_true(decode("f30f1efa").is_nop); /* ENDBR64, where CET is not there */
    assert_true(decode("0f1f00").is_nop && decode("0f1f00").visible_count == 1);
}

static void test_decode__invalid_and_cut_off_bytes_are_errors(void **state)
{
    static const uint8_t CUT[] = {0x48, 0x8b}, INVALID[] = {0x06, 0x06}, LONG[16] = {[0 ... 14] = 0x66, 0x90};
    tacho_insn insn;
    tacho_error err;
    assert_int_equal(tacho_decode(&insn, CUT, 2, &err), TACHO_ERR_INPUT);
    assert_string_equal(err.message, "the instruction is cut off");
    assert_int_equal(err.offset, 0);
    assert_int_equal(tacho_decode(&insn, INVALID, 2, &err), TACHO_ERR_INPUT);
    assert_int_equal(tacho_decode(&insn, LONG, 16, &err), TACHO_ERR_INPUT);
    assert_int_equal(tacho_decode(&insn, CUT, 0, NULL), TACHO_ERR_INPUT);
}

static void test_decode__text(void **state)
{
    char text[128], small[8];
    tacho_insn insn = decode("488b44b308");
    assert_int_equal(tacho_insn_format(&insn, 0, 0, text, sizeof text), 0);
    assert_string_equal(text, "mov rax, [rbx+rsi*4+0x8]");
    insn = decode("7505");
    tacho_insn_format(&insn, 0x1000, 0, text, sizeof text);
    assert_string_equal(text, "jnz 0x1007");
    tacho_insn_format(&insn, 0x1000, 1, text, sizeof text);
    assert_string_equal(text, "jnz +0x7");
    insn = decode("f30f1efa");
    tacho_insn_format(&insn, 0, 0, text, sizeof text);
    assert_string_equal(text, "endbr64");
    insn = decode("62f17cd9584001");
    assert_int_not_equal(tacho_insn_format(&insn, 0, 0, small, sizeof small), 0);
    assert_true(memchr(small, 0, sizeof small) != NULL);
    assert_string_equal(tacho_mnemonic_name(decode("01d8").mnemonic), "ADD");
    assert_string_equal(tacho_mnemonic_name(65535), "INVALID");
}

/* One name is that of two instructions. */
static void test_decode__operations_tell_apart_string_and_vector_instructions(void **state)
{
    assert_int_equal(decode("a5").operation, OP_STRING);
    assert_int_equal(decode("f20f10c1").operation, OP_MOVSD);
    assert_int_equal(decode("a7").operation, OP_SCAN);
    assert_int_equal(decode("f20fc2c100").operation, OP_NONE);
    assert_int_equal(decode("a5").mnemonic, decode("f20f10c1").mnemonic);
    assert_int_equal(decode("7502").operation, OP_IF);
    assert_int_equal(decode("0f8500000000").operation, OP_IF);
    tacho_insn jnz = decode("7502"), pause = decode("f390"), add = decode("c5f958c1");
    assert_int_equal(insn_condition(&jnz), IF_NOT_ZERO);
    assert_true(insn_is(&pause, INSN_WAITS) && !insn_is(&pause, INSN_LEAVES));
    assert_true(insn_is(&add, INSN_SUMS) && insn_is(&add, INSN_FLOATS) && !insn_is(&add, INSN_FUSES));
    assert_int_equal(tacho_mnemonic_operation(UINT16_MAX), OP_NONE);
    assert_int_equal(tacho_mnemonic_families(UINT16_MAX), 0);
}

static void test_decode__registers(void **state)
{
    static const tacho_reg AL = {TACHO_REG_R8L, 0}, AH = {TACHO_REG_R8H, 0}, RAX = {TACHO_REG_R64, 0},
                           RSP = {TACHO_REG_R64, 4}, SPL = {TACHO_REG_R8L, 4}, XMM1 = {TACHO_REG_XMM, 1},
                           ZMM1 = {TACHO_REG_ZMM, 1}, C = {TACHO_REG_FLAGS, TACHO_FLAG_C}, NONE = {0, 0};
    assert_string_equal(tacho_reg_name(AH), "ah");
    assert_string_equal(tacho_reg_name(SPL), "spl");
    assert_string_equal(tacho_reg_name(C), "flags:C");
    assert_true(tacho_reg_same_full(AL, RAX) && tacho_reg_same_full(AH, RAX) &&
                tacho_reg_same_full(SPL, RSP));
    assert_true(tacho_reg_same_full(XMM1, ZMM1));
    assert_false(tacho_reg_same_full(AL, XMM1) || tacho_reg_same_full(NONE, NONE));
}

/* How much arithmetic, of which numbers. */
static void test_decode__arithmetic(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double count;
        unsigned bytes;
        bool floats;
    } rows[] = {
        {"vfmadd231pd ymm0, ymm1, ymm2", 8, 8, true},
        {"vfmadd231ph ymm0, ymm1, ymm2", 32, 2, true},
        {"vfnmsub132ss xmm0, xmm1, xmm2", 2, 4, true},
        {"addsd xmm0, xmm1", 1, 8, true},
        {"vaddsh xmm0, xmm1, xmm2", 1, 2, true},
        {"vmulps zmm0, zmm1, zmm2", 16, 4, true},
        {"haddps xmm0, xmm1", 4, 4, true},
        {"vdpps ymm0, ymm1, ymm2, 0xff", 16, 4, true},
        {"vdpbf16ps zmm0, zmm1, zmm2", 64, 2, true},
        {"faddp", 1, 8, true},
        {"vpaddd ymm0, ymm1, ymm2", 8, 4, false},
        {"paddusb mm0, mm1", 8, 1, false},
        {"vpmaddwd ymm0, ymm1, ymm2", 32, 2, false},
        {"vpmaddubsw ymm0, ymm1, [rdi]", 64, 1, false},
        {"vpdpbusd zmm0, zmm1, zmm2", 128, 1, false},
        {"vpdpwssd ymm0, ymm1, ymm2", 32, 2, false},
        {"vpmadd52luq zmm0, zmm1, zmm2", 16, 8, false},
        {"vpmadd52huq ymm0, ymm1, ymm2", 8, 8, false},
        {"psadbw xmm0, xmm1", 32, 1, false},
        {"pmuludq xmm0, xmm1", 2, 8, false},
        {"vpsllw ymm0, ymm1, 3", 16, 2, false},
        {"pand xmm0, xmm1", 2, 8, false},
        {"vpandd ymm0, ymm1, ymm2", 8, 4, false},
        {"vpternlogq ymm0, ymm1, ymm2, 3", 4, 8, false},
        {"xorps xmm0, xmm1", 4, 4, false},
        {"add rax, rcx", 1, 8, false},
        {"lea eax, [rax+rcx]", 1, 4, false},
        {"xor eax, eax", 0, 0, false},
        {"vpxor xmm0, xmm1, xmm1", 0, 0, false},
        {"pslldq xmm0, 4", 0, 0, false},
        {"cmp rax, rcx", 0, 0, false},
        {"vcmpps ymm0, ymm1, ymm2, 1", 0, 0, false},
        {"pcmpeqb xmm0, xmm1", 0, 0, false},
        {"movaps xmm0, xmm1", 0, 0, false},
        {"cvtsi2sd xmm0, rax", 0, 0, false},
        {"nop", 0, 0, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        test_block b;
        tacho_insn insn;
        tacho_error err;
        assert_int_equal(test_block_make(&b, rows[i].text, &err), 0);
        assert_int_equal(tacho_decode(&insn, b.bytes, b.size, NULL), 0);
        const insn_operations o = tacho_insn_operations(&insn);
        if (o.count != rows[i].count ||
            (o.count && (o.element_bytes != rows[i].bytes || o.floats != rows[i].floats)))
            fail_msg("%s: %g operations of %u bytes", rows[i].text, o.count, o.element_bytes);
        test_block_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decode__arithmetic),
        cmocka_unit_test(test_decode__primary_opcode_after_prefixes_and_escapes),
        cmocka_unit_test(test_decode__length_changing_prefixes),
        cmocka_unit_test(test_decode__memory_operand),
        cmocka_unit_test(test_decode__evex_displacement_is_scaled_and_broadcast_counted),
        cmocka_unit_test(test_decode__flags),
        cmocka_unit_test(test_decode__kinds_of_branches),
        cmocka_unit_test(test_decode__prefixes),
        cmocka_unit_test(test_decode__invalid_and_cut_off_bytes_are_errors),
        cmocka_unit_test(test_decode__text),
        cmocka_unit_test(test_decode__operations_tell_apart_string_and_vector_instructions),
        cmocka_unit_test(test_decode__registers),
    };
    return cmocka_run_group_tests_name("decode", tests, NULL, NULL);
}
