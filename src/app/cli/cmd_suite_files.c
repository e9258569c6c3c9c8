/* cmd_suite_files.c - suites from files, and to files. */
#include "app/cli/cmd_suite.h"
#include "app/cli/signals.h"

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
    const bool standard = !path || !strcmp(path, "-");
    *to = (suite_output){.open = true};
    if (!standard)
        cli_signals_ask();
    return results_open(&to->results, standard ? NULL : path, NULL, false);
}

static bool write_text(suite_output *to)
{
    if (cli_signals_asked(NULL))
        return cli_error("%s: %s is not whole", cli_signals_words(), to->results.name);
    if (!results_write(&to->results, &to->text))
        return false;
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
    return to->whole = write_text(to);
}

void suite_output_close(suite_output *to)
{
    tacho_str_free(&to->text);
    if (to->open && !to->whole)
        results_undo(&to->results);
    else if (to->open)
        results_close(&to->results);
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
