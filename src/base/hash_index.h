/* hash_index.h - finds items of a list by a hash of their content: open addressing with linear probing, at
 * most half full. The list is the caller's; the index holds hashes and numbers only. */
#ifndef TACHO_BASE_HASH_INDEX_H
#define TACHO_BASE_HASH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HASH_INDEX_NONE UINT32_MAX

typedef struct hash_slot {
    uint32_t hash; /* folded */
    uint32_t item; /* one more than its number; 0: a free slot */
} hash_slot;

/** Start with {0}. */
typedef struct hash_index {
    hash_slot *slots;
    size_t slot_count, used;
} hash_index;

/** A search: for (p = hash_find(x, hash); hash_next(&p) && !same(p.item);) leaves the item that is the same,
 *  or HASH_INDEX_NONE. */
typedef struct hash_probe {
    const hash_index *index;
    size_t at;
    uint32_t hash;
    uint32_t item; /* HASH_INDEX_NONE once there is no further one */
} hash_probe;

static inline hash_probe hash_find(const hash_index *x, uint64_t hash)
{
    uint32_t folded = (uint32_t)(hash ^ hash >> 32);
    return (hash_probe){x, folded, folded, HASH_INDEX_NONE};
}

/** The next item of this hash. @return false: there is none */
static inline bool hash_next(hash_probe *p)
{
    const hash_index *x = p->index;
    p->item = HASH_INDEX_NONE;
    if (!x->slot_count)
        return false;
    for (;;) {
        const hash_slot *slot = &x->slots[p->at++ & (x->slot_count - 1)];
        if (!slot->item)
            return false;
        if (slot->hash == p->hash) {
            p->item = slot->item - 1;
            return true;
        }
    }
}

/** Adds an item, which is below HASH_INDEX_NONE and not there yet. @return -1 when memory runs out */
int hash_add_item(hash_index *x, uint64_t hash, uint32_t item);
/** Forgets all items; there is room for as many as there were. */
void hash_index_clear(hash_index *x);
void hash_index_free(hash_index *x);

#endif
