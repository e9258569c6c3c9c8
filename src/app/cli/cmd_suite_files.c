/* cmd_suite_files.c - suites from files, and to files. */
#include "app/cli/cmd_suite.h"
#include "app/cli/signals.h"

#include <errno.h>
#include <string.h>

enum {
    SHOWN_BAD_ROWS = 5,
    GATHERED_BYTES = 256 << 10
};

#define CLI_REQUEST suite_files
const cli_option suite_files_rows[] = {
    SUITE_FILES_ROW,
    {CLI_STRING, "output", 'o', "FILE", "where the result goes (default: standard output)", CLI_AT(output)},
    {.kind = CLI_END},
};

bool suite_good(int rc, const tacho_error *err)
{
    return rc >= 0 || cli_error("%s", err->message);
}

static void say_bad_row(const tacho_suite *s, const char *message)
{
    if (s->bad_rows <= SHOWN_BAD_ROWS)
        cli_error("%s", message);
}

bool suite_load_one(tacho_suite *s, const char *path)
{
    tacho_error err;
    s->bad_row = say_bad_row;
    return suite_good(tacho_suite_read(s, path, &err), &err);
}

bool suite_load(tacho_suite *s, const cli_words *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        if (!suite_load_one(s, paths->list[i]))
            return false;
    return paths->count || suite_load_one(s, "-");
}

bool suite_output_open(suite_output *to, const char *path)
{
    bool standard = !path || !strcmp(path, "-");
    *to = (suite_output){.file = stdout, .name = "standard output"};
    if (standard)
        return true;
    cli_signals_ask();
    *to = (suite_output){.name = path};
    if (!cli_output_open(&to->output, path))
        return false;
    to->file = to->output.file;
    return cli_output_begin(&to->output);
}

/* Of standard output, main says so. */
static bool cannot_write(const suite_output *to)
{
    return to->file != stdout && cli_error("cannot write to %s: %s", to->name, strerror(errno));
}

/* @return false with a message: a signal has come */
static bool may_go_on(const suite_output *to)
{
    if (!cli_signals_asked(NULL))
        return true;
    return cli_error("%s: %s is not whole", cli_signals_words(), to->name);
}

static bool write_text(suite_output *to)
{
    if (!may_go_on(to))
        return false;
    if (to->text.failed)
        return cli_error("out of memory");
    if (fwrite(to->text.data, 1, to->text.length, to->file) != to->text.length)
        return cannot_write(to);
    tacho_str_clear(&to->text);
    return true;
}

bool suite_output_flush(suite_output *to)
{
    bool little = to->text.length < GATHERED_BYTES && !to->text.failed && !cli_signals_asked(NULL);
    return little || write_text(to);
}

bool suite_output_end(suite_output *to)
{
    to->whole = write_text(to) && (!fflush(to->file) || cannot_write(to));
    return to->whole;
}

void suite_output_close(suite_output *to)
{
    tacho_str_free(&to->text);
    if (to->file && to->file != stdout && !to->whole) {
        fflush(to->file);
        cli_output_empty(fileno(to->file));
        cli_output_drop(&to->output);
    } else if (to->file && to->file != stdout) {
        fclose(to->file);
    }
    *to = (suite_output){0};
}

int suite_status(const tacho_suite *s)
{
    if (!s->bad_rows)
        return CLI_OK;
    cli_error("%zu of %zu rows were left out: their code is not hexadecimal, or none", s->bad_rows,
              s->bad_rows + s->row_count);
    return CLI_PARTIAL;
}
