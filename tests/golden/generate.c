/* generate.c - makes the blocks of blocks.txt: plausible instructions with random operands, from the tables
 * below and a fixed seed.
 *
 *   generate [COUNT [SEED]] > new-blocks.txt; golden --update new-blocks.txt
 *
 * r15 is left alone: loops count with it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tacho/tools.h>

/* %q %d %w %b: registers of 64, 32, 16, 8 bits; %x %y %z vectors; %m memory, at times indexed; %i a small
 * immediate, %I a 32-bit, %j a 16-bit one. */
static const char *const integer[] = {"add %q, %q",
                                      "add %q, %i",
                                      "sub %d, %d",
                                      "and %q, %q",
                                      "or %d, %i",
                                      "xor %d, %d",
                                      "lea %q, [%q+8]",
                                      "lea %q, [%q+%q*4+3]",
                                      "mov %q, %q",
                                      "mov %d, %d",
                                      "mov %d, %i",
                                      "inc %q",
                                      "dec %d",
                                      "neg %q",
                                      "not %q",
                                      "imul %q, %q",
                                      "imul %d, %d, %i",
                                      "shl %q, 3",
                                      "sar %d, 7",
                                      "shr %q, 1",
                                      "rol %d, 5",
                                      "movzx %d, %b",
                                      "movsxd %q, %d",
                                      "cmp %q, %q",
                                      "test %d, %d",
                                      "cmovz %q, %q",
                                      "sete %b",
                                      "adc %q, %q",
                                      "sbb %d, %d",
                                      "popcnt %q, %q",
                                      "bsf %q, %q",
                                      "bt %q, 5",
                                      "shld %q, %q, 3",
                                      "xchg %q, %q",
                                      "cdq",
                                      "xor eax, eax"};
static const char *const memory[] = {"mov %q, [%m]",
                                     "mov %d, [%m]",
                                     "mov [%m], %q",
                                     "mov [%m], %d",
                                     "movzx %d, byte ptr [%m]",
                                     "add %q, [%m]",
                                     "cmp %d, [%m]",
                                     "add dword ptr [%m], %i",
                                     "mov byte ptr [%m], %b",
                                     "mov qword ptr [%m], %i",
                                     "inc qword ptr [%m]",
                                     "movsxd %q, dword ptr [%m]",
                                     "test dword ptr [%m], %i",
                                     "lea %q, [%m]",
                                     "imul %q, [%m]",
                                     "xor %d, [%m]"};
static const char *const vector[] = {"addps %x, %x",
                                     "mulsd %x, %x",
                                     "movaps %x, %x",
                                     "paddd %x, %x",
                                     "pxor %x, %x",
                                     "pshufd %x, %x, 27",
                                     "pcmpeqd %x, %x",
                                     "movups %x, [%m]",
                                     "movups [%m], %x",
                                     "mulps %x, %x",
                                     "cvtsi2sd %x, %d",
                                     "cvttsd2si %d, %x",
                                     "subsd %x, [%m]",
                                     "unpcklps %x, %x",
                                     "pand %x, %x",
                                     "divsd %x, %x",
                                     "sqrtss %x, %x",
                                     "movd %d, %x",
                                     "movsd %x, qword ptr [%m]",
                                     "andps %x, %x"};
static const char *const avx[] = {"vaddpd %y, %y, %y",      "vfmadd231ps %y, %y, %y",
                                  "vmovups %y, [%m]",       "vmovups [%m], %y",
                                  "vpaddd %y, %y, %y",      "vxorps %x, %x, %x",
                                  "vmulps %y, %y, [%m]",    "vperm2f128 %y, %y, %y, 1",
                                  "vshufps %x, %x, %x, 3",  "vbroadcastss %y, dword ptr [%m]",
                                  "vpsllq %y, %y, 4",       "vminps %y, %y, %y",
                                  "vextracti128 %x, %y, 1", "vdivps %x, %x, %x",
                                  "vmovdqa %y, %y",         "andn %q, %q, %q"};
static const char *const avx512[] = {"vaddpd %z, %z, %z",
                                     "vpaddd %z, %z, %z",
                                     "vmovups %z, [%m]",
                                     "vfmadd213ps %z, %z, %z",
                                     "vmovups [%m], %z",
                                     "vpermd %z, %z, %z",
                                     "vaddps %z, %z, dword ptr [%m]{1to16}",
                                     "vpxord %z, %z, %z"};
static const char *const odd[] = {"nop",
                                  "nop dword ptr [rax]",
                                  "nop dword ptr [rax+rax+512]",
                                  "push %q",
                                  "pop %q",
                                  "add %w, %j",
                                  "mov ah, %i",
                                  "add cl, ah",
                                  "shl %q, cl",
                                  "bswap %q",
                                  "cmovbe %q, %q",
                                  "movabs %q, 1%I",
                                  "mov dword ptr [%m], %I",
                                  "div ecx",
                                  "mul %q",
                                  "adc dword ptr [%m], %i",
                                  "lock inc dword ptr [%m]",
                                  "cmp %d, %d; jz 9f; 9:",
                                  "add %d, %d; jc 9f; 9:",
                                  "xadd %q, %q",
                                  "cld",
                                  "lea rsp, [rsp+8]",
                                  "mov %w, %w",
                                  "cmp %w, %j",
                                  "bsr %d, %d",
                                  "mov %q, rsp"};

#define TABLE(t) t, sizeof t / sizeof *t
static const struct {
    const char *const *insns;
    size_t count;
} tables[] = {{TABLE(integer)}, {TABLE(memory)}, {TABLE(vector)},
              {TABLE(avx)},     {TABLE(avx512)}, {TABLE(odd)}};

/* What blocks are made of: shares of the tables, in per cent. */
static const uint8_t mixtures[][6] = {{90, 10, 0, 0, 0, 0},  {60, 35, 0, 0, 0, 5},   {20, 20, 55, 0, 0, 5},
                                      {20, 20, 0, 55, 0, 5}, {10, 10, 0, 20, 55, 5}, {40, 20, 5, 5, 0, 30}};

static uint64_t state;

static uint32_t below(uint32_t n)
{
    state ^= state << 13; /* xorshift64 */
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32) % n;
}

static const char *gpr(char width)
{
    static const char *const names[4][13] = {
        {"rax", "rcx", "rdx", "rbx", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13"},
        {"eax", "ecx", "edx", "ebx", "ebp", "esi", "edi", "r8d", "r9d", "r10d", "r11d", "r12d", "r13d"},
        {"ax", "cx", "dx", "bx", "bp", "si", "di", "r8w", "r9w", "r10w", "r11w", "r12w", "r13w"},
        {"al", "cl", "dl", "bl", "bpl", "sil", "dil", "r8b", "r9b", "r10b", "r11b", "r12b", "r13b"}};
    return names[width == 'q' ? 0 : width == 'd' ? 1 : width == 'w' ? 2 : 3][below(below(3) ? 7 : 13)];
}

static void put_memory(FILE *out)
{
    fprintf(out, "%s", below(8) ? gpr('q') : "rsp");
    if (below(4) == 0)
        fprintf(out, "+%s*%u", gpr('q'), 1u << below(4));
    if (below(3))
        fprintf(out, "+%u", 8 * below(below(4) ? 12 : 400));
}

static void put_insn(FILE *out, const char *s)
{
    for (; *s; s++) {
        if (*s != '%') {
            fputc(*s, out);
            continue;
        }
        char kind = *++s;
        if (kind == 'x' || kind == 'y' || kind == 'z')
            fprintf(out, "%cmm%u", kind, below(8));
        else if (kind == 'm')
            put_memory(out);
        else if (kind == 'i')
            fprintf(out, "%u", 1 + below(100));
        else if (kind == 'j')
            fprintf(out, "%u", 0x1000 + below(0x6000));
        else if (kind == 'I')
            fprintf(out, "%u", 0x10000000 + below(0x60000000));
        else
            fprintf(out, "%s", gpr(kind));
    }
}

static void put_block(FILE *out, uint32_t number)
{
    const uint8_t *mixture = mixtures[below(sizeof mixtures / sizeof *mixtures)];
    uint32_t insns = 1 + below(below(3) ? 8 : 24);
    fprintf(out, "# LLVM-MCA-BEGIN %u\n", number);
    for (uint32_t k = 0; k < insns; k++) {
        uint32_t draw = below(100), t = 0;
        while (draw >= mixture[t])
            draw -= mixture[t++];
        put_insn(out, tables[t].insns[below((uint32_t)tables[t].count)]);
        fputc('\n', out);
    }
    fprintf(out, "# LLVM-MCA-END\n");
}

static int print_regions(const char *text, size_t size)
{
    tacho_code_options o = TACHO_CODE_OPTIONS_INIT;
    tacho_code *code;
    tacho_error err;
    o.kind = TACHO_INPUT_ASSEMBLY;
    o.syntax = TACHO_SYNTAX_INTEL;
    if (tacho_code_from_memory(&code, text, size, "generated", &o, &err)) {
        fprintf(stderr, "%lu: %s\n", (unsigned long)err.line, err.message);
        return 1;
    }
    for (size_t i = 0; i < code->region_count; i++) {
        for (size_t k = 0; k < code->regions[i].byte_count; k++)
            printf("%02x", code->regions[i].bytes[k]);
        printf(" 0 0 0 0\n");
    }
    tacho_code_free(code);
    return 0;
}

int main(int argc, char **argv)
{
    uint32_t count = argc > 1 ? (uint32_t)atoi(argv[1]) : 400;
    unsigned long long seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 20240601;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return 1;
    state = seed;
    for (uint32_t i = 0; i < count; i++)
        put_block(out, i);
    fclose(out);
    printf(
        "# Blocks made by generate.c (%u, seed %llu), then cycles per iteration: SKL unroll, SKL loop, ICX "
        "unroll, ICX loop.\n",
        count, seed);
    int status = print_regions(text, size);
    free(text);
    return status;
}
