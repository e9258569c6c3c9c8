/* reorder.h - object files whose functions lie otherwise: what moves the code of a program without compiling
 * it again. */
#ifndef TACHO_RELINK_REORDER_H
#define TACHO_RELINK_REORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    REORDER_LINE = 64,  /* bytes: room behind each section, at most, less one */
    REORDER_PAGE = 4096 /* ... and before all of them */
};

/** What of an object file moves. */
typedef struct reordered {
    char *data; /**< tacho_mem_free; NULL: nothing of it can be moved: it is no object file of x86-64, or has
                   no code */
    size_t size;
    uint32_t sections; /**< of code that move */
    bool is_whole;     /**< one of them is .text, with all functions that have no section of their own */
} reordered;

/** An object file with its sections of code in another order, and room behind each, as `key` decides: the
 *  same name has the same number in all files with this key. @return 0 or TACHO_ERR_MEMORY */
int reorder_object(const char *data, size_t size, uint64_t key, reordered *out);
/** An object file of nothing but room, to be the first of all. @return 0 or TACHO_ERR_MEMORY */
int reorder_room(uint64_t key, char **out, size_t *out_size);

#endif
