/* kernels_misses.c - for predictors named "memory:...": which instructions of a region miss which cache, as
 * callgrind simulates them with this machine's sizes (a run for each cache behind the first), and what the
 * lines of a piece take by the machine's streams (study/loop_data). Prefetching is that of these streams;
 * what a load that nobody foresaw waits is not in it, nor what it takes to write back a line that was loaded
 * before it was stored to.
 *
 * An instruction of a trace is found again by its place in its page and its bytes: the loader puts the object
 * anywhere, but at whole pages. */

#include "base/hash.h"
#include "base/mem.h"
#include "base/search.h"
#include "binary/extract/callgrind.h"
#include "study/kernels/kernels_internal.h"
#include "study/loop_data/streams_internal.h"
#include "x86/decode/insn_struct.h"

/* An instruction of the region, at the place where it was counted. */
typedef struct counted {
    uint64_t address;   /* first: they are searched for by it */
    const char *object; /* base name */
    uint64_t key;
    double executions, lines[TACHO_MEMORY_LEVELS][2]; /* missed by each level: read, written */
} counted;

typedef struct counting {
    counted *list;
    size_t count;
    const callgrind_counts *file;
    uint32_t level; /* that the second of the simulated caches stands for */
} counting;

static uint64_t key_of(uint64_t address, const uint8_t *bytes, size_t length)
{
    const uint64_t page = 4096;
    return hash_add(hash_bytes(bytes, length), address % page);
}

ORDER_BY(by_address, counted, address);
ORDER_BY(by_key, kernels_miss, key);
ORDER_BY(by_counted_key, counted, key);

static int list_instructions(counting *c, const tacho_kernel_variant *v, tacho_order *order, tacho_error *err)
{
    size_t most = 0;
    for (size_t b = 0; b < v->block_count; b++)
        most += v->blocks[b].insn_count;
    c->list = tacho_mem_zalloc(most + 1, sizeof *c->list);
    if (!c->list)
        return tacho_no_memory(err);
    for (size_t b = 0; b < v->block_count; b++) {
        const tacho_kernel_block *k = &v->blocks[b];
        tacho_insn insn;
        for (size_t at = 0; at < k->byte_count && c->count < most; at += insn.length) {
            if (tacho_decode(&insn, k->bytes + at, k->byte_count - at, NULL))
                break;
            c->list[c->count++] = (counted){.address = k->address + at,
                                            .object = k->object,
                                            .key = key_of(k->address + at, k->bytes + at, insn.length),
                                            .executions = (double)k->count};
        }
    }
    tacho_sort(c->list, c->count, sizeof *c->list, order);
    return 0;
}

int kernels_count_steps(const tacho_kernel_variant *v, const kernels_step *steps, size_t count,
                        double *executions, tacho_error *err)
{
    counting c = {.list = NULL};
    int rc = list_instructions(&c, v, by_counted_key, err);
    for (size_t i = 0; i < count && !rc; i++) {
        const kernels_step *s = &steps[i];
        const counted wanted = {.key = s->length ? key_of(s->address, s->bytes, s->length) : 0};
        const counted *found = tacho_find_sorted(&wanted, c.list, c.count, sizeof *c.list, by_counted_key);
        executions[i] = s->length && found ? found->executions : 0;
    }
    tacho_mem_free(c.list);
    return rc;
}

/* "Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw"; zeros at the end are left out. */
static void take_costs(void *payload, uint32_t object, uint64_t address, const char *costs)
{
    enum {
        EVENTS = 9,
        FIRST = 4,
        SECOND = 7
    };
    counting *c = payload;
    double event[EVENTS] = {0};
    const char *name = tacho_base_name(c->file->objects[object]);
    size_t i = tacho_count_below(c->list, c->count, sizeof *c->list, address);
    for (; i < c->count && c->list[i].address == address && strcmp(c->list[i].object, name) != 0; i++)
        continue;
    if (i == c->count || c->list[i].address != address)
        return;
    for (int n = 0; n < EVENTS && *costs; n++) {
        char *end;
        event[n] = (double)strtoull(costs, &end, 10);
        costs = end + (*end == ' ');
    }
    for (int write = 0; write < 2; write++) {
        if (c->level == 1)
            c->list[i].lines[0][write] += event[FIRST + write];
        c->list[i].lines[c->level][write] += event[SECOND + write];
    }
}

void kernels_cache_option(char out[48], const char *option, const tacho_memory_level *l, uint64_t ways)
{
    const uint64_t bytes = l->cpuid_bytes && l->cpuid_bytes < l->bytes ? l->cpuid_bytes : l->bytes;
    uint64_t sets = 1, lines = bytes / TACHO_MEMORY_LINE_BYTES;
    while (lines / sets / 2 >= ways)
        sets *= 2;
    snprintf(out, 48, "%s=%llu,%llu,%d", option,
             (unsigned long long)(lines / sets * sets * TACHO_MEMORY_LINE_BYTES),
             (unsigned long long)(lines / sets), TACHO_MEMORY_LINE_BYTES);
}

static int count_level(const tacho_kernels *k, size_t variant, counting *c,
                       char message[KERNELS_MESSAGE_SIZE], tacho_error *err)
{
    const tacho_memory_level *levels = k->options.memory->levels;
    callgrind_counts counts = {.costs = take_costs, .payload = c};
    char first[48], second[48];
    c->file = &counts;
    kernels_cache_option(first, "--D1", &levels[0], 8);
    kernels_cache_option(second, "--LL", &levels[c->level], 16);
    int rc = kernels_count_costs(k, variant, (const char *const[]){first, second}, &counts, message, err);
    callgrind_free(&counts);
    return rc;
}

/* The list as pieces ask for it: by key, in lines an execution. */
static int keep(const counting *c, kernels_misses *out, tacho_error *err)
{
    out->list = tacho_mem_zalloc(c->count + 1, sizeof *out->list);
    if (!out->list)
        return tacho_no_memory(err);
    for (size_t i = 0; i < c->count; i++) {
        kernels_miss *m = &out->list[out->count++];
        m->key = c->list[i].key;
        for (int n = 0; n < TACHO_MEMORY_LEVELS; n++)
            for (int write = 0; write < 2 && c->list[i].executions > 0; write++)
                m->lines[n][write] = c->list[i].lines[n][write] / c->list[i].executions;
    }
    tacho_sort(out->list, out->count, sizeof *out->list, by_key);
    return 0;
}

int kernels_take_misses(const tacho_kernels *k, size_t variant, kernels_misses *out,
                        char message[KERNELS_MESSAGE_SIZE], tacho_error *err)
{
    counting c = {.list = NULL};
    int rc = list_instructions(&c, &k->variants[variant], by_address, err);
    for (c.level = 1; c.level + 1 < k->options.memory->level_count && !rc && !*message; c.level++)
        rc = count_level(k, variant, &c, message, err);
    if (!rc && !*message)
        rc = keep(&c, out, err);
    tacho_mem_free(c.list);
    return rc;
}

int kernels_check_memory(const tacho_kernels *k, const tacho_arch *arch, tacho_error *err)
{
    return k->options.memory
               ? data_check_streams(k->options.memory, arch, err)
               : tacho_error_set(err, TACHO_ERR_UNSUPPORTED,
                                 "predictors named memory:... need a description of this machine's memory: "
                                 "'tacho doctor --memory' measures it");
}

/* Where an instruction lies. */
static uint64_t place_of(const kernels_piece *p, uint32_t at, uint32_t *part)
{
    if (!p->block.piece_count)
        return p->address + at;
    while (*part + 1 < p->block.piece_count && p->block.pieces[*part + 1].code_offset <= at)
        ++*part;
    return p->block.pieces[*part].address + (at - p->block.pieces[*part].code_offset);
}

double kernels_memory_cycles(const kernels_misses *m, const kernels_piece *p, const tacho_memory *memory,
                             const tacho_arch *arch)
{
    data_lines lines[TACHO_MEMORY_LEVELS] = {{0}};
    double loads = 0, stores = 0;
    tacho_insn insn;
    for (uint32_t at = 0, part = 0, n = 0; at < p->block.size; at += insn.length, n++) {
        if (tacho_decode(&insn, p->block.code + at, p->block.size - at, NULL))
            break;
        const kernels_miss wanted = {.key = key_of(place_of(p, at, &part), p->block.code + at, insn.length)};
        const kernels_miss *found = tacho_find_sorted(&wanted, m->list, m->count, sizeof *m->list, by_key);
        if (n < p->block.warm_up)
            continue;
        for (uint32_t i = 1; i < memory->level_count && found; i++) {
            lines[i].read += found->lines[i - 1][0];
            lines[i].written += found->lines[i - 1][1];
        }
        for (unsigned i = 0; i < insn.operand_count; i++)
            if (insn.operands[i].kind == TACHO_OPERAND_MEM) {
                loads += !!(insn.operands[i].access & TACHO_READ);
                stores += !!(insn.operands[i].access & TACHO_WRITE);
            }
    }
    return data_transfer_cycles(memory, arch, lines, memory->level_count - 1) +
           data_exposed_cycles(arch, loads, stores);
}

void kernels_free_misses(kernels_misses *m)
{
    tacho_mem_free(m->list);
    *m = (kernels_misses){.list = NULL};
}
