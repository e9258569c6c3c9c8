/* explain_layout.c - advice for the front end: the place of the code, branches at 32-byte boundaries (JCC
 * erratum: Intel, Mitigations for Jump Conditional Code Erratum), length-changing prefixes, for which the
 * predecoder stops (uiCA paper, section 4.1.1), loops that the DSB or the LSD cannot hold. */
#include <stdio.h>

#include "model/explain/explain_internal.h"

enum {
    OFFSETS = 64,
    FINE_SEARCH_INSNS = 256, /* in longer code only multiples of 16 are tried */
    IDQ_LARGEST = 192,       /* what the simulator can hold */
    LINES_LARGEST = 16
};

/* A branch that is not fused because it starts at a 64-byte boundary. */
static bool branch_at_line(const subject *s)
{
    for (size_t i = 0; i < s->p->instruction_count; i++) {
        const tacho_insn_report *r = s->p->instructions[i];
        if (r->insn->is_conditional && (s->options.alignment + r->code_offset) % 64 == 0)
            return true;
    }
    return false;
}

/* Other offsets of the first byte, those that assemblers align to first. Only where the place can matter: to
 * the front end, or to macro-fusion. */
static void find_alignment(subject *s, variant_list *out)
{
    if (s->p->mode != TACHO_MODE_LOOP) /* else copies come by all offsets */
        return;
    if (explain_gain(s, TACHO_WHAT_FRONT_END) < 0.01 && !branch_at_line(s))
        return;
    uint32_t last = s->p->instruction_count > FINE_SEARCH_INSNS ? 16 : 1;
    for (uint32_t step = OFFSETS; step >= last; step /= 2)
        for (uint32_t offset = 0; offset < OFFSETS; offset += step) {
            bool seen = step < OFFSETS && offset % (2 * step) == 0;
            variant *v = seen || offset == s->options.alignment ? NULL : explain_add(s, out);
            if (v)
                v->options.alignment = offset;
        }
}

static void say_alignment(const subject *s, const variant *v, char *out, size_t size)
{
    if (v->options.alignment == 0)
        snprintf(out, size, "aligning the code to 64 bytes (now %u beyond)", s->options.alignment);
    else
        snprintf(out, size, "starting the code %u bytes after a 64-byte boundary (now %u)",
                 v->options.alignment, s->options.alignment);
}

static void find_jcc_erratum(subject *s, variant_list *out)
{
    tacho_arch *arch;
    if (explain_add_noted(s, out, TACHO_NOTE_JCC_ERRATUM, &arch))
        arch->branch_ends_dsb_block = true;
}

static void find_lcp(subject *s, variant_list *out)
{
    tacho_arch *arch;
    if (explain_add_noted(s, out, TACHO_NOTE_LCP, &arch))
        arch->lcp_penalty_cycles = 0;
}

/* A loop takes it from the decoders at least at times. */
static bool is_decoded(const subject *s, uint32_t i)
{
    return s->p->instructions[i]->uops_mite > 0;
}

static void find_dsb_capacity(subject *s, variant_list *out)
{
    tacho_arch *arch;
    bool decodes = s->p->source == TACHO_SOURCE_MITE || s->p->source == TACHO_SOURCE_MIXED;
    variant *v = s->p->mode == TACHO_MODE_LOOP && decodes ? explain_add_arch(s, out, &arch) : NULL;
    if (!v)
        return;
    arch->dsb_lines_per_block = LINES_LARGEST;
    v->insns = explain_find_insns(s, is_decoded, &v->insn_count);
}

static void say_dsb_capacity(const subject *s, const variant *v, char *out, size_t size)
{
    char insns[EXPLAIN_INSNS_TEXT];
    snprintf(out, size,
             "fewer µops in the %u-byte blocks of %s, which need more than the DSB's %u lines of %u µops",
             s->p->arch->dsb_block_bytes, explain_insns_text(v, insns, sizeof insns),
             s->p->arch->dsb_lines_per_block, s->p->arch->dsb_line_uops);
}

static double delivered_uops(const subject *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->p->instruction_count; i++) {
        const tacho_insn_report *r = s->p->instructions[i];
        sum += r->uops_mite + r->uops_ms + r->uops_dsb + r->uops_lsd;
    }
    return sum;
}

static void find_lsd_capacity(subject *s, variant_list *out)
{
    tacho_arch *arch;
    if (s->p->mode != TACHO_MODE_LOOP || !s->p->arch->lsd_enabled || s->p->source == TACHO_SOURCE_LSD ||
        delivered_uops(s) <= s->p->arch->idq_entries || !explain_add_arch(s, out, &arch))
        return;
    arch->idq_entries = IDQ_LARGEST;
}

static void say_lsd_capacity(const subject *s, const variant *v, char *out, size_t size)
{
    snprintf(out, size, "a loop that fits the LSD (at most %u µops; now %.0f)", s->p->arch->idq_entries,
             delivered_uops(s));
}

ADVICE(alignment, COUNT, .find = find_alignment, .say = say_alignment);
ADVICE(jcc_erratum, FRONT_END, .find = find_jcc_erratum,
       .words = {"moving the branch of ",
                 " off the 32-byte boundary that it touches (JCC erratum: the DSB does not hold such code)"});
ADVICE(lcp, FRONT_END, .find = find_lcp,
       .words = {"no length-changing prefix in ",
                 " (a 16-bit immediate; put it in a register, or use a 32-bit operation)"});
ADVICE(dsb_capacity, FRONT_END, .find = find_dsb_capacity, .say = say_dsb_capacity);
ADVICE(lsd_capacity, FRONT_END, .find = find_lsd_capacity, .say = say_lsd_capacity);
