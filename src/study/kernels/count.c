/* count.c - a variant's region under callgrind: how often each of its basic blocks is executed, and how many
 * of its accesses miss a first-level data cache of 32 KiB, 8 ways, lines of 64 bytes (Valgrind manual,
 * "Callgrind", "Cachegrind"). The loader's own instructions are left out. */
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "binary/extract/callgrind.h"
#include "study/kernels/kernels_internal.h"
#include "study/kernels/loader.h"

enum {
    MAX_OUTPUT_BYTES = 64 << 20
};

/* Numbers of a line like "totals: 1 2 3". @return how many */
static size_t numbers_of(const char *text, const char *label, uint64_t *out, size_t most)
{
    const char *at = strstr(text, label);
    size_t n = 0;
    for (at = at ? at + strlen(label) : ""; *at == ' '; at++) {
        char *end;
        uint64_t value = strtoull(at + 1, &end, 10);
        if (end == at + 1 || n == most)
            break;
        out[n++] = value;
        at = end - 1;
    }
    return n;
}

bool kernels_read_misses(const char *text, uint64_t *accesses, uint64_t *misses)
{
    enum { /* "events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw" */
        LOADS = 1,
        STORES = 2,
        LOAD_MISSES = 4,
        STORE_MISSES = 5,
        EVENTS = 9
    };
    uint64_t totals[EVENTS] = {0};
    if (!strstr(text, "\nevents: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw") ||
        !numbers_of(text, "\ntotals:", totals, EVENTS)) /* zeros at the end are left out */
        return false;
    *accesses = totals[LOADS] + totals[STORES];
    *misses = totals[LOAD_MISSES] + totals[STORE_MISSES];
    return true;
}

/* ---- blocks ---- */

/* Whether a block is the kernel's, not the loader's. */
static bool is_of_the_region(const tacho_extract_block *b)
{
    return strcmp(b->object, "tacho-kernel-loader") != 0 && !tacho_starts_with(b->object, "ld-linux") &&
           b->count;
}

/* Takes over the blocks, which are copied. @return -1 when memory runs out */
static int take_blocks(kernels_outcome *o, const tacho_extract *x)
{
    size_t bytes = 0, names = 0, count = 0;
    for (size_t i = 0; i < x->count; i++)
        if (is_of_the_region(&x->blocks[i])) {
            bytes += x->blocks[i].byte_count;
            names += strlen(x->blocks[i].object) + 1;
            count++;
        }
    o->blocks = tacho_mem_zalloc(count + 1, sizeof *o->blocks);
    o->objects = tacho_mem_zalloc(count + 1, sizeof *o->objects);
    o->code = tacho_mem_alloc(bytes + 1);
    o->names = tacho_mem_alloc(names + 1);
    if (!o->blocks || !o->objects || !o->code || !o->names)
        return -1;
    uint8_t *code = o->code;
    char *name = o->names;
    for (size_t i = 0; i < x->count; i++) {
        const tacho_extract_block *b = &x->blocks[i];
        if (!is_of_the_region(b))
            continue;
        memcpy(code, b->bytes, b->byte_count);
        strcpy(name, b->object);
        o->objects[o->block_count] = name;
        o->blocks[o->block_count++] = (tacho_kernel_block){.bytes = code,
                                                           .byte_count = b->byte_count,
                                                           .insn_count = b->insn_count,
                                                           .address = b->address,
                                                           .count = b->count};
        o->instructions += b->count * b->insn_count;
        code += b->byte_count;
        name += strlen(b->object) + 1;
    }
    return 0;
}

/* Out of callgrind's output, which is changed. */
static int read_blocks(kernels_outcome *o, char *text, tacho_extract *x, tacho_error *err)
{
    extract_set *set = (extract_set *)x;
    TACHO_ENDS(callgrind_free) callgrind_counts counts = {0};
    callgrind_file file = {NULL, NULL, false};
    tacho_extract_run run = {0};
    int rc = extract_begin(set, "kernel", err)
             ?: callgrind_parse(&counts, text, &file, err)
             ?: callgrind_blocks(&counts, set, &run, err);
    return !rc && take_blocks(o, x) ? tacho_no_memory(err) : rc;
}

static int read_and_take_blocks(kernels_outcome *o, char *text, tacho_error *err)
{
    tacho_extract_options options = TACHO_EXTRACT_OPTIONS_INIT;
    tacho_extract *x;
    options.with_branch = true;
    options.app = "kernel";
    int rc = tacho_extract_new(&x, &options, err);
    if (rc)
        return rc;
    rc = read_blocks(o, text, x, err);
    tacho_extract_free(x);
    return rc;
}

bool kernels_misses_too_often(const tacho_kernels *k, uint64_t accesses, uint64_t misses)
{
    return (double)misses > k->options.max_miss * (double)accesses;
}

static int take_output(const tacho_kernels *k, char *text, kernels_outcome *o, tacho_error *err)
{
    int rc = 0;
    if (!kernels_read_misses(text, &o->accesses, &o->misses)) {
        o->status = TACHO_KERNEL_FAILED;
        snprintf(o->message, sizeof o->message, "callgrind says nothing of the data cache");
    } else
        rc = read_and_take_blocks(o, text, err);
    if (rc || o->status != TACHO_KERNEL_PENDING)
        return rc;
    if (!o->block_count) {
        o->status = TACHO_KERNEL_FAILED;
        snprintf(o->message, sizeof o->message, "no instruction is executed in its region");
    } else if (kernels_misses_too_often(k, o->accesses, o->misses)) {
        o->status = TACHO_KERNEL_CACHE_MISSES;
        snprintf(o->message, sizeof o->message,
                 "%.0f %% of the accesses miss the first-level data cache, more than %.0f %%",
                 100 * (double)o->misses / (double)o->accesses, 100 * k->options.max_miss);
    } else
        o->status = TACHO_KERNEL_COUNTED;
    return 0;
}

/* ---- the run ---- */

static void take_control(const loader_control *c, kernels_outcome *o)
{
    o->bytes = c->bytes;
    o->checksum = c->values ? c->checksum : NAN;
}

int kernels_find_valgrind(char out[KERNELS_PATH_SIZE], tacho_error *err)
{
    if (tacho_process_find("valgrind", out, KERNELS_PATH_SIZE))
        return 0;
    return tacho_error_set(err, TACHO_ERR_UNSUPPORTED,
                           "valgrind, which counts, is not installed (on Debian: apt-get install valgrind)");
}

/* The options of callgrind's two caches. */
static const char *const usual_caches[2] = {"--D1=32768,8,64", "--LL=8388608,16,64"};

/* Runs a variant under callgrind with these caches. *text is what that wrote, where the status stays PENDING.
 */
static int run_callgrind(const tacho_kernels *k, size_t variant, const char *const caches[2],
                         kernels_run *run, char **text, tacho_kernel_status *status,
                         char message[KERNELS_MESSAGE_SIZE], tacho_error *err)
{
    char valgrind[KERNELS_PATH_SIZE], loader[KERNELS_PATH_SIZE], object[KERNELS_PATH_SIZE];
    char out[KERNELS_PATH_SIZE], out_option[KERNELS_PATH_SIZE + 32];
    size_t size;
    int rc = kernels_find_valgrind(valgrind, err);
    if (rc)
        return rc;
    kernels_loader_path(k, loader);
    kernels_object_path(k, variant, object);
    snprintf(out, sizeof out, "%.3600s/counts-%zu", k->work, variant);
    snprintf(out_option, sizeof out_option, "--callgrind-out-file=%s", out);
    const char *const argv[] = {valgrind,
                                "-q",
                                "--vgdb=no", /* its files stay where it is killed */
                                "--tool=callgrind",
                                "--cache-sim=yes",
                                "--I1=32768,8,64",
                                caches[0],
                                caches[1],
                                "--dump-instr=yes",
                                "--dump-line=no",
                                "--collect-jumps=yes",
                                "--collect-atstart=no",
                                out_option,
                                loader,
                                "count",
                                object,
                                NULL};
    rc = kernels_run_loader(run, argv, k->options.seconds, status, message, err);
    if (!rc && *status == TACHO_KERNEL_PENDING && tacho_file_read(out, MAX_OUTPUT_BYTES, text, &size)) {
        *status = TACHO_KERNEL_FAILED;
        snprintf(message, KERNELS_MESSAGE_SIZE, "callgrind's counts cannot be read: %s", strerror(errno));
    }
    unlink(out);
    return rc;
}

int kernels_count(const tacho_kernels *k, size_t variant, kernels_outcome *o, tacho_error *err)
{
    kernels_run run;
    TACHO_MEM_FREED char *text = NULL;
    int rc = kernels_run_open(&run, k, NULL, err)
                 ?: run_callgrind(k, variant, usual_caches, &run, &text, &o->status, o->message, err);
    if (!rc && text) {
        take_control(run.control, o);
        rc = take_output(k, text, o, err);
    }
    kernels_run_close(&run);
    return rc;
}

int kernels_count_costs(const tacho_kernels *k, size_t variant, const char *const caches[2],
                        callgrind_counts *counts, char message[KERNELS_MESSAGE_SIZE], tacho_error *err)
{
    tacho_kernel_status status = TACHO_KERNEL_PENDING;
    callgrind_file file = {NULL, NULL, false};
    kernels_run run;
    TACHO_MEM_FREED char *text = NULL;
    int rc = kernels_run_open(&run, k, NULL, err)
                 ?: run_callgrind(k, variant, caches, &run, &text, &status, message, err);
    if (!rc && text)
        rc = callgrind_parse(counts, text, &file, err);
    kernels_run_close(&run);
    return rc;
}
