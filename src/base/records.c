/* records.c - writes records by their tables, as JSON and as CSV. */
#include "base/records.h"

#include <assert.h>

#include "base/csv.h"

/* ---- values ---- */

/* The processor is little-endian. */
static int64_t whole_at(unsigned kind, const void *p)
{
    assert(kind >= REPORT_U8 && kind <= REPORT_I64);
    bool has_sign = kind >= REPORT_I8;
    unsigned bits = 8u << (kind - (has_sign ? REPORT_I8 : REPORT_U8)), above = 64 - bits;
    uint64_t n = 0;
    memcpy(&n, p, bits / 8);
    return has_sign ? (int64_t)(n << above) >> above : (int64_t)n;
}

static report_value member_value(const report_field *f, const void *p)
{
    switch (f->kind) {
    case REPORT_REAL:
        return report_real(*(const double *)p);
    case REPORT_BOOL:
        return report_bool(*(const bool *)p);
    case REPORT_TEXT:
    case REPORT_STRING:
    case REPORT_CHARS: {
        const char *text = f->word                   ? f->word(*(const unsigned *)p)
                           : f->kind == REPORT_CHARS ? p
                                                     : *(const char *const *)p;
        assert(text ? !f->word || *text || f->none : f->none || f->csv);
        return f->none == REPORT_ZERO ? report_word(text) : report_text_value(text);
    }
    default: {
        int64_t n = whole_at(f->kind, p);
        bool none = (f->none == REPORT_ZERO && !n) || (f->none == REPORT_BELOW_0 && n < 0);
        return none ? report_null() : report_whole((uint64_t)n);
    }
    }
}

static bool holds(bool (*condition)(const report_at *at), const report_at *at)
{
    return !condition || condition(at);
}

static report_value value_of(const report_field *f, const report_at *at)
{
    if (!holds(f->known, at))
        return report_null();
    if (!f->kind)
        return report_text_value(f->meaning); /* the schema */
    if (!f->get) {
        const char *base = at->record;
        return member_value(f, (f->through ? *(const char *const *)(base + f->pointer_at) : base) + f->at);
    }
    report_value v = f->get(at);
    assert(f->kind == REPORT_ANY || v.kind == (f->kind & REPORT_KIND) ||
           (v.kind == REPORT_NULL && f->kind & REPORT_OR_NULL));
    return v;
}

/* The record, or list, that a member is or points to. */
static const void *target(const report_field *f, const report_at *at)
{
    const char *p = (const char *)at->record + f->at;
    return f->pointer ? *(const void *const *)p : p;
}

static size_t length(const report_field *f, const report_at *at)
{
    return (size_t)whole_at(f->count_kind, (const char *)at->record + f->count_at);
}

/* ---- JSON ---- */

json_t *report_json_string(const char *text)
{
    if (!text)
        return json_null();
    json_t *s = json_string(text);
    if (s)
        return s;
    TACHO_FREED tacho_str clean = {0};
    for (const char *c = text; *c; c++)
        tacho_str_putc(&clean, (unsigned char)*c >= 0x80 ? '?' : *c);
    s = json_string(clean.data ? clean.data : "");
    return s;
}

json_t *report_json_real(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *report_json_texts(char *const *texts)
{
    json_t *list = texts ? json_array() : json_null();
    for (; texts && *texts; texts++)
        json_array_append_new(list, report_json_string(*texts));
    return list;
}

static json_t *hex_json(const report_value *v)
{
    TACHO_FREED tacho_str s = {0};
    tacho_str_hex(&s, v->bytes, v->size);
    return s.failed ? NULL : json_stringn(s.data ? s.data : "", s.length);
}

static json_t *value_json(const report_value *v)
{
    switch (v->kind) {
    case REPORT_REAL:
        return report_json_real(v->real);
    case REPORT_WHOLE:
        return json_integer(v->whole);
    case REPORT_BOOL:
        return json_boolean(v->whole);
    case REPORT_TEXT:
        return report_json_string(v->text);
    case REPORT_HEX:
        return hex_json(v);
    case REPORT_LIST:
    case REPORT_OBJECT:
        return v->json;
    default:
        return json_null();
    }
}

static json_t *texts_json(const report_field *f, const report_at *at)
{
    const char *const *texts = target(f, at);
    json_t *list = json_array();
    for (size_t i = 0, n = length(f, at); i < n; i++)
        json_array_append_new(list, report_json_string(texts[i]));
    return list;
}

static json_t *interval_json(const double *ends)
{
    return isfinite(ends[0]) && isfinite(ends[1]) ? json_pack("[f,f]", ends[0], ends[1]) : json_null();
}

static json_t *pointed_json(const report_field *f, const void *const *records, const report_at *at)
{
    json_t *list = json_array();
    for (size_t i = 0, n = length(f, at); i < n; i++)
        json_array_append_new(list, report_record_json(f->table, records[i], at));
    return list;
}

static json_t *field_json(const report_field *f, const report_at *at)
{
    const void *p = target(f, at);
    if (f->kind == REPORT_RECORD)
        return p && holds(f->known, at) ? report_record_json(f->table, p, at) : json_null();
    if (f->kind == REPORT_RECORDS && f->pointers)
        return pointed_json(f, p, at);
    if (f->kind == REPORT_RECORDS)
        return report_records_json(f->table, p, length(f, at), f->size, at);
    if (f->kind == REPORT_INTERVAL)
        return interval_json(p);
    if (f->kind == REPORT_TEXTS)
        return texts_json(f, at);
    report_value v = value_of(f, at);
    return value_json(&v);
}

report_value report_text_made(const report_at *at, tacho_str *text)
{
    tacho_format_fit(at->room, REPORT_ROOM, "%s", text->failed || !text->data ? "" : text->data);
    tacho_str_free(text);
    return report_text_value(at->room);
}

static void put_fields(json_t *o, const report_table *t, const report_at *at)
{
    for (const report_field *f = t->fields; f < t->fields + t->count; f++) {
        if (f->csv || !holds(f->only, at))
            continue;
        const void *part = f->kind == REPORT_PART ? target(f, at) : NULL;
        if (part)
            report_record_put(o, f->table, part, at);
        else if (f->kind != REPORT_PART)
            json_object_set_new(o, f->name, field_json(f, at));
    }
}

void report_record_put(json_t *o, const report_table *t, const void *record, const report_at *up)
{
    char room[REPORT_ROOM];
    put_fields(o, t, &(report_at){record, up, 0, room});
}

json_t *report_record_json(const report_table *t, const void *record, const report_at *up)
{
    json_t *o = json_object();
    report_record_put(o, t, record, up);
    return o;
}

json_t *report_records_json(const report_table *t, const void *list, size_t count, size_t size,
                            const report_at *up)
{
    char room[REPORT_ROOM];
    json_t *out = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *o = json_object();
        put_fields(o, t, &(report_at){(const char *)list + i * size, up, i, room});
        json_array_append_new(out, o);
    }
    return out;
}

/* ---- CSV ---- */

static void put_real(tacho_str *out, double x, unsigned cell)
{
    char number[TACHO_NUMBER_SIZE];
    if (cell < REPORT_FIXED)
        tacho_str_puts(out, tacho_format_number(number, x,
                                                cell == REPORT_ROUNDED ? 0
                                                : cell                 ? (int)cell
                                                                       : 6));
    else if (isfinite(x) && cell < REPORT_DIGITS)
        tacho_str_printf(out, "%.*f", (int)(cell - REPORT_FIXED), x);
    else if (isfinite(x))
        tacho_str_printf(out, "%.*g", (int)(cell - REPORT_DIGITS), x);
}

static void put_list(tacho_str *out, json_t *list)
{
    size_t i;
    json_t *item;
    TACHO_FREED tacho_str joined = {0};
    json_array_foreach(list, i, item)
        tacho_str_printf(&joined, "%s%s", i ? ";" : "", json_string_value(item));
    tacho_csv_put(out, joined.data ? joined.data : "", joined.length);
    out->failed |= joined.failed;
    json_decref(list);
}

static void put_cell(tacho_str *out, const report_value *v, unsigned cell)
{
    static const char *const truth[][2] = {{"false", "true"}, {"no", "yes"}, {"0", "1"}};
    if (v->kind == REPORT_REAL)
        put_real(out, v->real, cell);
    else if (v->kind == REPORT_WHOLE && cell == REPORT_ADDRESS)
        tacho_str_printf(out, "0x%" PRIx64, v->whole);
    else if (v->kind == REPORT_WHOLE)
        tacho_str_whole(out, v->whole);
    else if (v->kind == REPORT_BOOL)
        tacho_str_puts(out, truth[cell < REPORT_YES_NO ? 0 : cell - REPORT_ADDRESS][v->whole]);
    else if (v->kind == REPORT_TEXT)
        tacho_csv_put(out, v->text, v->size);
    else if (v->kind == REPORT_HEX)
        tacho_str_hex(out, v->bytes, v->size);
    else if (v->kind == REPORT_LIST)
        put_list(out, v->json);
}

static bool is_named(const report_field *f, const char *name, size_t length)
{
    return f->name && *f->name == *name && !strncmp(f->name, name, length) && !f->name[length];
}

/* The column of that name. @return false: the table has none */
static bool find_column(report_column *c, const char *name, size_t length, const report_table *t,
                        size_t depth)
{
    for (const report_field *f = t->fields; f < t->fields + t->count; f++) {
        if (f->kind == REPORT_PART) {
            assert(depth < REPORT_DEPTH);
            c->parts[depth] = f;
            if (find_column(c, name, length, f->table, depth + 1))
                return true;
        } else if (is_named(f, name, length)) {
            c->field = f;
            c->table = t;
            c->depth = depth;
            return true;
        }
    }
    return false;
}

void report_columns_find(report_columns *out, const char *columns, const report_table *t)
{
    out->count = 0;
    for (const char *name = columns; *name; out->count++) {
        size_t n = strcspn(name, ",");
        bool found = out->count < REPORT_MOST_COLUMNS && find_column(&out->of[out->count], name, n, t, 0);
        assert(found);
        if (!found)
            return;
        name += n + (name[n] == ',');
    }
}

/* Nothing where the record, one that it is a part of, or the field is not there. */
static void put_field(tacho_str *out, const report_column *c, const report_at *at)
{
    report_at parts[REPORT_DEPTH];
    for (size_t d = 0; d < c->depth; at = &parts[d++]) {
        const report_field *f = c->parts[d];
        if (!holds(f->only, at))
            return;
        parts[d] = f->upward ? *at->up : (report_at){target(f, at), at, at->index, NULL};
        parts[d].room = at->room;
        if (!parts[d].record)
            return;
    }
    if (!holds(c->field->only, at))
        return;
    report_value v = value_of(c->field, at);
    put_cell(out, &v, c->field->cell ? c->field->cell : c->table->cell);
}

/* The head, or the record's values. */
static void put_line(tacho_str *out, const report_columns *columns, const report_at *at, bool head)
{
    for (const report_column *c = columns->of; c < columns->of + columns->count; c++) {
        if (c > columns->of && c->field->kind != REPORT_COLUMNS)
            tacho_str_putc(out, ',');
        if (c->field->kind == REPORT_COLUMNS)
            c->field->columns(out, at, head);
        else if (head)
            tacho_str_puts(out, c->field->name);
        else
            put_field(out, c, at);
    }
    tacho_str_putc(out, '\n');
}

void report_columns_row(tacho_str *out, const report_columns *c, const void *record)
{
    char room[REPORT_ROOM];
    put_line(out, c, &(report_at){.record = record, .room = room}, false);
}

void report_record_head(tacho_str *out, const char *columns, const report_table *t, const void *record)
{
    report_columns c;
    report_columns_find(&c, columns, t);
    put_line(out, &c, &(report_at){.record = record}, true);
}

void report_record_rows(tacho_str *out, const char *columns, const report_table *t, const void *list,
                        size_t count, size_t size, const report_at *up)
{
    char room[REPORT_ROOM];
    report_columns c;
    report_columns_find(&c, columns, t);
    for (size_t i = 0; i < count; i++)
        put_line(out, &c, &(report_at){(const char *)list + i * size, up, i, room}, false);
}

void report_record_row(tacho_str *out, const char *columns, const report_table *t, const void *record,
                       const report_at *up)
{
    report_record_rows(out, columns, t, record, 1, 0, up);
}

void report_record_csv(tacho_str *out, const char *columns, const report_table *t, const void *list,
                       size_t count, size_t size, const report_at *up)
{
    report_record_head(out, columns, t, up ? up->record : NULL);
    report_record_rows(out, columns, t, list, count, size, up);
}
