/* loops_graph.c - a file opened for looking at its code, and the graph of one piece of it: where its
 * relocations, jump tables and imports say that control goes. */

#include "base/mem.h"
#include "binary/loops/finder.h"

static int load_relocs(reloc_list *out, const input_section *of, void *payload)
{
    const finder *f = payload;
    return relocs_load(out, &f->in, &f->image, of);
}

static bool returns(cfg *g, const cfg_insn *call, void *reader)
{
    const code_reader *r = reader;
    const char *name = loop_callee(r->payload, g, call);
    return !name || tacho_function_returns(name);
}

int finder_open(finder *f)
{
    int rc = input_open_image(&f->in, &f->image, &f->text_object, &f->text_size);
    f->reader = (code_reader){.image = &f->image, .load = load_relocs, .returns = returns, .payload = f};
    if (!rc)
        rc = functions_list(&f->functions, &f->in, &f->image);
    return rc ? rc : imports_list(&f->imports, &f->in, &f->image);
}

void finder_close(finder *f)
{
    input_image_close(&f->image);
    TACHO_MEM_FREE(f->text_object, f->functions.items, f->imports.items, f->spans.spans);
    relocs_free(&f->reader.relocs);
    relocs_free(&f->reader.table_relocs);
    arena_free(&f->work);
}

int finder_graph(finder *f, const code_span *span, const uint32_t *entries, size_t entry_count,
                 bool reached_only, cfg *g)
{
    arena_reset(&f->work);
    f->span = span;
    return tacho_span_graph(g, &f->work, &f->reader, span, entries, entry_count, reached_only);
}
