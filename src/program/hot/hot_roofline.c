/* hot_roofline.c - what a place computes and accesses, and the most that a core and its memory allow. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tacho/assemble.h"
#include "tacho/hot.h"
#include "x86/decode/element_widths.h"
#include "x86/decode/insn_struct.h"

/* ---- a place ---- */

static double accessed_bytes(const tacho_insn *insn)
{
    double bytes = 0;
    for (unsigned i = 0; i < insn->operand_count && !insn->is_nop; i++) {
        const tacho_operand *o = &insn->operands[i];
        if (o->kind == TACHO_OPERAND_MEM && o->visibility != TACHO_SUPPRESSED)
            bytes += o->width_bits / 8.0 * (!!(o->access & TACHO_READ) + !!(o->access & TACHO_WRITE));
    }
    return bytes;
}

static void add_levels(tacho_hot_work *out, const tacho_hot_memory *memory, const tacho_hot_place *place)
{
    double beyond = 0;
    for (size_t i = 0; i < place->operand_count; i++) {
        const tacho_hot_operand *o = &place->operands[i];
        const int32_t level = o->shares < 0 ? memory->waits[i].level : 0;
        const double bytes = level > 0 ? o->bytes * (double)(o->loads + o->stores) : 0;
        out->level_bytes[level > 0 ? level : 0] += bytes;
        beyond += bytes;
    }
    out->level_bytes[0] = fmax(out->bytes - beyond, 0);
}

void tacho_hot_work_of(tacho_hot_work *out, const tacho_hot_memory *memory, const tacho_memory *machine,
                       const tacho_hot_place *place, const tacho_prediction *prediction)
{
    double counts[2][9] = {{0}}; /* by floats and bytes of an element */
    *out = (tacho_hot_work){.cycles = prediction ? prediction->cycles : NAN};
    for (size_t i = 0; i < place->insn_count; i++) {
        tacho_insn insn;
        if (place->insns[i].on_path < 0 ||
            tacho_decode(&insn, place->insns[i].bytes, place->insns[i].length, NULL))
            continue;
        const insn_operations o = tacho_insn_operations(&insn);
        counts[o.floats][o.element_bytes % 9] += o.count;
        out->floats |= o.floats && o.count > 0;
        out->bytes += accessed_bytes(&insn);
    }
    for (uint32_t b = 1; b < 9; b++) {
        out->operations += counts[out->floats][b];
        if (counts[out->floats][b] > (out->element_bytes ? counts[out->floats][out->element_bytes] : 0))
            out->element_bytes = b;
    }
    if (place->observed_cycles > 0) {
        out->cycles = place->observed_cycles;
        out->observed = true;
    }
    for (int i = 0; i < TACHO_MEMORY_LEVELS; i++)
        out->level_bytes[i] = machine ? 0 : NAN;
    if (machine)
        add_levels(out, memory, place);
}

/* ---- the machine ---- */

double tacho_hot_bandwidth(const tacho_memory_level *l)
{
    return fmax(fmax(l->load_bytes_per_cycle, l->store_bytes_per_cycle), 2 * l->copy_bytes_per_cycle);
}

/* Independent instructions; `format` has the number of a register. @return instructions a cycle; 0: the core
 * does not have them; -1: memory ran out */
static double rate_of(tacho_predictor *p, const tacho_arch *arch, const char *format)
{
    enum {
        REGISTERS = 12
    };
    char text[40 * REGISTERS] = ".intel_syntax noprefix\n";
    tacho_assembly *a = NULL;
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    const tacho_prediction *prediction;
    double rate = 0;
    for (int i = 0; i < REGISTERS; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), format, 8 + i % 6);
    o.mode = TACHO_MODE_UNROLL;
    o.details = false;
    int rc = tacho_assemble(&a, text, strlen(text), NULL, NULL);
    if (!rc)
        rc = tacho_predict_bounds(p, arch, a->sections[0].bytes, a->sections[0].byte_count, &o, &prediction,
                                  NULL);
    if (!rc && !prediction->unknown_count)
        rate = REGISTERS / fmax(prediction->bounds[TACHO_BOUND_ISSUE], prediction->bounds[TACHO_BOUND_PORTS]);
    tacho_assembly_free(a);
    return rc == TACHO_ERR_MEMORY ? -1 : rate;
}

/* Of these additions, or these multiplications. */
static double best_rate(tacho_predictor *p, const tacho_arch *arch, const char *add, const char *multiply)
{
    const double a = rate_of(p, arch, add), b = rate_of(p, arch, multiply);
    return a < 0 || b < 0 ? -1 : fmax(a, b);
}

/* With registers of 16 << `width` bytes. @return instructions a cycle, as rate_of */
static double vector_rate(tacho_predictor *p, const tacho_arch *arch, bool floats, bool fused, uint32_t bytes,
                          int width)
{
    char lines[2][60];
    const char r = "xyz"[width], letter = floats       ? (bytes == 4 ? 's' : 'd')
                                          : bytes == 1 ? 'b'
                                          : bytes == 2 ? 'w'
                                          : bytes == 4 ? 'd'
                                                       : 'q';
    for (int i = 0; i < 2; i++)
        snprintf(lines[i], sizeof lines[i], "%s%c %cmm%%d, %cmm14, %cmm15\n",
                 fused     ? "vfmadd231p"
                 : !floats ? "vpadd"
                 : i       ? "vmulp"
                           : "vaddp",
                 letter, r, r, r);
    return best_rate(p, arch, lines[0], lines[1]);
}

static double scalar_rate(tacho_predictor *p, const tacho_arch *arch, bool floats, uint32_t bytes)
{
    return !floats      ? best_rate(p, arch, "add r%d, r14\n", "add r%d, r14\n")
           : bytes == 4 ? best_rate(p, arch, "vaddss xmm%d, xmm14, xmm15\n", "vmulss xmm%d, xmm14, xmm15\n")
                        : best_rate(p, arch, "vaddsd xmm%d, xmm14, xmm15\n", "vmulsd xmm%d, xmm14, xmm15\n");
}

static int find_peaks(tacho_hot_peak *out, tacho_predictor *p, const tacho_arch *arch, bool floats,
                      uint32_t bytes)
{
    static const char *const names[] = {"vector", "FMA"};
    int n = 0;
    double best = scalar_rate(p, arch, floats, bytes);
    out[n++] = (tacho_hot_peak){"scalar", floats, bytes, best};
    for (int fused = 0; fused <= floats && best >= 0; fused++) {
        double most = 0;
        for (int width = 0; width < 3 && best >= 0; width++) {
            best = vector_rate(p, arch, floats, fused, bytes, width);
            most = fmax(most, best * (16 << width) / bytes * (1 + fused));
        }
        if (most > out[n - 1].operations)
            out[n++] = (tacho_hot_peak){names[fused], floats, bytes, most};
    }
    return best < 0 ? -1 : n;
}

int tacho_hot_peaks(tacho_hot_peak out[TACHO_HOT_MOST_PEAKS], const tacho_arch *arch, bool floats,
                    uint32_t element_bytes)
{
    tacho_predictor *p = tacho_predictor_new();
    const int n = p ? find_peaks(out, p, arch, floats, floats && element_bytes != 4 ? 8 : element_bytes) : -1;
    tacho_predictor_free(p);
    return n;
}
