/* lab_loops.c - the loops of an experiment, and curves of them. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"
#include "learn/lab.h"
#include "x86/assemble/assembling.h"

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
    memset(code, 0x3e, 15); /* before VEX no other prefix is allowed than that of a segment */
    if (bytes > 2 && lab_is(l, JOINED_NOPS)) {
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
