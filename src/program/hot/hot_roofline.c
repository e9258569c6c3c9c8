/* hot_roofline.c - what a place computes and accesses, and the most that a core and its memory allow. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tacho/assemble.h"
#include "tacho/hot.h"
#include "x86/decode/insn_struct.h"
#include "x86/decode/operations.h"

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

/* The first level has ports for both at once: two loads and a store, which no stream of one kind has. */
double tacho_hot_bandwidth(const tacho_memory_level *l)
{
    return !strcmp(l->name, "L1")
               ? l->load_bytes_per_cycle + l->store_bytes_per_cycle
               : fmax(fmax(l->load_bytes_per_cycle, l->store_bytes_per_cycle), 2 * l->copy_bytes_per_cycle);
}

/* Independent instructions; `format` has the number of a register. @return instructions a cycle; 0: the core
 * does not have them; -1: memory ran out */
static double rate_of(tacho_predictor *p, const tacho_arch *arch, const char *format)
{
    enum {
        REGISTERS = 12
    };
    char text[48 * REGISTERS] = ".intel_syntax noprefix\n";
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

enum {
    KINDS = 3, /* one number at a time, vectors, vectors of products that are added */
    MOST_OF_A_KIND = 3
};

/* The instructions that do the most operations on such numbers; those of vectors without V's prefixes. */
static const struct arithmetic {
    bool floats;
    uint8_t bytes;
    const char *names[KINDS][MOST_OF_A_KIND];
} arithmetics[] = {
    {true, 2, {{"vaddsh", "vmulsh"}, {"vaddph", "vmulph"}, {"vfmadd231ph", "vdpbf16ps"}}},
    {true, 4, {{"vaddss", "vmulss"}, {"vaddps", "vmulps"}, {"vfmadd231ps"}}},
    {true, 8, {{"vaddsd", "vmulsd"}, {"vaddpd", "vmulpd"}, {"vfmadd231pd"}}},
    {false, 1, {{"add"}, {"vpaddb"}, {"vpmaddubsw", "vpdpbusd", "{vex} vpdpbusd"}}},
    {false, 2, {{"add"}, {"vpaddw"}, {"vpmaddwd", "vpdpwssd", "{vex} vpdpwssd"}}},
    {false, 4, {{"add"}, {"vpaddd"}, {NULL}}},
    {false, 8, {{"add"}, {"vpaddq"}, {"vpmadd52luq", "{vex} vpmadd52luq"}}},
};

/* The most of these instructions, with registers of so many bits: 0 for general ones. @return a cycle; 0: the
 * core has none; -1: memory ran out */
static double best_rate(tacho_predictor *p, const tacho_arch *arch, const char *const names[MOST_OF_A_KIND],
                        unsigned bits)
{
    const char r = "xyz"[bits / 256];
    double best = 0;
    for (int i = 0; i < MOST_OF_A_KIND && names[i] && best >= 0; i++) {
        char line[48];
        if (!bits)
            snprintf(line, sizeof line, "%s r%%d, r14\n", names[i]);
        else
            snprintf(line, sizeof line, "%s %cmm%%d, %cmm14, %cmm15\n", names[i], r, r, r);
        const double rate = rate_of(p, arch, line);
        best = rate < 0 ? -1 : fmax(best, rate);
    }
    return best;
}

/* Operations a cycle; 0 and -1 as best_rate. */
static double peak_of(tacho_predictor *p, const tacho_arch *arch, const struct arithmetic *a, int kind)
{
    double most = 0;
    if (!kind)
        return best_rate(p, arch, a->names[0], a->floats ? 128 : 0);
    for (unsigned bits = 128; bits <= 512 && most >= 0; bits *= 2) {
        const double rate = best_rate(p, arch, a->names[kind], bits);
        most = rate < 0 ? -1 : fmax(most, rate * bits / 8 / a->bytes * kind);
    }
    return most;
}

static int find_peaks(tacho_hot_peak *out, tacho_predictor *p, const tacho_arch *arch,
                      const struct arithmetic *a)
{
    int n = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        const double most = peak_of(p, arch, a, kind);
        const char *name = kind == 0 ? "scalar" : kind == 1 ? "vector" : a->floats ? "FMA" : "products";
        if (most < 0)
            return -1;
        if (most > (n ? out[n - 1].operations : 0))
            out[n++] = (tacho_hot_peak){name, a->floats, a->bytes, most};
    }
    return n;
}

int tacho_hot_peaks(tacho_hot_peak out[TACHO_HOT_MOST_PEAKS], const tacho_arch *arch, bool floats,
                    uint32_t element_bytes)
{
    tacho_predictor *p = tacho_predictor_new();
    int n = p ? 0 : -1;
    for (size_t i = 0; i < sizeof arithmetics / sizeof *arithmetics && !n; i++)
        if (arithmetics[i].floats == floats && arithmetics[i].bytes == element_bytes)
            n = find_peaks(out, p, arch, &arithmetics[i]);
    tacho_predictor_free(p);
    return n;
}

/* ---- points ---- */

/* For the elements that take most of the time. @return false: memory ran out */
static bool add_peaks(tacho_hot_roofline *r, const tacho_arch *arch, bool floats)
{
    double shares[9] = {0};
    uint32_t most = 0;
    for (size_t i = 0; i < r->count; i++)
        if (r->points[i].work.floats == floats)
            shares[r->points[i].work.element_bytes] += r->points[i].place->share;
    for (uint32_t b = 1; b < 9; b++)
        most = shares[b] > shares[most] || (!most && shares[b] > 0) ? b : most;
    const int n = most ? tacho_hot_peaks(r->peaks + r->peak_count, arch, floats, most) : 0;
    r->peak_count += n > 0 ? (size_t)n : 0;
    return n >= 0;
}

static void lower(tacho_hot_point *p, double roof, const char *name)
{
    if (isfinite(roof) && !(roof >= p->roof)) {
        p->roof = roof;
        p->limit = name;
    }
}

/* The lowest of what the levels that serve it and its core allow, the core for numbers of its width.
 * @return false: memory ran out */
static bool find_roof(tacho_hot_point *p, const tacho_arch *arch, const tacho_memory *machine)
{
    tacho_hot_peak peaks[TACHO_HOT_MOST_PEAKS];
    const int n = tacho_hot_peaks(peaks, arch, p->work.floats, p->work.element_bytes);
    if (n > 0)
        lower(p, peaks[n - 1].operations, peaks[n - 1].name);
    for (uint32_t i = 0; machine && i < machine->level_count; i++) {
        const double bytes = i ? p->work.level_bytes[i] : p->work.bytes;
        if (bytes > 0)
            lower(p, p->work.operations / bytes * tacho_hot_bandwidth(&machine->levels[i]),
                  machine->levels[i].name);
    }
    return n >= 0;
}

int tacho_hot_roofline_find(tacho_hot_roofline *r, const tacho_arch *arch, const tacho_memory *machine)
{
    r->peak_count = 0;
    if (!add_peaks(r, arch, true) || !add_peaks(r, arch, false))
        return TACHO_ERR_MEMORY;
    for (size_t i = 0; i < r->count; i++) {
        tacho_hot_point *p = &r->points[i];
        p->per_byte = p->work.operations / p->work.bytes; /* without accesses infinite */
        p->per_cycle = p->work.operations / p->work.cycles;
        p->roof = NAN;
        p->limit = NULL;
        if (p->work.operations > 0 && !find_roof(p, arch, machine))
            return TACHO_ERR_MEMORY;
    }
    return 0;
}
