/* lab.c - runs experiments, and keeps what they find. */
#include "learn/lab.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"
#include "learn/resources.h"
#include "x86/assemble/assembling.h"

#define EXPERIMENT(...) {__VA_ARGS__},
const experiment learn_experiments[] = {
#include "learn/experiment_rows.h"
    {0},
};

void lab_free(lab *l)
{
    for (size_t i = 0; i < l->curve_count; i++) {
        tacho_mem_free(l->curves[i]->points);
        tacho_mem_free(l->curves[i]);
    }
    lab_clear(l);
    resources_free(l->resources);
    TACHO_MEM_FREE(l->curves, l->loops, l->findings);
    *l = (lab){0};
}

/* ---- running ---- */

bool experiment_finds(const experiment *e, const char *parameter)
{
    const size_t length = strlen(parameter);
    for (const char *at = e->parameters; (at = strstr(at, parameter)); at += length)
        if ((at == e->parameters || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

/* What nobody has said anything of, of no account or undecided. */
static void give_up(lab *l, bool moot, const char *why)
{
    tacho_arch_parameter p;
    for (size_t i = 0; !tacho_arch_parameter_get(i, &p); i++)
        if (experiment_finds(l->running, p.name) && !lab_finding(l, p.name))
            (moot ? lab_moot : lab_undecided)(l, p.name, "%.150s", why);
}

/* Whether unrolled code comes from the decoders here. */
static bool decodes_copies(lab *l)
{
    const finding *f = lab_finding(l, "dsb_holds_copies");
    const bool known = is_found(f), held = known && f->value[0] == 'y';
    if (!known || held)
        give_up(l, held,
                held ? "copies of code come from a cache of µops, and so do loops"
                     : "where copies of code come from is not known");
    return known && !held;
}

int lab_run(lab *l, const experiment *e)
{
    *l->err = (tacho_error){0};
    l->running = e;
    lab_clear(l);
    if (e->needs == NEEDS_DECODERS && !decodes_copies(l))
        return l->failed;
    if (e->run(l) == TACHO_ERR_UNSUPPORTED) {
        const tacho_error why = *l->err;
        l->failed = 0;
        give_up(l, false, why.message);
    }
    return l->failed;
}

/* ---- findings ---- */

const finding *lab_finding(const lab *l, const char *name)
{
    for (size_t i = 0; i < l->finding_count; i++)
        if (!strcmp(l->findings[i].name, name))
            return &l->findings[i];
    return NULL;
}

int parameter_number(const char *name)
{
    tacho_arch_parameter p;
    for (int i = 0; !tacho_arch_parameter_get((size_t)i, &p); i++)
        if (!strcmp(p.name, name))
            return i;
    return -1;
}

double lab_number(const lab *l, const char *name, double otherwise)
{
    const finding *f = lab_finding(l, name);
    char *end;
    double value = is_found(f) ? strtod(f->value, &end) : NAN;
    if (!isnan(value) && end != f->value)
        return value;
    const int p = l->start ? parameter_number(name) : -1;
    return p < 0 ? otherwise : (double)tacho_arch_parameter_number(l->start, (size_t)p);
}

bool is_found(const finding *f)
{
    return f && f->state == FINDING_MEASURED;
}

bool lab_is(const lab *l, const char *name)
{
    const finding *f = lab_finding(l, name);
    return is_found(f) && !strcmp(f->value, "yes");
}

/* Says it anew; `format`: the value that was measured, or why there is none. */
static int say(lab *l, finding_state state, const char *name, double low, double high, const char *format,
               va_list args)
{
    finding *f = (finding *)(uintptr_t)lab_finding(l, name);
    if (!f && !l->failed &&
        tacho_mem_grow(&l->findings, &l->finding_capacity, l->finding_count + 1, sizeof *f))
        l->failed = tacho_no_memory(l->err);
    if (l->failed)
        return l->failed;
    f = f ? f : &l->findings[l->finding_count++];
    *f = (finding){.name = name, .state = state, .low = low, .high = high, .by = l->running};
    const bool found = state == FINDING_MEASURED;
    vsnprintf(found ? f->value : f->why, found ? sizeof f->value : sizeof f->why, format, args);
    return 0;
}

/* SAY(state, low, high) is the body of a function with a format and `...` at its end. */
#define SAY(state, low, high)                                                                                \
    va_list args;                                                                                            \
    va_start(args, format);                                                                                  \
    const int failed = say(l, state, name, low, high, format, args);                                         \
    va_end(args);                                                                                            \
    return failed

int lab_found(lab *l, const char *name, double low, double high, const char *format, ...)
{
    SAY(FINDING_MEASURED, low, high);
}

int lab_undecided(lab *l, const char *name, const char *format, ...)
{
    SAY(FINDING_UNDECIDED, NAN, NAN);
}

int lab_at_least(lab *l, const char *name, double least, const char *format, ...)
{
    SAY(FINDING_UNDECIDED, least, NAN);
}

int lab_moot(lab *l, const char *name, const char *format, ...)
{
    SAY(FINDING_MOOT, NAN, NAN);
}

int lab_untimed(lab *l, const char *name)
{
    return lab_undecided(l, name, "the loops could not be timed");
}

int lab_yes(lab *l, const char *name, bool yes)
{
    return lab_found(l, name, NAN, NAN, "%s", yes ? "yes" : "no");
}

int lab_less(lab *l, const char *name, double one, double other)
{
    return isnan(one) || isnan(other) ? lab_untimed(l, name) : lab_yes(l, name, one < other);
}

int lab_about(lab *l, const char *name, double value, double error)
{
    return lab_found(l, name, value - error, value + error, "%.0f", value);
}

int lab_cycles(lab *l, const char *name, double cycles, double most)
{
    if (isnan(cycles))
        return lab_untimed(l, name);
    if (!(cycles >= -0.3 && fabs(cycles - round(cycles)) <= most))
        return lab_undecided(l, name, "%.2f cycles: no whole number", cycles);
    return lab_found(l, name, cycles, cycles, "%.0f", fabs(round(cycles)));
}

/* ---- loops ---- */

void lab_clear(lab *l)
{
    for (size_t i = 0; i < l->loop_count; i++)
        subject_loop_free(&l->loops[i]);
    l->loop_count = l->drawn = 0;
}

size_t lab_loop(lab *l, tacho_mode mode)
{
    if (!l->failed && tacho_mem_grow(&l->loops, &l->loop_capacity, l->loop_count + 1, sizeof *l->loops))
        l->failed = tacho_no_memory(l->err);
    if (l->failed)
        return l->loop_count;
    l->loops[l->loop_count] = (subject_loop){.mode = mode, .status = TACHO_MEASURED_TIMEOUT, .cycles = NAN};
    return l->loop_count++;
}

void lab_code(lab *l, unsigned count, const char *format, ...)
{
    char text[2000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!l->failed)
        l->failed = subject_add(&l->loops[l->loop_count - 1], text, count, l->err);
}

void lab_bytes(lab *l, const uint8_t *bytes, size_t size, unsigned count)
{
    if (!l->failed)
        l->failed = subject_add_bytes(&l->loops[l->loop_count - 1], bytes, size, count, l->err);
}

void lab_code_in_turn(lab *l, unsigned count, const char *const *texts, unsigned text_count)
{
    for (unsigned i = 0; i < count; i++)
        lab_code(l, 1, "%s", texts[i % text_count]);
}

void lab_value(lab *l, unsigned reg, uint64_t value)
{
    if (l->failed)
        return;
    l->loops[l->loop_count - 1].values[reg] = value;
    l->loops[l->loop_count - 1].known |= (uint16_t)(1u << reg);
}

void lab_addresses(lab *l, unsigned registers)
{
    enum {
        SOME_ADDRESS = 0x12340000
    };
    for (unsigned r = 0; r < 16; r++)
        if (registers >> r & 1)
            lab_value(l, r, SOME_ADDRESS);
}

void lab_filler(const lab *l, unsigned bytes, uint8_t code[15])
{
    /* Of three bytes it is executed where those with VEX are not (Zen 3 and 4, by InstLatx64). */
    static const uint8_t idioms[][5] = {
        [0] = {0x0f, 0x57, 0xff},             /* xorps xmm7, xmm7 */
        [1] = {0xc5, 0xc0, 0x57, 0xff},       /* vxorps xmm7, xmm7, xmm7 */
        [2] = {0xc4, 0x41, 0x00, 0x57, 0xff}, /* vxorps xmm15, xmm15, xmm15 */
    };
    memset(code, 0x66, 15);
    if (bytes > 2 && lab_is(l, JOINED_NOPS)) {
        memset(code, 0x3e, 15); /* before VEX no other prefix is allowed than that of a segment */
        const unsigned size = bytes < 5 ? bytes : 5;
        memcpy(code + bytes - size, idioms[size - 3], size);
        return;
    }
    unsigned prefixes = bytes > 9 ? bytes - 9 : 0;
    tacho_nops(code + prefixes, bytes - prefixes);
}

void lab_nops(lab *l, unsigned bytes, unsigned count)
{
    uint8_t code[15];
    lab_filler(l, bytes, code);
    lab_bytes(l, code, bytes, count);
}

void lab_fill(lab *l, unsigned bytes, unsigned count)
{
    for (; count; count--) {
        unsigned own = bytes / count;
        lab_nops(l, own, 1);
        bytes -= own;
    }
}

void lab_fill_plain(lab *l, unsigned bytes, unsigned count)
{
    static const char *const plain[] = {NULL,
                                        NULL,
                                        NULL,
                                        "lea rcx, [rax]",
                                        "lea rcx, [rax+1]",
                                        "mov ecx, 0x12345678",
                                        "mov r8d, 0x12345678",
                                        "mov rcx, 0x12345678"};
    for (; count; count--) {
        unsigned own = bytes - (count - 1) < 7 ? bytes - (count - 1) : 7;
        if (own < 3)
            lab_nops(l, own, 1);
        else
            lab_code(l, 1, "%s", plain[own]);
        bytes -= own;
    }
}

void lab_time(lab *l)
{
    size_t first = 0;
    while (first < l->loop_count && l->loops[first].status != TACHO_MEASURED_TIMEOUT)
        first++;
    if (!l->failed && first < l->loop_count)
        l->failed = subject_time(l->s, l->loops + first, l->loop_count - first, l->err);
}

double lab_timed(const lab *l, size_t loop)
{
    return l->failed || loop >= l->loop_count ? NAN : l->loops[loop].cycles;
}

double lab_time_code(lab *l, unsigned count, const char *code, unsigned registers)
{
    const size_t loop = lab_loop(l, TACHO_MODE_LOOP);
    lab_addresses(l, registers);
    lab_code(l, count, "%s", code);
    lab_time(l);
    return lab_timed(l, loop) / count;
}

/* ---- curves ---- */

curve *lab_curve(lab *l, const char *title, const char *x_name, const char *y_name)
{
    curve *c = l->failed ? NULL : tacho_mem_zalloc(1, sizeof *c);
    if (!c || tacho_mem_grow(&l->curves, &l->curve_capacity, l->curve_count + 1, sizeof(curve *))) {
        tacho_mem_free(c);
        l->failed = l->failed ? l->failed : tacho_no_memory(l->err);
        return NULL;
    }
    *c = (curve){.of = l->running, .title = title, .x_name = x_name, .y_name = y_name, .bend = NAN};
    l->curves[l->curve_count++] = c;
    return c;
}

void curve_add(lab *l, curve *c, double x, double cycles)
{
    if (!l->failed && tacho_mem_grow(&c->points, &c->capacity, c->count + 1, sizeof *c->points))
        l->failed = tacho_no_memory(l->err);
    if (!l->failed)
        c->points[c->count++] = (curve_point){x, cycles};
}

void curve_bend(curve *c, double x)
{
    if (c)
        c->bend = x;
}

double curve_at(const curve *c, size_t i)
{
    return c && i < c->count ? c->points[i].cycles : NAN;
}

curve *lab_draw(lab *l, const char *title, const char *x_name, const char *y_name, axis of)
{
    lab_time(l);
    const size_t count = of.count ? of.count : l->loop_count - l->drawn;
    curve *c = lab_curve(l, title, x_name, y_name);
    for (size_t i = 0; i < count; i++)
        curve_add(l, c, of.from + (double)i * (of.step > 0 ? of.step : 1),
                  lab_timed(l, l->drawn + i) / (of.per > 0 ? of.per : 1));
    l->drawn += count;
    return c;
}

int lab_chains(lab *l, const chain_code *chains, unsigned count, double *cycles)
{
    enum {
        FEWEST = 8,
        STEP = 8,
        POINTS = 3
    };
    lab_clear(l);
    for (unsigned k = 0; k < count; k++)
        for (unsigned i = 0; i < POINTS; i++) {
            lab_loop(l, TACHO_MODE_LOOP);
            lab_addresses(l, IN_ALL);
            lab_code(l, FEWEST + STEP * i, "%s", chains[k].code);
        }
    for (unsigned k = 0; k < count; k++)
        cycles[k] = curve_slope(lab_draw(l, chains[k].title, "copies", "cycles an iteration",
                                         (axis){.from = FEWEST, .step = STEP, .count = POINTS}),
                                0);
    return l->failed;
}

ORDER_NUMBERS(by_value, double);

double curve_slope(const curve *c, size_t from)
{
    enum {
        MOST = 1000
    };
    double slopes[MOST];
    size_t n = 0;
    for (size_t i = from; c && i < c->count; i++)
        for (size_t k = i + 1; k < c->count && n < MOST; k++) {
            double slope = (c->points[k].cycles - c->points[i].cycles) / (c->points[k].x - c->points[i].x);
            if (isfinite(slope))
                slopes[n++] = slope;
        }
    if (!n)
        return NAN;
    tacho_sort(slopes, n, sizeof *slopes, by_value);
    return n % 2 ? slopes[n / 2] : (slopes[n / 2 - 1] + slopes[n / 2]) / 2;
}

bool near_to(double a, double b, double most)
{
    return fabs(a - b) <= most * fmax(fabs(a), fabs(b));
}
