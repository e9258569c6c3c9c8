/* hot_find.h - from samples to places: what the files of the search share. */
#ifndef TACHO_HOT_FIND_H
#define TACHO_HOT_FIND_H

#include <libelf.h>

#include "binary/loops/finder.h"
#include "x86/flow/path.h"
#include "program/hot/hot_internal.h"

/** A sample's place in an ELF file. */
typedef struct found_sample {
    uint64_t address; /* first, to be searched for; virtual */
    uint64_t offset;  /* in the file */
    uint64_t samples;
    double weight;
} found_sample;

/** How often a block of the file was executed. */
typedef struct found_count {
    uint64_t start; /* first, to be searched for */
    uint64_t end, count;
} found_count;

/** Two samples in a row, with their addresses in the ELF file. */
typedef struct found_pair {
    uint64_t before, after;
    const hot_pair *pair;
} found_pair;

/** An instruction of the file that windows saw. */
typedef struct found_site {
    uint64_t address; /* first, to be searched for */
    uint32_t number;  /* causes_site_at */
} found_site;

typedef struct found_sites {
    found_site *list; /* by address */
    size_t count, capacity;
} found_sites;

/** A file that is looked at; what places point into lives in it. */
typedef struct hot_file {
    const tacho_hot_object *object;
    uint32_t number; /* of the object */
    loops_result *loops;
    found_sample *samples;   /* sorted */
    found_sample *by_offset; /* the same, sorted by that */
    size_t sample_count, sample_capacity;
    found_count *counts; /* sorted */
    size_t count_count, count_capacity;
    tacho_hot_round *rounds; /* with addresses; by target */
    size_t round_count, round_capacity;
    found_pair *pairs;
    size_t pair_count, pair_capacity;
    found_sites sites;
    found_sites watched; /* instructions that touched watched lines: of hot_windows_watched */
} hot_file;

typedef struct hot_search {
    tacho_hot hot; /* first: the public pointer is to this */
    tacho_hot_place *places;
    size_t place_capacity;
    tacho_hot_function *functions;
    size_t function_capacity;
    hot_file **files;
    size_t file_count, file_capacity;
    warnings warnings;
    arena memory;
    const tacho_hot_profile *profile;
    tacho_hot_find_options options;
} hot_search;

/** Blocks of the graph of a span, and what fell into them. */
typedef struct found_blocks {
    const cfg *g;
    double *weights;
    uint64_t *samples;
    double *frequencies; /* as tacho_path_find wants them */
    bool counted;        /* ... from counts, not from samples */
    bool *heads;         /* it heads a loop that is a place */
} found_blocks;

int search_warn(hot_search *s, const char *format, ...) TACHO_PRINTF(2, 3);
/** The weight from which on a place is of interest. */
static inline double search_threshold(const hot_search *s)
{
    return s->options.min_share * s->profile->weight;
}

/* hot_file.c: all return 0 or TACHO_ERR_MEMORY */
/** Opens what the samples of object `number` lie in, and looks for places there; a file that cannot be used
 * is warned of, and its samples are elsewhere. */
int file_search(hot_search *s, uint32_t number);
void file_free(hot_file *file);
/** The first of the profile's samples in this object, or in a later one. */
size_t file_first_sample(const tacho_hot_profile *p, uint32_t object);
/** The executions of a block that begins there; below 0: not known. */
double file_count_at(const hot_file *file, uint64_t address);

/** Symbols and debug information that were packed apart. */
typedef struct debug_file {
    char *data; /* NULL: there is none */
    size_t size;
    input_image image; /* libelf's handle, and nothing else */
} debug_file;

/* debug_file.c */
/** The build-id of a file. @return its length, 0: it has none */
uint32_t elf_build_id(Elf *elf, uint8_t out[TACHO_HOT_BUILD_ID_BYTES]);
/** Finds and reads the debug file of a file. @return false: there is none */
bool debug_file_open(debug_file *d, const char *path, Elf *elf);
/** Adds its functions to the symbols of the file, whose image must be closed first. @return 0,
 * TACHO_ERR_MEMORY */
int debug_file_symbols(const debug_file *d, input_image *image);
void debug_file_close(debug_file *d);

/* jit.c */
/** Functions in code of no file, where the process has left their names. */
int jit_search(hot_search *s, uint32_t number);

/* jitdump.c */
/** The functions that samples (by address) fell into, as an ELF file (free it with tacho_mem_free), from the
 *  file that their process left. @return 0 with *elf, or with *why it cannot be read (static storage);
 *  TACHO_ERR_MEMORY */
int jitdump_read(const tacho_hot_sample *samples, size_t count, const char *path, char **elf, size_t *size,
                 const char **why);

/* places.c */
/** Puts down the loops and blocks of a span; f->span is it. */
int places_add(hot_search *s, hot_file *file, finder *f, cfg *g, const found_sample *samples, size_t count);

/* hot_causes.c: all return 0 or TACHO_ERR_MEMORY */
/** The instructions of the file that windows saw. */
int causes_take(const hot_search *s, hot_file *file, const input_image *image);
/** Adds instruction `number`, at an offset of the windows' objects, if it lies in the file. */
int causes_add_site(const hot_search *s, const hot_file *file, const input_image *image, uint32_t object,
                    uint64_t offset, uint32_t number, found_sites *list);
/** The first of those at an address. */
size_t causes_first_site(const found_sites *sites, uint64_t address);
void causes_sort_sites(found_sites *sites);
/** What windows show of a place's instructions; f->image is the file. */
int causes_add_to(const hot_search *s, const hot_file *file, finder *f, tacho_hot_place *p);

/** What an instruction of the file accesses in windows, as causes_addresses. */
size_t causes_seen_addresses(const hot_search *s, const hot_file *file, uint64_t insn, bool store,
                             uint64_t *out, size_t most);

/* hot_reuse.c: both return 0 or TACHO_ERR_MEMORY */
/** The instructions of the file whose lines were watched. */
int reuse_take(const hot_search *s, hot_file *file, const input_image *image);
/** What these say of the operands of all places. */
int reuse_add(hot_search *s);

/* hot_operands.c */
/** The place's operands in memory, and what its samples tell of them. @return 0, TACHO_ERR_MEMORY */
int operands_add_to(const hot_search *s, const hot_file *file, finder *f, tacho_hot_place *p);

/* observed.c */
/** Fills in what is known of the time of one execution. */
void hot_observe(const hot_search *s, const hot_file *file, tacho_hot_place *p);

/* observed_progress.c */
/** The same of a loop, where nothing else has said it. @return 0, TACHO_ERR_MEMORY */
int progress_observe(const hot_search *s, const hot_file *file, finder *f, const found_blocks *found,
                     uint32_t header, tacho_hot_place *place);

#endif
