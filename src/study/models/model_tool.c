/* model_tool.c - runs a tool once for each block and finds the number in what it says. */
#include "base/text_pattern.h"
#include "study/models/models_internal.h"

#include "base/mem.h"
#include "base/file.h"
#include "tacho/predict.h"

enum {
    MAX_ARGUMENTS = 64
};

typedef struct pattern {
    regex_t regex;
    bool given;
} pattern;

typedef struct state {
    const tool_description *tool;
    const char *arch;
    void *keep;
    void (*release)(void *);
    char program[EXTERNAL_PATH_SIZE], scratch[EXTERNAL_PATH_SIZE];
    pattern cycles, bottleneck, unsupported;
    tacho_str input, arguments[MAX_ARGUMENTS];
    size_t argument_count;
    external_run run;
} state;

/* ---- opening ---- */

static int compile(pattern *p, const char *text, tacho_error *err)
{
    char why[120];
    const char *bad = text ? tacho_regex_compile(&p->regex, text, why, sizeof why) : NULL;
    p->given = text && !bad;
    return bad ? tacho_error_set(err, TACHO_ERR_INPUT, "the pattern '%.100s' %s", text, bad) : 0;
}

/* The one for UNSUPPORTED needs no group. */
static int compile_all(state *s, tacho_error *err)
{
    const tool_description *t = s->tool;
    int rc = compile(&s->cycles, t->pattern, err) ?: compile(&s->bottleneck, t->bottleneck, err);
    if (rc || !t->unsupported)
        return rc;
    TACHO_FREED tacho_str grouped = {0};
    tacho_str_printf(&grouped, "(%s)", t->unsupported);
    return grouped.failed ? tacho_no_memory(err) : compile(&s->unsupported, grouped.data, err);
}

/* The text of a placeholder {name}, NULL where there is none of that name. */
static const char *placeholder(const tacho_model *m, const char *name, size_t n, const char *file,
                               const char *hex, const char *mode)
{
    const state *s = m->state;
    const struct {
        const char *name, *text;
    } known[] = {{"file", file},    {"hex", hex},
                 {"arch", s->arch}, {"mcpu", external_arch(NAMES_LLVM, m->arch)},
                 {"mode", mode},    {"dir", s->tool->directory}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].name) == n && !strncmp(known[i].name, name, n))
            return known[i].text;
    return NULL;
}

/* @return 0; TACHO_ERR_INPUT for a placeholder that is none */
static int expand(const tacho_model *m, tacho_str *out, const char *text, const char *file, const char *hex,
                  const char *mode, tacho_error *err)
{
    tacho_str_clear(out);
    tacho_str_append(out, "", 0);
    while (*text) {
        size_t n = strcspn(text, "{"), name = 0;
        tacho_str_append(out, text, n);
        text += n;
        if (*text)
            name = strspn(text + 1, "abcdefghijklmnopqrstuvwxyz");
        if (text[0] == '{' && text[1] == '{') {
            tacho_str_putc(out, '{');
            text += 2;
        } else if (name && text[1 + name] == '}') {
            const char *value = placeholder(m, text + 1, name, file, hex, mode);
            if (!value)
                return tacho_error_set(
                    err, TACHO_ERR_INPUT,
                    "there is no placeholder {%.*s}; there are {file}, {hex}, {arch}, {mcpu}, "
                    "{mode} and {dir}; '{{' is a brace",
                    (int)name, text + 1);
            tacho_str_puts(out, value);
            text += name + 2;
        } else if (*text) {
            tacho_str_putc(out, *text++);
        }
    }
    return out->failed ? tacho_no_memory(err) : 0;
}

static int find_program(const tacho_model *m, state *s, tacho_error *err)
{
    TACHO_FREED tacho_str name = {0};
    char path[2 * EXTERNAL_PATH_SIZE];
    int rc = expand(m, &name, s->tool->command[0], "", "", "", err);
    const char *file = name.data;
    if (!rc && *file != '/' && strchr(file, '/') && s->tool->directory) {
        snprintf(path, sizeof path, "%s/%s", s->tool->directory, file);
        file = path;
    }
    if (!rc && !tacho_process_find(file, s->program, sizeof s->program))
        rc = tacho_error_set(err, TACHO_ERR_UNSUPPORTED, "%.60s: the program %.200s is not installed%s%s",
                             m->name, name.data, s->tool->missing ? " " : "",
                             s->tool->missing ? s->tool->missing : "");
    return rc;
}

/* A trial of the command line, so that its mistakes show here. */
static int check_command(const tacho_model *m, state *s, tacho_error *err)
{
    int rc = 0;
    for (; s->tool->command[s->argument_count] && !rc; s->argument_count++) {
        if (s->argument_count + 1 >= MAX_ARGUMENTS)
            return tacho_error_set(err, TACHO_ERR_INPUT, "more than %d arguments", MAX_ARGUMENTS - 1);
        rc =
            expand(m, &s->arguments[s->argument_count], s->tool->command[s->argument_count], "", "", "", err);
    }
    return rc;
}

static void free_pattern(pattern *p)
{
    if (p->given)
        regfree(&p->regex);
}

void tool_close(tacho_model *m)
{
    state *s = m->state;
    if (*s->scratch)
        tacho_scratch_remove(s->scratch);
    free_pattern(&s->cycles);
    free_pattern(&s->bottleneck);
    free_pattern(&s->unsupported);
    for (size_t i = 0; i < MAX_ARGUMENTS; i++)
        tacho_str_free(&s->arguments[i]);
    tacho_str_free(&s->input);
    external_free(&s->run);
    if (s->release)
        s->release(s->keep);
    tacho_mem_free(s);
}

int tool_open(tacho_model *m, const tool_description *tool, const char *arch, void *keep,
              void (*release)(void *), tacho_error *err)
{
    state *s = tacho_mem_zalloc(1, sizeof *s);
    if (!s) {
        if (release)
            release(keep);
        return tacho_no_memory(err);
    }
    *s = (state){.tool = tool, .arch = arch, .keep = keep, .release = release};
    m->state = s;
    snprintf(m->version, sizeof m->version, "for %.40s", arch ? arch : "");
    int rc = (arch ? compile_all(s, err)
                   : tacho_error_set(err, TACHO_ERR_UNSUPPORTED,
                                     "%.60s does not know the microarchitecture %s", m->name, m->arch->name))
                 ?: check_command(m, s, err);
    if (rc == TACHO_ERR_INPUT && err) {
        const tacho_error why = *err;
        tacho_error_set(err, rc, "%.200s: %s", m->name, why.message);
    }
    if (!rc)
        rc = find_program(m, s, err);
    if (!rc)
        rc = tacho_scratch_make(s->scratch, sizeof s->scratch, err);
    if (rc)
        tool_close(m);
    return rc;
}

/* ---- what it says ---- */

/* The first group's place in `text`. */
static bool match(const pattern *p, const char *text, const char **at, size_t *length)
{
    regmatch_t groups[2];
    if (!p->given || regexec(&p->regex, text, 2, groups, 0) || groups[1].rm_so < 0)
        return false;
    *at = text + groups[1].rm_so;
    *length = (size_t)(groups[1].rm_eo - groups[1].rm_so);
    return true;
}

static double number(const state *s, const char *text)
{
    const char *at;
    size_t length;
    char *end, digits[64];
    if (s->tool->read)
        return s->tool->read(text);
    if (!match(&s->cycles, text, &at, &length) || length >= sizeof digits)
        return NAN;
    memcpy(digits, at, length);
    digits[length] = '\0';
    double value = strtod(digits, &end);
    return end == digits || *end ? NAN : value;
}

/* Names with ';' between them, whatever stood there. */
static void take_bottleneck(const state *s, const char *text, tacho_model_result *r)
{
    const char *at;
    size_t length, used = 0;
    if (!match(&s->bottleneck, text, &at, &length))
        return;
    for (const char *end = at + length; at < end;) {
        size_t n = strcspn(at, ",;\r\n");
        const char *name = at;
        if (n > (size_t)(end - at))
            n = (size_t)(end - at);
        at += n + 1;
        tacho_str_trim(&name, &n);
        if (!n || used + n + 2 > sizeof r->bottleneck)
            continue;
        if (used)
            r->bottleneck[used++] = ';';
        memcpy(r->bottleneck + used, name, n);
        used += n;
        r->bottleneck[used] = '\0';
    }
}

static void judge(const tacho_model *m, const state *s, tacho_model_result *r)
{
    const external_run *run = &s->run;
    const char *at;
    size_t length;
    if (!run->end.timed_out && (match(&s->unsupported, run->errors.data, &at, &length) ||
                                match(&s->unsupported, run->out.data, &at, &length))) {
        model_result_fail(r, TACHO_MODEL_UNSUPPORTED, "%.*s", (int)(length < 150 ? length : 150), at);
        return;
    }
    double value = run->end.timed_out || run->end.exit_status ? NAN : number(s, run->out.data);
    if (isnan(value)) {
        external_blame(r, run, m->name);
        return;
    }
    model_result_cycles(r, value / s->tool->iterations);
    if (r->status == TACHO_MODEL_OK)
        take_bottleneck(s, run->out.data, r);
}

/* ---- running ---- */

static const char *file_name(tool_input input)
{
    static const char *const names[] = {"block.s", "block.s", "block.hex", "block.bin", "block.o"};
    return names[input];
}

static int make_arguments(const tacho_model *m, state *s, const tacho_model_block *block, const char *mode,
                          const char **argv, tacho_error *err)
{
    char file[EXTERNAL_PATH_SIZE + 16];
    TACHO_FREED tacho_str hex = {0};
    tacho_str_hex(&hex, block->code, block->size);
    int rc = hex.failed ? tacho_no_memory(err) : 0;
    snprintf(file, sizeof file, "%s/%s", s->scratch, file_name(s->tool->input));
    for (size_t i = 0; i < s->argument_count && !rc; i++) {
        rc = expand(m, &s->arguments[i], s->tool->command[i], file, hex.data, mode, err);
        argv[i] = s->arguments[i].data;
    }
    argv[s->argument_count] = NULL;
    return rc;
}

/* Runs the tool on what s->input holds. */
static int run_tool(tacho_model *m, const tacho_model_block *block, const char *mode, tacho_error *err)
{
    state *s = m->state;
    const char *argv[MAX_ARGUMENTS];
    double seconds = s->tool->timeout_seconds > 0 ? s->tool->timeout_seconds : m->options.timeout_seconds;
    int rc = make_arguments(m, s, block, mode, argv, err);
    if (rc)
        return rc;
    if (!s->tool->on_stdin &&
        tacho_scratch_write(s->scratch, file_name(s->tool->input), s->input.data, s->input.length))
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "cannot write to %.200s: %s", s->scratch,
                               strerror(errno));
    return external_start(&s->run, m, s->program, argv, s->scratch, s->tool->on_stdin ? &s->input : NULL,
                          seconds, err);
}

static int run_one(tacho_model *m, const tacho_model_block *block, tacho_model_result *r, tacho_error *err)
{
    state *s = m->state;
    tacho_error why = {0};
    tacho_mode by_branch = tool_ends_in_branch(block) ? TACHO_MODE_LOOP : TACHO_MODE_UNROLL;
    tacho_mode mode = m->options.mode == TACHO_MODE_AUTO ? by_branch : m->options.mode;
    if (!block->size) {
        model_result_fail(r, TACHO_MODEL_UNSUPPORTED, "the block is empty");
        return 0;
    }
    if (block->size > TACHO_MAX_BLOCK_BYTES) {
        model_result_fail(r, TACHO_MODEL_UNSUPPORTED, "the block is longer than %d bytes",
                          TACHO_MAX_BLOCK_BYTES);
        return 0;
    }
    if (s->tool->mode_by_branch && mode != by_branch) {
        model_result_fail(r, TACHO_MODEL_UNSUPPORTED, "%s decides by the last instruction: this is %s mode",
                          m->name, tacho_mode_name(by_branch));
        return 0;
    }
    int rc = tool_write(&s->input, s->tool, block, &why);
    if (rc == TACHO_ERR_INPUT) {
        model_result_fail(r, TACHO_MODEL_UNSUPPORTED, "%s", why.message);
        return 0;
    }
    rc = rc ? tacho_error_set(err, rc, "%s", why.message) : run_tool(m, block, tacho_mode_name(mode), err);
    if (!rc)
        judge(m, s, r);
    return rc;
}

int model_tool_run(tacho_model *m, const tacho_model_block *blocks, size_t count, tacho_model_result *results,
                   tacho_error *err)
{
    int rc = 0;
    for (size_t i = 0; i < count && !rc; i++)
        rc = run_one(m, &blocks[i], &results[i], err);
    return rc;
}
