/* cmd_extract.c - tacho extract: the basic blocks of files, or of a run, as a suite. */
#include "app/cli/running.h"
#include "tacho/extract.h"

/* The header line, "hex,app,address,count,object". */
static void report_extract_header(tacho_str *out)
{
    tacho_str_puts(out, "hex,app,address,count,object\n");
}

/* A block's row. */
static void report_extract_row(tacho_str *out, const tacho_extract_block *b)
{
    tacho_str_hex(out, b->bytes, b->byte_count);
    tacho_str_putc(out, ',');
    tacho_csv_put(out, b->app, strlen(b->app));
    tacho_str_printf(out, ",0x%" PRIx64 ",", b->address);
    if (b->counted)
        tacho_str_printf(out, "%" PRIu64, b->count);
    tacho_str_putc(out, ',');
    tacho_csv_put(out, b->object, strlen(b->object));
    tacho_str_putc(out, '\n');
}

static void put_part(tacho_str *out, const tacho_extract_cover *c, uint64_t bytes, const char *what)
{
    if (bytes)
        tacho_str_printf(out, "; %" PRIu64 " (%.1f %%) %s", bytes,
                         100 * (double)bytes / (double)c->code_bytes, what);
}

/* How much of a file's code was reached, and what was not. One line, without a line end. */
static void report_extract_cover(tacho_str *out, const tacho_extract_cover *c)
{
    tacho_str_printf(out, "%s: %" PRIu64 " bytes of code in sections, %" PRIu64 " function%s known",
                     c->object, c->code_bytes, c->function_count, tacho_plural(c->function_count));
    put_part(out, c, c->reached_bytes, "reached");
    put_part(out, c, c->padding_bytes, "padding");
    put_part(out, c, c->inside_bytes, "in functions, where nothing known leads");
    put_part(out, c, c->outside_bytes, "in no function: data or unknown code");
    put_part(out, c, c->large_bytes, "in functions larger than 32 MB");
    if (c->unresolved_count)
        tacho_str_printf(out, "; %" PRIu64 " indirect jump%s with unknown targets", c->unresolved_count,
                         tacho_plural(c->unresolved_count));
}

/* ---- tacho extract: the basic blocks of files, or of a run, as a suite ---- */

typedef struct request {
    tacho_extract_options extract;
    const char *output;
    tacho_extract_run_options run;
    running running;
    cli_name run_option; /* one that only runs have; "": none was given */
    bool quiet;
    cli_words files;
    char **command; /* NULL: files */
} request;
#define CLI_REQUEST request

static bool take_app(void *target, const char *option, const char *value)
{
    tacho_extract_options *o = target;
    o->app = value;
    if (*value && !strchr(value, ';'))
        return true;
    return cli_error("%s is a name without ';', which joins several, not '%s'", option, value);
}

static const cli_option options[] = {
    {CLI_WORDS, "", 0, "FILE", NULL, CLI_AT(files)},
    {CLI_COMMAND, "--", 0, NULL, NULL, CLI_AT(command)},
    {CLI_STRING, "output", 'o', "FILE", "where the suite goes; default: standard output", CLI_AT(output)},
    {CLI_CALL, "app", 0, "NAME", "the application's name; default: base name of the file or command",
     CLI_AT(extract), .take = take_app},
    {CLI_CHOICE, "via", 0, "HOW auto|ptrace|step|valgrind",
     "how a run is watched: auto (default: valgrind if installed, else\nptrace), ptrace, step, valgrind",
     CLI_AT(run.via), CLI_MARK(run_option)},
    {CLI_SECONDS, "timeout", 0, "S", "end the run after S seconds; what was seen until then is kept",
     CLI_AT(run.timeout_seconds), CLI_MARK(run_option)},
    {CLI_WHOLE, "min-insns", 0, "N", "leave out blocks of fewer instructions", CLI_AT(extract.min_insns),
     .low = 1, .high = UINT32_MAX},
    {CLI_WHOLE, "max-insns", 0, "N", "leave out blocks of more instructions", CLI_AT(extract.max_insns),
     .low = 1, .high = UINT32_MAX},
    {CLI_SWITCH, "with-branch", 0, NULL, "keep the jump, call or return that ends a block",
     CLI_AT(extract.with_branch)},
    {CLI_SWITCH, "unique", 'u', NULL,
     "one row for blocks of the same bytes: the first address, all\napplications, the sum of the counts",
     CLI_AT(extract.unique)},
    {CLI_GROUP, .rows = running_rows, CLI_TO(running), CLI_MARK(run_option)},
    {CLI_SWITCH, "quiet", 'q', NULL, "say nothing of what was found and left out", CLI_AT(quiet)},
    {.kind = CLI_END},
};

/* What goes together. @return an exit status */
static int check(const request *r)
{
    if (r->extract.max_insns && r->extract.max_insns < r->extract.min_insns)
        return cli_usage_error("--max-insns %u is less than --min-insns %u", r->extract.max_insns,
                               r->extract.min_insns);
    if (!r->files.count && !r->command)
        return cli_usage_error("nothing to extract from: a file, or -- and a command");
    if (r->files.count && r->command)
        return cli_usage_error("either files or a command, not both: '%s'", r->files.list[0]);
    if (*r->run_option && !r->command)
        return cli_usage_error("%s goes with a command, after --", r->run_option);
    return CLI_OK;
}

/* ---- what is written ---- */

static bool write_rows(FILE *f, const tacho_extract *x)
{
    enum {
        FLUSH_BYTES = 1 << 16
    };
    TACHO_FREED tacho_str out = {0};
    report_extract_header(&out);
    for (size_t i = 0; i < x->count && !out.failed; i++) {
        report_extract_row(&out, &x->blocks[i]);
        if (out.length < FLUSH_BYTES)
            continue;
        fwrite(out.data, 1, out.length, f);
        tacho_str_clear(&out);
    }
    bool ok = !out.failed || cli_error("out of memory");
    if (ok)
        fwrite(out.data, 1, out.length, f);
    return ok;
}

static int write_suite(cli_output *to, const tacho_extract *x)
{
    bool ok = cli_output_begin(to) && write_rows(to->file, x);
    return ok && cli_output_end(to) ? CLI_OK : CLI_INPUT;
}

static void say_what(const tacho_extract *x)
{
    TACHO_FREED tacho_str text = {0};
    for (size_t i = 0; i < x->cover_count; i++) {
        tacho_str_clear(&text);
        report_extract_cover(&text, &x->covers[i]);
        if (!text.failed)
            cli_note("%s", text.data);
    }
    for (size_t i = 0; i < x->warning_count; i++)
        cli_note("%s", x->warnings[i]);
    cli_note("%zu block%s", x->count, tacho_plural(x->count));
    if (x->left_out)
        cli_note("%llu block%s shorter or longer than asked for", (unsigned long long)x->left_out,
                 x->left_out == 1 ? " was" : "s were");
}

static int extract_files(const request *r, tacho_extract *x)
{
    size_t failed = 0, done = 0;
    cli_signals_ask();
    for (; done < r->files.count && !cli_signals_asked(NULL); done++) {
        tacho_error err;
        if (tacho_extract_file(x, r->files.list[done], &err)) {
            cli_error("%s", err.message);
            failed++;
        }
    }
    if (failed && failed < r->files.count)
        cli_error("%zu of %zu files could not be analysed", failed, r->files.count);
    if (done < r->files.count)
        cli_note("%s: %zu of %zu files were looked at", cli_signals_words(), done, r->files.count);
    return failed == done ? CLI_INPUT : failed || done < r->files.count ? CLI_PARTIAL : CLI_OK;
}

/* ---- runs ---- */

static void say_run(const tacho_extract_run *run)
{
    char rate[80] = "";
    if (run->lost_count)
        cli_note("%llu time%s control was not where it was expected: blocks there are not counted",
                 (unsigned long long)run->lost_count, tacho_plural(run->lost_count));
    if (run->via != TACHO_EXTRACT_VIA_VALGRIND)
        snprintf(rate, sizeof rate, ", %llu thread%s beside", (unsigned long long)run->thread_count,
                 tacho_plural(run->thread_count));
    cli_note("via %s: %llu process%s%s; %llu instruction%s in %llu block%s, %.1f s",
             tacho_extract_via_name(run->via), (unsigned long long)run->process_count,
             run->process_count == 1 ? "" : "es", rate, (unsigned long long)run->executed_insns,
             tacho_plural(run->executed_insns), (unsigned long long)run->executed_blocks,
             tacho_plural(run->executed_blocks), run->seconds);
}

static int extract_run(request *r, tacho_extract *x)
{
    tacho_extract_run run;
    tacho_error err;
    cli_watch w;
    int status = cli_watch_command(&w, &r->running, r->output, r->quiet);
    if (status)
        return status;
    r->run.output = r->running.output;
    r->run.progress = cli_watch_progress;
    r->run.payload = &w;
    int rc = tacho_extract_run_command(x, r->command, &r->run, &run, &err);
    status = cli_watch_judge(&r->running, rc, &err, &run, r->quiet);
    if (status != CLI_OK && status != CLI_PARTIAL)
        return status;
    if (!r->quiet || !run.ended || run.lost_count)
        say_run(&run);
    return run.ended ? status : CLI_PARTIAL;
}

static int run_extract(void *asked)
{
    request *r = asked;
    tacho_extract *x;
    tacho_error err;
    cli_output to;
    int status = check(r);
    if (status)
        return status;
    if (tacho_extract_new(&x, &r->extract, &err))
        return cli_input_error("%s", err.message);
    if (!cli_output_open(&to, r->output)) {
        tacho_extract_free(x);
        return CLI_INPUT;
    }
    status = r->command ? extract_run(r, x) : extract_files(r, x);
    if (status == CLI_OK || status == CLI_PARTIAL) {
        int written = write_suite(&to, x);
        status = written ? written : status;
    }
    cli_output_drop(&to);
    if (!r->quiet && (status == CLI_OK || status == CLI_PARTIAL))
        say_what(x);
    tacho_extract_free(x);
    return status;
}

CLI_DEFINE(cli_extract, "extract", "the basic blocks of files, or of a run, as a suite",
           "[options] FILE... | -- COMMAND [ARGUMENT]...", options, help_extract, run_extract, request,
           .extract = TACHO_EXTRACT_OPTIONS_INIT, .run = TACHO_EXTRACT_RUN_OPTIONS_INIT,
           .running = RUNNING_INIT);
