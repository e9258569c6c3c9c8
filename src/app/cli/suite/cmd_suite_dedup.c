/* cmd_suite_dedup.c - tacho suite dedup: one or several suites as one in which every block stands once. */
#include "app/cli/suite/cmd_suite.h"
#include "study/suite/suite_choose.h"

static const char more[] =
    "Blocks are the same if their bytes are. Where a block stands in several rows, the first one stays,\n"
    "with the applications of all and the sum of the counts that are known; an empty field gets the\n"
    "first one that is not. Suites may have different columns; the result has all of them.\n\n"
    "Examples:\n"
    "  tacho suite dedup blocks.csv > once.csv\n"
    "  tacho suite dedup gzip.csv sqlite.csv redis.csv -o all.csv\n";

static bool write_blocks(const tacho_suite *s, const tacho_suite_groups *g, suite_output *to)
{
    size_t blocks = 0;
    tacho_error err;
    tacho_suite_put_names(&to->text, s);
    for (size_t i = 0; i < s->row_count; i++) {
        if (g->last[i] == TACHO_SUITE_NOT_FIRST)
            continue;
        blocks++;
        if (!suite_good(tacho_suite_groups_put(g, s, (uint32_t)i, &to->text, &err), &err) ||
            !suite_output_flush(to))
            return false;
    }
    if (!suite_output_end(to))
        return false;
    fprintf(stderr, "%zu row%s, %zu different block%s\n", s->row_count, tacho_plural(s->row_count), blocks,
            tacho_plural(blocks));
    return true;
}

static int run_dedup(void *asked)
{
    const suite_files *r = asked;
    tacho_suite s = {0};
    tacho_suite_groups g = {0};
    tacho_error err;
    suite_output to = {0};
    bool ok = suite_load(&s, &r->files) && suite_good(tacho_suite_groups_make(&g, &s, &err), &err) &&
              suite_output_open(&to, r->output) && write_blocks(&s, &g, &to);
    int status = ok ? suite_status(&s) : CLI_INPUT;
    suite_output_close(&to);
    tacho_suite_groups_free(&g);
    tacho_suite_free(&s);
    return status;
}

CLI_DEFINE(cli_suite_dedup, "suite dedup", "every block once; merges suites", "[options] [FILE ...]",
           suite_files_rows, more, run_dedup, suite_files, .output = NULL);
