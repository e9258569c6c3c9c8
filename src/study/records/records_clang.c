/* records_clang.c - clang's records: YAML, a document for each remark, whose tag is its kind, and whose text
 * is that of all its arguments one after the other. Only what is of interest is looked at; nothing of YAML
 * that could grow (aliases) is followed. */
#include "study/records/records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef TACHO_WITH_YAML
#include <yaml.h>

/* Where a scalar stands. */
typedef enum part {
    AT_TOP,
    IN_LOCATION,
    IN_ARGUMENTS
} part;

typedef struct reading {
    records *records;
    tacho_remark remark;
    tacho_str file, function, pass, name, text;
    part part;
    int depth;      /* of mappings and lists */
    int deep;       /* at which the part began */
    bool is_value;  /* the next scalar of a mapping is one */
    char key[64];   /* else this was the key */
    bool interest;  /* the tag is that of a remark */
    size_t remarks; /* that were seen */
} reading;

static void set_text(tacho_str *s, const yaml_event_t *e)
{
    tacho_str_clear(s);
    tacho_str_append(s, (const char *)e->data.scalar.value, e->data.scalar.length);
}

static void start_remark(reading *r, const yaml_event_t *e)
{
    static const char *const tags[] = {"!Passed",           "!Missed", "!Analysis", "!AnalysisFPCommute",
                                       "!AnalysisAliasing", "!Failure"};
    static const tacho_remark_kind kinds[] = {TACHO_REMARK_DONE,   TACHO_REMARK_MISSED, TACHO_REMARK_REASON,
                                              TACHO_REMARK_REASON, TACHO_REMARK_REASON, TACHO_REMARK_MISSED};
    const char *tag = (const char *)e->data.mapping_start.tag;
    r->remark = (tacho_remark){0};
    r->interest = false;
    for (size_t i = 0; tag && i < sizeof tags / sizeof *tags; i++)
        if (!strcmp(tag, tags[i])) {
            r->interest = true;
            r->remark.kind = kinds[i];
        }
    r->remarks += r->interest;
    tacho_str *const texts[] = {&r->file, &r->function, &r->pass, &r->name, &r->text};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        tacho_str_clear(texts[i]);
}

static void take_location(reading *r, const yaml_event_t *e)
{
    const char *value = (const char *)e->data.scalar.value;
    if (!strcmp(r->key, "File"))
        set_text(&r->file, e);
    else if (!strcmp(r->key, "Line"))
        r->remark.line = (uint32_t)strtoul(value, NULL, 10);
    else if (!strcmp(r->key, "Column"))
        r->remark.column = (uint32_t)strtoul(value, NULL, 10);
}

static void take_top(reading *r, const yaml_event_t *e)
{
    if (!strcmp(r->key, "Pass"))
        set_text(&r->pass, e);
    else if (!strcmp(r->key, "Name"))
        set_text(&r->name, e);
    else if (!strcmp(r->key, "Function"))
        set_text(&r->function, e);
}

static void take_scalar(reading *r, const yaml_event_t *e)
{
    if (!r->is_value) {
        snprintf(r->key, sizeof r->key, "%.*s", (int)e->data.scalar.length,
                 (const char *)e->data.scalar.value);
        r->is_value = true;
        return;
    }
    r->is_value = false;
    if (r->part == IN_LOCATION && r->depth == r->deep)
        take_location(r, e);
    else if (r->part == IN_ARGUMENTS && r->depth == r->deep + 1) /* a mapping in the list */
        tacho_str_append(&r->text, (const char *)e->data.scalar.value, e->data.scalar.length);
    else if (r->part == AT_TOP && r->depth == 1)
        take_top(r, e);
}

static void open_part(reading *r, const yaml_event_t *e)
{
    bool is_list = e->type == YAML_SEQUENCE_START_EVENT;
    if (!r->depth++)
        start_remark(r, e);
    else if (r->depth == 2 && r->part == AT_TOP && r->is_value) {
        r->part = !strcmp(r->key, "DebugLoc") && !is_list ? IN_LOCATION
                  : !strcmp(r->key, "Args") && is_list    ? IN_ARGUMENTS
                                                          : AT_TOP;
        r->deep = r->depth;
    }
    r->is_value = false;
}

static int end_remark(reading *r)
{
    int about = r->pass.data ? records_about(r->pass.data) : -1;
    tacho_str *const texts[] = {&r->file, &r->function, &r->pass, &r->text};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i]->failed)
            return TACHO_ERR_MEMORY;
    bool hopeless = r->remark.kind != TACHO_REMARK_DONE && r->pass.data && !strncmp(r->pass.data, "slp", 3);
    if (!r->interest || about < 0 || hopeless) /* of straight code hardly any can be vectorised */
        return 0;
    bool does_not = r->name.data && !strncmp(r->name.data, "Dont", 4); /* "passed" by clang */
    r->remark.kind = does_not ? TACHO_REMARK_REASON : r->remark.kind;
    r->remark.about = (tacho_remark_about)about;
    r->remark.file = r->file.length ? r->file.data : NULL;
    r->remark.function = r->function.length ? r->function.data : NULL;
    r->remark.pass = r->pass.data;
    r->remark.text = r->text.length ? r->text.data : r->name.length ? r->name.data : NULL;
    return records_add(r->records, &r->remark) ? TACHO_ERR_MEMORY : 0;
}

static int close_part(reading *r)
{
    r->depth--;
    r->is_value = false;
    if (r->depth < 2 && r->part != AT_TOP)
        r->part = AT_TOP;
    return r->depth ? 0 : end_remark(r);
}

static int take_event(reading *r, const yaml_event_t *e)
{
    switch (e->type) {
    case YAML_MAPPING_START_EVENT:
    case YAML_SEQUENCE_START_EVENT:
        open_part(r, e);
        return 0;
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        return close_part(r);
    case YAML_SCALAR_EVENT:
        if (r->depth)
            take_scalar(r, e);
        return 0;
    case YAML_ALIAS_EVENT:
        r->is_value = !r->is_value && r->depth > 0;
        return 0;
    default:
        return 0;
    }
}

int records_clang(records *out, const char *data, size_t size, tacho_error *err)
{
    yaml_parser_t parser;
    yaml_event_t e;
    reading r = {.records = out};
    int rc = 0;
    if (!yaml_parser_initialize(&parser))
        return TACHO_ERR_MEMORY;
    yaml_parser_set_input_string(&parser, (const unsigned char *)data, size);
    for (bool more = true; more && !rc;) {
        if (!yaml_parser_parse(&parser, &e)) {
            rc = parser.error == YAML_MEMORY_ERROR
                     ? TACHO_ERR_MEMORY
                     : tacho_error_set(err, TACHO_ERR_INPUT, "line %zu: this is no YAML: %s",
                                       parser.problem_mark.line + 1, parser.problem);
            break;
        }
        more = e.type != YAML_STREAM_END_EVENT;
        rc = take_event(&r, &e);
        yaml_event_delete(&e);
    }
    yaml_parser_delete(&parser);
    tacho_str *const texts[] = {&r.file, &r.function, &r.pass, &r.name, &r.text};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        tacho_str_free(texts[i]);
    if (!rc && !r.remarks)
        rc = tacho_error_set(err, TACHO_ERR_INPUT, "there is no remark of clang's in this YAML");
    return rc;
}

#else

int records_clang(records *out, const char *data, size_t size, tacho_error *err)
{
    (void)out;
    (void)data;
    (void)size;
    return tacho_error_set(err, TACHO_ERR_UNSUPPORTED,
                           "this tacho was built without libyaml (libyaml-dev), which reads clang's records");
}
#endif
