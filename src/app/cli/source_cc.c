/* source_cc.c - INPUT as source code: what --cc says compiles it to assembly text, in memory. The compiler's
 * messages go where tacho's go. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "app/cli/source.h"
#include "base/file.h"
#include "base/process.h"
#include "base/str.h"

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
static bool split(compiler *c, const char *command)
{
    if (strlen(command) >= sizeof c->words || strpbrk(command, "'\"\\"))
        return cli_error(
            "--cc is a compiler and its options, separated by blanks, without quotes; not '%.80s'", command);
    strcpy(c->words, command);
    char *rest = c->words, *word;
    while ((word = strsep(&rest, " \t\n"))) {
        if (c->count > MAX_WORDS)
            return cli_error("--cc: more than %d words", MAX_WORDS);
        if (*word)
            c->argv[c->count++] = word;
        if (*word && c->count == 1)
            c->argv[c->count++] = "-g";
    }
    if (c->count)
        return true;
    return cli_error("--cc is a compiler and its options, for instance 'gcc -O3', not nothing");
}

static bool has_word(const compiler *c, const char *word)
{
    for (int i = 0; i < c->count; i++)
        if (!strncmp(c->argv[i], word, strlen(word)))
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

static bool run(const compiler *c, const source *s, int output)
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
        return cli_error("cannot run %s: %s", c->argv[0], strerror(errno));
    if (end.timed_out)
        return cli_error("%s: %s took more than %d seconds", source_name(s), c->argv[0], WALL_SECONDS);
    return !end.exit_status || cli_error("%s: '%s' did not compile it", source_name(s), s->cc);
}

int source_compile(source *s)
{
    compiler c = {.count = 0};
    tacho_str text = {0};
    if (!split(&c, s->cc))
        return CLI_USAGE;
    if (!tacho_process_find(c.argv[0], c.path, sizeof c.path))
        return cli_input_error("--cc: the compiler %s is not installed", c.argv[0]);
    add_input(&c, s->input);
    int output = tacho_file_in_memory("", 0);
    bool good = output >= 0 && run(&c, s, output);
    if (output < 0)
        cli_error("cannot make a memory file: %s", strerror(errno));
    if (good && tacho_process_read(output, TACHO_MAX_ASSEMBLY_BYTES + 1, &text))
        good = cli_error("%s: what the compiler wrote cannot be read: %s", source_name(s), strerror(errno));
    if (output >= 0)
        close(output);
    if (good && !text.length)
        good = cli_error("%s: '%s' wrote nothing", source_name(s), s->cc);
    if (!good) {
        tacho_str_free(&text);
        return CLI_INPUT;
    }
    s->text = text.data;
    s->text_size = text.length;
    return CLI_OK;
}
