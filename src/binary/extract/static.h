/* static.h - the search for blocks in a file: its code, tiled with spans, and where each is entered. */
#ifndef TACHO_EXTRACT_STATIC_H
#define TACHO_EXTRACT_STATIC_H

#include "binary/extract/extract_internal.h"
#include "binary/loops/finder.h"

/** A function or what lies between two of them. */
typedef struct tile {
    code_span span;
    bool function;
    bool dirty;        /* entered at places that its last graph did not know of */
    uint32_t *entries; /* offsets, sorted */
    size_t entry_count, entry_capacity;
} tile;

/** A place that something leads to. */
typedef struct root {
    size_t tile;
    uint32_t offset;
} root;

typedef struct searcher {
    finder f;
    extract_set *set;
    tacho_error *err;
    tile *tiles; /* in order of section and place; they cover the sections with code */
    size_t tile_count, tile_capacity;
    root *roots; /* found and not yet among the entries */
    size_t root_count, root_capacity;
    uint64_t *marks; /* addresses that code refers to, sorted */
    size_t mark_count, mark_capacity;
    tacho_extract_cover cover;
    const input_section *section; /* of `object` */
    const char *object;           /* what its blocks are said to lie in */
} searcher;

/* tiles.c */
/** Covers the sections with code by tiles; functions are entered at their start. */
int tiles_make(searcher *s);
/** Notes that something leads there; places that are no code are passed over. */
int tiles_enter(searcher *s, const input_section *section, uint64_t offset);
/** The same by address, in files that have addresses. */
int tiles_enter_address(searcher *s, uint64_t address);
/** Moves what was noted to the entries of the tiles. @return whether anything was new */
bool tiles_settle(searcher *s, int *rc);
void tiles_free(searcher *s);

/* roots.c */
/** Notes the places that the file itself names: the entry point, what the dynamic linker calls. */
int roots_find(searcher *s);

/* marks.c */
/** Finds the addresses that instructions in functions refer to relative to themselves, to tell where jump
 * tables end. */
int marks_find(searcher *s);

/* extract_blocks.c */
/** Cuts the code of a graph into blocks and adds them; counts what was reached and what was not. */
int blocks_add(searcher *s, const tile *t, const cfg *g);
/** Counts a tile that was not looked at. */
void blocks_count_rest(searcher *s, const tile *t);

#endif
