/* bytemap.c - open addressing with linear probing, at most half full. */
#include "base/bytemap.h"

#include <string.h>

#include "base/mem.h"

static uint64_t hash(const uint8_t *key, size_t length)
{
    uint64_t h = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        h = (h ^ key[i]) * 1099511628211u;
    return h ^ h >> 32;
}

static tacho_bytemap_entry *find(tacho_bytemap_entry *slots, size_t count, const uint8_t *key, size_t length)
{
    size_t i = hash(key, length) & (count - 1);
    while (slots[i].key_length && (slots[i].key_length != length || memcmp(slots[i].key, key, length)))
        i = (i + 1) & (count - 1);
    return &slots[i];
}

static int enlarge(tacho_bytemap *map)
{
    size_t count = map->slot_count ? map->slot_count * 2 : 1024;
    tacho_bytemap_entry *slots = tacho_mem_zalloc(count, sizeof *slots);
    if (!slots)
        return -1;
    for (size_t i = 0; i < map->slot_count; i++)
        if (map->slots[i].key_length)
            *find(slots, count, map->slots[i].key, map->slots[i].key_length) = map->slots[i];
    tacho_mem_free(map->slots);
    map->slots = slots;
    map->slot_count = count;
    return 0;
}

tacho_bytemap_entry *tacho_bytemap_at(tacho_bytemap *map, const uint8_t *key, size_t length)
{
    if (map->used * 2 >= map->slot_count && enlarge(map))
        return NULL;
    tacho_bytemap_entry *e = find(map->slots, map->slot_count, key, length);
    if (!e->key_length) {
        memcpy(e->key, key, length);
        e->key_length = (uint8_t)length;
        map->used++;
    }
    return e;
}

const tacho_bytemap_entry *tacho_bytemap_find(const tacho_bytemap *map, const uint8_t *key, size_t length)
{
    const tacho_bytemap_entry *e = map->slot_count ? find(map->slots, map->slot_count, key, length) : NULL;
    return e && e->key_length ? e : NULL;
}

int tacho_bytemap_copy(tacho_bytemap *out, const tacho_bytemap *map)
{
    *out = (tacho_bytemap){0};
    if (!map->slot_count)
        return 0;
    out->slots = tacho_mem_alloc(map->slot_count * sizeof *out->slots);
    if (!out->slots)
        return -1;
    memcpy(out->slots, map->slots, map->slot_count * sizeof *out->slots);
    out->slot_count = map->slot_count;
    out->used = map->used;
    return 0;
}

void tacho_bytemap_free(tacho_bytemap *map)
{
    tacho_mem_free(map->slots);
    *map = (tacho_bytemap){0};
}
