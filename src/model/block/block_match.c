/* block_match.c - the second stage: what the table of the microarchitecture has of an instruction's form. */
#include "model/block/block.h"

#include <string.h>

int block_match(insn_facts *out, const block *b, uint32_t form)
{
    memset(out, 0, sizeof *out);
    if (tacho_form_get(form, &out->form) || tacho_form_figures(b->arch, form, &out->figures))
        return TACHO_ERR_UNSUPPORTED;
    out->same_core_fields =
        (uint8_t)tacho_arch_source_fields(b->arch, out->figures.source, TACHO_ORIGIN_SAME_CORE);
    out->other_core_fields =
        (uint8_t)tacho_arch_source_fields(b->arch, out->figures.source, TACHO_ORIGIN_OTHER_CORE);
    block_variant_figures(&out->figures, b->variants);
    return 0;
}
