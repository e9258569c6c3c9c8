#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tacho/tacho.h>
#include "batch.h"

_Static_assert(DESCRIBED_NUMBERS == 11 + TACHO_MAX_PORTS, "one for each port");

/* The options for block i: in pieces it is a loop, unless it is to be unrolled. */
static tacho_predict_options options_of(const tacho_predict_options *options, const batch_blocks *blocks,
                                        size_t i)
{
    tacho_predict_options o = *options;
    o.alignment = blocks->alignments[i];
    o.piece_count = o.mode == TACHO_MODE_UNROLL ? 0 : blocks->piece_starts[i + 1] - blocks->piece_starts[i];
    if (o.piece_count) {
        o.mode = TACHO_MODE_LOOP;
        o.pieces = blocks->pieces + blocks->piece_starts[i];
    }
    return o;
}

void batch_predict(tacho_predictor *predictor, bool bounds_only, const tacho_arch *const *archs,
                   size_t arch_count, const tacho_predict_options *options, const batch_blocks *blocks,
                   size_t first, size_t last, const batch_results *results)
{
    for (size_t k = first * arch_count; k < last * arch_count; k++) {
        const tacho_prediction *p;
        size_t i = k / arch_count, start = blocks->starts[i], size = blocks->starts[i + 1] - start;
        const tacho_predict_options o = options_of(options, blocks, i);
        int rc = (bounds_only ? tacho_predict_bounds : tacho_predict)(
            predictor, archs[k % arch_count], blocks->code + start, size, &o, &p, NULL);
        results->status[k] = (int8_t)rc;
        results->cycles[k] = rc ? NAN : p->cycles;
        results->numerator[k] = rc ? 0 : p->cycles_num;
        results->denominator[k] = rc ? 0 : p->cycles_den;
        results->bottlenecks[k] = rc ? 0 : p->bottlenecks;
        results->lower_bound[k] = !rc && tacho_prediction_is_lower_bound(p);
    }
}

static void describe_one(FILE *out, const tacho_arch *arch, const tacho_insn_report *r,
                         const tacho_listing *listing, double *numbers)
{
    char text[1024], form[1024] = "", hex[2 * TACHO_MAX_INSN_BYTES + 1] = "";
    const double first[] = {
        r->code_offset,     r->notes,       r->uops_mite,     r->uops_ms, r->uops_dsb,
        r->uops_lsd,        r->uops_issued, r->uops_executed, r->latency, r->reciprocal_throughput,
        r->critical_latency};
    memcpy(numbers, first, sizeof first);
    memcpy(numbers + sizeof first / sizeof *first, r->ports, sizeof r->ports);
    tacho_listing_write(listing, r->insn, r->code_offset, text, sizeof text);
    const uint8_t *bytes = tacho_insn_bytes(r->insn);
    for (size_t i = 0; i < tacho_insn_length(r->insn); i++) {
        hex[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
    }
    if (r->has_form)
        tacho_form_name(r->form.id, form, sizeof form);
    fprintf(out, "%s\n%s\n%s\n%s\n", text, hex, form,
            r->has_form ? tacho_arch_source_text(arch, r->source) : "");
}

char *describe(const tacho_prediction *prediction, const tacho_listing *listing, double *numbers)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (size_t i = 0; i < prediction->instruction_count; i++)
        describe_one(out, prediction->arch, prediction->instructions[i], listing,
                     numbers + i * DESCRIBED_NUMBERS);
    if (fclose(out)) {
        free(text);
        return NULL;
    }
    return text;
}

void described_free(char *text)
{
    free(text);
}
