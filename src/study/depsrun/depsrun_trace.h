/* depsrun_trace.h - a run as lackey tells it, and what comes of it: instructions with counts, and which load
 * read what which store wrote. */
#ifndef TACHO_DEPSRUN_TRACE_H
#define TACHO_DEPSRUN_TRACE_H

#include "base/bytemap.h"
#include "tacho/deps_run.h"

enum {
    INDEX_CACHE = 4096,
    TRACE_LINE_BYTES = 200,
    SHADOW_PAGE = 4096
};

/** Numbers of 64-bit keys, with a cache before the table. Start with {0}. */
typedef struct key_index {
    tacho_bytemap map;
    struct {
        uint64_t key;
        uint32_t number; /* + 1; 0: empty */
    } cache[INDEX_CACHE];
} key_index;

/** The last writer of each byte of a page. */
typedef struct shadow_page {
    uint64_t time[SHADOW_PAGE];   /* when it wrote, in executed instructions */
    uint32_t writer[SHADOW_PAGE]; /* its number + 1; 0: nothing was written */
} shadow_page;

typedef struct shadow {
    key_index numbers; /* of pages */
    shadow_page **pages;
    size_t page_count, page_capacity;
} shadow;

/* shadow.c */
/** The number of `key`, which becomes `fresh` if it has none. @return -1: memory ran out */
int64_t index_at(key_index *index, uint64_t key, uint32_t fresh);
void index_free(key_index *index);
/** @return false: memory ran out */
bool shadow_write(shadow *s, uint64_t address, uint32_t size, uint32_t writer, uint64_t time);
/** The page of an address; NULL: nothing was written there. */
const shadow_page *shadow_at(shadow *s, uint64_t address);
void shadow_free(shadow *s);

typedef struct trace_insn {
    tacho_deps_run_insn out;
    bool repeats; /* a string instruction with a prefix: the next iteration is no other execution */
    bool ends;    /* a block */
    bool entered; /* control came here by other ways than from the instruction before */
} trace_insn;

typedef struct trace_pair {
    tacho_deps_run_dependency out;
    uint64_t last;     /* when the target was last counted */
    uint64_t lifetime; /* then */
} trace_pair;

/** Start with {0}, and the lifetimes. */
typedef struct trace {
    const uint64_t *lifetimes;
    uint32_t lifetime_count;
    /** Called with each new instruction, to fill in its bytes and what they are; may be NULL. */
    void (*learn)(trace_insn *insn, void *payload);
    void *payload;
    trace_insn *insns;
    size_t insn_count, insn_capacity;
    key_index insn_numbers;
    trace_pair *pairs;
    size_t pair_count, pair_capacity;
    key_index pair_numbers;
    shadow shadow;
    uint64_t now;          /* instructions executed so far */
    uint32_t current;      /* instruction + 1; 0: none yet */
    uint64_t next_address; /* what follows it */
    uint64_t loads, stores;
    uint64_t bad_lines; /* that are nothing of lackey's */
    char message[160];  /* the first that valgrind itself says; "": none */
    char line[TRACE_LINE_BYTES];
    size_t line_length; /* of what has come of the next line; more than fits: it is too long */
    bool failed;        /* memory ran out */
} trace;

/** The next piece of text. Does nothing once memory has run out. */
void trace_feed(trace *t, const char *text, size_t size);
void trace_free(trace *t);

#endif
