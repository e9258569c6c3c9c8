/* learn_record.c - reads and writes what was measured elsewhere, or is to be. */
#include "learn/subject.h"

#include <strings.h>

#include "base/mem.h"
#include "base/table.h"
#include "tacho/code.h"
#include "x86/arch/loaded.h"

static const char *const registers[16] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                          "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

/* ---- reading ---- */

typedef struct columns {
    int hex, mode, cycles, flags, registers, app;
    tacho_mode all; /* where there is no column */
} columns;

static int find_columns(columns *c, const tacho_table *t, bool measured, tacho_error *err)
{
    const size_t length = strlen(t->name);
    const char *end = length > 6 ? t->name + length - 6 : "";
    *c = (columns){.hex = tacho_table_column(t, "hex"),
                   .mode = tacho_table_column(t, "mode"),
                   .cycles = tacho_table_column(t, "cycles"),
                   .flags = tacho_table_column(t, "flags"),
                   .registers = tacho_table_column(t, "registers"),
                   .app = tacho_table_column(t, "app"),
                   .all = strcasecmp(end, "_L.csv") ? TACHO_MODE_UNROLL : TACHO_MODE_LOOP};
    if (c->hex < 0 || (measured && c->cycles < 0))
        return tacho_error_set(err, TACHO_ERR_INPUT,
                               "%.300s: neither a journal of tacho learn nor a CSV file with a column '%s'",
                               t->name, c->hex < 0 ? "hex" : "cycles");
    if (c->mode < 0 && strcasecmp(end, "_L.csv") && strcasecmp(end, "_U.csv"))
        return tacho_error_set(
            err, TACHO_ERR_INPUT,
            "%.300s: no column 'mode' (U, L), and the name does not end in _U.csv or _L.csv", t->name);
    return 0;
}

/* dec r64; jnz to the beginning: 3 bytes and 2 or 6. */
static void drop_counter(subject_loop *loop)
{
    for (size_t jump = 2; jump <= 6; jump += 4) {
        if (loop->size < jump + 3)
            return;
        const uint8_t *dec = loop->code + loop->size - jump - 3;
        int32_t back = (int8_t)dec[4];
        if (jump == 6)
            memcpy(&back, dec + 5, sizeof back);
        if ((dec[0] & 0xfe) == 0x48 && dec[1] == 0xff && dec[2] >> 3 == 0x19 &&
            (jump == 2 ? dec[3] == 0x75 : dec[3] == 0x0f && dec[4] == 0x85) && back == -(int32_t)loop->size) {
            loop->size -= jump + 3;
            return;
        }
    }
}

/* "rbx=1f00;r8=0" */
static bool take_registers(const char *text, subject_loop *loop)
{
    while (*text) {
        char name[4], *end;
        const size_t length = strcspn(text, "=");
        unsigned r = 0;
        if (length >= sizeof name || !text[length])
            return false;
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        while (r < 16 && strcasecmp(name, registers[r]))
            r++;
        if (r == 16)
            return false;
        loop->values[r] = strtoull(text + length + 1, &end, 16);
        loop->known |= (uint16_t)(1u << r);
        if (end == text + length + 1 || (*end && *end != ';'))
            return false;
        text = end + (*end == ';');
    }
    return true;
}

static bool take_mode(const char *text, tacho_mode *out)
{
    const bool loop = !strcasecmp(text, "L") || !strcasecmp(text, "loop");
    *out = loop ? TACHO_MODE_LOOP : TACHO_MODE_UNROLL;
    return loop || !strcasecmp(text, "U") || !strcasecmp(text, "unroll");
}

/* *usable: it has code, and figures that are clean. */
static int take_row(const tacho_table *t, const columns *c, size_t row, bool measured, record_row *out,
                    bool *usable, tacho_error *err)
{
    const char *hex = tacho_table_cell(t, row, c->hex), *wrong = NULL;
    subject_loop *loop = &out->loop;
    double cycles = NAN;
    *out = (record_row){.block = *tacho_table_cell(t, row, c->app), .loop.mode = c->all};
    *usable = false;
    int has_cycles = tacho_table_number(t, row, c->cycles, &cycles);
    if (*tacho_table_cell(t, row, c->flags) || (measured && !has_cycles))
        return 0;
    if (measured && (has_cycles < 0 || !(cycles > 0)))
        wrong = "cycles";
    if (c->mode >= 0 && !take_mode(tacho_table_cell(t, row, c->mode), &loop->mode))
        wrong = "mode";
    if (!take_registers(tacho_table_cell(t, row, c->registers), loop))
        wrong = "registers";
    if (!*hex || strlen(hex) > 2 * LOOP_BYTES)
        wrong = "hex";
    if (!wrong) {
        loop->capacity = strlen(hex) / 2 + 1;
        loop->code = tacho_mem_zalloc(loop->capacity, 1);
        if (!loop->code)
            return tacho_no_memory(err);
        long size = tacho_hex_decode(loop->code, hex, strlen(hex), err);
        wrong = size <= 0 ? "hex" : NULL;
        loop->size = size > 0 ? (size_t)size : 0;
    }
    if (wrong)
        return tacho_error_set(err, TACHO_ERR_INPUT, "%.300s: line %zu: wrong %s", t->name, t->lines[row],
                               wrong);
    if (loop->mode == TACHO_MODE_LOOP)
        drop_counter(loop);
    loop->cycles = measured ? cycles : NAN;
    loop->status = measured ? TACHO_MEASURED_OK : TACHO_MEASURED_TIMEOUT;
    *usable = loop->size;
    return 0;
}

void record_free_rows(record_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        subject_loop_free(&rows[i].loop);
    tacho_mem_free(rows);
}

int record_read_rows(const char *path, bool measured, record_row **out, size_t *count, tacho_error *err)
{
    tacho_table t = {0};
    columns c;
    *out = NULL;
    *count = 0;
    int failed = tacho_table_read(&t, path, NULL, err);
    if (!failed)
        failed = find_columns(&c, &t, measured, err);
    if (!failed && !(*out = tacho_mem_zalloc(t.row_count + 1, sizeof **out)))
        failed = tacho_no_memory(err);
    for (size_t i = 0; i < t.row_count && !failed; i++) {
        bool usable;
        record_row *row = &(*out)[*count];
        failed = take_row(&t, &c, i, measured, row, &usable, err);
        if (failed || !usable)
            subject_loop_free(&row->loop);
        else
            ++*count;
    }
    tacho_table_free(&t);
    if (failed) {
        record_free_rows(*out, *count);
        *out = NULL;
        *count = 0;
    }
    return failed;
}

/* ---- writing ---- */

void record_put_questions(tacho_str *out, const subject_loop *loops, size_t count)
{
    tacho_str_puts(out, "hex,mode,registers,cycles\n");
    for (size_t i = 0; i < count; i++) {
        const char *between = "";
        tacho_str_hex(out, loops[i].code, loops[i].size);
        tacho_str_puts(out, loops[i].mode == TACHO_MODE_LOOP ? ",L," : ",U,");
        for (unsigned r = 0; r < 16; r++)
            if (loops[i].known >> r & 1) {
                tacho_str_printf(out, "%s%s=%" PRIx64, between, registers[r], loops[i].values[r]);
                between = ";";
            }
        tacho_str_puts(out, ",\n");
    }
}

/* ---- whose it is ---- */

const tacho_arch *record_core(const char *identity)
{
    char first[32] = "";
    processor p = {.vendor = OTHER_VENDOR};
    if (sscanf(identity, "%31s family %x model %x stepping %u", first, &p.family, &p.model, &p.stepping) < 4)
        return strstr(identity, " as modelled") ? tacho_arch_find(first, NULL) : NULL;
    p.vendor = !strcmp(first, "GenuineIntel")   ? GEN_INTEL
               : !strcmp(first, "AuthenticAMD") ? GEN_AMD
                                                : p.vendor;
    return tacho_processor_arch(&p);
}
