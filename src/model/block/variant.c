/* variant.c - simpler models, which show what a part of the model is worth: the variants of the uiCA paper,
 * section 6.2 and Table 4. Here are those that change timing and parameters before the run; the variant of
 * the front end is in program.c, that of the choice of ports in ports.c. */
#include "base/names.h"
#include "model/block/block.h"

#include <string.h>

enum {
    DECODED_MAX = 4,             /* µops that the complex decoder delivers; more are microcode */
    PUBLISHED_FORWARD_CYCLES = 4 /* whenever the load comes */
};

static void unfuse(tacho_variant *v)
{
    if (v->uops <= v->retire_slots)
        return;
    uint32_t decoded = v->uops_mite + v->uops - v->retire_slots, more = 0;
    if (decoded > DECODED_MAX) {
        more = decoded - DECODED_MAX;
        decoded = DECODED_MAX;
    }
    v->retire_slots = v->uops;
    v->uops_mite = (uint16_t)decoded;
    v->uops_ms = (uint16_t)(v->uops_ms + more);
    v->complex_decoder = 1;
    if (v->simple_decoders > DECODED_MAX - decoded)
        v->simple_decoders = (uint8_t)(DECODED_MAX - decoded);
}

static void block_variant_figures(tacho_figures *f, uint32_t variants)
{
    if (!(variants & TACHO_VARIANT_NO_MICRO_FUSION))
        return;
    unfuse(&f->base);
    unfuse(&f->indexed);
    unfuse(&f->same_register);
}

const tacho_arch *block_variant_arch(tacho_arch *copy, const tacho_arch *arch, uint32_t variants)
{
    const uint32_t changing = TACHO_VARIANT_NO_LSD_UNROLLING | TACHO_VARIANT_NO_MOVE_ELIMINATION |
                              TACHO_VARIANT_FULL_MOVE_ELIMINATION | TACHO_VARIANT_SIMPLE_MEMORY;
    if (!(variants & changing))
        return arch;
    *copy = *arch;
    if (variants & TACHO_VARIANT_NO_LSD_UNROLLING)
        memset(copy->lsd_unroll, 1, sizeof copy->lsd_unroll);
    if (variants & TACHO_VARIANT_NO_MOVE_ELIMINATION)
        copy->move_elim_slots_gpr = copy->move_elim_slots_simd = copy->immediate_sum_bits = 0;
    if (variants & TACHO_VARIANT_FULL_MOVE_ELIMINATION) {
        copy->move_elim_slots_gpr = copy->move_elim_slots_simd = TACHO_SLOTS_UNLIMITED;
        copy->move_elim_except_slot = 0;
    }
    if (variants & TACHO_VARIANT_SIMPLE_MEMORY)
        copy->forward_link_cycles = 0;
    if (variants & TACHO_VARIANT_SIMPLE_MEMORY && arch->forward_waiting_loads) {
        copy->forward_waiting_loads = 0;
        copy->forward_missed_cycles = 0;
        copy->store_forward_cycles = copy->store_forward_vector_cycles = PUBLISHED_FORWARD_CYCLES;
    }
    return copy;
}

NAMES_OF(tacho_variant_name, unsigned, "", "simple_front_end", "simple_port_assignment", "no_micro_fusion",
         "no_macro_fusion", "no_lsd_unrolling", "no_move_elimination", "full_move_elimination",
         "simple_memory")

/* The second stage: what the table of the microarchitecture has of an instruction's form. */
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
