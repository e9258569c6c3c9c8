/* functions.c - what of a file is to be looked at for loops: its functions, as symbols and .eh_frame have
 * them, or what the options choose. */
#include <string.h>

#include "base/search.h"
#include "binary/loops/finder.h"

int functions_list(function_list *out, const input *in, const input_image *image)
{
    int rc = tacho_functions_add(out, image, in->err);
    if (!rc)
        rc = frames_list(out, in, image);
    if (!rc)
        tacho_functions_sort(out);
    return rc;
}

/* A symbol that was asked for: a function, or a place inside one, from where it goes up to the function's
 * end. */
static int choose_symbol(span_list *out, const input *in, const input_image *image, const function_list *f)
{
    code_span span;
    input_span chosen;
    int rc = input_elf_select(in, image, &chosen);
    if (rc < 0)
        return rc;
    const input_symbol *s = input_find_symbol(image, in->options->symbol);
    const bool ends = !s || s->size; /* by .eh_frame, or the symbol's size */
    span = (code_span){chosen.section, chosen.start, ends ? chosen.end : chosen.section->size,
                       in->options->symbol};
    for (size_t i = 0; i < f->count && !ends; i++) {
        const function_start *next = &f->items[i];
        if (next->section == span.section && next->offset > span.start && next->offset < span.end)
            span.end = next->offset;
    }
    return tacho_spans_add(out, span, in->err);
}

static int choose_range(span_list *out, const input *in, const input_image *image, const function_list *f)
{
    input_span chosen;
    const tacho_code_options *o = in->options;
    if (in->out->code.kind == TACHO_INPUT_RAW || in->out->code.kind == TACHO_INPUT_HEX) {
        const input_section *s = &image->sections[0];
        if (o->range_start > o->range_end || o->range_end > s->size)
            return input_fail(in, TACHO_ERR_INPUT, 0, -1,
                              "the range is not within the %zu bytes of the input", s->size);
        return tacho_spans_add(out, (code_span){s, o->range_start, o->range_end, NULL}, in->err);
    }
    int rc = input_elf_select(in, image, &chosen);
    if (rc < 0)
        return rc;
    return tacho_spans_add(out,
                           (code_span){chosen.section, chosen.start, chosen.end,
                                       tacho_functions_name(f, chosen.section, chosen.start)},
                           in->err);
}

int spans_choose(span_list *out, const input *in, const input_image *image, const function_list *functions)
{
    const tacho_code_options *o = in->options;
    if (o->symbol)
        return choose_symbol(out, in, image, functions);
    if (o->has_range)
        return choose_range(out, in, image, functions);
    input_span only = {0};
    int rc = o->section ? input_elf_select(in, image, &only) : 0;
    if (rc < 0)
        return rc;
    return tacho_spans_of_image(out, image, functions, only.section, in->err);
}
