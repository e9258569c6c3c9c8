/* run_cases.c - predictions of small blocks whose answer is known, one a line:
 *
 *   MODE ARCH [OPTION ...] | code | cycles | why | source
 *
 * MODE is loop or unroll. Code is assembly in Intel syntax (GNU as) or hex:BYTES. Cycles have up to three
 * decimals. Options: align=N (of the first byte to 64), init=same, init=aligned, no-memory-deps,
 * min-cycles=N (for a longer average), from=MITE, from=DSB, from=LSD, from=mixed (where the µops must come
 * from), lsd=on, lsd=off (what if loops were, or were not, streamed from the µop queue), NAME=VALUE (another
 * parameter of the core).
 *
 *   run [--update] FILE ...
 *
 * --update prints the lines with the predicted cycles instead of comparing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/support.h"
#include "x86/arch/arch_struct.h"

enum {
    FIELDS = 5
};

typedef struct test_case {
    tacho_predict_options options;
    tacho_arch arch;  /* a copy, for what-if runs */
    const char *from; /* NULL: anywhere */
    char *field[FIELDS];
} test_case;

static char *trim(char *s)
{
    s += strspn(s, " \t");
    size_t n = strlen(s);
    while (n && strchr(" \t\r\n", s[n - 1]))
        s[--n] = '\0';
    return s;
}

/* "renames_memory=no": as --set has it. */
static int set_parameter(test_case *c, const char *word)
{
    char name[64];
    const char *equal = strchr(word, '=');
    if (!equal || (size_t)(equal - word) >= sizeof name)
        return -1;
    snprintf(name, sizeof name, "%.*s", (int)(equal - word), word);
    return tacho_arch_parameter_set(&c->arch, name, equal + 1, NULL);
}

static int parse_option(test_case *c, const char *word)
{
    tacho_predict_options *o = &c->options;
    if (!strncmp(word, "align=", 6))
        o->alignment = (uint32_t)atoi(word + 6);
    else if (!strcmp(word, "init=same"))
        o->init = TACHO_INIT_SAME;
    else if (!strcmp(word, "init=aligned"))
        o->init = TACHO_INIT_ALIGNED;
    else if (!strncmp(word, "min-cycles=", 11))
        o->min_cycles = (uint32_t)atoi(word + 11);
    else if (!strcmp(word, "no-memory-deps"))
        o->no_memory_deps = true;
    else if (!strcmp(word, "ignore-isa"))
        o->ignore_isa = true;
    else if (!strncmp(word, "from=", 5))
        c->from = word + 5;
    else if (!strcmp(word, "lsd=on") || !strcmp(word, "lsd=off"))
        c->arch.lsd_enabled = !strcmp(word, "lsd=on");
    else
        return set_parameter(c, word);
    return 0;
}

/* Cuts `line` into pieces of `c`; returns a complaint or NULL. */
static const char *parse(test_case *c, char *line, tacho_error *err)
{
    *c = (test_case){.options = TACHO_PREDICT_OPTIONS_INIT};
    for (int n = 0; n < FIELDS; n++) {
        char *bar = strstr(line, " | ");
        if (!bar && n + 1 < FIELDS)
            return "not five fields";
        if (bar && n + 1 < FIELDS)
            *bar = '\0';
        c->field[n] = trim(line);
        line = bar ? bar + 3 : line;
    }
    char *save, *word = strtok_r(c->field[0], " ", &save);
    if (!word || (strcmp(word, "loop") && strcmp(word, "unroll")))
        return "neither loop nor unroll";
    c->options.mode = !strcmp(word, "loop") ? TACHO_MODE_LOOP : TACHO_MODE_UNROLL;
    word = strtok_r(NULL, " ", &save);
    const tacho_arch *arch = word ? tacho_arch_find(word, err) : NULL;
    if (!arch)
        return "no such microarchitecture";
    c->arch = *arch;
    while ((word = strtok_r(NULL, " ", &save)))
        if (parse_option(c, word))
            return "an unknown option";
    return NULL;
}

/* Returns 1 when the case fails. */
static int check(const test_case *c, const tacho_prediction *p, const char *where)
{
    char cycles[32];
    const char *from = tacho_uop_source_name(p->source);
    test_cycles_text(cycles, p->cycles);
    bool wrong = strcmp(cycles, c->field[2]) != 0, elsewhere = c->from && strcmp(from, c->from);
    if (wrong)
        printf("%s: %s cycles, not %s: %s %s: %s\n    (%s; %s)\n", where, cycles, c->field[2],
               tacho_mode_name(c->options.mode), c->arch.name, c->field[1], c->field[3], c->field[4]);
    if (elsewhere)
        printf("%s: µops from %s, not %s: %s\n", where, from, c->from, c->field[1]);
    return wrong || elsewhere;
}

typedef struct runner {
    tacho_predictor *predictor;
    bool update;
    long done, failed;
} runner;

static void run_line(runner *r, const char *where, char *line)
{
    tacho_error err = {.message = ""};
    test_case c;
    test_block b = {NULL, 0};
    const tacho_prediction *p = NULL;
    char *copy = strdup(line);
    const char *complaint = copy ? parse(&c, copy, &err) : "out of memory";
    if (!complaint && (test_block_make(&b, c.field[1], &err) ||
                       tacho_predict(r->predictor, &c.arch, b.bytes, b.size, &c.options, &p, &err)))
        complaint = err.message;
    r->done++;
    if (complaint) {
        fprintf(stderr, "%s: %s\n", where, complaint);
        r->failed++;
    } else if (r->update) {
        char cycles[32], *rest = line;
        test_cycles_text(cycles, p->cycles);
        for (int n = 0; n < 2; n++)
            rest = strstr(rest, " | ") + 3;
        printf("%.*s%s%s", (int)(rest - line), line, cycles, strstr(rest, " | "));
    } else {
        r->failed += check(&c, p, where);
    }
    test_block_free(&b);
    free(copy);
}

static int run_file(runner *r, const char *path)
{
    FILE *f = fopen(path, "r");
    char line[4096], where[512];
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    if (!f) {
        perror(path);
        return 1;
    }
    for (long at = 1; fgets(line, sizeof line, f); at++) {
        snprintf(where, sizeof where, "%s:%ld", name, at);
        if (line[0] != '#' && line[0] != '\n')
            run_line(r, where, line);
        else if (r->update)
            fputs(line, stdout);
    }
    fclose(f);
    return 0;
}

int main(int argc, char **argv)
{
    runner r = {.predictor = tacho_predictor_new()};
    int i = 1, status = r.predictor ? 0 : 1;
    if (i < argc && !strcmp(argv[i], "--update")) {
        r.update = true;
        i++;
    }
    for (; i < argc && !status; i++)
        status = run_file(&r, argv[i]);
    fprintf(stderr, "%ld cases, %ld failed\n", r.done, r.failed);
    tacho_predictor_free(r.predictor);
    return status || r.failed || !r.done;
}
