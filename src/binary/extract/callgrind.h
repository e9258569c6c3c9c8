/* callgrind.h - what callgrind has counted, from its files. */
#ifndef TACHO_EXTRACT_CALLGRIND_H
#define TACHO_EXTRACT_CALLGRIND_H

#include "base/bytemap.h"
#include "binary/extract/extract_internal.h"

/** Executions of each instruction, of all files that were read. Start with {0}. */
typedef struct callgrind_counts {
    char **objects; /* paths */
    size_t object_count, object_capacity;
    hash_index by_path;
    tacho_bytemap executed; /* by object and address */
    tacho_bytemap repeated; /* of these: times that an instruction was followed by itself */
    uint64_t unknown;       /* executions of code that lies in no file */
    /** In: gets all costs of an instruction, as text; once or several times for each. NULL: nobody wants them
     */
    void (*costs)(void *payload, uint32_t object, uint64_t address, const char *costs);
    void *payload;
} callgrind_counts;

/** A file, and what it is about. */
typedef struct callgrind_file {
    /** Callgrind knows the file of code in .text only. This tells that of an address in memory, and the
     * address in it; NULL where there is none. May be NULL */
    const char *(*locate)(uint64_t address, uint64_t *in_file, void *payload);
    void *payload;
    bool from_start; /* out: the counts begin where the process did */
} callgrind_file;

/** The same from memory; the text is changed, and 0 follows it. */
int callgrind_parse(callgrind_counts *c, char *text, callgrind_file *file, tacho_error *err);
/** Makes blocks of what was counted: instructions that follow each other and were executed equally often. */
int callgrind_blocks(const callgrind_counts *c, extract_set *x, tacho_extract_run *out, tacho_error *err);
/** Whether a file is part of valgrind, and what runs in it no code of the program. */
bool callgrind_is_valgrinds(const char *path);
void callgrind_free(callgrind_counts *c);

#endif
