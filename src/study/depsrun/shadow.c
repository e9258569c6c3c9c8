/* shadow.c - who wrote each byte of memory last, and when. */

#include "base/hash.h"
#include "base/mem.h"
#include "study/depsrun/depsrun_trace.h"

/* ---- numbers of keys ---- */

static size_t cache_slot(uint64_t key)
{
    return (key * HASH_MULTIPLIER >> 40) % INDEX_CACHE;
}

/* @return -1: it has none */
static int64_t index_find(key_index *index, uint64_t key)
{
    size_t slot = cache_slot(key);
    if (index->cache[slot].number && index->cache[slot].key == key)
        return index->cache[slot].number - 1;
    const tacho_bytemap_entry *e = tacho_bytemap_find(&index->map, (const uint8_t *)&key, sizeof key);
    if (!e)
        return -1;
    index->cache[slot].key = key;
    index->cache[slot].number = (uint32_t)e->value + 1;
    return e->value;
}

int64_t index_at(key_index *index, uint64_t key, uint32_t fresh)
{
    int64_t known = index_find(index, key);
    if (known >= 0)
        return known;
    tacho_bytemap_entry *e =
        fresh < INT32_MAX ? tacho_bytemap_at(&index->map, (const uint8_t *)&key, sizeof key) : NULL;
    if (!e)
        return -1;
    e->value = (int32_t)fresh;
    return fresh;
}

void index_free(key_index *index)
{
    tacho_bytemap_free(&index->map);
}

/* ---- pages ---- */

const shadow_page *shadow_at(shadow *s, uint64_t address)
{
    int64_t number = index_find(&s->numbers, address / SHADOW_PAGE);
    return number < 0 ? NULL : s->pages[number];
}

static shadow_page *page_for_writing(shadow *s, uint64_t address)
{
    int64_t number = index_find(&s->numbers, address / SHADOW_PAGE);
    if (number >= 0)
        return s->pages[number];
    if (tacho_mem_grow(&s->pages, &s->page_capacity, s->page_count + 1, sizeof *s->pages))
        return NULL;
    shadow_page *page = tacho_mem_zalloc(1, sizeof *page);
    if (!page || index_at(&s->numbers, address / SHADOW_PAGE, (uint32_t)s->page_count) < 0) {
        tacho_mem_free(page);
        return NULL;
    }
    s->pages[s->page_count++] = page;
    return page;
}

bool shadow_write(shadow *s, uint64_t address, uint32_t size, uint32_t writer, uint64_t time)
{
    while (size) {
        size_t at = address % SHADOW_PAGE;
        uint32_t part = (uint32_t)(SHADOW_PAGE - at < size ? SHADOW_PAGE - at : size);
        shadow_page *page = page_for_writing(s, address);
        if (!page)
            return false;
        for (uint32_t i = 0; i < part; i++) {
            page->writer[at + i] = writer + 1;
            page->time[at + i] = time;
        }
        address += part;
        size -= part;
    }
    return true;
}

void shadow_free(shadow *s)
{
    for (size_t i = 0; i < s->page_count; i++)
        tacho_mem_free(s->pages[i]);
    tacho_mem_free(s->pages);
    index_free(&s->numbers);
}
