/* compile.c - source code to assembly text, in memory, by the compiler that the user names. The compiler's
 * messages go to standard error. */
#include <limits.h>
#include <unistd.h>

#include "base/file.h"
#include "base/process.h"
#include "binary/input/compile.h"
#include "tacho/code.h"

enum {
    MAX_WORDS = 60,
    WALL_SECONDS = 600
};

typedef struct compiler {
    char words[2000];
    const char *argv[MAX_WORDS + 12];
    int count;
    char path[PATH_MAX];
} compiler;

/* The words of --cc, with -g first: code stays the same, and loops are shown with their lines. */
static bool split(compiler *c, const char *command, tacho_error *err)
{
    if (strlen(command) >= sizeof c->words || strpbrk(command, "'\"\\"))
        return !tacho_error_set(
            err, TACHO_ERR_USAGE,
            "--cc is a compiler and its options, separated by blanks, without quotes; not '%.80s'", command);
    strcpy(c->words, command);
    char *rest = c->words, *word;
    while ((word = strsep(&rest, " \t\n"))) {
        if (c->count > MAX_WORDS)
            return !tacho_error_set(err, TACHO_ERR_USAGE, "--cc: more than %d words", MAX_WORDS);
        if (*word)
            c->argv[c->count++] = word;
        if (*word && c->count == 1)
            c->argv[c->count++] = "-g";
    }
    return c->count ||
           !tacho_error_set(err, TACHO_ERR_USAGE,
                            "--cc is a compiler and its options, for instance 'gcc -O3', not nothing");
}

static bool has_word(const compiler *c, const char *word)
{
    for (int i = 0; i < c->count; i++)
        if (tacho_starts_with(c->argv[i], word))
            return true;
    return false;
}

static void add_input(compiler *c, const char *input)
{
    bool standard = !strcmp(input, "-");
    if (standard && !has_word(c, "-x")) {
        c->argv[c->count++] = "-x";
        c->argv[c->count++] = strstr(tacho_base_name(c->argv[0]), "++") ? "c++" : "c";
    }
    static const char *const rest[] = {"-S", "-o", "-"};
    memcpy(c->argv + c->count, rest, sizeof rest);
    c->count += 3;
    c->argv[c->count++] = input;
}

static bool run(const compiler *c, const char *command, const char *name, int output, tacho_error *err)
{
    tacho_process_end end;
    const tacho_process process = {.path = c->path,
                                   .argv = c->argv,
                                   .input = STDIN_FILENO,
                                   .output = output,
                                   .errors = STDERR_FILENO,
                                   .file = -1,
                                   .seconds = WALL_SECONDS};
    if (tacho_process_run(&process, &end))
        return !tacho_error_set(err, TACHO_ERR_INPUT, "cannot run %s: %s", c->argv[0], strerror(errno));
    if (end.timed_out)
        return !tacho_error_set(err, TACHO_ERR_INPUT, "%s: %s took more than %d seconds", name, c->argv[0],
                                WALL_SECONDS);
    return !end.exit_status ||
           !tacho_error_set(err, TACHO_ERR_INPUT, "%s: '%s' did not compile it", name, command);
}

int tacho_compile(tacho_str *out, const char *command, const char *input, const char *name, tacho_error *err)
{
    compiler c = {.count = 0};
    if (!split(&c, command, err))
        return err->code;
    if (!tacho_process_find(c.argv[0], c.path, sizeof c.path))
        return tacho_error_set(err, TACHO_ERR_INPUT, "--cc: the compiler %s is not installed", c.argv[0]);
    add_input(&c, input);
    int output = tacho_file_in_memory("", 0);
    if (output < 0)
        return tacho_error_set(err, TACHO_ERR_INPUT, "cannot make a memory file: %s", strerror(errno));
    bool good = run(&c, command, name, output, err);
    if (good && tacho_process_read(output, TACHO_MAX_ASSEMBLY_BYTES + 1, out))
        good = !tacho_error_set(err, TACHO_ERR_INPUT, "%s: what the compiler wrote cannot be read: %s", name,
                                strerror(errno));
    close(output);
    if (good && !out->length)
        good = !tacho_error_set(err, TACHO_ERR_INPUT, "%s: '%s' wrote nothing", name, command);
    return good ? 0 : err->code;
}
