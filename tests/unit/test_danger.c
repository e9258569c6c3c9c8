/* test_danger.c - what instructions change that nobody sees in their operands, and which may run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "decode/danger.h"
#include "decode/written.h"

static tacho_insn decoded(const char *hex)
{
    tacho_insn insn;
    uint8_t bytes[TACHO_MAX_INSN_BYTES];
    size_t size = 0;
    for (unsigned byte; hex[2 * size] && sscanf(hex + 2 * size, "%2x", &byte) == 1; size++)
        bytes[size] = (uint8_t)byte;
    if (tacho_decode(&insn, bytes, size, NULL))
        fail_msg("%s is no instruction", hex);
    if (insn.length != size)
        fail_msg("%s is %u bytes long, not %zu", hex, insn.length, size);
    return insn;
}

/* ---- what is changed ---- */

static const struct {
    const char *hex;
    uint32_t written, used;
    uint8_t masks;
    const char *what;
} vectors[] = {
    {"4801d8", 0, 0, 0, "add rax, rbx"},
    {"660fd4ca", 2, 6, 0, "paddq xmm1, xmm2"},
    {"0fd4ca", 0, 0, 0, "paddq mm1, mm2"},
    {"62617c4828f8", 0x80000000, 0x80000001, 0, "vmovaps zmm31, zmm0"},
    {"c5fc77", 0xffff, 0xffff, 0, "vzeroall"},
    {"c5f877", 0, 0xffff, 0, "vzeroupper"},
    {"0fae08", 0xffff, 0xffff, 0, "fxrstor [rax]"},
    {"480fae08", 0xffff, 0xffff, 0, "fxrstor64 [rax]"},
    {"0fae00", 0, 0xffff, 0, "fxsave [rax]"},
    {"0fae28", UINT32_MAX, UINT32_MAX, 0xff, "xrstor [rax]"},
    {"480fc718", UINT32_MAX, UINT32_MAX, 0xff, "xrstors64 [rax]"},
    {"0fae20", 0, UINT32_MAX, 0, "xsave [rax]"},
    {"0fc720", 0, UINT32_MAX, 0, "xsavec [rax]"},
    {"0fae30", 0, UINT32_MAX, 0, "xsaveopt [rax]"},
    {"660f3a60dc00", 1, 0x19, 0, "pcmpestrm xmm3, xmm4, 0"},
    {"660f3a61dc00", 0, 0x18, 0, "pcmpestri xmm3, xmm4, 0"},
    {"c4e37962dc00", 1, 0x19, 0, "vpcmpistrm xmm3, xmm4, 0"},
    {"0f38cbca", 2, 7, 0, "sha256rnds2 xmm1, xmm2"},
    {"660f3814ca", 2, 7, 0, "blendvps xmm1, xmm2"},
    {"660ff7ca", 0, 6, 0, "maskmovdqu xmm1, xmm2"},
    {"f30f38d800", 0xff, 0xff, 0, "aesencwide128kl [rax]"},
    {"f30f38fac1", 0x7f, 0x7f, 0, "encodekey128 eax, ecx"},
    {"f30f38dcc1", 0, 7, 0, "loadiwkey xmm0, xmm1"},
    {"62f25f489a08", 2, 0xf2, 0, "v4fmaddps zmm1, zmm4, [rax]"},
    {"62f257489a08", 2, 0xf2, 0, "v4fmaddps zmm1, zmm5, [rax]: the block of zmm4"},
    {"62f25f485208", 2, 0xf2, 0, "vp4dpwssd zmm1, zmm4, [rax]"},
    {"62f26f4868d9", 0, 6, 0x0c, "vp2intersectd k3, zmm2, zmm1"},
    {"c4e261920c10", 0x0a, 0x0e, 0, "vgatherdps xmm1, [rax + xmm2], xmm3"},
    {"62f27d49902c30", 0x20, 0x60, 2, "vpgatherdd zmm5 {k1}, [rax + zmm6]"},
    {"62f27d4aa02c30", 0, 0x60, 4, "vpscatterdd [rax + zmm6] {k2}, zmm5"},
};

static void test_written__vectors_and_masks(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        tacho_insn insn = decoded(vectors[i].hex);
        if (insn_vectors_written(&insn) != vectors[i].written)
            fail_msg("%s: written %x", vectors[i].what, insn_vectors_written(&insn));
        if (insn_vectors_used(&insn) != vectors[i].used)
            fail_msg("%s: used %x", vectors[i].what, insn_vectors_used(&insn));
        if (insn_masks_written(&insn) != vectors[i].masks)
            fail_msg("%s: masks %x", vectors[i].what, insn_masks_written(&insn));
    }
}

static void test_written__the_x87_unit_and_mmx(void **state)
{
    (void)state;
    static const char *const touch[] = {
        "0f2a08",   /* cvtpi2ps xmm1, [rax]: no register of MMX in it, and yet it becomes the unit's mode */
        "660f2a08", /* cvtpi2pd xmm1, [rax] */
        "0f2d08",   /* cvtps2pi mm1, [rax] */
        "0fd7c1",   /* pmovmskb eax, mm1: reading is enough */
        "0f77",     /* emms */
        "dbe3",     /* fninit */
        "d8c1",     /* fadd st0, st1 */
        "66d8c1",   /* the same, with a prefix */
        "dfe0",     /* fnstsw ax */
        "9b",       /* fwait */
        "d928",     /* fldcw [rax] */
        "dd20",     /* frstor [rax] */
        "d920",     /* fldenv [rax] */
        "dd30",     /* fnsave [rax] */
        "0fae08",   /* fxrstor [rax] */
        "0fae00",   /* fxsave [rax] */
        "0fae28",   /* xrstor [rax] */
        "f30fd6ca", /* movq2dq xmm1, mm2 */
        "0ffec1",   /* paddd mm0, mm1 */
        "0fe708",   /* movntq [rax], mm1 */
        "0ff7ca",   /* maskmovq mm1, mm2 */
    };
    static const char *const do_not[] = {
        "4801d8",       /* add rax, rbx */
        "660ffec1",     /* paddd xmm0, xmm1 */
        "660fd8c1",     /* psubusb xmm0, xmm1 */
        "660f38dec1",   /* aesdec xmm0, xmm1 */
        "660f3adfc100", /* aeskeygenassist xmm0, xmm1, 0 */
        "c5f9fec1",     /* vpaddd xmm0, xmm0, xmm1 */
        "0fae10",       /* ldmxcsr [rax] */
        "c5fc77",       /* vzeroall */
        "f20f2dc1",     /* cvtsd2si eax, xmm1 */
    };
    for (size_t i = 0; i < sizeof touch / sizeof *touch; i++) {
        tacho_insn insn = decoded(touch[i]);
        if (!insn_touches_x87(&insn))
            fail_msg("%s does", touch[i]);
    }
    for (size_t i = 0; i < sizeof do_not / sizeof *do_not; i++) {
        tacho_insn insn = decoded(do_not[i]);
        if (insn_touches_x87(&insn))
            fail_msg("%s does not", do_not[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written__vectors_and_masks),
        cmocka_unit_test(test_written__the_x87_unit_and_mmx),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
