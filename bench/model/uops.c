/* uops.c - prints how blocks are lowered: each instruction's form, its µops with operands and latencies, and
 * how they are grouped. For development. usage: uops ARCH HEX */
#include <stdio.h>
#include <string.h>
#include <tacho/tools.h>

#include "model/block/block.h"

static const char *slot_name(uint8_t slot, char *out, size_t size)
{
    static const char *const gpr[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                      "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
    if (slot < 16)
        snprintf(out, size, "%s", gpr[slot]);
    else if (slot >= TEMP_BASE)
        snprintf(out, size, "t%d", slot - TEMP_BASE);
    else if (slot >= UNIT_VECTOR && slot < UNIT_K)
        snprintf(out, size, "v%d", slot - UNIT_VECTOR);
    else
        snprintf(out, size, "%s", slot == UNIT_FLAG_C ? "C" : slot == UNIT_FLAG_SPAZO ? "SPAZO" : "unit");
    return out;
}

static void print_uop(const uop *u)
{
    static const char *const kinds[] = {"compute", "load", "sta", "std", "none"};
    char name[16];
    printf("      %-7s p", kinds[u->kind]);
    for (int p = 0; p < TACHO_MAX_PORTS; p++)
        if (u->ports >> p & 1)
            printf("%d", p);
    printf("  in:");
    for (int k = 0; k < u->in_count; k++)
        printf(" %s", slot_name(u->in[k], name, sizeof name));
    printf("  out:");
    for (int k = 0; k < u->out_count; k++)
        printf(" %s+%d", slot_name(u->out[k].slot, name, sizeof name), u->out[k].latency);
    if (u->div_cycles)
        printf("  div %u", u->div_cycles);
    printf("\n");
}

int main(int argc, char **argv)
{
    tacho_error err;
    uint8_t bytes[4096];
    arena a = {0};
    block b;
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    o.ignore_isa = true;
    if (argc != 3)
        return 2;
    const tacho_arch *arch = tacho_arch_find(argv[1], &err);
    long n = strlen(argv[2]) < 8192 ? tacho_hex_decode(bytes, argv[2], strlen(argv[2]), &err) : -1;
    if (!arch || n < 0 || tacho_block_build(&b, &a, NULL, arch, bytes, (size_t)n, &o, &err))
        return 1;
    for (uint32_t i = 0; i < b.insn_count; i++) {
        const block_insn *bi = &b.insns[i];
        char text[128], form[128] = "no form";
        tacho_insn_format(bi->insn, 0, 1, text, sizeof text);
        if (bi->has_form)
            tacho_form_name(bi->facts->form.id, form, sizeof form);
        printf("%3u %-40s %s%s%s%s mite %u ms %u lam %u fused %u%s%s%s\n", bi->offset, text, form,
               bi->fused_with_next ? " fused-with-next" : "", bi->eliminable ? " eliminable" : "",
               bi->uses_rsp ? " uses-rsp" : "", bi->uops_mite, bi->uops_ms, bi->laminated_count,
               bi->fused_count, bi->complex_decoder ? " complex" : "",
               bi->same_register_kill ? " breaks-dependency" : "", bi->insn->lcp ? " LCP" : "");
        for (uint32_t l = 0; l < bi->laminated_count; l++) {
            const uop_group *lam = &b.laminated[bi->laminated_first + l];
            printf("    [\n");
            for (uint32_t f = 0; f < lam->count; f++) {
                const uop_group *fused = &b.fused[lam->first + f];
                printf("     -\n");
                for (uint32_t k = 0; k < fused->count; k++)
                    print_uop(&b.uops[fused->first + k]);
            }
        }
    }
    arena_free(&a);
    return 0;
}
