/* extract_internal.h - what the files of src/binary/extract share: the set of blocks, and how code is cut
 * into them. */
#ifndef TACHO_EXTRACT_EXTRACT_H
#define TACHO_EXTRACT_EXTRACT_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/warnings.h"
#include "binary/loops/finder.h"
#include "tacho/extract.h"
#include "x86/decode/insn_struct.h"

/** A set of blocks and what owns it. */
typedef struct extract_set {
    tacho_extract result; /* first: the public pointer is to this */
    tacho_extract_options options;
    tacho_extract_block *blocks;
    size_t capacity;
    tacho_extract_cover *covers;
    size_t cover_capacity;
    warnings warnings;
    const char *app;     /* of what is being added; lives in `texts` */
    hash_index by_bytes; /* blocks, where they are merged */
    arena bytes;         /* of the blocks */
    arena texts;         /* names */
} extract_set;

/** How an instruction ends a block. */
typedef enum extract_end {
    EXTRACT_GOES_ON = 0,
    EXTRACT_BRANCH, /* jump, call, return: part of the block where that is asked for */
    EXTRACT_LEAVES, /* system call, trap: never part of it */
} extract_end;

enum {
    EXTRACT_PLACE_BYTES = 12
};
/** The key of an address in an object. */
static inline void extract_place_key(uint8_t key[EXTRACT_PLACE_BYTES], uint32_t object, uint64_t address)
{
    memcpy(key, &object, 4);
    memcpy(key + 4, &address, 8);
}

extract_end extract_end_of(const tacho_insn *insn);

/** A block as it is found. */
typedef struct extract_piece {
    const uint8_t *bytes;
    uint32_t byte_count, insn_count; /* without the branch; may be 0 */
    uint32_t branch_bytes;           /* of the branch behind them, 0 none */
    uint64_t address;
    uint64_t count;
    bool counted;
} extract_piece;

/* set.c. All return 0 or TACHO_ERR_MEMORY with a message. */
int extract_cover(extract_set *x, const tacho_extract_cover *cover, tacho_error *err);
int extract_add(extract_set *x, const char *object, const extract_piece *p, tacho_error *err);
int extract_warn(extract_set *x, tacho_error *err, const char *format, ...) TACHO_PRINTF(3, 4);
/** A copy that lives as long as the set; NULL when memory runs out. */
char *extract_text(extract_set *x, const char *text, tacho_error *err);
/** Sets x->app for what is added next: the option, or the base name of `path`. */
int extract_begin(extract_set *x, const char *path, tacho_error *err);

/* ---- the search for blocks in a file: its code, tiled with spans, and where each is entered ---- */

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

/** Notes the places that the file itself names: the entry point, what the dynamic linker calls. */
int roots_find(searcher *s);

/** Finds the addresses that instructions in functions refer to relative to themselves, to tell where jump
 * tables end. */
int marks_find(searcher *s);

/* extract_blocks.c */
/** Cuts the code of a graph into blocks and adds them; counts what was reached and what was not. */
int blocks_add(searcher *s, const tile *t, const cfg *g);
/** Counts a tile that was not looked at. */
void blocks_count_rest(searcher *s, const tile *t);

#endif
