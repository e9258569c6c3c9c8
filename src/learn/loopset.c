/* loopset.c - loops that are timed together. */
#include "learn/loopset.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"
#include "x86/assemble/assembling.h"

loopset loopset_of(lab *l)
{
    return (loopset){.l = l};
}

size_t loopset_loop(loopset *s, tacho_mode mode)
{
    if (s->l->failed)
        return s->count;
    if (tacho_mem_grow(&s->loops, &s->capacity, s->count + 1, sizeof *s->loops)) {
        s->l->failed = tacho_no_memory(s->l->err);
        return s->count;
    }
    s->loops[s->count] = (subject_loop){.mode = mode, .status = TACHO_MEASURED_TIMEOUT, .cycles = NAN};
    return s->count++;
}

void loopset_add(loopset *s, unsigned count, const char *format, ...)
{
    char text[2000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!s->l->failed)
        s->l->failed = subject_add(&s->loops[s->count - 1], text, count, s->l->err);
}

void loopset_add_in_turn(loopset *s, unsigned count, const char *const *texts, unsigned text_count)
{
    for (unsigned i = 0; i < count; i++)
        loopset_add(s, 1, "%s", texts[i % text_count]);
}

void loopset_value(loopset *s, unsigned reg, uint64_t value)
{
    if (s->l->failed)
        return;
    s->loops[s->count - 1].values[reg] = value;
    s->loops[s->count - 1].known |= (uint16_t)(1u << reg);
}

bool lab_joins_nops(const lab *l)
{
    return lab_is(l, JOINED_NOPS);
}

void lab_filler(const lab *l, unsigned bytes, uint8_t code[15])
{
    static const uint8_t idioms[][5] = {
        [0] = {0x0f, 0x57, 0xff},             /* xorps xmm7, xmm7 */
        [1] = {0x45, 0x0f, 0x57, 0xff},       /* xorps xmm15, xmm15 */
        [2] = {0x66, 0x45, 0x0f, 0xef, 0xff}, /* pxor xmm15, xmm15 */
    };
    memset(code, 0x66, 15);
    if (bytes > 2 && lab_joins_nops(l)) {
        const unsigned size = bytes < 5 ? bytes : 5;
        memcpy(code + bytes - size, idioms[size - 3], size);
        return;
    }
    unsigned prefixes = bytes > 9 ? bytes - 9 : 0;
    tacho_nops(code + prefixes, bytes - prefixes);
}

void loopset_nops(loopset *s, unsigned bytes, unsigned count)
{
    uint8_t code[15];
    lab_filler(s->l, bytes, code);
    if (!s->l->failed)
        s->l->failed = subject_add_bytes(&s->loops[s->count - 1], code, bytes, count, s->l->err);
}

void loopset_fill(loopset *s, unsigned bytes, unsigned count)
{
    for (; count; count--) {
        unsigned own = bytes / count;
        loopset_nops(s, own, 1);
        bytes -= own;
    }
}

void loopset_fill_plain(loopset *s, unsigned bytes, unsigned count)
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
            loopset_nops(s, own, 1);
        else
            loopset_add(s, 1, "%s", plain[own]);
        bytes -= own;
    }
}

void loopset_time(loopset *s)
{
    size_t first = 0;
    while (first < s->count && s->loops[first].status != TACHO_MEASURED_TIMEOUT)
        first++;
    if (!s->l->failed && first < s->count)
        s->l->failed = subject_time(s->l->s, s->loops + first, s->count - first, s->l->err);
}

double loopset_cycles(const loopset *s, size_t loop)
{
    return s->l->failed || loop >= s->count ? NAN : s->loops[loop].cycles;
}

curve *loopset_curve(loopset *s, const char *title, const char *x_name, const char *y_name)
{
    return lab_curve(s->l, title, x_name, y_name);
}

void loopset_point(loopset *s, curve *c, double x, double y)
{
    curve_add(s->l, c, x, y);
}

curve *loopset_draw(loopset *s, const sweep *of, const char *title, const char *x_name, const char *y_name)
{
    loopset_time(s);
    curve *c = loopset_curve(s, title, x_name, y_name);
    for (unsigned i = 0; i < of->count; i++)
        loopset_point(s, c, of->from + i * (of->step > 0 ? of->step : 1),
                      loopset_cycles(s, of->first + i * (of->every ? of->every : 1)) /
                          (of->per > 0 ? of->per : 1));
    return c;
}

int loopset_end(loopset *s)
{
    for (size_t i = 0; i < s->count; i++)
        subject_loop_free(&s->loops[i]);
    tacho_mem_free(s->loops);
    return s->l->failed;
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
