/* frames.h - what .eh_frame says of an ELF file's functions. */
#ifndef TACHO_INPUT_FRAMES_H
#define TACHO_INPUT_FRAMES_H

#include "binary/input/input.h"
#include "x86/flow/code_search.h"

/** What is called for each function that .eh_frame describes, with the address of its table of exceptions, 0:
 * it has none. Not 0 ends the reading and is returned. */
typedef struct frame_reader {
    int (*each)(uint64_t start, uint64_t size, uint64_t table, void *payload);
    void *payload;
} frame_reader;
int frames_read(const input_image *image, const frame_reader *f);
/** Adds what .eh_frame says of functions. */
int frames_list(function_list *out, const input *in, const input_image *image);
/** Calls `each` with the places where the exceptions of a function are handled, as its table says. */
int frames_pads(const input_image *image, uint64_t function, uint64_t table,
                int (*each)(uint64_t address, void *payload), void *payload);

#endif
