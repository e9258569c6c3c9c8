/* records_gcc.c - gcc's records: JSON, with a tree of passes, and remarks with what was looked at on the way
 * to them below them. Only the outermost ones are decisions. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "study/records/records.h"

static const char *text_of(const json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

static uint32_t number_of(const json_t *o, const char *key)
{
    json_int_t n = json_integer_value(json_object_get(o, key));
    return n > 0 && n < UINT32_MAX ? (uint32_t)n : 0;
}

enum {
    DEEPEST = 16 /* trees of passes have two or three levels */
};

/* Their names by their ids, in one object. */
static int take_passes(json_t *names, const json_t *list, int depth)
{
    size_t i;
    json_t *pass;
    json_array_foreach(list, i, pass)
    {
        const char *id = text_of(pass, "id"), *name = text_of(pass, "name");
        if (id && name && json_object_set_new(names, id, json_string(name)))
            return TACHO_ERR_MEMORY;
        if (depth < DEEPEST && take_passes(names, json_object_get(pass, "children"), depth + 1))
            return TACHO_ERR_MEMORY;
    }
    return 0;
}

/* A message is a list of texts, and of expressions, statements and functions. */
static void put_message(tacho_str *out, const json_t *message)
{
    size_t i;
    json_t *piece;
    json_array_foreach(message, i, piece)
    {
        const char *text = json_string_value(piece);
        text = text ? text : text_of(piece, "expr");
        text = text ? text : text_of(piece, "stmt");
        text = text ? text : text_of(piece, "symtab_node");
        tacho_str_puts(out, text ? text : "");
    }
}

/* Its first line with anything on it: others are statistics. */
static const char *first_line(tacho_str *s)
{
    const char *text = s->data ? s->data : "";
    size_t length = s->length;
    tacho_str_trim(&text, &length);
    length = strcspn(text, "\n") < length ? strcspn(text, "\n") : length;
    if (s->data)
        s->data[text - s->data + (ptrdiff_t)length] = '\0';
    return text;
}

/* The function that the code was inlined into. */
static const char *function_of(const json_t *remark)
{
    const json_t *chain = json_object_get(remark, "inlining_chain");
    const char *own = text_of(remark, "function");
    return own ? own : text_of(json_array_get(chain, json_array_size(chain) - 1), "fndecl");
}

static int take_remark(records *r, const json_t *names, const json_t *o)
{
    const char *kind = text_of(o, "kind"), *id = text_of(o, "pass"), *pass = id ? text_of(names, id) : NULL;
    const json_t *location = json_object_get(o, "location");
    bool done = kind && !strcmp(kind, "success"), missed = kind && !strcmp(kind, "failure");
    int about = pass ? records_about(pass) : -1;
    if ((!done && !missed) || about < 0 || (missed && !strncmp(pass, "slp", 3)))
        return 0; /* of straight code hardly any can be vectorised, which is said of all */
    tacho_str message = {0};
    put_message(&message, json_object_get(o, "message"));
    const char *text = first_line(&message);
    bool decided = done || strstr(text, "couldn't") || about != TACHO_ABOUT_VECTORISATION;
    int failed = message.failed || records_add(r, &(tacho_remark){.kind = done      ? TACHO_REMARK_DONE
                                                                          : decided ? TACHO_REMARK_MISSED
                                                                                    : TACHO_REMARK_REASON,
                                                                  .about = (tacho_remark_about)about,
                                                                  .pass = pass,
                                                                  .function = function_of(o),
                                                                  .file = text_of(location, "file"),
                                                                  .line = number_of(location, "line"),
                                                                  .column = number_of(location, "column"),
                                                                  .text = text});
    tacho_str_free(&message);
    return failed ? TACHO_ERR_MEMORY : 0;
}

static int take_all(records *r, const json_t *root, tacho_error *err)
{
    const json_t *list = json_array_get(root, 2);
    if (!json_is_object(json_array_get(root, 0)) || !json_is_array(json_array_get(root, 1)) ||
        !json_is_array(list))
        return tacho_error_set(err, TACHO_ERR_INPUT, "this JSON is no record of gcc's");
    json_t *names = json_object(), *o;
    int rc = names ? take_passes(names, json_array_get(root, 1), 0) : TACHO_ERR_MEMORY;
    size_t i;
    json_array_foreach(list, i, o)
    {
        rc = rc ? rc : take_remark(r, names, o);
    }
    json_decref(names);
    return rc;
}

int records_gcc(records *r, const char *data, size_t size, tacho_error *err)
{
    json_error_t at;
    json_t *root = json_loadb(data, size, 0, &at);
    if (!root)
        return tacho_error_set(err, TACHO_ERR_INPUT, "line %d: this is no JSON: %s", at.line, at.text);
    int rc = take_all(r, root, err);
    json_decref(root);
    return rc;
}
