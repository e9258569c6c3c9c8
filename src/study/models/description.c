/* description.c - anybody's tool, described in a JSON file (doc/HOWTO-add-a-predictor.md): what to run, what
 * it reads, and where in its answer the number is. */
#include <errno.h>
#include <jansson.h>
#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/suggest.h"
#include "study/models/model_tool.h"

typedef struct description {
    tool_description tool;
    json_t *json; /* holds the strings */
    const char **command;
    char directory[EXTERNAL_PATH_SIZE];
} description;

static bool knows(const char *name)
{
    size_t n = strlen(name);
    return n > 5 && tacho_str_same(name + n - 5, ".json");
}

static void release(void *payload)
{
    description *d = payload;
    json_decref(d->json);
    tacho_mem_free(d->command);
    tacho_mem_free(d);
}

static int complain(const char *path, tacho_error *err, const char *key, const char *wanted)
{
    return tacho_error_set(err, TACHO_ERR_INPUT, "%.200s: \"%s\" is to be %s", path, key, wanted);
}

/* ---- the members ---- */

static int take_command(description *d, const char *path, json_t *value, tacho_error *err)
{
    size_t n = json_array_size(value); /* 0 for what is no array */
    if (!n)
        return complain(path, err, "command", "a list of strings: a program and its arguments");
    tacho_mem_free(d->command);
    d->command = tacho_mem_zalloc(n + 1, sizeof *d->command);
    if (!d->command)
        return tacho_no_memory(err);
    for (size_t i = 0; i < n; i++)
        if (!(d->command[i] = json_string_value(json_array_get(value, i))))
            return complain(path, err, "command", "a list of strings: a program and its arguments");
    d->tool.command = d->command;
    return 0;
}

static int take_input(description *d, const char *path, json_t *value, tacho_error *err)
{
    const char *text = json_string_value(value);
    for (unsigned i = 0; text && i < TOOL_INPUT_COUNT; i++)
        if (!strcmp(text, tool_input_name((tool_input)i))) {
            d->tool.input = (tool_input)i;
            return 0;
        }
    return complain(path, err, "input", "\"asm-att\", \"asm-intel\", \"hex\", \"raw\" or \"object\"");
}

static int take_text(const char **out, const char *path, const char *key, json_t *value, tacho_error *err)
{
    *out = json_string_value(value);
    return *out ? 0 : complain(path, err, key, "a string");
}

static int take_yes_no(bool *out, const char *path, const char *key, json_t *value, tacho_error *err)
{
    *out = json_is_true(value);
    return json_is_boolean(value) ? 0 : complain(path, err, key, "true or false");
}

static int take_number(double *out, const char *path, const char *key, json_t *value, tacho_error *err)
{
    *out = json_number_value(value);
    return *out > 0 && isfinite(*out) ? 0 : complain(path, err, key, "a number above 0");
}

static int take_mode(description *d, const char *path, json_t *value, tacho_error *err)
{
    const char *text = json_string_value(value);
    d->tool.mode_by_branch = text && !strcmp(text, "by-branch");
    return text && (d->tool.mode_by_branch || !strcmp(text, "given"))
               ? 0
               : complain(path, err, "mode", "\"given\" or \"by-branch\"");
}

static int take_archs(const char *path, json_t *value, tacho_error *err)
{
    const char *key;
    json_t *name;
    if (!json_is_object(value))
        return complain(path, err, "archs", "an object: names of tacho's and what the tool calls them");
    json_object_foreach(value, key, name)
    {
        tacho_error why = {0};
        if (!tacho_arch_find(key, &why) || !json_is_string(name))
            return tacho_error_set(err, TACHO_ERR_INPUT, "%.200s: \"archs\": %.200s", path,
                                   json_is_string(name) ? why.message : "the names are to be strings");
    }
    return 0;
}

enum {
    MEMBER_COUNT = 13
};
static const char *const members[MEMBER_COUNT] = {"command",
                                                  "input",
                                                  "pattern",
                                                  "iterations",
                                                  "before",
                                                  "after",
                                                  "markers",
                                                  "stdin",
                                                  "mode",
                                                  "bottleneck_pattern",
                                                  "unsupported_pattern",
                                                  "archs",
                                                  "timeout_seconds"};

static int take_member(description *d, const char *path, const char *key, json_t *value, tacho_error *err)
{
    tool_description *t = &d->tool;
    tacho_suggest suggest;
    char text[200];
    int i = 0;
    while (i < MEMBER_COUNT && strcmp(key, members[i]))
        i++;
    switch (i) {
    case 0:
        return take_command(d, path, value, err);
    case 1:
        return take_input(d, path, value, err);
    case 2:
        return take_text(&t->pattern, path, key, value, err);
    case 3:
        return take_number(&t->iterations, path, key, value, err);
    case 4:
        return take_text(&t->before, path, key, value, err);
    case 5:
        return take_text(&t->after, path, key, value, err);
    case 6:
        t->iaca_markers = json_is_string(value) && !strcmp(json_string_value(value), "iaca");
        return t->iaca_markers ? 0 : complain(path, err, key, "\"iaca\"");
    case 7:
        return take_yes_no(&t->on_stdin, path, key, value, err);
    case 8:
        return take_mode(d, path, value, err);
    case 9:
        return take_text(&t->bottleneck, path, key, value, err);
    case 10:
        return take_text(&t->unsupported, path, key, value, err);
    case 11:
        return take_archs(path, value, err);
    case 12:
        return take_number(&t->timeout_seconds, path, key, value, err);
    }
    tacho_suggest_start(&suggest, key);
    for (i = 0; i < MEMBER_COUNT; i++)
        tacho_suggest_offer(&suggest, members[i]);
    return tacho_error_set(err, TACHO_ERR_INPUT, "%.200s: there is no member \"%.60s\"%s", path, key,
                           tacho_suggest_text(&suggest, text, sizeof text));
}

/* ---- the file ---- */

/* What belongs together. */
static int check(const description *d, const char *path, tacho_error *err)
{
    const tool_description *t = &d->tool;
    bool assembly = t->input == TOOL_ASM_ATT || t->input == TOOL_ASM_INTEL;
    static const char *const needed[] = {"command", "input", "pattern"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!json_object_get(d->json, needed[i]))
            return tacho_error_set(err, TACHO_ERR_INPUT, "%.200s: the member \"%s\" is missing", path,
                                   needed[i]);
    if (!assembly && (t->before || t->after))
        return tacho_error_set(err, TACHO_ERR_INPUT, "%.200s: \"before\" and \"after\" are for assembly",
                               path);
    if (t->iaca_markers && t->input != TOOL_RAW && t->input != TOOL_OBJECT)
        return tacho_error_set(err, TACHO_ERR_INPUT, "%.200s: \"markers\" are for \"raw\" and \"object\"",
                               path);
    return 0;
}

static int load(description *d, const char *path, tacho_error *err)
{
    json_error_t why;
    const char *key;
    json_t *value;
    d->json = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
    if (!d->json && why.line < 0)
        return tacho_error_set(err, TACHO_ERR_INPUT, "%.200s: cannot be read: %s", path, strerror(errno));
    if (!d->json || !json_is_object(d->json)) {
        int rc = tacho_error_set(err, TACHO_ERR_INPUT, "%.200s: line %d: %s", path, d->json ? 1 : why.line,
                                 d->json ? "an object {...} is expected" : why.text);
        if (err && !d->json)
            err->line = (uint64_t)why.line;
        return rc;
    }
    json_object_foreach(d->json, key, value)
    {
        int rc = take_member(d, path, key, value, err);
        if (rc)
            return rc;
    }
    return check(d, path, err);
}

/* {dir}: absolute, as the tool runs elsewhere. */
static void find_directory(description *d, const char *path)
{
    char *absolute = realpath(path, NULL);
    snprintf(d->directory, sizeof d->directory, "%s", absolute ? dirname(absolute) : ".");
    free(absolute);
    d->tool.directory = d->directory;
}

/* What the tool calls the microarchitecture: what "archs" says, or tacho's name where there is no such
 * member. */
static const char *arch_name(const description *d, const tacho_arch *arch)
{
    json_t *archs = json_object_get(d->json, "archs"), *name;
    const char *key;
    if (!archs)
        return arch->name;
    json_object_foreach(archs, key, name)
    {
        const tacho_arch *one = tacho_arch_find(key, NULL);
        if (one && !strcmp(one->name, arch->name))
            return json_string_value(name);
    }
    return NULL;
}

static int open_model(tacho_model *m, tacho_error *err)
{
    description *d = tacho_mem_zalloc(1, sizeof *d);
    if (!d)
        return tacho_no_memory(err);
    d->tool.iterations = 1;
    find_directory(d, m->name);
    int rc = load(d, m->name, err);
    if (rc) {
        release(d);
        return rc;
    }
    return tool_open(m, &d->tool, arch_name(d, m->arch), d, release, err);
}

const model_kind model_description = {
    .external = true, .knows = knows, .open = open_model, .run = model_tool_run, .close = tool_close};
