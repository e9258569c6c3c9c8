/* str.c - growing text. */
#include "base/str.h"

#include "base/mem.h"

void tacho_str_append(tacho_str *s, const char *text, size_t length)
{
    if (s->failed)
        return;
    if (length >= s->capacity - s->length && /* no room; without any, both are 0 */
        (length > (size_t)-1 - s->length - 1 ||
         tacho_mem_grow(&s->data, &s->capacity, s->length + length + 1, 1))) {
        s->failed = true;
        return;
    }
    memcpy(s->data + s->length, text, length);
    s->length += length;
    s->data[s->length] = '\0';
}

void tacho_str_puts(tacho_str *s, const char *text)
{
    tacho_str_append(s, text, strlen(text));
}

void tacho_str_putc(tacho_str *s, char c)
{
    if (s->failed || s->capacity - s->length < 2) {
        tacho_str_append(s, &c, 1);
        return;
    }
    s->data[s->length++] = c;
    s->data[s->length] = '\0';
}

void tacho_str_whole(tacho_str *s, int64_t number)
{
    char digits[20], *first = digits + sizeof digits;
    uint64_t left = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    do
        *--first = (char)('0' + left % 10);
    while (left /= 10);
    if (number < 0)
        *--first = '-';
    tacho_str_append(s, first, (size_t)(digits + sizeof digits - first));
}

void tacho_str_hex(tacho_str *s, const uint8_t *bytes, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        tacho_str_putc(s, digits[bytes[i] >> 4]);
        tacho_str_putc(s, digits[bytes[i] & 15]);
    }
}

void tacho_str_vprintf(tacho_str *s, const char *format, va_list args)
{
    char small[256], *large = NULL;
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(small, sizeof small, format, args);
    if (n >= (int)sizeof small && (large = tacho_mem_alloc((size_t)n + 1)))
        vsnprintf(large, (size_t)n + 1, format, again);
    va_end(again);
    s->failed |= n < 0 || (n >= (int)sizeof small && !large);
    if (!s->failed)
        tacho_str_append(s, large ? large : small, (size_t)n);
    tacho_mem_free(large);
}

void tacho_str_printf(tacho_str *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tacho_str_vprintf(s, format, args);
    va_end(args);
}

static bool continues(char c) /* a character of UTF-8 */
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* `out` has the start of the text, `size` - 1 bytes. */
static void cut_middle(char *out, size_t size, const char *text, size_t length)
{
    static const char dots[] = "...";
    size_t head = size / 3, room = size - sizeof dots - head, tail = length - room;
    while (head && continues(out[head]))
        head--;
    while (continues(text[tail]))
        tail++;
    memcpy(out + head, dots, sizeof dots - 1);
    memcpy(out + head + sizeof dots - 1, text + tail, length - tail + 1);
}

void tacho_vformat_fit(char *out, size_t size, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(out, size, format, args);
    if (n < 0)
        *out = '\0';
    char *whole = n > 0 && (size_t)n >= size ? tacho_mem_alloc((size_t)n + 1) : NULL;
    if (whole) {
        vsnprintf(whole, (size_t)n + 1, format, again);
        cut_middle(out, size, whole, (size_t)n);
    }
    tacho_mem_free(whole);
    va_end(again);
}

void tacho_format_fit(char *out, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tacho_vformat_fit(out, size, format, args);
    va_end(args);
}

void tacho_str_clear(tacho_str *s)
{
    s->length = 0;
    s->failed = false;
    if (s->data)
        s->data[0] = '\0';
}

void tacho_str_free(tacho_str *s)
{
    tacho_mem_free(s->data);
    *s = (tacho_str){0};
}

bool tacho_str_same_n(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (tacho_lower(a[i]) != tacho_lower(b[i]))
            return false;
        if (!a[i])
            return true;
    }
    return true;
}

bool tacho_str_same(const char *a, const char *b)
{
    return tacho_str_same_n(a, b, (size_t)-1);
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

void tacho_str_trim(const char **text, size_t *length)
{
    while (*length && is_space(**text)) {
        ++*text;
        --*length;
    }
    while (*length && is_space((*text)[*length - 1]))
        --*length;
}

size_t tacho_str_columns(const char *text)
{
    size_t columns = 0;
    for (; *text; text++)
        columns += !continues(*text);
    return columns;
}

/* The same as printf where it is plain how to round: scaled by the decimals, the value is an integer and
 * something that is not near a half. */
static bool format_plain(char *out, double value, int decimals)
{
    static const double powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000};
    if (!(value >= 0 && value < 1e6) || decimals < 0 || decimals > 6)
        return false;
    double scaled = value * powers[decimals];
    uint64_t whole = (uint64_t)(scaled + 0.5);
    if (fabs(fabs(scaled - (double)whole) - 0.5) < 1e-3)
        return false;
    uint64_t unit = (uint64_t)powers[decimals], above = whole / unit, below = whole % unit;
    char digits[8], *end = out;
    int n = 0;
    do
        digits[n++] = (char)('0' + above % 10);
    while (above /= 10);
    while (n)
        *end++ = digits[--n];
    if (below)
        *end++ = '.';
    while (below) {
        unit /= 10;
        *end++ = (char)('0' + below / unit);
        below %= unit;
    }
    *end = '\0';
    return true;
}

const char *tacho_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

const char *tacho_format_number(char out[TACHO_NUMBER_SIZE], double value, int decimals)
{
    out[0] = '\0';
    if (!isfinite(value) || format_plain(out, value, decimals))
        return out;
    if (fabs(value) >= 1e15) {
        snprintf(out, TACHO_NUMBER_SIZE, "%.15g", value);
        return out;
    }
    int n = snprintf(out, TACHO_NUMBER_SIZE, "%.*f", decimals, value);
    if (decimals > 0) {
        while (out[n - 1] == '0')
            out[--n] = '\0';
        if (out[n - 1] == '.')
            out[--n] = '\0';
    }
    if (!strcmp(out, "-0"))
        strcpy(out, "0");
    return out;
}

bool tacho_parse_u64(const char *text, unsigned long long *out)
{
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hex ? text + 2 : text;
    if (!*digits || strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789") != strlen(digits))
        return false;
    errno = 0;
    *out = strtoull(digits, NULL, hex ? 16 : 10);
    return errno == 0;
}

const char *tacho_format_size(char out[TACHO_SIZE_SIZE], uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    char number[TACHO_NUMBER_SIZE];
    double value = (double)bytes;
    size_t unit = 0;
    for (; value >= 1024 && unit + 1 < sizeof units / sizeof *units; value /= 1024)
        unit++;
    snprintf(out, TACHO_SIZE_SIZE, "%s %s", tacho_format_number(number, value, 1), units[unit]);
    return out;
}

bool tacho_parse_size(const char *text, uint64_t *out)
{
    static const char units[] = "KMGT";
    char *end;
    double value = *text >= '0' && *text <= '9' ? strtod(text, &end) : 0;
    if (!(value > 0))
        return false;
    const char unit = *end >= 'a' ? (char)(*end - 32) : *end, *at = unit ? strchr(units, unit) : NULL;
    if (at) {
        value *= (double)((uint64_t)1024 << 10 * (at - units));
        end++;
        end += *end == 'i';
    }
    end += *end == 'B' || *end == 'b';
    if (*end || !(value >= 1 && value <= 1e15))
        return false;
    *out = (uint64_t)value;
    return true;
}
