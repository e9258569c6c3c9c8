/* str.h - growing text, and the comparisons and number formats that several parts need. */
#ifndef TACHO_BASE_STR_H
#define TACHO_BASE_STR_H

#include "base/std.h"

/** Growing text, always terminated once something was appended. Start with {0}. A failed allocation is
 *  remembered in `failed` and makes later appends do nothing, so that only the end needs a check. */
typedef struct tacho_str {
    char *data;
    size_t length, capacity;
    bool failed;
} tacho_str;

void tacho_str_append(tacho_str *s, const char *text, size_t length);
void tacho_str_puts(tacho_str *s, const char *text);
void tacho_str_putc(tacho_str *s, char c);
void tacho_str_whole(tacho_str *s, int64_t number);
void tacho_str_printf(tacho_str *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void tacho_str_vprintf(tacho_str *s, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
/** Appends bytes in hexadecimal digits, in lower case and without spaces. */
void tacho_str_hex(tacho_str *s, const uint8_t *bytes, size_t count);
/** Empties it; the memory is kept. */
void tacho_str_clear(tacho_str *s);
void tacho_str_free(tacho_str *s);
/** Before the declaration of one: it is freed where its block ends, whichever way that is left. */
#define TACHO_FREED TACHO_ENDS(tacho_str_free)

/** Writes into a buffer of a fixed size, for messages. What does not fit loses its middle, which becomes
 * "...": a long path may not cost the reason, which stands at the end. */
void tacho_format_fit(char *out, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
void tacho_vformat_fit(char *out, size_t size, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

/** An ASCII letter in lower case; other characters as they are. */
static inline char tacho_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}
/** The value of a hexadecimal digit; -1: it is none. */
static inline int tacho_hex_digit(char c)
{
    c = tacho_lower(c);
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}
static inline bool tacho_starts_with(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

/** Equal without regard to the case of ASCII letters. */
bool tacho_str_same(const char *a, const char *b);
bool tacho_str_same_n(const char *a, const char *b, size_t n);
/** Cuts white space off both ends of [*text, *text + *length). */
void tacho_str_trim(const char **text, size_t *length);

/** What follows the last '/' of a path; all of it where nothing does. */
const char *tacho_base_name(const char *path);

/** Columns that UTF-8 text takes on a terminal (one a code point: enough for what tacho prints). */
size_t tacho_str_columns(const char *text);

/** What a noun behind the number `n` ends in: "s", or "" behind 1. */
static inline const char *tacho_plural(unsigned long long n)
{
    return n == 1 ? "" : "s";
}

enum {
    TACHO_NUMBER_SIZE = 40,
    TACHO_DECIMALS =
        2 /**< of cycles, and of all that is counted per iteration, for people; doc/GLOSSARY.md */
};
/** `value` with at most `decimals` digits after the point and no trailing zeros; "" for NaN and infinity. */
const char *tacho_format_number(char out[TACHO_NUMBER_SIZE], double value, int decimals);

/** A whole number in decimal or, after 0x, hexadecimal notation. @return false unless all of `text` is one
 *  that fits. */
bool tacho_parse_u64(const char *text, unsigned long long *out);

/** "64K", "1.5M", "2G", "48KiB", "30000": bytes, at least 1. @return false: it is none, or too large */
bool tacho_parse_size(const char *text, uint64_t *out);

enum {
    TACHO_SIZE_SIZE = 24
};
/** "32 KiB", "1.5 MiB": at most one decimal. @return out */
const char *tacho_format_size(char out[TACHO_SIZE_SIZE], uint64_t bytes);

/** Where `text` is among others; -1: nowhere. */
static inline int tacho_text_index(const char *text, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(texts[i], text))
            return (int)i;
    return -1;
}
#define TEXT_INDEX(text, ...)                                                                                \
    tacho_text_index(text, (const char *const[]){__VA_ARGS__},                                               \
                     sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
#define TEXT_IS_ONE_OF(text, ...) (TEXT_INDEX(text, __VA_ARGS__) >= 0)

/** Also of two that are NULL. */
static inline bool tacho_same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

#endif
