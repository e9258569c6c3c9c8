/* test_danger.c - what instructions change that nobody sees in their operands, and which may run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "x86/decode/danger.h"
#include "x86/decode/written.h"

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

static void test_written__general_registers(void **state)
{
    (void)state;
    static const struct {
        const char *hex;
        uint16_t written;
    } cases[] = {
        {"4801d8", 1},             /* add rax, rbx */
        {"00e7", 1 << 3},          /* add bh, ah */
        {"87d9", 1 << 1 | 1 << 3}, /* xchg ecx, ebx */
        {"50", 1 << 4},            /* push rax */
        {"0fa2", 0xf},             /* cpuid */
        {"a4", 1 << 6 | 1 << 7},   /* movsb */
        /* Their pointers were taken for constants, so that a loop of them was believed to be counted. */
        {"a6", 1 << 6 | 1 << 7},            /* cmpsb */
        {"f3a7", 1 << 1 | 1 << 6 | 1 << 7}, /* repe cmpsd */
        {"48af", 1 << 7},                   /* scasq */
        {"f20fc20e01", 0},                  /* cmpsd xmm1, [rsi], 1 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tacho_insn insn = decoded(cases[i].hex);
        if (tacho_insn_general_written(&insn) != cases[i].written)
            fail_msg("%s: %x", cases[i].hex, tacho_insn_general_written(&insn));
    }
}

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
        if (tacho_insn_vectors_used(&insn) != vectors[i].used)
            fail_msg("%s: used %x", vectors[i].what, tacho_insn_vectors_used(&insn));
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
        if (!tacho_insn_touches_x87(&insn))
            fail_msg("%s does", touch[i]);
    }
    for (size_t i = 0; i < sizeof do_not / sizeof *do_not; i++) {
        tacho_insn insn = decoded(do_not[i]);
        if (tacho_insn_touches_x87(&insn))
            fail_msg("%s does not", do_not[i]);
    }
}

/* ---- what may run ---- */

/* Found by an attack on the sandbox: all of these were only stopped by the processor, if by that. */
static const struct {
    const char *hex, *why, *what;
} refused[] = {
    {"0f01c1", "is for the hypervisor", "vmcall"},
    {"0f01d9", "is for the hypervisor", "vmmcall"},
    {"0f01d4", "is for the hypervisor", "vmfunc"},
    {"0f01c2", "is privileged", "vmlaunch"},
    {"0f01d8", "is for the hypervisor", "vmrun"},
    {"0f01cf", "is privileged", "encls"},
    {"0f01d7", "is for a part of the processor that blocks cannot use", "enclu"},
    {"0f01c0", "is for a part of the processor that blocks cannot use", "enclv"},
    {"0f01c8", "is privileged", "monitor"},
    {"0f01c9", "is privileged", "mwait"},
    {"0f01fa", "puts the processor to sleep", "monitorx"},
    {"0f01fb", "puts the processor to sleep", "mwaitx"},
    {"f30faef0", "puts the processor to sleep", "umonitor rax"},
    {"f20faef0", "puts the processor to sleep", "umwait eax"},
    {"660faef0", "puts the processor to sleep", "tpause eax"},
    {"0f01fd", "is of an instruction set that is not allowed to run (RDPRU)", "rdpru"},
    {"f20f38f800", "is for a part of the processor that blocks cannot use", "enqcmd rax, [rax]"},
    {"f30f38f800", "is for a part of the processor that blocks cannot use", "enqcmds rax, [rax]"},
    {"f30f0128", "changes the shadow stack", "rstorssp [rax]"},
    {"0f38f608", "changes the shadow stack", "wrssd [rax], ecx"},
    {"480f38f608", "changes the shadow stack", "wrssq [rax], rcx"},
    {"660f38f508", "is privileged", "wrussd [rax], ecx"},
    {"f30f01ea", "changes the shadow stack", "saveprevssp"},
    {"f30faee8", "changes the shadow stack", "incsspd eax"},
    {"f30f01e8", "is privileged", "setssbsy"},
    {"f30fae30", "is privileged", "clrssbsy [rax]"},
    {"c4e2784900", "is of an instruction set that is not allowed to run (AMX)", "ldtilecfg [rax]"},
    {"c4e27b49c0", "is of an instruction set that is not allowed to run (AMX)", "tilezero tmm0"},
    {"c4e27b4b0400", "is of an instruction set that is not allowed to run (AMX)", "tileloadd"},
    {"c4e26b5ec1", "is of an instruction set that is not allowed to run (AMX)", "tdpbssd"},
    {"c4e26a5cc1", "is of an instruction set that is not allowed to run (AMX)", "tdpbf16ps"},
    {"8fe97890c1", "is of an instruction set that is not allowed to run (XOP)", "vprotb"},
    {"8fe97880c1", "is of an instruction set that is not allowed to run (XOP)", "vfrczps"},
    {"8fe97801c8", "is of an instruction set that is not allowed to run (TBM)", "blcfill"},
    {"8fe97812c0", "is of an instruction set that is not allowed to run (LWP)", "llwpcb"},
    {"c4e37968c130", "is of an instruction set that is not allowed to run (FMA4)", "vfmaddps"},
    {"0f0fc19e", "is of an instruction set that is not allowed to run (3DNow!)", "pfadd"},
    {"62f1780858c1", "is of an instruction set that is not allowed to run (KNC)", "vaddps, MVEX"},
    {"c4e17841c0", "is of an instruction set that is not allowed to run (KNC)", "kand k0, k0"},
    {"0f0e", "is of an instruction set that is not allowed to run (3DNow!)", "femms"},
    {"0fae28", "loads the rights to memory", "xrstor [rax]"},
    {"480fae28", "loads the rights to memory", "xrstor64 [rax]"},
    {"0fc718", "is privileged", "xrstors [rax]"},
    {"0fc728", "is privileged", "xsaves [rax]"},
    {"0f01ef", "changes the rights to memory", "wrpkru"},
    {"c7f800000000", "starts or ends a transaction", "xbegin"},
    {"c6f800", "starts or ends a transaction", "xabort"},
    {"0f01d5", "starts or ends a transaction", "xend"},
    {"f20f01e8", "is of an instruction set that is not allowed to run (TSXLDTRK)", "xsusldtrk"},
    {"f30fae20", "is of an instruction set that is not allowed to run (PTWRITE)", "ptwrite [rax]"},
    {"f30fc7f0", "is for a part of the processor that blocks cannot use", "senduipi rax"},
    {"f30f01ed", "is for a part of the processor that blocks cannot use", "testui"},
    {"f30f38dc08", "is of an instruction set that is not allowed to run (KL)", "aesenc128kl xmm1, [rax]"},
    {"f30f38d800", "is of an instruction set that is not allowed to run (KL)", "aesencwide128kl [rax]"},
    {"f30f01fa", "is of an instruction set that is not allowed to run (MCOMMIT)", "mcommit"},
    {"f30fa7c8", "is of an instruction set that is not allowed to run (PadLock)", "rep xcryptecb"},
    {"0fa7c0", "is of an instruction set that is not allowed to run (PadLock)", "xstore"},
    {"0f37", "", "getsec"},
    {"660f01cc", "", "tdcall"},
    {"f30f3af0c000", "", "hreset 0"},
    {"0f01fe", "", "invlpgb"},
    {"f20f01ff", "", "pvalidate"},
    {"f30f01ff", "", "psmash"},
    {"0f01c5", "", "pconfig"},
    {"0f01ca", "", "clac"},
    {"660f388208", "is privileged", "invpcid rcx, [rax]"},
    {"0f09", "is privileged", "wbinvd"},
    {"f30f09", "is privileged", "wbnoinvd"},
    {"0f30", "is privileged", "wrmsr"},
    {"0f05", "is a system call", "syscall"},
    {"0f34", "is a system call", "sysenter"},
    {"cd80", "is an interrupt", "int 0x80"},
    {"f1", "is an interrupt", "int1"},
    {"e800000000", "is a call", "call"},
    {"c3", "is a return", "ret"},
    {"ffe0", "jumps to an address that only its program knows", "jmp rax"},
    {"ff28", "is a far transfer", "jmp far [rax]"},
    {"ec", "needs access to devices", "in al, dx"},
    {"9d", "sets flags of the whole process (trap, alignment check)", "popfq"},
    {"8ed0", "changes a segment", "mov ss, eax"},
    {"0fb200", "changes a segment", "lss eax, [rax]"},
    {"f3480faed0", "changes a segment", "wrfsbase rax"},
    /* AMD's processors take a distance of 16 bits, and leave 16 bits of the address. */
    {"66eb00", "has a prefix that processors take differently", "data16 jmp"},
    {"667400", "has a prefix that processors take differently", "data16 je"},
    {"660f8400000000", "has a prefix that processors take differently", "data16 je, rel32"},
    {"66e2fd", "has a prefix that processors take differently", "data16 loop"},
    /* The decoder library calls it PAUSE; it exchanges R8 and RAX. */
    {"f34990", "has a prefix that processors take differently", "rep xchg r8, rax"},
};

/* What computes, and what only waits for memory, hints at it, or says something of the processor. */
static const struct {
    const char *hex, *what;
} allowed[] = {
    {"4801d8", "add rax, rbx"},
    {"f2f0480103", "xacquire lock add [rbx], rax"},
    {"7400", "je"},
    {"48e2fd", "loop, REX.W"},
    {"f390", "pause"},
    {"f34890", "pause, REX.W"},
    {"41f390", "pause, a REX that does not count"},
    {"0f0b", "ud2"},
    {"0fa2", "cpuid"},
    {"0f31", "rdtsc"},
    {"0f01f9", "rdtscp"},
    {"0f33", "rdpmc"},
    {"f30fc7f8", "rdpid rax"},
    {"0f01d0", "xgetbv"},
    {"0f01ee", "rdpkru"},
    {"0f01d6", "xtest"},
    {"0f01e8", "serialize"},
    {"0f0100", "sgdt [rax]"},
    {"0f00c8", "str eax"},
    {"0f02c1", "lar eax, ecx"},
    {"f3480faec0", "rdfsbase rax"},
    {"0fc7f0", "rdrand eax"},
    {"0fc7f8", "rdseed eax"},
    {"f30f1efa", "endbr64"},
    {"f3480f1ec8", "rdsspq rax: a NOP without a shadow stack"},
    {"0f1c00", "cldemote [rax]: a NOP where it is not known"},
    {"f30f1b03", "bndmk bnd0, [rbx]: likewise"},
    {"660f1f440000", "nop"},
    {"0f0d0b", "prefetchw [rbx]"},
    {"0f1808", "prefetcht0 [rax]"},
    {"0fae38", "clflush [rax]"},
    {"660fae38", "clflushopt [rax]"},
    {"660fae30", "clwb [rax]"},
    {"0faee8", "lfence"},
    {"0faef0", "mfence"},
    {"0f01fc", "clzero"},
    {"0f38f903", "movdiri [rbx], eax"},
    {"660f38f803", "movdir64b rax, [rbx]"},
    {"0fae20", "xsave [rax]"},
    {"0fc720", "xsavec [rax]"},
    {"0fae30", "xsaveopt [rax]"},
    {"0fae00", "fxsave [rax]"},
    {"0fae08", "fxrstor [rax]"},
    {"0fae10", "ldmxcsr [rax]"},
    {"c5f8ae10", "vldmxcsr [rax]"},
    {"d928", "fldcw [rax]"},
    {"d920", "fldenv [rax]"},
    {"dd20", "frstor [rax]"},
    {"dbe3", "fninit"},
    {"0f77", "emms"},
    {"fd", "std"},
    {"9c", "pushfq"},
    {"9f", "lahf"},
    {"f3a4", "rep movsb"},
    {"660f78c10000", "extrq xmm1, 0, 0"},
    {"c5fc77", "vzeroall"},
    {"0f38cac1", "sha1msg2 xmm0, xmm1"},
    {"660f38cfc1", "gf2p8mulb xmm0, xmm1"},
    {"c4e26ddcd9", "vaesenc ymm3, ymm2, ymm1"},
    {"c4e26d50d9", "vpdpbusd ymm3, ymm2, ymm1"},
    {"c4e2edb8d9", "vfmadd231pd ymm3, ymm2, ymm1"},
    {"62f26f4868d9", "vp2intersectd k3, zmm2, zmm1"},
    {"62f26e4852d9", "vdpbf16ps zmm3, zmm2, zmm1"},
    {"62f56c4858d9", "vaddph zmm3, zmm2, zmm1"},
    {"c4e1fc47c9", "kxorq k1, k0, k1"},
    {"c4e261920c10", "vgatherdps xmm1, [rax + xmm2], xmm3"},
};

static void test_danger__what_must_not_run(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        tacho_insn insn = decoded(refused[i].hex);
        const char *why = tacho_decode_danger(&insn);
        if (!why)
            fail_msg("%s may run", refused[i].what);
        if (refused[i].why[0] && strcmp(why, refused[i].why) != 0)
            fail_msg("%s %s, not: %s", refused[i].what, why, refused[i].why);
    }
}

static void test_danger__what_may_run(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
        tacho_insn insn = decoded(allowed[i].hex);
        const char *why = tacho_decode_danger(&insn);
        if (why)
            fail_msg("%s %s", allowed[i].what, why);
    }
}

static void test_written__mxcsr(void **state)
{
    (void)state;
    static const char *const load[] = {"0fae10", "c5f8ae10", "0fae08", "480fae28"};
    for (size_t i = 0; i < sizeof load / sizeof *load; i++) {
        tacho_insn insn = decoded(load[i]);
        assert_true(insn_loads_mxcsr(&insn));
    }
    tacho_insn insn = decoded("0f58c1"); /* addps */
    assert_false(insn_loads_mxcsr(&insn));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written__general_registers),
        cmocka_unit_test(test_written__vectors_and_masks),
        cmocka_unit_test(test_written__the_x87_unit_and_mmx),
        cmocka_unit_test(test_written__mxcsr),
        cmocka_unit_test(test_danger__what_must_not_run),
        cmocka_unit_test(test_danger__what_may_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
