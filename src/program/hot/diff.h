/* diff.h - what the files that compare two sides share. */
#ifndef TACHO_HOT_DIFF_INTERNAL_H
#define TACHO_HOT_DIFF_INTERNAL_H

#include "base/arena.h"
#include "tacho/hot_diff.h"

/** An instruction as far as compilations of the same source have it in common: registers, displacements and
 * targets are left out. */
typedef struct diff_token {
    uint64_t shape; /* of mnemonic and operands */
    uint16_t mnemonic;
    int32_t insn; /* number in the place */
} diff_token;

/** The code of a place. */
typedef struct diff_code {
    const diff_token *tokens;
    size_t count;
} diff_code;

/* diff_align.c: 0 or TACHO_ERR_MEMORY */
int diff_read_code(diff_code *out, arena *memory, const tacho_hot_place *place);
/** The likeness of two codes, 0 to 1: 1 where they are the same but for what tokens leave out.
 *  `pairs`: NULL, or room for both; with *count */
int diff_align(const diff_code *a, const diff_code *b, double *likeness, tacho_hot_pair *pairs,
               size_t *count);

/** Places that belong together. */
typedef struct diff_group {
    uint32_t *a, *b; /* numbers of places, most time first */
    size_t a_count, b_count;
    tacho_hot_match matched;
    double likeness;
} diff_group;

typedef struct diff_groups {
    diff_group *list;
    size_t count;
} diff_groups;

/* diff_sums.c */
/* The change of a part whose times are those of so many pairs of runs. `sampled`: the times were divided by
 * samples of these sides; NULL: they were not. */
void diff_judge_times(tacho_hot_change *c, const double *a, const double *b, size_t runs,
                      const tacho_hot_side *const sampled[2]);
/* Of the whole of such parts. */
void diff_judge_whole(tacho_hot_change *whole, const double *a, const double *b, size_t runs);
/* States and shares of all parts; their order is lost. */
void diff_judge_all(tacho_hot_change *list, size_t count, const tacho_hot_change *whole);

/* diff_threads.c: fills in what a diff has of elapsed time. @return 0 or TACHO_ERR_MEMORY */
int diff_threads(tacho_hot_diff *out, arena *memory, const tacho_hot_side *a, const tacho_hot_side *b,
                 double min_share);

/* diff_match.c */
/** Groups of all places of both sides: pairs, pairs with further loops that were made of the same one, and
 * places without a counterpart.
 *  @return 0 or TACHO_ERR_MEMORY */
int diff_match(diff_groups *out, arena *memory, const tacho_hot *a, const tacho_hot *b);
/** Whether both are the same file, so that addresses in them mean the same. */
bool diff_same_file(const tacho_hot_object *a, const tacho_hot_object *b);
/** A function's name without what compilers append to it (".constprop.0"). NULL: NULL. */
const char *diff_plain_name(arena *memory, const char *name);

#endif
