/* fuzz_hex.c - hexadecimal text, in a buffer of the size that the header promises to be enough. */
#include <stdlib.h>

#include "fuzz.h"
#include "tacho/tools.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_error err;
    uint8_t *out = malloc(size / 2 + !(size / 2));
    long n = tacho_hex_decode(out, (const char *)data, size, &err);
    if (n > (long)(size / 2) || (n < 0 && (err.offset < 0 || (size_t)err.offset > size)))
        abort();
    free(out);
    return 0;
}
