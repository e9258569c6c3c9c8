/* codes.c - blocks found by their code. */
#include "study/eval/eval_internal.h"

#include <ctype.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"

static uint64_t code_hash(const char *hex)
{
    uint64_t h = 0;
    for (; *hex; hex++)
        h = hash_add(h, (uint64_t)tolower((unsigned char)*hex));
    return h;
}

same_code *codes_find(const codes *c, const char *hex)
{
    hash_probe p = hash_find(&c->by_hex, code_hash(hex));
    while (hash_next(&p) && !tacho_str_same(c->list[p.item].hex, hex))
        continue;
    return p.item == HASH_INDEX_NONE ? NULL : &c->list[p.item];
}

int codes_add(codes *c, const char *hex, uint32_t block)
{
    if (tacho_mem_grow(&c->list, &c->capacity, c->count + 1, sizeof *c->list) ||
        hash_add_item(&c->by_hex, code_hash(hex), (uint32_t)c->count))
        return -1;
    c->list[c->count++] = (same_code){hex, block, block};
    return 0;
}

void codes_clear(codes *c)
{
    hash_index_clear(&c->by_hex);
    c->count = 0;
}

void codes_free(codes *c)
{
    hash_index_free(&c->by_hex);
    tacho_mem_free(c->list);
    *c = (codes){0};
}
