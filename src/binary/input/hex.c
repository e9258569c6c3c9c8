/* hex.c - machine code written in hexadecimal digits. */
#include <stdbool.h>

#include "tacho/code.h"

/* Of a digit its value and 1, else 0. */
static const uint8_t digits[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
    ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

static int digit(char c)
{
    return digits[(uint8_t)c] - 1;
}

static bool is_separator(char c)
{
    return c == ' ' || c == ',' || (c >= '\t' && c <= '\r');
}

static long fail(tacho_error *err, const char *text, size_t at, size_t length)
{
    int code;
    if (at >= length || is_separator(text[at]))
        code = tacho_error_set(err, TACHO_ERR_INPUT,
                               "a digit without its second half at offset %zu; each byte is two digits", at);
    else if (text[at] >= ' ' && text[at] <= '~')
        code = tacho_error_set(err, TACHO_ERR_INPUT, "'%c' at offset %zu is not a hexadecimal digit",
                               text[at], at);
    else
        code = tacho_error_set(err, TACHO_ERR_INPUT, "byte 0x%02x at offset %zu is not a hexadecimal digit",
                               (unsigned char)text[at], at);
    if (err)
        err->offset = (int64_t)at;
    return code;
}

long tacho_hex_decode(uint8_t *out, const char *text, size_t length, tacho_error *err)
{
    size_t count = 0, i = 0;
    for (; i + 1 < length; i += 2) { /* most text is nothing but digits */
        unsigned high = digits[(uint8_t)text[i]], low = digits[(uint8_t)text[i + 1]];
        if (!high | !low)
            break;
        out[count++] = (uint8_t)(16 * high + low - 17);
    }
    while (i < length) {
        int high = digit(text[i]);
        int low = i + 1 < length ? digit(text[i + 1]) : -1;
        if (high >= 0 && low >= 0) {
            out[count++] = (uint8_t)(high << 4 | low);
            i += 2;
        } else if (is_separator(text[i])) {
            i++;
        } else if ((text[i] == '0' || text[i] == '\\') && i + 1 < length && (text[i + 1] | 0x20) == 'x') {
            i += 2;
        } else {
            return fail(err, text, high >= 0 ? i + 1 : i, length);
        }
    }
    return (long)count;
}
