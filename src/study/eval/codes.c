/* codes.c - blocks found by their code: open addressing, at least half of the slots free. */
#include "study/eval/codes.h"

#include <ctype.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"

enum {
    FIRST_SLOTS = 1024
};

static uint64_t code_hash(const char *hex)
{
    uint64_t h = 0;
    for (; *hex; hex++)
        h = hash_add(h, (uint64_t)tolower((unsigned char)*hex));
    return h;
}

static code_slot *slot_of(const codes *c, const char *hex)
{
    size_t i = code_hash(hex) & (c->slot_count - 1);
    while (c->slots[i].first && !tacho_str_same(c->slots[i].hex, hex))
        i = (i + 1) & (c->slot_count - 1);
    return &c->slots[i];
}

/* Room for one more. @return -1 when memory runs out */
static int grow(codes *c)
{
    if (2 * (c->used + 1) <= c->slot_count)
        return 0;
    codes larger = {.slot_count = c->slot_count ? 2 * c->slot_count : FIRST_SLOTS, .used = c->used};
    larger.slots = tacho_mem_zalloc(larger.slot_count, sizeof *larger.slots);
    if (!larger.slots)
        return -1;
    for (size_t i = 0; i < c->slot_count; i++)
        if (c->slots[i].first)
            *slot_of(&larger, c->slots[i].hex) = c->slots[i];
    tacho_mem_free(c->slots);
    *c = larger;
    return 0;
}

uint32_t codes_find(const codes *c, const char *hex)
{
    return c->slot_count ? slot_of(c, hex)->first : 0;
}

code_slot *codes_slot(codes *c, const char *hex)
{
    return grow(c) ? NULL : slot_of(c, hex);
}

void codes_fill(codes *c, code_slot *slot, const char *hex, uint32_t first)
{
    *slot = (code_slot){hex, first, first};
    c->used++;
}

void codes_clear(codes *c)
{
    if (c->slots)
        memset(c->slots, 0, c->slot_count * sizeof *c->slots);
    c->used = 0;
}

void codes_free(codes *c)
{
    tacho_mem_free(c->slots);
    *c = (codes){0};
}
