/* book.h - what was executed: pieces of straight-line code, how often, and the files that they lie in. */
#ifndef TACHO_EXTRACT_BOOK_H
#define TACHO_EXTRACT_BOOK_H

#include "base/bytemap.h"
#include "base/hash_index.h"
#include "binary/extract/branch.h"
#include "binary/extract/extract_internal.h"

typedef struct book_segment { /* of a file: what of it is loaded where */
    uint64_t offset, size, address;
} book_segment;

typedef struct book_object {
    char *path;
    const char *name; /* as it is shown */
    book_segment *segments;
    size_t segment_count;
} book_object;

/** From where control came in to where it goes elsewhere, as the bytes lie. */
typedef struct book_record {
    uint32_t object;
    int32_t other;        /* one at the same address with other bytes; -1 none */
    uint64_t address;     /* in the file */
    const uint8_t *bytes; /* byte_count, and those of what ends it */
    uint32_t byte_count, insn_count;
    uint8_t
        end; /* an extract_end; GOES_ON: cut before what something else leads to, or where decoding ended */
    branch branch;
    uint64_t count;
} book_record;

typedef struct book {
    book_object *objects;
    size_t object_count, object_capacity;
    hash_index by_path; /* objects */
    book_record **records;
    size_t record_count, record_capacity;
    tacho_bytemap by_place;
    arena memory;
    tacho_error *err;
} book;

/** The object of a path as the kernel names it ("[vdso]" too); `read_from`: where the file can be read, NULL:
 * it is none. @return its number, -1 when memory runs out */
int64_t book_object_of(book *b, const char *path, const char *read_from);
/** The address in the file of what lies at this offset of it. */
uint64_t book_address(const book *b, uint32_t object, uint64_t offset);

/** Reads up to `size` bytes of code at a distance from the start of what is asked for. @return how many there
 * are */
typedef size_t (*book_reader)(uint64_t distance, uint8_t *out, size_t size, void *payload);
/** The record of the code that begins at this address, made if there is none with these bytes. NULL: memory
 * ran out. */
book_record *book_record_of(book *b, uint32_t object, uint64_t address, book_reader read, void *payload);

/** Cuts the records at each other's starts, so that none overlap (but where one begins inside an
 * instruction of another), and adds them to the set. */
int book_finish(book *b, extract_set *x, uint64_t *executed_blocks, uint64_t *executed_insns);
void book_free(book *b);

#endif
