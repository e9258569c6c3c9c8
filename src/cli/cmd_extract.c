/* cmd_extract.c - tacho extract: the basic blocks of files, or of a run, as a suite. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "report/extract.h"

enum {
    O_OUTPUT = 1,
    O_APP,
    O_MIN_INSNS,
    O_MAX_INSNS,
    O_WITH_BRANCH,
    O_UNIQUE,
    O_QUIET
};

static const cli_option options[] = {
    {O_OUTPUT, "output", 'o', "FILE", "where the suite goes; default: standard output"},
    {O_APP, "app", 0, "NAME", "the application's name; default: base name of the file"},
    {O_MIN_INSNS, "min-insns", 0, "N", "leave out blocks of fewer instructions"},
    {O_MAX_INSNS, "max-insns", 0, "N", "leave out blocks of more instructions"},
    {O_WITH_BRANCH, "with-branch", 0, NULL, "keep the jump, call or return that ends a block"},
    {O_UNIQUE, "unique", 'u', NULL,
     "one row for blocks of the same bytes: the first address, all\napplications, the sum of the counts"},
    {O_QUIET, "quiet", 'q', NULL, "say nothing of what was found and left out"},
    {0, NULL, 0, NULL, NULL},
};

static const char more[] =
    "Writes CSV: hex,app,address,count,object. A block ends before a jump, call, return or system\n"
    "call, and before an instruction that something else leads to.\n"
    "Of a FILE (executable, shared library, object file), only code is taken that symbols, .eh_frame,\n"
    "branches or jump tables lead to; standard error says how much that is. The count is empty.\n\n"
    "Examples:\n"
    "  tacho extract /usr/bin/gzip > gzip.csv\n"
    "  tacho extract --unique --min-insns 3 -o suite.csv libfoo.so bar.o\n"
    "  tacho extract /usr/bin/gzip | tacho predict --batch - -a SKL\n";

typedef struct request {
    tacho_extract_options extract;
    const char *output;
    bool quiet;
    char **files;
    int file_count;
} request;

/* @return -1: go on; else the exit status */
static int parse_option(request *r, int id, const char *value)
{
    switch (id) {
    case CLI_HELP:
        return cli_help(&cli_extract);
    case CLI_WRONG:
        return CLI_USAGE;
    case O_OUTPUT:
        r->output = value;
        return -1;
    case O_APP:
        r->extract.app = value;
        if (!*value || strchr(value, ';'))
            return cli_usage_error("--app is a name without ';', which joins several, not '%s'", value);
        return -1;
    case O_MIN_INSNS:
        return cli_number32("--min-insns", value, 1, UINT32_MAX, &r->extract.min_insns) ? -1 : CLI_USAGE;
    case O_MAX_INSNS:
        return cli_number32("--max-insns", value, 1, UINT32_MAX, &r->extract.max_insns) ? -1 : CLI_USAGE;
    case O_WITH_BRANCH:
        r->extract.with_branch = true;
        return -1;
    case O_UNIQUE:
        r->extract.unique = true;
        return -1;
    default:
        r->quiet = true;
        return -1;
    }
}

static int parse(request *r, int argc, char **argv)
{
    const char *value;
    int id, status = -1;
    cli_parser p;
    cli_parse_start(&p, &cli_extract, argc, argv);
    r->files = argv; /* what has been read is not needed any more */
    while (status < 0 && (id = cli_next(&p, &value)) != CLI_END) {
        if (id == CLI_POSITIONAL)
            r->files[r->file_count++] = argv[p.at - 1];
        else
            status = parse_option(r, id, value);
    }
    if (status >= 0)
        return status;
    if (r->extract.max_insns && r->extract.max_insns < r->extract.min_insns)
        return cli_usage_error("--max-insns %u is less than --min-insns %u", r->extract.max_insns,
                               r->extract.min_insns);
    return r->file_count ? -1 : cli_usage_error("no file to extract from");
}

/* ---- what is written ---- */

static bool write_rows(FILE *f, const tacho_extract *x)
{
    enum {
        FLUSH_BYTES = 1 << 16
    };
    tacho_str out = {0};
    report_extract_header(&out);
    for (size_t i = 0; i < x->count && !out.failed; i++) {
        report_extract_row(&out, &x->blocks[i]);
        if (out.length < FLUSH_BYTES)
            continue;
        fwrite(out.data, 1, out.length, f);
        tacho_str_clear(&out);
    }
    bool ok = !out.failed;
    if (ok)
        fwrite(out.data, 1, out.length, f);
    else
        cli_error("out of memory");
    tacho_str_free(&out);
    return ok;
}

static int write_suite(const request *r, const tacho_extract *x)
{
    if (!r->output || !strcmp(r->output, "-"))
        return write_rows(stdout, x) ? CLI_OK : CLI_INPUT;
    FILE *f = fopen(r->output, "we");
    bool ok = f && write_rows(f, x);
    ok &= f && !ferror(f);
    if (f && fclose(f))
        ok = false;
    if (!ok)
        cli_error("cannot write %s: %s", r->output, strerror(errno));
    return ok ? CLI_OK : CLI_INPUT;
}

static void say_what(const tacho_extract *x)
{
    tacho_str text = {0};
    for (size_t i = 0; i < x->cover_count; i++) {
        tacho_str_clear(&text);
        report_extract_cover(&text, &x->covers[i]);
        if (!text.failed)
            cli_note("%s", text.data);
    }
    tacho_str_free(&text);
    for (size_t i = 0; i < x->warning_count; i++)
        cli_note("%s", x->warnings[i]);
    cli_note("%zu block%s", x->count, x->count == 1 ? "" : "s");
    if (x->left_out)
        cli_note("%llu blocks were shorter or longer than asked for", (unsigned long long)x->left_out);
}

static int extract_files(const request *r, tacho_extract *x)
{
    int failed = 0;
    for (int i = 0; i < r->file_count; i++) {
        tacho_error err;
        if (tacho_extract_file(x, r->files[i], &err)) {
            cli_error("%s", err.message);
            failed++;
        }
    }
    if (failed && failed < r->file_count)
        cli_error("%d of %d files could not be analysed", failed, r->file_count);
    return !failed ? CLI_OK : failed < r->file_count ? CLI_PARTIAL : CLI_INPUT;
}

static int run_extract(int argc, char **argv)
{
    request r = {.extract = TACHO_EXTRACT_OPTIONS_INIT};
    tacho_extract *x;
    tacho_error err;
    int status = parse(&r, argc, argv);
    if (status >= 0)
        return status;
    if (tacho_extract_new(&x, &r.extract, &err)) {
        cli_error("%s", err.message);
        return CLI_INPUT;
    }
    status = extract_files(&r, x);
    if (status != CLI_INPUT) {
        int written = write_suite(&r, x);
        status = written ? written : status;
    }
    if (!r.quiet && status != CLI_INPUT)
        say_what(x);
    tacho_extract_free(x);
    return status;
}

const cli_command cli_extract = {"extract",           run_extract, "the basic blocks of files, as a suite",
                                 "[options] FILE...", options,     more};
