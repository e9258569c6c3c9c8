/* fuzz_reorder.c - object files whose functions are put elsewhere: what comes out is such a file, too, with
 * as many sections of code. */
#include <stdlib.h>

#include "base/mem.h"
#include "fuzz.h"
#include "study/relink/relink.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    reordered once, twice;
    if (reorder_object((const char *)data, size, size, &once))
        abort();
    if (!once.data)
        return 0;
    if (reorder_object(once.data, once.size, size, &twice) || twice.sections != once.sections)
        abort();
    TACHO_MEM_FREE(once.data, twice.data);
    return 0;
}
