/* cmd_suite_loops.c - tacho suite loops: each block as a loop, with a register that counts. */
#include "app/cli/suite/cmd_suite.h"
#include "app/cli/running.h"
#include "base/mem.h"

typedef enum unrolling {
    UNROLL_SHORT = 0,
    UNROLL_NONE,
    UNROLL_BOTH
} unrolling;

typedef struct request {
    const char *batch, *output;
    unrolling unroll;
    bool both, no_unroll;
    cli_words files;
} request;
#define CLI_REQUEST request

static const cli_option options[] = {
    SUITE_FILES_ROW,
    {CLI_STRING, "batch", 0, "FILE",
     "a block a line: CSV with hex in the column that a\nheader calls so, else the first; - for standard "
     "input; writes hex,loop_hex,unroll,register,error,\na row for each row",
     CLI_AT(batch)},
    {CLI_SWITCH, "both", 0, NULL, "short blocks both ways: once, and unrolled (two rows)", CLI_AT(both)},
    {CLI_SWITCH, "no-unroll", 0, NULL, "short blocks once", CLI_AT(no_unroll)},
    {CLI_STRING, "output", 'o', "FILE", "where the result goes (default: standard output)", CLI_AT(output)},
    {.kind = CLI_END},
};

/* The loop of a block: its code, and what else is said of it. */
typedef struct maker {
    uint8_t *out;
    size_t capacity;
    tacho_loop_variant variant;
    tacho_error err;
} maker;

/* @return false with m->err */
static bool make_loop(maker *m, const uint8_t *code, size_t size, bool unroll)
{
    if (tacho_mem_grow(&m->out, &m->capacity, size + TACHO_LOOP_EXTRA_BYTES, 1)) {
        tacho_no_memory(&m->err);
        return false;
    }
    return !tacho_suite_loop(m->out, &m->variant, code, size, unroll, &m->err);
}

static const char *register_name(const maker *m)
{
    return tacho_reg_name((tacho_reg){TACHO_REG_R64, m->variant.counter});
}

/* ---- rows to rows ---- */

typedef struct batch {
    const request *request;
    rows in;
    results results;
    tacho_str out;
    maker maker;
    uint8_t *code;
    size_t capacity;
    uint64_t count, failed;
    bool stopped; /* by a signal */
} batch;

static void put_field(tacho_str *out, const char *text, size_t length)
{
    tacho_csv_put(out, text, length);
    tacho_str_putc(out, ',');
}

static void put_variant(batch *b, const char *hex, size_t length)
{
    tacho_str *out = &b->out;
    put_field(out, hex, length);
    tacho_str_hex(out, b->maker.out, b->maker.variant.size);
    tacho_str_printf(out, ",%u,%s,\n", b->maker.variant.unroll, register_name(&b->maker));
}

static void put_failure(batch *b, const char *hex, size_t length)
{
    const char *why = b->in.problem ? b->in.problem : b->maker.err.message;
    tacho_str *out = &b->out;
    put_field(out, hex, length);
    tacho_str_puts(out, ",,,");
    tacho_csv_put(out, why, strlen(why));
    tacho_str_putc(out, '\n');
    b->failed++;
}

/* @return false with a message where the batch cannot go on */
static bool batch_row(batch *b, const char *hex, size_t length)
{
    unrolling unroll = b->request->unroll;
    maker *m = &b->maker;
    if (tacho_mem_grow(&b->code, &b->capacity, length / 2 + 1, 1))
        return cli_error("out of memory");
    long size = b->in.problem ? -1 : tacho_hex_decode(b->code, hex, length, &m->err);
    b->count++;
    if (size < 0 || !make_loop(m, b->code, (size_t)size, unroll == UNROLL_SHORT))
        put_failure(b, hex, length);
    else {
        put_variant(b, hex, length);
        if (unroll == UNROLL_BOTH && make_loop(m, b->code, (size_t)size, true) && m->variant.unroll > 1)
            put_variant(b, hex, length);
    }
    return true;
}

static bool write_out(batch *b)
{
    bool ok = results_write(&b->results, &b->out);
    tacho_str_clear(&b->out);
    return ok;
}

/* Whatever one read() delivers is answered at once, so that a program at the other end of a pipe gets its
 * answers without having to send more. */
static bool batch_rows(batch *b)
{
    const char *hex;
    size_t length;
    int got = ROWS_ERROR;
    tacho_str_puts(&b->out, "hex,loop_hex,unroll,register,error\n");
    bool ok;
    while ((ok = write_out(b)) && !b->stopped && (got = rows_next_hex(&b->in, &hex, &length)) == ROWS_GIVEN)
        do {
            if (!batch_row(b, hex, length))
                return false;
            b->stopped = cli_signals_asked(NULL);
        } while (!b->stopped && rows_next_read(&b->in, &hex, &length) == ROWS_GIVEN);
    b->stopped |= got == ROWS_STOPPED;
    return ok && (b->stopped || got == ROWS_END);
}

static int run_batch(const request *r)
{
    batch b = {.request = r};
    cli_signals_ask();
    if (!rows_open(&b.in, r->batch, &results_caller))
        return CLI_INPUT;
    bool ok = results_open(&b.results, r->output, &b.in, false) && batch_rows(&b);
    if (ok && b.failed)
        cli_error("%llu of %llu blocks failed", (unsigned long long)b.failed, (unsigned long long)b.count);
    int status = !ok ? CLI_INPUT : b.failed ? CLI_PARTIAL : CLI_OK;
    if (ok && b.stopped)
        status = results_say_stopped(&b.results, b.count);
    results_close(&b.results);
    rows_close(&b.in);
    tacho_str_free(&b.out);
    tacho_mem_free(b.maker.out);
    tacho_mem_free(b.code);
    return status;
}

/* ---- suites to a suite ---- */

/* Blocks of a suite by what became of them. */
typedef struct tally {
    size_t loops, unrolled, all_registers, other;
} tally;

static const char *const own_columns[] = {"block_hex", "unroll", "register"};
enum {
    OWN_COLUMNS = sizeof own_columns / sizeof *own_columns
};

static bool is_own_column(const char *name)
{
    for (size_t i = 0; i < OWN_COLUMNS; i++)
        if (tacho_str_same(own_columns[i], name))
            return true;
    return false;
}

static bool check_own_columns(const tacho_suite *s)
{
    for (size_t c = 0; c < s->column_count; c++)
        if (is_own_column(s->names[c]))
            return cli_error("%s: there is a column '%s' already: these are loops", s->files[0].table.name,
                             s->names[c]);
    return true;
}

static void put_loop_row(tacho_str *out, const tacho_suite *s, const tacho_suite_row *row, const maker *m)
{
    tacho_str_hex(out, m->out, m->variant.size);
    tacho_str_putc(out, ',');
    tacho_str_hex(out, row->code, row->code_size);
    tacho_str_printf(out, ",%u,%s", m->variant.unroll, register_name(m));
    tacho_suite_put_other_fields(out, s, row);
    tacho_str_putc(out, '\n');
}

static void count_failure(tally *t, const tacho_suite *s, const tacho_suite_row *row, const tacho_error *err)
{
    enum {
        SHOWN = 5
    };
    char place[300];
    if (err->code == TACHO_ERR_UNSUPPORTED)
        t->all_registers++;
    else if (t->other++ < SHOWN)
        cli_error("%s: %s", tacho_suite_place(s, row, place, sizeof place), err->message);
}

static void row_loops(suite_output *to, const tacho_suite *s, const tacho_suite_row *row, unrolling unroll,
                      maker *m, tally *t)
{
    if (!make_loop(m, row->code, row->code_size, unroll == UNROLL_SHORT)) {
        count_failure(t, s, row, &m->err);
        return;
    }
    t->loops++;
    t->unrolled += m->variant.unroll > 1;
    put_loop_row(&to->text, s, row, m);
    if (unroll != UNROLL_BOTH || !make_loop(m, row->code, row->code_size, true) || m->variant.unroll == 1)
        return;
    t->loops++;
    t->unrolled++;
    put_loop_row(&to->text, s, row, m);
}

static bool write_loops(const tacho_suite *s, const request *r, suite_output *to, tally *t)
{
    maker m = {0};
    bool ok = true;
    tacho_str_puts(&to->text, "hex");
    for (size_t i = 0; i < OWN_COLUMNS; i++)
        tacho_str_printf(&to->text, ",%s", own_columns[i]);
    tacho_suite_put_other_names(&to->text, s);
    tacho_str_putc(&to->text, '\n');
    for (size_t i = 0; i < s->row_count && ok; i++) {
        row_loops(to, s, &s->rows[i], r->unroll, &m, t);
        ok = suite_output_flush(to);
    }
    tacho_mem_free(m.out);
    return ok && suite_output_end(to);
}

static int run_suites(const request *r)
{
    TACHO_ENDS(tacho_suite_free) tacho_suite s = {0};
    TACHO_ENDS(suite_output_close) suite_output to = {0};
    tally t = {0};
    bool ok = suite_load(&s, &r->files) && check_own_columns(&s) && suite_output_open(&to, r->output) &&
              write_loops(&s, r, &to, &t);
    int status = CLI_INPUT;
    if (ok) {
        fprintf(stderr,
                "%zu block%s, %zu loop%s (%zu of them unrolled); no loop as all registers are used: %zu, for "
                "other reasons: %zu\n",
                s.row_count, tacho_plural(s.row_count), t.loops, tacho_plural(t.loops), t.unrolled,
                t.all_registers, t.other);
        status = suite_status(&s);
        status = t.other ? CLI_PARTIAL : status;
    }
    return status;
}

/* ---- the command ---- */

static int run_loops(void *asked)
{
    request *r = asked;
    if (r->both && r->no_unroll)
        return cli_usage_error("give one of --both and --no-unroll");
    r->unroll = r->both ? UNROLL_BOTH : r->no_unroll ? UNROLL_NONE : UNROLL_SHORT;
    if (r->batch && r->files.count)
        return cli_usage_error("give FILEs (suites) or --batch FILE, not both");
    return r->batch ? run_batch(r) : run_suites(r);
}

CLI_DEFINE(cli_suite_loops, "suite loops", "each block as a loop with a counter, short ones unrolled",
           "[options] [FILE ...] | --batch FILE", options, help_loops, run_loops, request, .batch = NULL);
