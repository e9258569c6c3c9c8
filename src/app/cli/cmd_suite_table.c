/* cmd_suite_table.c - suites in memory: one or several CSV files as one list of blocks with the columns of
 * all.
 */
#include "app/cli/cmd_suite.h"
#include "app/cli/signals.h"

#include <errno.h>
#include <string.h>

#include "base/csv.h"
#include "base/mem.h"

enum {
    SHOWN_BAD_ROWS = 5,
    GATHERED_BYTES = 256 << 10
};

static bool no_memory(void)
{
    cli_error("out of memory");
    return false;
}

/* ---- columns ---- */

static const char *canonical(const char *name)
{
    return tacho_str_same(name, "apps") ? "app" : tacho_str_same(name, "hex") ? "hex" : name;
}

int suite_column(const suite *s, const char *name)
{
    for (size_t c = 0; c < s->column_count; c++)
        if (tacho_str_same(s->names[c], canonical(name)))
            return (int)c;
    return TACHO_TABLE_NONE;
}

/* Adds a column to the suite; files that were read before do not have it. */
static bool add_column(suite *s, const char *name)
{
    if (tacho_mem_grow(&s->names, &s->column_capacity, s->column_count + 1, sizeof *s->names))
        return no_memory();
    for (size_t f = 0; f < s->file_count; f++) {
        suite_file *file = &s->files[f];
        if (tacho_mem_grow(&file->columns, &file->capacity, s->column_count + 1, sizeof *file->columns))
            return no_memory();
        file->columns[s->column_count] = TACHO_TABLE_NONE;
    }
    s->names[s->column_count++] = name;
    return true;
}

/* Says which of the suite's columns those of the last file are. */
static bool map_columns(suite *s)
{
    suite_file *file = &s->files[s->file_count - 1];
    const tacho_table *t = &file->table;
    if (tacho_mem_grow(&file->columns, &file->capacity, s->column_count + 1, sizeof *file->columns))
        return no_memory();
    for (size_t c = 0; c < s->column_count; c++)
        file->columns[c] = TACHO_TABLE_NONE;
    if (!s->column_count && !add_column(s, "hex")) /* first, wherever it stands in the files */
        return false;
    for (size_t c = 0; c < t->column_count; c++) {
        const char *name = canonical(tacho_table_column_name(t, c));
        int column = suite_column(s, name);
        if (!*name)
            continue;
        if (column < 0) {
            column = (int)s->column_count;
            if (!add_column(s, name))
                return false;
        } else if (file->columns[column] != TACHO_TABLE_NONE) {
            cli_error("%s: two columns are called '%s'%s", t->name, name,
                      strcmp(name, "app") ? "" : " (or 'apps')");
            return false;
        }
        file->columns[column] = (int)c;
    }
    s->app = suite_column(s, "app");
    s->address = suite_column(s, "address");
    s->count = suite_column(s, "count");
    return true;
}

/* ---- reading ---- */

/* A column without a name, such as the second one of a file that does not name its columns, is empty. */
static bool check_columns(const tacho_table *t)
{
    for (size_t c = 0; c < t->column_count; c++)
        for (size_t row = 0; row < t->row_count && !*tacho_table_column_name(t, c); row++)
            if (*tacho_table_cell(t, row, (int)c)) {
                cli_error("%s: line %zu: field %zu belongs to no column; the first line of a suite names its "
                          "columns: hex,app,address,count",
                          t->name, t->lines[row], c + 1);
                return false;
            }
    return true;
}

static bool add_rows(suite *s, suite_file *file)
{
    const tacho_table *t = &file->table;
    size_t bytes = 0, used = 0;
    int column = tacho_table_column(t, "hex");
    tacho_error err;
    for (size_t row = 0; row < t->row_count; row++)
        bytes += strlen(tacho_table_cell(t, row, column)) / 2;
    file->code = tacho_mem_alloc(bytes + 1);
    if (!file->code ||
        tacho_mem_grow(&s->rows, &s->row_capacity, s->row_count + t->row_count, sizeof *s->rows))
        return no_memory();
    for (size_t row = 0; row < t->row_count; row++) {
        const char *hex = tacho_table_cell(t, row, column);
        uint8_t *code = file->code + used;
        long size = tacho_hex_decode(code, hex, strlen(hex), &err);
        bool bad = size <= 0 || size > UINT32_MAX;
        if (bad && !s->keep_bad) {
            if (s->bad_rows++ < SHOWN_BAD_ROWS)
                cli_error("%s: line %zu: %s; the row is left out", t->name, t->lines[row],
                          size < 0   ? err.message
                          : size > 0 ? "the block is too long"
                                     : "the block is empty");
            continue;
        }
        size = bad ? 0 : size;
        s->rows[s->row_count++] = (suite_row){code, (uint32_t)size, (uint32_t)(file - s->files), row};
        used += (size_t)size;
    }
    return true;
}

bool suite_read(suite *s, const char *path)
{
    tacho_error err;
    if (tacho_mem_grow(&s->files, &s->file_capacity, s->file_count + 1, sizeof *s->files))
        return no_memory();
    suite_file *file = &s->files[s->file_count];
    *file = (suite_file){0};
    /* The column without a name catches what a file without names has in a second one. */
    if (tacho_table_read(&file->table, path, "hex,", &err)) {
        cli_error("%s", err.message);
        return false;
    }
    s->file_count++;
    return check_columns(&file->table) && map_columns(s) && add_rows(s, file);
}

bool suite_read_all(suite *s, const cli_words *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        if (!suite_read(s, paths->list[i]))
            return false;
    return paths->count || suite_read(s, "-");
}

void suite_free(suite *s)
{
    for (size_t f = 0; f < s->file_count; f++) {
        tacho_table_free(&s->files[f].table);
        tacho_mem_free(s->files[f].code);
        tacho_mem_free(s->files[f].columns);
    }
    tacho_mem_free(s->files);
    tacho_mem_free(s->names);
    tacho_mem_free(s->rows);
    *s = (suite){0};
}

/* ---- fields ---- */

const char *suite_cell(const suite *s, const suite_row *row, int column)
{
    const suite_file *file = &s->files[row->file];
    return column < 0 ? "" : tacho_table_cell(&file->table, row->row, file->columns[column]);
}

const char *suite_place(const suite *s, const suite_row *row, char *out, size_t size)
{
    const tacho_table *t = &s->files[row->file].table;
    tacho_format_fit(out, size, "%s: line %zu", t->name, t->lines[row->row]);
    return out;
}

int suite_read_count(const suite *s, const suite_row *row, unsigned long long *out)
{
    char place[300];
    const char *text = suite_cell(s, row, s->count);
    if (!*text)
        return 0;
    if (tacho_parse_u64(text, out))
        return 1;
    cli_error("%s: the count is a whole number, not '%s'", suite_place(s, row, place, sizeof place), text);
    return -1;
}

/* ---- writing ---- */

void suite_put_other_names(tacho_str *out, const suite *s)
{
    for (size_t c = 1; c < s->column_count; c++) {
        tacho_str_putc(out, ',');
        tacho_csv_put(out, s->names[c], strlen(s->names[c]));
    }
}

void suite_put_names(tacho_str *out, const suite *s)
{
    tacho_str_puts(out, "hex");
    suite_put_other_names(out, s);
    tacho_str_putc(out, '\n');
}

void suite_put_hex(tacho_str *out, const suite_row *row)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < row->code_size; i++) {
        tacho_str_putc(out, digits[row->code[i] >> 4]);
        tacho_str_putc(out, digits[row->code[i] & 15]);
    }
}

void suite_put_apps(tacho_str *out, const char *apps)
{
    tacho_str list = {0};
    const char *name;
    size_t length;
    while (tacho_suite_next_app(&apps, &name, &length)) {
        if (list.length)
            tacho_str_putc(&list, ';');
        tacho_str_append(&list, name, length);
    }
    if (list.length)
        tacho_csv_put(out, list.data, list.length);
    out->failed |= list.failed;
    tacho_str_free(&list);
}

void suite_put_other_fields(tacho_str *out, const suite *s, const suite_row *row)
{
    for (size_t c = 1; c < s->column_count; c++) {
        const char *text = suite_cell(s, row, (int)c);
        tacho_str_putc(out, ',');
        if ((int)c == s->app)
            suite_put_apps(out, text);
        else
            tacho_csv_put(out, text, strlen(text));
    }
}

void suite_put_code(tacho_str *out, const suite *s, const suite_row *row)
{
    const char *text = suite_cell(s, row, 0);
    if (row->code_size)
        suite_put_hex(out, row);
    else
        tacho_csv_put(out, text, strlen(text));
}

void suite_put_row(tacho_str *out, const suite *s, const suite_row *row)
{
    suite_put_code(out, s, row);
    suite_put_other_fields(out, s, row);
    tacho_str_putc(out, '\n');
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
    if (to->file != stdout)
        cli_error("cannot write to %s: %s", to->name, strerror(errno));
    return false;
}

/* @return false with a message: a signal has come */
static bool may_go_on(const suite_output *to)
{
    if (!cli_signals_asked(NULL))
        return true;
    cli_error("%s: %s is not whole", cli_signals_words(), to->name);
    return false;
}

static bool write_text(suite_output *to)
{
    if (!may_go_on(to))
        return false;
    if (to->text.failed)
        return no_memory();
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

int suite_status(const suite *s)
{
    if (!s->bad_rows)
        return CLI_OK;
    cli_error("%zu of %zu rows were left out: their code is not hexadecimal, or none", s->bad_rows,
              s->bad_rows + s->row_count);
    return CLI_PARTIAL;
}
