/* loops_graph.c - a file opened for looking at its code, and the graph of one piece of it: where its
 * relocations, jump tables and imports say that control goes. */

#include "base/mem.h"
#include "binary/loops/finder.h"

static int load_relocs(reloc_list *out, const input_section *of, void *payload)
{
    const finder *f = payload;
    return relocs_load(out, &f->in, &f->image, of);
}

int finder_open(finder *f)
{
    int rc = input_open_image(&f->in, &f->image, &f->text_object, &f->text_size);
    f->tables.load = load_relocs;
    f->tables.payload = f;
    f->tables.image = &f->image;
    if (!rc)
        rc = functions_list(&f->functions, &f->in, &f->image);
    return rc ? rc : imports_list(&f->imports, &f->in, &f->image);
}

void finder_close(finder *f)
{
    input_image_close(&f->image);
    TACHO_MEM_FREE(f->text_object, f->functions.items, f->imports.items, f->spans.spans);
    relocs_free(&f->relocs);
    relocs_free(&f->tables.table_relocs);
    arena_free(&f->work);
}

static bool resolve(uint32_t offset, uint32_t length, uint32_t *target, void *payload)
{
    const finder *f = payload;
    return tacho_relocs_resolve(&f->relocs, f->span, offset, length, target);
}

static bool cases(cfg *g, uint32_t offset, void *payload)
{
    finder *f = payload;
    return f->image.elf && tacho_table_cases(g, offset, &f->tables);
}

static bool returns(cfg *g, const cfg_insn *call, void *payload)
{
    const char *name = loop_callee(payload, g, call);
    return !name || tacho_function_returns(name);
}

int finder_graph(finder *f, const code_span *span, const uint32_t *entries, size_t entry_count,
                 bool reached_only, cfg *g)
{
    arena_reset(&f->work);
    f->span = span;
    int rc = relocs_load(&f->relocs, &f->in, &f->image, span->section);
    if (rc)
        return rc;
    f->tables.section = span->section;
    f->tables.start = span->start;
    f->tables.relocs = &f->relocs;
    f->graph_code = (cfg_code){.bytes = span->section->bytes + span->start,
                               .size = (uint32_t)(span->end - span->start),
                               .entries = entries,
                               .entry_count = entry_count,
                               .reached_only = reached_only,
                               .resolve = f->relocs.count ? resolve : NULL,
                               .cases = cases,
                               .returns = returns,
                               .payload = f};
    return tacho_cfg_build(g, &f->work, &f->graph_code);
}
