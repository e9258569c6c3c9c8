/* region_markers.h - markers of regions in comments of assembly text: LLVM-MCA's and OSACA's. */
#ifndef TACHO_ASSEMBLE_REGION_MARKERS_H
#define TACHO_ASSEMBLE_REGION_MARKERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/private.h"
#include "tacho/error.h"

typedef struct region_marker {
    bool begin;       /* or else end */
    const char *name; /* in the text */
    size_t length;    /* 0: it has none */
} region_marker;

/** Whether the comment whose text goes from `comment` to the end of its line, or `end`, is a marker. */
TACHO_PRIVATE bool tacho_region_marker(const char *comment, const char *end, region_marker *out);

/** "#1}" in a name that a demangler wrote, {lambda()#1}: no comment begins there. */
static inline bool tacho_is_in_name(const char *at, const char *end)
{
    const char *c = at + 1;
    while (c < end && *c >= '0' && *c <= '9')
        c++;
    return c > at + 1 && c < end && *c == '}';
}

enum {
    REGIONS_MOST_OPEN = 1000
};

/** The regions as their markers come, by LLVM-MCA's rules. Begins as zeros. */
typedef struct region_list {
    struct {
        const char *name; /* borrowed */
        size_t length, number;
    } open[REGIONS_MOST_OPEN];
    size_t open_count, count; /* of all: they are numbered as they begin */
} region_list;

typedef enum region_step {
    REGION_WRONG = 0,
    REGION_BEGINS,
    REGION_ENDS,
    REGION_ENDS_FIRST, /* it has no begin: it is all that comes before, and number 0 */
} region_step;

/** What the next marker does, and to which region. REGION_WRONG: fills *err, without the line. */
TACHO_PRIVATE region_step tacho_region_step(region_list *list, const region_marker *m, size_t *number,
                                            tacho_error *err);

#endif
