/* hash_index.c - items of a list found by a hash of what they are. */
#include "base/hash_index.h"

#include <string.h>

#include "base/mem.h"

enum {
    FIRST_SLOTS = 256
};

static void put(hash_index *x, hash_slot item)
{
    size_t i = item.hash;
    while (x->slots[i & (x->slot_count - 1)].item)
        i++;
    x->slots[i & (x->slot_count - 1)] = item;
}

static int grow(hash_index *x)
{
    hash_index larger = {.slot_count = x->slot_count ? 2 * x->slot_count : FIRST_SLOTS, .used = x->used};
    larger.slots = tacho_mem_zalloc(larger.slot_count, sizeof *larger.slots);
    if (!larger.slots)
        return -1;
    for (size_t i = 0; i < x->slot_count; i++)
        if (x->slots[i].item)
            put(&larger, x->slots[i]);
    tacho_mem_free(x->slots);
    *x = larger;
    return 0;
}

int hash_add_item(hash_index *x, uint64_t hash, uint32_t item)
{
    if (2 * (x->used + 1) > x->slot_count && grow(x))
        return -1;
    put(x, (hash_slot){hash_find(x, hash).hash, item + 1});
    x->used++;
    return 0;
}

void hash_index_clear(hash_index *x)
{
    if (x->slots)
        memset(x->slots, 0, x->slot_count * sizeof *x->slots);
    x->used = 0;
}

void hash_index_free(hash_index *x)
{
    tacho_mem_free(x->slots);
    *x = (hash_index){0};
}
