/* maps.h - what code is mapped in a process: a tree by addresses that processes share until one of them
 * changes it. */
#ifndef TACHO_HOT_MAPS_H
#define TACHO_HOT_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A mapping of code. */
typedef struct hot_map {
    uint64_t start, end, offset;
    uint32_t object;
} hot_map;

/** Mappings that do not overlap; NULL: none. */
typedef struct hot_maps hot_maps;

/** Another owner of the same mappings. */
hot_maps *maps_share(hot_maps *t);
/** Gives up what is owned. */
void maps_drop(hot_maps *t);
/** Maps [m->start, m->end), which is not empty; what was there is gone, or cut off. `rank`: a number that
 * nobody can foresee, other for each call. @return 0; -1: memory ran out, and mappings may be missing */
int maps_put(hot_maps **t, const hot_map *m, uint64_t rank);
/** The mapping that holds the address; NULL: none does. */
const hot_map *maps_find(const hot_maps *t, uint64_t address);
size_t maps_count(const hot_maps *t);

#endif
