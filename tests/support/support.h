/* support.h - what the tests of predictions share: assembling their own code, and their corpus of blocks. */
#ifndef TACHO_TEST_SUPPORT_H
#define TACHO_TEST_SUPPORT_H

#include <stdio.h>
#include "tacho/tools.h"

typedef struct test_block {
    uint8_t *bytes;
    size_t size;
} test_block;

/* Assembles Intel syntax, or takes bytes written as "hex:4801d8". Free with test_block_free. */
int test_block_make(test_block *out, const char *code, tacho_error *err);
void test_block_free(test_block *b);
/* Appends `dec r15; jnz` back to the start, to make a loop of it; exits when memory runs out. */
void test_block_close_loop(test_block *b);

/* Calls `each` with every block of a golden file (first field, hex) until it returns non-zero; `at` is the
 * line's number. Returns how many there were, -1 when the file cannot be read. */
long test_corpus_each(const char *path,
                      int (*each)(const test_block *b, long at, const char *rest, void *payload),
                      void *payload);

/* Cycles as tests write them: up to three decimals, "2.5", "10", "0.333". */
void test_cycles_text(char out[32], double cycles);

#endif
