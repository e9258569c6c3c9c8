/* records.h - a result is described once, in a table of its fields: the name of each, where it is in the
 * structure, when it is null, and what it means. JSON, CSV and the lists of doc/JSON.md are written from the
 * table. A table is made with the macros below, once RECORD is defined as the structure's type; the type of a
 * member decides how it is written. For example, of
 *
 *     typedef struct thing {
 *         double cycles;
 *         const char *why;
 *         tacho_mode mode;
 *         const tacho_arch *arch;
 *     } thing;
 *
 *     #define RECORD thing
 *     GETTER(is_fast, report_bool(r->cycles < 1))              (a value that is no member; `r` is the record)
 *     static const report_field fields[] = {
 *         {MEMBER(cycles, "of an iteration", .unit = "cycles")},            "cycles": r->cycles
 *         {NAMED("error", why, "why not", .none = REPORT_NO_TEXT)},         "error": r->why, null where NULL
 *         {WORD("mode", mode, tacho_mode_name, "loop, unroll")},            "mode": tacho_mode_name(r->mode)
 *         {OF("arch", arch, name, "the core")},                             "arch": r->arch->name
 *         {MADE(BOOL, "fast", is_fast, "whether it is")},                   "fast": of the getter
 *     };
 *     #undef RECORD
 *     TABLE(thing_table, fields, "tacho-thing-1");
 *
 * report_record_json(&thing_table, &a_thing, NULL) makes an object of all; report_record_csv(&out,
 * "mode,cycles", &thing_table, things, count, sizeof *things, NULL) a row of these for each thing. */
#ifndef TACHO_BASE_RECORDS_H
#define TACHO_BASE_RECORDS_H

#include <jansson.h>

#include "base/str.h"

enum {
    REPORT_ROOM = 512
};

/** A record while it is written. */
typedef struct report_at {
    const void *record;
    const struct report_at *up; /**< the record that it is a part of; NULL: of none */
    size_t index;               /**< its number in its list */
    char *room;                 /**< REPORT_ROOM bytes in which a getter may make a text */
} report_at;

typedef enum report_kind {
    REPORT_NULL,
    REPORT_REAL, /**< null where it is not finite */
    REPORT_WHOLE,
    REPORT_BOOL,
    REPORT_TEXT,
    REPORT_HEX,
    REPORT_LIST,   /**< a getter makes it; in CSV its texts, with ';' between them */
    REPORT_OBJECT, /**< a getter makes it */
    /* kinds of fields, not of values */
    REPORT_INTERVAL, /**< two numbers as a list; null where one is not finite */
    REPORT_RECORD,   /**< a record with a table of its own, as an object */
    REPORT_PART,     /**< the same, but its fields stand among these */
    REPORT_RECORDS,  /**< a list of such objects */
    REPORT_TEXTS,    /**< a list of strings */
    REPORT_COLUMNS,  /**< of CSV: any number of columns */
    REPORT_U8,       /**< this and the next, in this order: members that are written as REPORT_WHOLE */
    REPORT_U16,
    REPORT_U32,
    REPORT_U64,
    REPORT_I8,
    REPORT_I16,
    REPORT_I32,
    REPORT_I64,
    REPORT_STRING, /**< a member that is written as REPORT_TEXT: a pointer */
    REPORT_CHARS,  /**< the same: an array */
    REPORT_ANY,    /**< a getter makes it: now a number, now a text */
    REPORT_KIND = 31,
    REPORT_OR_NULL = 32 /**< beside the kind: the getter may give null */
} report_kind;

typedef struct report_value {
    report_kind kind; /**< REPORT_NULL to REPORT_OBJECT */
    size_t size;      /**< of REPORT_TEXT, REPORT_HEX */
    union {
        double real;
        int64_t whole;
        const char *text;
        const uint8_t *bytes;
        json_t *json;
    };
} report_value;

/** Which values of a member are written as null. Real numbers are where they are not finite. */
typedef enum report_none {
    REPORT_NEVER,
    REPORT_NO_TEXT, /**< NULL */
    REPORT_ZERO,    /**< NULL, "", 0 */
    REPORT_BELOW_0
} report_none;

typedef struct report_field {
    const char *name;
    const char *meaning; /**< for doc/JSON.md; NULL: the next field's meaning covers this one, too */
    const char *unit;
    unsigned char kind;          /**< report_kind */
    unsigned char none;          /**< report_none */
    unsigned char count_kind;    /**< report_kind of the member that holds a list's length */
    bool pointer, pointers;      /**< the member points to it; the list is of pointers */
    bool through;                /**< the member is of what the pointer at `pointer_at` points to */
    unsigned char cell;          /**< how CSV has it: a number of decimals, or report_cell; 0: the table's */
    bool csv;                    /**< only CSV has it */
    bool upward;                 /**< PART_UP */
    uint32_t at, count_at, size; /**< offsets of the member and of the list's length; size of an element */
    uint32_t pointer_at;
    const struct report_table *table;
    report_value (*get)(const report_at *at); /**< makes the value; NULL: it is a member's */
    const char *(*word)(unsigned value);      /**< of REPORT_TEXT: the word for the member, an enumeration */
    /** REPORT_COLUMNS: writes the names of the columns or their cells, with the commas that are needed. */
    void (*columns)(tacho_str *out, const report_at *at, bool head);
    bool (*only)(const report_at *at);  /**< false: the field is left out; NULL: it never is */
    bool (*known)(const report_at *at); /**< false: it is null; NULL: always known */
} report_field;

typedef struct report_table {
    const char *name; /**< in doc/JSON.md */
    const report_field *fields;
    size_t count;
    unsigned char cell; /**< how CSV has real numbers; 0: with 6 decimals */
} report_table;

/** How CSV has a value. Numbers below REPORT_ROUNDED: at most so many decimals, no zeros at the end. */
typedef enum report_cell {
    REPORT_ROUNDED = 30, /**< no decimals */
    REPORT_FIXED = 32,   /**< + n: decimals with zeros */
    REPORT_DIGITS = 64,  /**< + n: %.ng */
    REPORT_ADDRESS = 96, /**< 0x1c */
    REPORT_YES_NO,       /**< else true or false */
    REPORT_1_0
} report_cell;

/* ---- rows of a table, each in braces; behind the meaning further members may follow: .unit, .none, .cell,
 * .only, .known ---- */

#define REPORT_MEMBER(m) ((RECORD *)0)->m
/* size_t is long, and 64 bits are long or long long: a type may stand here only once. */
#define REPORT_OF_LONG(k32, k64) (sizeof(long) == 8 ? (k64) : (k32))
#define REPORT_KIND_OF(m)                                                                                    \
    _Generic(&REPORT_MEMBER(m), double *: REPORT_REAL, bool *: REPORT_BOOL, uint8_t *: REPORT_U8,            \
             uint16_t *: REPORT_U16, uint32_t *: REPORT_U32,                                                 \
             unsigned long *: REPORT_OF_LONG(REPORT_U32, REPORT_U64), unsigned long long *: REPORT_U64,      \
             int32_t *: REPORT_I32, long *: REPORT_OF_LONG(REPORT_I32, REPORT_I64), long long *: REPORT_I64, \
             char **: REPORT_STRING, const char **: REPORT_STRING, int8_t *: REPORT_I8, \
 int16_t *: REPORT_I16, char(*)[sizeof REPORT_MEMBER(m)]: REPORT_CHARS)
#define REPORT_AT(k, m)          .kind = k, .at = offsetof(RECORD, m)
#define REPORT_TO(k, m)          REPORT_AT(k, m), .pointer = true
#define REPORT_COUNTED_BY(count) .count_kind = REPORT_KIND_OF(count), .count_at = offsetof(RECORD, count)
#define REPORT_LENGTH(m, count)  REPORT_COUNTED_BY(count), .size = sizeof *REPORT_MEMBER(m)

#define SCHEMA(text)     .name = "schema", .meaning = text
#define NAMED(n, m, ...) .name = n, REPORT_AT(REPORT_KIND_OF(m), m), .meaning = __VA_ARGS__
#define MEMBER(m, ...)   NAMED(#m, m, __VA_ARGS__)
/* A member of what the member `p` points to; no array. */
#define REPORT_KIND_THERE(x)                                                                                 \
    _Generic((x), double: REPORT_REAL, bool: REPORT_BOOL, uint32_t: REPORT_U32,                              \
             unsigned long: REPORT_OF_LONG(REPORT_U32, REPORT_U64), unsigned long long: REPORT_U64,          \
             char *: REPORT_STRING, const char *: REPORT_STRING)
#define OF(n, p, m, ...)                                                                                     \
    .name = n, .kind = REPORT_KIND_THERE(REPORT_MEMBER(p)->m), .through = true,                              \
    .pointer_at = offsetof(RECORD, p), .at = offsetof(__typeof__(*REPORT_MEMBER(p)), m),                     \
    .meaning = __VA_ARGS__
/* The word of an enumeration, which `function` has. */
#define REPORT_IS_ENUM(m) (0 * sizeof(char[sizeof REPORT_MEMBER(m) == sizeof(unsigned) ? 1 : -1]))
#define WORD(n, m, function, ...)                                                                            \
    .name = n, .kind = REPORT_TEXT, .word = function, .at = offsetof(RECORD, m) + REPORT_IS_ENUM(m),         \
    .meaning = __VA_ARGS__
/* Members that one meaning covers. */
#define MEMBERS2(m, ...)                                                                                     \
    {MEMBER(m, NULL)},                                                                                       \
    {                                                                                                        \
        MEMBER(__VA_ARGS__)                                                                                  \
    }
#define MEMBERS3(m, ...)                {MEMBER(m, NULL)}, MEMBERS2(__VA_ARGS__)
#define MEMBERS4(m, ...)                {MEMBER(m, NULL)}, MEMBERS3(__VA_ARGS__)
#define MEMBERS5(m, ...)                {MEMBER(m, NULL)}, MEMBERS4(__VA_ARGS__)
#define MADE(k, n, getter, ...)         .name = n, .kind = REPORT_##k, .get = getter, .meaning = __VA_ARGS__
#define MADE_OR_NULL(k, n, getter, ...) MADE(k | REPORT_OR_NULL, n, getter, __VA_ARGS__)
/* [low, high]: `m` is the first of two numbers. */
#define INTERVAL(n, m, ...) .name = n, REPORT_AT(REPORT_INTERVAL, m), .meaning = __VA_ARGS__
/* Strings, and records of table `t`, that the record points to. */
#define TEXTS(n, m, count, ...)                                                                              \
    .name = n, REPORT_TO(REPORT_TEXTS, m), REPORT_LENGTH(m, count), .meaning = __VA_ARGS__
#define RECORDS(n, m, count, t, ...)                                                                         \
    .name = n, REPORT_TO(REPORT_RECORDS, m), REPORT_LENGTH(m, count), .table = t, .meaning = __VA_ARGS__
/* ... by pointers to each. */
#define RECORDS_AT(n, m, count, t, ...)                                                                      \
    .name = n, REPORT_TO(REPORT_RECORDS, m), REPORT_COUNTED_BY(count), .pointers = true, .table = t,         \
    .meaning = __VA_ARGS__
/* ... that are in it. */
#define RECORDS_IN(n, m, count, t, ...)                                                                      \
    .name = n, REPORT_AT(REPORT_RECORDS, m), REPORT_LENGTH(m, count), .table = t, .meaning = __VA_ARGS__
/* A record in this one; one that this one points to; this one itself, by another table. */
#define RECORD_IN(n, m, t, ...) .name = n, REPORT_AT(REPORT_RECORD, m), .table = t, .meaning = __VA_ARGS__
#define RECORD_AT(n, m, t, ...) .name = n, REPORT_TO(REPORT_RECORD, m), .table = t, .meaning = __VA_ARGS__
#define RECORD_BY(n, t, ...)    .name = n, .kind = REPORT_RECORD, .table = t, .meaning = __VA_ARGS__
/* The same; its fields stand among these. */
#define PART_IN(m, t) REPORT_AT(REPORT_PART, m), .table = t
#define PART_AT(m, t) REPORT_TO(REPORT_PART, m), .table = t
#define PART_BY(t)    .kind = REPORT_PART, .table = t
/* In CSV: the record that this one is a part of. */
#define PART_UP(t) .csv = true, .kind = REPORT_PART, .upward = true, .table = t
/* In CSV alone. */
#define CELL(n, m)              .csv = true, NAMED(n, m, NULL)
#define MADE_CELL(k, n, getter) .csv = true, MADE_OR_NULL(k, n, getter, NULL)
#define COLUMNS(n, f)           .csv = true, .name = n, .kind = REPORT_COLUMNS, .columns = f

/* What a table `t` is above: fields that are listed where they are used, */
#define ROWS(list) (&(const report_table){.fields = list, .count = sizeof list / sizeof *list})
/* or a table with a name in doc/JSON.md, or NULL; then .cell may follow. */
#define TABLE(variable, list, ...)                                                                           \
    const report_table variable = {.fields = list, .count = sizeof list / sizeof *list, .name = __VA_ARGS__}

/* A function that makes something from the record `r`; `at` has what the record is a part of. */
#define REPORT_MAKER(type, function, ...)                                                                    \
    static type function(const report_at *at)                                                                \
    {                                                                                                        \
        const RECORD *r = at->record;                                                                        \
        (void)r;                                                                                             \
        __VA_ARGS__                                                                                          \
    }
/* The value of a field; a condition for .only and .known. */
#define GETTER(function, value)   REPORT_MAKER(report_value, function, return value;)
#define ONLY(function, condition) REPORT_MAKER(bool, function, return condition;)
/* The value of a field that is the text which `call` puts into at->room. */
#define ROOM_BY(function, call)                                                                              \
    REPORT_MAKER(report_value, function, call; return report_text_value(at->room);)
/* The value of a field that is the text which write(tacho_str *, const RECORD *) makes of the record. */
#define TEXT_BY(function, write)                                                                             \
    REPORT_MAKER(report_value, function, tacho_str text = {0}; write(&text, r);                              \
                 return report_text_made(at, &text);)
/* The value of a field that is a list: `item` (a new reference) for each i below `count` that fulfils the
 * condition; that is an object: `key` and `value` for each i. */
#define LIST_OF(function, count, condition, item)                                                            \
    REPORT_MAKER(report_value, function, json_t *list = json_array();                                        \
                 for (size_t i = 0; i < (count); i++) if (condition) json_array_append_new(list, item);      \
                 return report_list(list);)
#define OBJECT_OF(function, count, key, value)                                                               \
    REPORT_MAKER(report_value, function, json_t *object = json_object();                                     \
                 for (size_t i = 0; i < (count); i++) json_object_set_new(object, key, value);               \
                 return report_object(object);)

static inline report_value report_null(void)
{
    return (report_value){.kind = REPORT_NULL};
}

static inline report_value report_real(double x)
{
    return (report_value){.kind = REPORT_REAL, .real = x};
}

static inline report_value report_whole(uint64_t n)
{
    return (report_value){.kind = REPORT_WHOLE, .whole = (int64_t)n};
}

static inline report_value report_bool(bool b)
{
    return (report_value){.kind = REPORT_BOOL, .whole = b};
}

static inline report_value report_text_n(const char *text, size_t size)
{
    return (report_value){.kind = REPORT_TEXT, .text = text, .size = size};
}

/** NULL: null */
static inline report_value report_text_value(const char *text)
{
    return text ? report_text_n(text, strlen(text)) : report_null();
}

/** What was written to `text`, as far as `at` has room for it; frees it. */
report_value report_text_made(const report_at *at, tacho_str *text);

/** NULL, "": null */
static inline report_value report_word(const char *text)
{
    return text && *text ? report_text_value(text) : report_null();
}

static inline report_value report_hex(const uint8_t *bytes, size_t size)
{
    return (report_value){.kind = REPORT_HEX, .bytes = bytes, .size = size};
}

/** Takes the reference; NULL: there was no memory. */
static inline report_value report_list(json_t *json)
{
    return (report_value){.kind = REPORT_LIST, .json = json};
}

static inline report_value report_object(json_t *json)
{
    return (report_value){.kind = REPORT_OBJECT, .json = json};
}

/** Columns of CSV that were looked up, for many rows. */
enum {
    REPORT_MOST_COLUMNS = 32,
    REPORT_DEPTH = 6 /**< parts of parts */
};
typedef struct report_column {
    const report_field *field, *parts[REPORT_DEPTH]; /**< `parts` lead to the record that has the field */
    const report_table *table;                       /**< of that record */
    size_t depth;
} report_column;
typedef struct report_columns {
    report_column of[REPORT_MOST_COLUMNS];
    size_t count;
} report_columns;
void report_columns_find(report_columns *out, const char *columns, const report_table *t);
void report_columns_row(tacho_str *out, const report_columns *c, const void *record);

/** The outermost record, of which all others are parts. */
static inline const void *report_root(const report_at *at)
{
    while (at->up)
        at = at->up;
    return at->record;
}

/** @return a new reference; text that is no UTF-8 has '?' for what is none, NULL is null */
json_t *report_json_string(const char *text);
/** Null where it is not finite. */
json_t *report_json_real(double x);
/** A list of strings that ends in NULL; NULL: null. */
json_t *report_json_texts(char *const *texts);

/** `up`: what the record is a part of, or NULL.
 *  @return a new reference; what there is no memory for is missing from it, or it is NULL (main.c makes that
 * an error) */
json_t *report_record_json(const report_table *t, const void *record, const report_at *up);
json_t *report_records_json(const report_table *t, const void *list, size_t count, size_t size,
                            const report_at *up);
/** In a header: a table, and a function that writes such a result by it, as report_record_json. */
#define JSON_BY(function, type, by)                                                                          \
    extern const report_table by;                                                                            \
    static inline json_t *function(const type *result)                                                       \
    {                                                                                                        \
        return report_record_json(&by, result, NULL);                                                        \
    }

/** Adds the fields to an object. */
void report_record_put(json_t *o, const report_table *t, const void *record, const report_at *up);
/** CSV: `columns` names the fields, with commas between them; one that ends in '*' is REPORT_COLUMNS, whose
 * names come from `record`. Each line has its end. */
void report_record_head(tacho_str *out, const char *columns, const report_table *t, const void *record);
void report_record_row(tacho_str *out, const char *columns, const report_table *t, const void *record,
                       const report_at *up);
void report_record_rows(tacho_str *out, const char *columns, const report_table *t, const void *list,
                        size_t count, size_t size, const report_at *up);
/** The head and the rows; the head's record is that of `up`, if there is one. */
void report_record_csv(tacho_str *out, const char *columns, const report_table *t, const void *list,
                       size_t count, size_t size, const report_at *up);

#endif
