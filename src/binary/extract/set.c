/* set.c - the set of blocks: what is kept of what was found, merged where that is asked for. */

#include "base/hash.h"
#include "base/mem.h"
#include "base/options_take.h"
#include "binary/extract/extract_internal.h"

char *extract_text(extract_set *x, const char *text, tacho_error *err)
{
    char *copy = arena_text(&x->texts, text);
    if (!copy)
        tacho_no_memory(err);
    return copy;
}

int extract_begin(extract_set *x, const char *path, tacho_error *err)
{
    x->app = extract_text(x, x->options.app ? x->options.app : tacho_base_name(path), err);
    return x->app ? 0 : TACHO_ERR_MEMORY;
}

int extract_warn(extract_set *x, tacho_error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int rc = warnings_add(&x->warnings, 0, format, args);
    va_end(args);
    x->result.warnings = x->warnings.list;
    x->result.warning_count = x->warnings.count;
    return rc ? tacho_no_memory(err) : 0;
}

int extract_cover(extract_set *x, const tacho_extract_cover *cover, tacho_error *err)
{
    size_t count = x->result.cover_count;
    if (tacho_mem_grow(&x->covers, &x->cover_capacity, count + 1, sizeof *x->covers))
        return tacho_no_memory(err);
    x->result.covers = x->covers;
    x->covers[count] = *cover;
    x->covers[count].object = extract_text(x, cover->object, err);
    if (!x->covers[count].object)
        return TACHO_ERR_MEMORY;
    x->result.cover_count++;
    return 0;
}

/* ---- merging ---- */

/* The block that has these bytes; HASH_INDEX_NONE: none. */
static uint32_t find_block(const extract_set *x, uint64_t hash, const uint8_t *bytes, size_t count)
{
    hash_probe p = hash_find(&x->by_bytes, hash);
    while (hash_next(&p) &&
           !(x->blocks[p.item].byte_count == count && !memcmp(x->blocks[p.item].bytes, bytes, count)))
        continue;
    return p.item;
}

/* Whether `app` is one of the names in the list that ";" joins. */
static bool lists(const char *list, const char *app)
{
    size_t n = strlen(app);
    for (const char *at = list; at; at = strchr(at, ';')) {
        at += *at == ';';
        if (!strncmp(at, app, n) && (at[n] == ';' || !at[n]))
            return true;
    }
    return false;
}

static int merge(extract_set *x, tacho_extract_block *b, const extract_piece *p, tacho_error *err)
{
    b->count += p->count;
    b->counted |= p->counted;
    if (lists(b->app, x->app))
        return 0;
    size_t n = strlen(b->app), m = strlen(x->app) + 1;
    char *both = arena_alloc_raw(&x->texts, n + 1 + m);
    if (!both)
        return tacho_no_memory(err);
    memcpy(both, b->app, n);
    both[n] = ';';
    memcpy(both + n + 1, x->app, m);
    b->app = both;
    return 0;
}

/* ---- one more block ---- */

int extract_add(extract_set *x, const char *object, const extract_piece *p, tacho_error *err)
{
    const tacho_extract_options *o = &x->options;
    bool branch = o->with_branch && p->branch_bytes;
    uint32_t insns = p->insn_count + branch, bytes = p->byte_count + (branch ? p->branch_bytes : 0);
    if (!p->insn_count)
        return 0;
    if (insns < o->min_insns || (o->max_insns && insns > o->max_insns)) {
        x->result.left_out++;
        return 0;
    }
    if (x->result.count == UINT32_MAX - 1)
        return tacho_error_set(err, TACHO_ERR_LIMIT, "more than %u blocks", UINT32_MAX - 1);
    uint64_t hash = o->unique ? hash_bytes(p->bytes, bytes) : 0;
    uint32_t same = o->unique ? find_block(x, hash, p->bytes, bytes) : HASH_INDEX_NONE;
    if (same != HASH_INDEX_NONE)
        return merge(x, &x->blocks[same], p, err);
    size_t count = x->result.count;
    uint8_t *copy = arena_alloc_raw(&x->bytes, bytes);
    if (!copy || tacho_mem_grow(&x->blocks, &x->capacity, count + 1, sizeof *x->blocks) ||
        (o->unique && hash_add_item(&x->by_bytes, hash, (uint32_t)count)))
        return tacho_no_memory(err);
    memcpy(copy, p->bytes, bytes);
    x->result.blocks = x->blocks;
    x->blocks[count] = (tacho_extract_block){.bytes = copy,
                                             .byte_count = bytes,
                                             .insn_count = insns,
                                             .address = p->address,
                                             .count = p->count,
                                             .counted = p->counted,
                                             .app = x->app,
                                             .object = object};
    x->result.count++;
    return 0;
}

OPTIONS_DEFINE(extract, TACHO_EXTRACT_OPTIONS_INIT)

int tacho_extract_new(tacho_extract **out, const tacho_extract_options *options, tacho_error *err)
{
    tacho_extract_options o;
    *out = NULL;
    int rc = OPTIONS_TAKE(extract, &o, options, err);
    if (rc)
        return rc;
    extract_set *x = tacho_mem_zalloc(1, sizeof *x);
    if (!x)
        return tacho_no_memory(err);
    x->options = o;
    x->options.app = NULL;
    if (o.app && !(x->options.app = extract_text(x, o.app, err))) {
        tacho_extract_free(&x->result);
        return TACHO_ERR_MEMORY;
    }
    *out = &x->result;
    return 0;
}

void tacho_extract_free(tacho_extract *result)
{
    if (!result)
        return;
    extract_set *x = (extract_set *)result;
    warnings_free(&x->warnings);
    TACHO_MEM_FREE(x->blocks, x->covers);
    hash_index_free(&x->by_bytes);
    arena_free(&x->bytes);
    arena_free(&x->texts);
    tacho_mem_free(x);
}
