/* fuzz_csv.c - splitting CSV: records cover the input, fields lie within records. */
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "fuzz.h"

static void check_fields(char *record, size_t length)
{
    char *end = record + length, *field, *rest = record;
    while (rest) {
        size_t n;
        char *from = rest;
        tacho_csv_field(from, (size_t)(end - from), &field, &n, &rest);
        if (field < record || field + n > end || (rest && (rest <= from || rest > end)))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size ? size : 1);
    memcpy(text, data, size);
    for (size_t at = 0; at < size;) {
        size_t next = 0, length = tacho_csv_record(text + at, size - at, &next);
        if (length == (size_t)-1)
            length = next = size - at;
        if (!next || length > next || next > size - at)
            abort();
        check_fields(text + at, length);
        at += next;
    }
    free(text);
    return 0;
}
