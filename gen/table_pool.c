/* table_pool.c - equal items, and runs of them, stored once: variants, latency lists, operand lists, figures.
 */
#include "table_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

pool operand_pool = {.name = "operands", .item = sizeof(tacho_form_operand)};
pool group_pool = {.name = "port groups", .item = sizeof(tacho_port_group)};
pool variant_pool = {.name = "variants", .item = sizeof(gen_variant)};
pool latency_pool = {.name = "latencies", .item = sizeof(tacho_latency)};
pool figures_pool = {.name = "figures", .item = sizeof(gen_figures)};

static void pool_rehash(pool *p)
{
    size_t count = p->slot_count ? 2 * p->slot_count : 1024;
    free(p->slots);
    p->slots = calloc(count, sizeof *p->slots);
    if (!p->slots)
        die("memory");
    p->slot_count = count;
    for (size_t i = 0; i < p->run_count; i++) {
        size_t s = hash_bytes(p->items + p->runs[i].start * p->item, p->runs[i].count * p->item);
        while (p->slots[s & (count - 1)])
            s++;
        p->slots[s & (count - 1)] = (uint32_t)i + 1;
    }
}

uint32_t pool_add(pool *p, const void *items, size_t count)
{
    if (count == 0)
        return 0;
    if (2 * p->run_count >= p->slot_count)
        pool_rehash(p);
    size_t s = hash_bytes(items, count * p->item);
    for (; p->slots[s & (p->slot_count - 1)]; s++) {
        size_t run = p->slots[s & (p->slot_count - 1)] - 1;
        if (p->runs[run].count == count &&
            memcmp(p->items + p->runs[run].start * p->item, items, count * p->item) == 0)
            return p->runs[run].start;
    }
    while (p->count + count > p->capacity) {
        p->capacity = p->capacity ? 2 * p->capacity : 1024;
        p->items = realloc(p->items, p->capacity * p->item);
        if (!p->items)
            die("memory");
    }
    memcpy(p->items + p->count * p->item, items, count * p->item);
    p->runs = grow(p->runs, p->run_count, sizeof *p->runs);
    p->runs[p->run_count].start = (uint32_t)p->count;
    p->runs[p->run_count].count = (uint32_t)count;
    p->slots[s & (p->slot_count - 1)] = (uint32_t)++p->run_count;
    p->count += count;
    if (p->count > GEN_NONE) {
        fprintf(stderr, "tacho-gen-tables: more than %d %s\n", GEN_NONE, p->name);
        exit(1);
    }
    return (uint32_t)(p->count - count);
}
