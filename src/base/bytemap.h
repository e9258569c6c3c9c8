/* bytemap.h - counts of short byte strings (a hash table). */
#ifndef TACHO_BASE_BYTEMAP_H
#define TACHO_BASE_BYTEMAP_H

#include <stddef.h>
#include <stdint.h>

enum {
    TACHO_BYTEMAP_KEY_MAX = 15
};

typedef struct tacho_bytemap_entry {
    uint8_t key[TACHO_BYTEMAP_KEY_MAX];
    uint8_t key_length; /**< 0: unused slot */
    uint64_t count;
    int32_t value; /**< the caller's */
} tacho_bytemap_entry;

/** Open addressing; start with {0}. */
typedef struct tacho_bytemap {
    tacho_bytemap_entry *slots;
    size_t slot_count, used;
} tacho_bytemap;

/** The entry of `key` (1 to TACHO_BYTEMAP_KEY_MAX bytes), made with count 0 if there is none. Valid until
 *  the next call. @return NULL when memory runs out. */
tacho_bytemap_entry *tacho_bytemap_at(tacho_bytemap *map, const uint8_t *key, size_t length);
/** The entry of `key`; NULL if there is none. */
const tacho_bytemap_entry *tacho_bytemap_find(const tacho_bytemap *map, const uint8_t *key, size_t length);
/** Makes *out, which is overwritten, another map with the same entries. @return 0, -1 when memory runs out */
int tacho_bytemap_copy(tacho_bytemap *out, const tacho_bytemap *map);
void tacho_bytemap_free(tacho_bytemap *map);

#endif
