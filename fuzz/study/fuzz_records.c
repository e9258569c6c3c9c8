/* fuzz_records.c - any bytes as optimisation records of clang or gcc, or as what gcc prints: what is kept
 * says what it is about, and where. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "fuzz.h"
#include "study/records/records.h"

enum {
    MAX_BYTES = 20000
};

static void check(bool ok)
{
    if (!ok)
        abort();
}

static void drop(records *r)
{
    TACHO_MEM_FREE(r->list, r->kept);
    hash_index_free(&r->texts);
    arena_free(&r->memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    records r = {.count = 0};
    tacho_error err = {.message = ""};
    char *copy = size <= MAX_BYTES ? tacho_mem_strndup(size ? (const char *)data : "", size) : NULL;
    if (!copy)
        return 0;
    int rc = records_take(&r, copy, size, &err);
    check(rc == 0 || rc == 1 || ((rc == TACHO_ERR_INPUT || rc == TACHO_ERR_UNSUPPORTED) && err.message[0]));
    for (size_t i = 0; i < r.count; i++) {
        const tacho_remark *x = &r.list[i];
        check(x->file && *x->text && x->line && *tacho_remark_kind_name(x->kind) &&
              *tacho_remark_about_name(x->about));
    }
    drop(&r);
    tacho_mem_free(copy);
    return 0;
}
