/* description.c - anybody's tool, described in a JSON file (doc/HOWTO-add-a-predictor.md): what to run, what
 * it reads, and where in its answer the number is. */
#include <jansson.h>
#include <libgen.h>

#include "base/mem.h"
#include "base/suggest.h"
#include "study/models/models_internal.h"

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
    size_t n = json_array_size(value), strings = 0; /* 0 for what is no array */
    d->tool.command = d->command = tacho_mem_zalloc(n + 1, sizeof *d->command);
    if (!d->command)
        return tacho_no_memory(err);
    for (; strings < n && (d->command[strings] = json_string_value(json_array_get(value, strings)));
         strings++)
        ;
    return n && strings == n
               ? 0
               : complain(path, err, "command", "a list of strings: a program and its arguments");
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

static bool take_text(void *out, json_t *value)
{
    const char *text = json_string_value(value);
    *(const char **)out = text;
    return text;
}

static bool take_yes_no(void *out, json_t *value)
{
    *(bool *)out = json_is_true(value);
    return json_is_boolean(value);
}

static bool take_number(void *out, json_t *value)
{
    double number = json_number_value(value);
    *(double *)out = number;
    return number > 0 && isfinite(number);
}

static bool is_text(const json_t *value, const char *text)
{
    return json_is_string(value) && !strcmp(json_string_value(value), text);
}

static bool take_input(void *out, json_t *value)
{
    tool_input i = 0;
    while (i < TOOL_INPUT_COUNT && !is_text(value, tool_input_name(i)))
        i++;
    *(tool_input *)out = i;
    return i < TOOL_INPUT_COUNT;
}

static bool take_markers(void *out, json_t *value)
{
    return *(bool *)out = is_text(value, "iaca");
}

static bool take_mode(void *out, json_t *value)
{
    *(bool *)out = is_text(value, "by-branch");
    return *(bool *)out || is_text(value, "given");
}

#define AT(member) offsetof(tool_description, member)

static const struct {
    const char *name;
    bool (*take)(void *out, json_t *value); /* NULL: see take_member */
    size_t at;
    const char *wanted;
} members[] = {
    {"command", NULL, 0, NULL},
    {"input", take_input, AT(input), "\"asm-att\", \"asm-intel\", \"hex\", \"raw\" or \"object\""},
    {"pattern", take_text, AT(pattern), "a string"},
    {"iterations", take_number, AT(iterations), "a number above 0"},
    {"before", take_text, AT(before), "a string"},
    {"after", take_text, AT(after), "a string"},
    {"markers", take_markers, AT(iaca_markers), "\"iaca\""},
    {"stdin", take_yes_no, AT(on_stdin), "true or false"},
    {"mode", take_mode, AT(mode_by_branch), "\"given\" or \"by-branch\""},
    {"bottleneck_pattern", take_text, AT(bottleneck), "a string"},
    {"unsupported_pattern", take_text, AT(unsupported), "a string"},
    {"archs", NULL, 0, NULL},
    {"timeout_seconds", take_number, AT(timeout_seconds), "a number above 0"},
};

static int take_member(description *d, const char *path, const char *key, json_t *value, tacho_error *err)
{
    tacho_suggest s = {.wanted = key};
    if (!strcmp(key, "command"))
        return take_command(d, path, value, err);
    if (!strcmp(key, "archs"))
        return take_archs(path, value, err);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        tacho_suggest_offer(&s, members[i].name);
        if (!strcmp(key, members[i].name))
            return members[i].take((char *)&d->tool + members[i].at, value)
                       ? 0
                       : complain(path, err, key, members[i].wanted);
    }
    return tacho_error_set(err, TACHO_ERR_INPUT, "%.200s: there is no member \"%.60s\"%s", path, key,
                           tacho_suggest_text(&s));
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
