/* compare_values.c - the values of a parameter: "1,2,4", "1..8", "0..1:0.25", "1..64:*2", "gcc,clang".
 *
 * Numbers are counted in their last digit, so that 0.1 + 0.2 is 0.3. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/cli.h"
#include "app/cli/compare_values.h"

enum {
    MAX_DECIMALS = 9,
    MAX_DIGITS = 15
};

/* digits / 10^decimals */
typedef struct decimal {
    int64_t digits;
    int decimals;
} decimal;

static bool read_decimal(const char *text, size_t length, decimal *out)
{
    bool minus = length && *text == '-', point = false;
    int seen = 0;
    *out = (decimal){0};
    for (size_t i = minus; i < length; i++) {
        if (text[i] == '.' && !point) {
            point = true;
            continue;
        }
        if (text[i] < '0' || text[i] > '9' || ++seen > MAX_DIGITS ||
            (point && ++out->decimals > MAX_DECIMALS))
            return false;
        out->digits = 10 * out->digits + (text[i] - '0');
    }
    out->digits = minus ? -out->digits : out->digits;
    return seen > 0;
}

static bool with_decimals(decimal *d, int decimals)
{
    for (; d->decimals < decimals; d->decimals++)
        if (__builtin_mul_overflow(d->digits, 10, &d->digits))
            return false;
    return true;
}

static const char *write_decimal(arena *memory, decimal d)
{
    uint64_t unit = 1, digits = d.digits < 0 ? -(uint64_t)d.digits : (uint64_t)d.digits;
    char text[64];
    for (int i = 0; i < d.decimals; i++)
        unit *= 10;
    snprintf(text, sizeof text, "%s%llu", d.digits < 0 ? "-" : "", (unsigned long long)(digits / unit));
    if (d.decimals)
        snprintf(text + strlen(text), sizeof text - strlen(text), ".%0*llu", d.decimals,
                 (unsigned long long)(digits % unit));
    return arena_text(memory, text);
}

static bool append(scan_values *out, const char *text)
{
    if (!text)
        return cli_error("out of memory");
    if (out->count == TACHO_COMPARE_MAX_COMMANDS)
        return cli_error("more than %d values of a parameter", TACHO_COMPARE_MAX_COMMANDS);
    out->list[out->count++] = text;
    return true;
}

/* "MIN..MAX", "MIN..MAX:STEP", "MIN..MAX:*FACTOR". @return -1: it is no range; 0: with a message; 1 */
static int take_range(arena *memory, const char *text, size_t length, scan_values *out)
{
    const char *end = text + length, *dots = memmem(text, length, "..", 2), *colon = NULL;
    decimal from, to, step = {1, 0};
    if (!dots)
        return -1;
    colon = memchr(dots, ':', (size_t)(end - dots));
    bool times = colon && colon + 1 < end && colon[1] == '*';
    const char *by = colon ? colon + 1 + times : end;
    if (!read_decimal(text, (size_t)(dots - text), &from) ||
        !read_decimal(dots + 2, (size_t)((colon ? colon : end) - dots - 2), &to))
        return -1;
    if ((colon && !read_decimal(by, (size_t)(end - by), &step)) || step.digits <= 0 ||
        (times && (step.decimals || step.digits < 2 || from.digits <= 0)))
        return cli_error(
            "'%.*s' is no range: MIN..MAX, MIN..MAX:STEP with a STEP above 0, or MIN..MAX:*FACTOR with "
            "a whole FACTOR above 1",
            (int)length, text);
    int decimals = from.decimals > step.decimals && !times ? from.decimals : step.decimals;
    decimals = times || from.decimals > decimals ? from.decimals : decimals;
    decimals = to.decimals > decimals ? to.decimals : decimals;
    bool fits = with_decimals(&from, decimals) && with_decimals(&to, decimals) &&
                (times || with_decimals(&step, decimals));
    if (!fits || from.digits > to.digits)
        return cli_error("'%.*s' is no range: %s", (int)length, text,
                         fits ? "MIN is above MAX" : "numbers of too many digits");
    for (int64_t at = from.digits; at <= to.digits;) {
        if (!append(out, write_decimal(memory, (decimal){at, decimals})))
            return 0;
        if (times ? __builtin_mul_overflow(at, step.digits, &at)
                  : __builtin_add_overflow(at, step.digits, &at))
            break;
    }
    return 1;
}

bool scan_values_read(arena *memory, const char *text, bool as_words, scan_values *out)
{
    out->count = 0;
    for (;;) {
        size_t n = strcspn(text, ",");
        int taken = as_words ? -1 : take_range(memory, text, n, out);
        if (!taken || (taken < 0 && !append(out, arena_text_n(memory, text, n))))
            return false;
        if (!text[n])
            return true;
        text += n + 1;
    }
}
