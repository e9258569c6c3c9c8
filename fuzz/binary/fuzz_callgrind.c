/* fuzz_callgrind.c - what callgrind writes, damaged; and blocks made of what was counted. */
#include <stdlib.h>
#include <string.h>

#include "binary/extract/callgrind.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    callgrind_counts c = {0};
    callgrind_file file = {0};
    tacho_extract_run run = {0};
    tacho_extract *x;
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = '\0';
    if (!callgrind_parse(&c, text, &file, NULL) && !tacho_extract_new(&x, NULL, NULL)) {
        extract_set *set = (extract_set *)x;
        if (!extract_begin(set, "app", NULL) && !callgrind_blocks(&c, set, &run, NULL))
            for (size_t i = 0; i < x->count; i++)
                if (!x->blocks[i].insn_count || !x->blocks[i].count)
                    abort();
        tacho_extract_free(x);
    }
    callgrind_free(&c);
    free(text);
    return 0;
}
