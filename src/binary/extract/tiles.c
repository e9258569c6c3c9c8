/* tiles.c - the sections with code, cut at the functions that symbols and .eh_frame know of, and the places
 * where each part is entered. */

#include "base/mem.h"
#include "base/search.h"
#include "binary/extract/static.h"

static int add_tile(searcher *s, const input_section *section, size_t start, size_t end, const char *name,
                    bool function)
{
    if (end <= start)
        return 0;
    if (tacho_mem_grow(&s->tiles, &s->tile_capacity, s->tile_count + 1, sizeof *s->tiles))
        return tacho_no_memory(s->err);
    s->tiles[s->tile_count++] = (tile){.span = {section, start, end, name}, .function = function};
    return 0;
}

/* Functions that begin inside another one are entries of that. */
static int tile_section(searcher *s, const input_section *section)
{
    const function_list *f = &s->f.functions;
    size_t at = 0;
    int rc = 0;
    for (size_t i = 0; i < f->count && !rc; i++) {
        const function_start *start = &f->items[i];
        if (start->section != section)
            continue;
        s->cover.function_count++;
        if (start->offset >= at) {
            size_t end = tacho_functions_end(f, i);
            rc = add_tile(s, section, at, start->offset, NULL, false);
            if (!rc)
                rc = add_tile(s, section, start->offset, end, start->name, true);
            at = end;
        }
        if (!rc)
            rc = tiles_enter(s, section, start->offset);
    }
    return rc ? rc : add_tile(s, section, at, section->size, NULL, false);
}

int tiles_make(searcher *s)
{
    int rc = 0;
    for (size_t i = 0; i < s->f.image.section_count && !rc; i++)
        if (s->f.image.sections[i].executable)
            rc = tile_section(s, &s->f.image.sections[i]);
    return rc;
}

/* The tile that holds the place; the number of tiles if none does. */
static size_t find_tile(const searcher *s, const input_section *section, uint64_t offset)
{
    size_t at;
    COUNT_BEFORE(at, s->tile_count, span_is_before(&s->tiles[at].span, section, offset));
    bool inside =
        at < s->tile_count && s->tiles[at].span.section == section && s->tiles[at].span.start <= offset;
    return inside ? at : s->tile_count;
}

int tiles_enter(searcher *s, const input_section *section, uint64_t offset)
{
    size_t i = find_tile(s, section, offset);
    if (i == s->tile_count || s->tiles[i].span.end - s->tiles[i].span.start > CFG_MAX_BYTES)
        return 0;
    if (tacho_mem_grow(&s->roots, &s->root_capacity, s->root_count + 1, sizeof *s->roots))
        return tacho_no_memory(s->err);
    s->roots[s->root_count++] = (root){i, (uint32_t)(offset - s->tiles[i].span.start)};
    return 0;
}

int tiles_enter_address(searcher *s, uint64_t address)
{
    const input_section *section = input_section_at(&s->f.image, address);
    return section && section->executable ? tiles_enter(s, section, address - section->address) : 0;
}

ORDER_BY_TWO(by_place, root, tile, offset);

ORDER_NUMBERS(by_number, uint32_t);

/* Adds those of the roots that are not among the entries yet. */
static int add_entries(searcher *s, tile *t, const root *roots, size_t count)
{
    size_t known = t->entry_count;
    for (size_t i = 0; i < count; i++) {
        if ((i && roots[i].offset == roots[i - 1].offset) ||
            tacho_find_sorted(&roots[i].offset, t->entries, known, sizeof *t->entries, by_number))
            continue;
        if (tacho_mem_grow(&t->entries, &t->entry_capacity, t->entry_count + 1, sizeof *t->entries))
            return tacho_no_memory(s->err);
        t->entries[t->entry_count++] = roots[i].offset;
    }
    t->dirty = t->entry_count > known;
    if (t->dirty)
        tacho_sort(t->entries, t->entry_count, sizeof *t->entries, by_number);
    return 0;
}

bool tiles_settle(searcher *s, int *rc)
{
    bool any = false;
    tacho_sort(s->roots, s->root_count, sizeof *s->roots, by_place);
    for (size_t i = 0; i < s->root_count && !*rc;) {
        size_t next = i + 1;
        while (next < s->root_count && s->roots[next].tile == s->roots[i].tile)
            next++;
        tile *t = &s->tiles[s->roots[i].tile];
        *rc = add_entries(s, t, &s->roots[i], next - i);
        any |= t->dirty;
        i = next;
    }
    s->root_count = 0;
    return any && !*rc;
}

void tiles_free(searcher *s)
{
    for (size_t i = 0; i < s->tile_count; i++)
        tacho_mem_free(s->tiles[i].entries);
    tacho_mem_free(s->tiles);
    tacho_mem_free(s->roots);
}
