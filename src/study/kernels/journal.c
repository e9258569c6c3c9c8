/* journal.c - what is known so far, in files of the work directory, so that a study can go on where it was
 * ended: variants.csv, of which the last row of a variant counts, and blocks.csv. Rows of variants whose
 * source, flags, compiler or processor have changed since do not count. */
#include <unistd.h>

#include "base/csv.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/table.h"
#include "study/kernels/kernels_internal.h"
#include "tacho/code.h"

#define VARIANT_COLUMNS                                                                                      \
    "id,source,status,message,same_as,file,code,instructions,accesses,misses,bytes,checksum,cycles,"         \
    "uncertainty,passes,clock,deadline,seal"
#define BLOCK_COLUMNS "id,source,address,insns,count,object,hex"
#define SEAL          "." /* ends a row: one without it was cut off */

static int cannot_write(const tacho_kernels *k, tacho_error *err)
{
    return tacho_error_set(err, TACHO_ERR_SYSTEM, "%.300s: cannot be written: %s", k->work, strerror(errno));
}

static int put_row(tacho_kernels *k, FILE *f, tacho_str *row, tacho_error *err)
{
    bool failed = row->failed;
    if (!failed && (fwrite(row->data, 1, row->length, f) != row->length || fflush(f))) {
        tacho_str_free(row);
        return cannot_write(k, err);
    }
    tacho_str_free(row);
    return failed ? tacho_no_memory(err) : 0;
}

static void put_text(tacho_str *row, const char *text)
{
    tacho_csv_put(row, text, strlen(text));
    tacho_str_putc(row, ',');
}

static void put_number(tacho_str *row, double value)
{
    if (!isnan(value))
        tacho_str_printf(row, "%.17g", value);
    tacho_str_putc(row, ',');
}

int kernels_write_variant(tacho_kernels *k, size_t variant, tacho_error *err)
{
    const tacho_kernel_variant *v = &k->variants[variant];
    const kernels_variant *own = &k->own[variant];
    tacho_str row = {0};
    if (!k->journal)
        return 0;
    put_text(&row, v->id);
    tacho_str_printf(&row, "%" PRIx64 ",%s,", own->source_hash, tacho_kernel_status_name(v->status));
    put_text(&row, v->message);
    put_text(&row, v->same_as < 0 ? "" : k->variants[v->same_as].id);
    tacho_str_printf(&row, "%" PRIx64 ",%" PRIx64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",",
                     own->file_hash, own->code_hash, v->instructions, v->accesses, v->misses, v->bytes);
    put_number(&row, v->checksum);
    put_number(&row, v->cycles);
    put_number(&row, v->uncertainty);
    tacho_str_printf(&row, "%u,%s,", v->passes, isnan(v->cycles) ? "" : tacho_clock_name(k->result.clock));
    put_number(&row, k->options.seconds);
    tacho_str_puts(&row, SEAL "\n");
    return put_row(k, k->journal, &row, err);
}

int kernels_write_blocks(tacho_kernels *k, size_t variant, tacho_error *err)
{
    const tacho_kernel_variant *v = &k->variants[variant];
    tacho_str lines = {0};
    if (!k->block_journal)
        return 0;
    for (size_t i = 0; i < v->block_count; i++) {
        const tacho_kernel_block *b = &v->blocks[i];
        put_text(&lines, v->id);
        tacho_str_printf(&lines, "%" PRIx64 ",%" PRIx64 ",%u,%" PRIu64 ",", k->own[variant].source_hash,
                         b->address, b->insn_count, b->count);
        put_text(&lines, b->object);
        tacho_str_hex(&lines, b->bytes, b->byte_count);
        tacho_str_putc(&lines, '\n');
    }
    return put_row(k, k->block_journal, &lines, err);
}

void kernels_close_journal(tacho_kernels *k)
{
    if (k->journal)
        fclose(k->journal);
    if (k->block_journal)
        fclose(k->block_journal);
    k->journal = k->block_journal = NULL;
}

/* ---- reading ---- */

/* A variant by its name. */
typedef struct named {
    const char *id;
    size_t variant;
} named;

ORDER_AS(by_id, named, strcmp(a->id, b->id));

typedef struct reading {
    tacho_kernels *k;
    named *names;
    tacho_table *table;
    int columns[20];
    size_t row;
    tacho_error *err;
} reading;

static const char *cell(const reading *r, int column)
{
    return tacho_table_cell(r->table, r->row, r->columns[column]);
}

static int64_t find(const reading *r, const char *id)
{
    const named wanted = {id, 0};
    const named *n =
        tacho_find_sorted(&wanted, r->names, r->k->result.variant_count, sizeof *r->names, by_id);
    return n ? (int64_t)n->variant : -1;
}

/* The variant that the row is about, if it still is what it was. */
static int64_t variant_of(const reading *r)
{
    int64_t v = find(r, cell(r, 0));
    return v >= 0 && strtoull(cell(r, 1), NULL, 16) == r->k->own[v].source_hash ? v : -1;
}

static tacho_kernel_status status_of(const char *name)
{
    for (int s = 0; s < TACHO_KERNEL_STATUS_COUNT; s++)
        if (!strcmp(name, tacho_kernel_status_name((tacho_kernel_status)s)))
            return (tacho_kernel_status)s;
    return TACHO_KERNEL_PENDING;
}

static tacho_clock clock_of(const char *name)
{
    for (int c = TACHO_CLOCK_PERF; c <= TACHO_CLOCK_TSC; c++)
        if (!strcmp(name, tacho_clock_name((tacho_clock)c)))
            return (tacho_clock)c;
    return TACHO_CLOCK_AUTO;
}

static double number_of(const char *text)
{
    return *text ? strtod(text, NULL) : NAN;
}

static int take_variant(reading *r)
{
    int64_t n = variant_of(r);
    if (n < 0 || strcmp(cell(r, 17), SEAL))
        return 0;
    tacho_kernel_variant *v = &r->k->variants[n];
    kernels_variant *own = &r->k->own[n];
    v->status = status_of(cell(r, 2));
    v->message = arena_text(&r->k->texts, cell(r, 3));
    v->same_as = *cell(r, 4) ? find(r, cell(r, 4)) : -1;
    own->file_hash = strtoull(cell(r, 5), NULL, 16);
    v->instructions = strtoull(cell(r, 7), NULL, 10);
    v->accesses = strtoull(cell(r, 8), NULL, 10);
    v->misses = strtoull(cell(r, 9), NULL, 10);
    v->bytes = strtoull(cell(r, 10), NULL, 10);
    v->checksum = number_of(cell(r, 11));
    v->cycles = number_of(cell(r, 12));
    v->uncertainty = number_of(cell(r, 13));
    v->passes = (uint32_t)strtoul(cell(r, 14), NULL, 10);
    if (!isnan(v->cycles))
        r->k->result.clock = clock_of(cell(r, 15));
    own->deadline = number_of(cell(r, 16));
    return v->message ? 0 : tacho_no_memory(r->err);
}

static int take_block(reading *r)
{
    int64_t n = variant_of(r);
    const char *hex = cell(r, 6);
    if (n < 0 || !*hex)
        return 0;
    tacho_kernel_variant *v = &r->k->variants[n];
    kernels_variant *own = &r->k->own[n];
    uint64_t address = strtoull(cell(r, 2), NULL, 16);
    for (size_t i = 0; i < v->block_count; i++) /* counted again: the last time counts */
        if (v->blocks[i].address == address && !strcmp(v->blocks[i].object, cell(r, 5))) {
            v->block_count = 0;
            break;
        }
    size_t capacity = v->block_count, size = strlen(hex) / 2;
    uint8_t *bytes = arena_alloc_raw(&r->k->texts, size + 1);
    const char *object = arena_text(&r->k->texts, cell(r, 5));
    if (!bytes || !object || tacho_mem_grow(&own->blocks, &capacity, v->block_count + 1, sizeof *own->blocks))
        return tacho_no_memory(r->err);
    v->blocks = own->blocks; /* it may have moved */
    long length = tacho_hex_decode(bytes, hex, strlen(hex), NULL);
    if (length <= 0)
        return 0;
    own->blocks[v->block_count++] =
        (tacho_kernel_block){.bytes = bytes,
                             .byte_count = (uint32_t)length,
                             .insn_count = (uint32_t)strtoul(cell(r, 3), NULL, 10),
                             .address = address,
                             .count = strtoull(cell(r, 4), NULL, 10),
                             .object = object};
    return 0;
}

static int read_rows(reading *r, const char *name, const char *columns, int (*take)(reading *))
{
    char path[KERNELS_PATH_SIZE];
    tacho_table table = {0};
    snprintf(path, sizeof path, "%.4000s/%s", r->k->work, name);
    if (access(path, F_OK))
        return 0;
    int rc = tacho_table_read(&table, path, NULL, r->err), column = 0;
    if (rc)
        return rc;
    r->table = &table;
    for (const char *at = columns; *at && !rc; column++) {
        char word[40];
        size_t n = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)n, at);
        r->columns[column] = tacho_table_column(&table, word);
        if (r->columns[column] < 0)
            rc = tacho_error_set(r->err, TACHO_ERR_INPUT,
                                 "%.300s: no column '%s': another version of tacho has made it", path, word);
        at += n + (at[n] == ',');
    }
    for (r->row = 0; r->row < table.row_count && !rc; r->row++)
        rc = take(r);
    tacho_table_free(&table);
    return rc;
}

/* Whether a variant is not, or no longer, what its row says: blocks are missing, others may miss the cache
 * now, the object has been built with other flags since, or there is more time than it had. What failed may
 * have failed for want of something that is there now: space, memory, a file that somebody removed. */
static bool is_outdated(const tacho_kernels *k, size_t variant)
{
    const tacho_kernel_variant *v = &k->variants[variant];
    const bool too_often = kernels_misses_too_often(k, v->accesses, v->misses);
    uint64_t instructions = 0;
    for (size_t b = 0; b < v->block_count; b++)
        instructions += v->blocks[b].count * v->blocks[b].insn_count;
    switch (v->status) {
    case TACHO_KERNEL_COUNTED:
        return instructions != v->instructions || too_often ||
               kernels_hash_object(k, variant) != k->own[variant].file_hash;
    case TACHO_KERNEL_OK:
    case TACHO_KERNEL_UNSTABLE:
        return instructions != v->instructions || too_often;
    case TACHO_KERNEL_CACHE_MISSES:
        return !too_often;
    case TACHO_KERNEL_TIMEOUT:
        return k->own[variant].deadline < k->options.seconds;
    case TACHO_KERNEL_NOT_COMPILED:
    case TACHO_KERNEL_CRASHED:
    case TACHO_KERNEL_FAILED:
        return true;
    default:
        return v->status == TACHO_KERNEL_MERGED && v->same_as < 0;
    }
}

/* Nothing is known of it. */
static void begin_again(tacho_kernel_variant *v)
{
    v->status = TACHO_KERNEL_PENDING;
    v->message = "";
    v->same_as = -1;
    v->cycles = v->uncertainty = NAN;
    v->passes = 0;
}

/* Rows without what they rest on do not count. */
static void drop_incomplete(tacho_kernels *k)
{
    bool measured = false;
    for (size_t i = 0; i < k->result.variant_count; i++) {
        tacho_kernel_variant *v = &k->variants[i];
        if (v->block_count)
            k->own[i].code_hash = kernels_hash_region(v->blocks, v->block_count);
        if (is_outdated(k, i))
            begin_again(v);
    }
    for (size_t i = 0; i < k->result.variant_count; i++) {
        tacho_kernel_variant *v = &k->variants[i];
        if (v->status == TACHO_KERNEL_MERGED && k->variants[v->same_as].status == TACHO_KERNEL_PENDING)
            begin_again(v);
        measured |= !isnan(v->cycles);
    }
    if (!measured)
        k->result.clock = TACHO_CLOCK_AUTO;
}

int kernels_read_journal(tacho_kernels *k, tacho_error *err)
{
    reading r = {.k = k, .err = err};
    r.names = tacho_mem_zalloc(k->result.variant_count + 1, sizeof *r.names);
    if (!r.names)
        return tacho_no_memory(err);
    for (size_t i = 0; i < k->result.variant_count; i++)
        r.names[i] = (named){k->variants[i].id, i};
    tacho_sort(r.names, k->result.variant_count, sizeof *r.names, by_id);
    int rc = read_rows(&r, "variants.csv", VARIANT_COLUMNS, take_variant)
                 ?: read_rows(&r, "blocks.csv", BLOCK_COLUMNS, take_block);
    tacho_mem_free(r.names);
    if (!rc)
        drop_incomplete(k);
    return rc;
}

/* ---- opening ---- */

static FILE *open_one(tacho_kernels *k, const char *name, const char *columns, bool *is_new)
{
    char path[KERNELS_PATH_SIZE];
    snprintf(path, sizeof path, "%.4000s/%s", k->work, name);
    FILE *f = fopen(path, "ae");
    *is_new = f && !fseek(f, 0, SEEK_END) && ftell(f) == 0;
    /* A line that was cut off ends here; its row does not count. */
    if (f && (fprintf(f, *is_new ? "%s\n" : "\n", columns) < 0 || fflush(f))) {
        fclose(f);
        return NULL;
    }
    return f;
}

int kernels_open_journal(tacho_kernels *k, tacho_error *err)
{
    bool is_new, unused;
    int rc = k->options.resume ? kernels_read_journal(k, err) : 0;
    if (rc)
        return rc;
    k->journal = open_one(k, "variants.csv", VARIANT_COLUMNS, &is_new);
    k->block_journal = k->journal ? open_one(k, "blocks.csv", BLOCK_COLUMNS, &unused) : NULL;
    return k->block_journal ? 0 : cannot_write(k, err);
}
