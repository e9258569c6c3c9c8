/* loops_find.c - the search for loops, one piece of the code at a time. Each piece has its own graph, which
 * is freed when its loops are kept. So memory holds the largest function and the loops, not the whole file.
 */
#include "tacho/loops.h"

#include <string.h>

#include "base/mem.h"
#include "base/options_take.h"
#include "base/search.h"
#include "binary/loops/finder.h"

/* ---- one piece of code ---- */

static int add_loop(const cfg *g, uint32_t header, const uint32_t *members, uint32_t count, void *payload)
{
    finder *f = payload;
    if (f->out->loops.count < TACHO_MAX_LOOPS)
        return loop_add(f, g, header, members, count);
    f->too_many = true;
    return TACHO_ERR_LIMIT;
}

static int add_loops(finder *f, const cfg *g)
{
    int rc = tacho_cfg_each_loop(g, &f->work, add_loop, f);
    return f->too_many ? 0 : rc;
}

static int left_out(const finder *f, const char *why)
{
    return input_warn(&f->in, "%.80s at 0x%llx is left out: %s", f->span->name ? f->span->name : "the code",
                      (unsigned long long)loop_address(f, 0), why);
}

static int search_span(finder *f, const code_span *span)
{
    static const uint32_t entry = 0;
    cfg g;
    if (span->end - span->start > CFG_MAX_BYTES) {
        f->span = span;
        return left_out(f, "it is larger than 32 MB");
    }
    int rc = finder_graph(f, span, &entry, 1, false, &g);
    if (!rc)
        rc = tacho_cfg_find_loops(&g);
    if (rc == TACHO_ERR_LIMIT)
        return left_out(f, "its flow of control is too entangled");
    if (rc)
        return rc;
    f->out->loops.insn_count += g.insn_count;
    f->span_name = span->name ? loop_symbol(f, span->name) : NULL;
    return span->name && !f->span_name ? TACHO_ERR_MEMORY : add_loops(f, &g);
}

static void show_progress(finder *f, bool last)
{
    enum {
        STEP = 1 << 18
    };
    if (!f->options->progress || (!last && f->bytes_done - f->bytes_shown < STEP))
        return;
    f->bytes_shown = f->bytes_done;
    f->options->progress(f->bytes_done, f->bytes_all, f->options->payload);
}

static int search_spans(finder *f)
{
    int rc = 0;
    for (size_t i = 0; i < f->spans.count; i++)
        f->bytes_all += f->spans.spans[i].end - f->spans.spans[i].start;
    for (size_t i = 0; i < f->spans.count && !rc && !f->too_many; i++) {
        rc = search_span(f, &f->spans.spans[i]);
        f->bytes_done += f->spans.spans[i].end - f->spans.spans[i].start;
        show_progress(f, i + 1 == f->spans.count);
    }
    if (f->too_many && !rc)
        rc = input_warn(&f->in, "there are more than %d loops; the rest is left out", TACHO_MAX_LOOPS);
    f->out->loops.function_count = f->spans.count;
    return rc == TACHO_ERR_MEMORY ? tacho_no_memory(f->in.err) : rc;
}

/* ---- the whole input ---- */

/* Equally hot ones in the order of sections, as their names lie (keep_names): as parts of texts are. */
ORDER_AS(hottest_first, tacho_loop,
         ORDER(b->heat, a->heat) ?: ORDER(a->section, b->section) ?: ORDER(a->start, b->start));

/* Which debug information leads where: assembly text without .loc leads to its own lines. */
static int open_lines(finder *f)
{
    const input *in = &f->in;
    int rc = lines_open(&f->source, in, &f->image, in->out->data, in->out->size);
    if (rc || in->out->code.kind != TACHO_INPUT_ASSEMBLY)
        return rc;
    f->text = f->source;
    if (!f->text_object)
        return 0;
    f->text = NULL;
    rc = input_elf_open(in, &f->text_image, f->text_object, f->text_size);
    return rc ? rc : lines_open(&f->text, in, &f->text_image, f->text_object, f->text_size);
}

static void close_lines(finder *f)
{
    if (f->text != f->source)
        lines_close(f->text);
    lines_close(f->source);
    input_image_close(&f->text_image);
}

static int search(finder *f)
{
    int rc = finder_open(f);
    if (!rc)
        rc = open_lines(f);
    if (!rc)
        rc = spans_choose(&f->spans, &f->in, &f->image, &f->functions);
    return rc ? rc : search_spans(f);
}

/* Section names belong to the image, which goes. The copies lie in the order of the sections. */
static int keep_names(finder *f)
{
    loops_result *r = f->out;
    const char *last = NULL, *copy = NULL;
    size_t size = 1;
    for (size_t i = 0; i < f->image.section_count; i++)
        size += strlen(f->image.sections[i].name) + 1;
    char *end = arena_alloc_raw(&r->memory, size);
    if (!end)
        return tacho_no_memory(f->in.err);
    for (size_t i = 0; i < r->loops.count; i++) {
        if (r->list[i].section != last) {
            last = r->list[i].section;
            copy = end;
            end = stpcpy(end, last) + 1;
        }
        r->list[i].section = copy;
    }
    return 0;
}

OPTIONS_DEFINE(loops, TACHO_LOOPS_OPTIONS_INIT)

static int find(tacho_loops **out, const char *path, const void *data, size_t size, const char *name,
                const tacho_loops_options *options, tacho_error *err)
{
    tacho_loops_options o;
    finder f = {.options = &o};
    *out = NULL;
    int rc = OPTIONS_TAKE(loops, &o, options, err);
    if (rc || (rc = input_start(&f.in, path, data, size, name, &o.code, err)))
        return rc;
    loops_result *r = f.out = tacho_mem_zalloc(1, sizeof *r);
    if (!r) {
        tacho_code_free(&f.in.out->code);
        return tacho_no_memory(f.in.err);
    }
    r->code = f.in.out;
    rc = search(&f);
    if (!rc)
        rc = keep_names(&f);
    close_lines(&f);
    finder_close(&f);
    if (rc) {
        tacho_loops_free(&r->loops);
        return rc;
    }
    tacho_sort(r->list, r->loops.count, sizeof *r->list, hottest_first);
    r->loops.kind = r->code->code.kind;
    r->loops.loops = r->list;
    r->loops.warnings = r->code->code.warnings;
    r->loops.warning_count = r->code->code.warning_count;
    *out = &r->loops;
    return 0;
}

int tacho_loops_load(tacho_loops **out, const char *path, const tacho_loops_options *options,
                     tacho_error *err)
{
    return find(out, path, NULL, 0, NULL, options, err);
}

int tacho_loops_from_memory(tacho_loops **out, const void *data, size_t size, const char *name,
                            const tacho_loops_options *options, tacho_error *err)
{
    return find(out, NULL, data, size, name, options, err);
}

void tacho_loops_free(tacho_loops *loops)
{
    if (!loops)
        return;
    loops_result *r = (loops_result *)loops;
    tacho_code_free(&r->code->code);
    tacho_mem_free(r->list);
    arena_free(&r->memory);
    tacho_mem_free(r);
}

const char *tacho_branch_reason_name(tacho_branch_reason reason)
{
    static const char *const names[] = {"stays",     "avoids_calls", "in_line", "unequal",
                                        "not_taken", "longer",       "often"};
    return (unsigned)reason < sizeof names / sizeof *names ? names[reason] : "";
}

const char *tacho_loop_flag_name(uint32_t flag)
{
    static const char *const names[] = {"calls",     "calls_elsewhere", "indirect_jump",
                                        "bad_bytes", "irreducible",     "cold_place",
                                        "waits",     "no_path",         "switch"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (flag == 1u << i)
            return names[i];
    return "";
}
