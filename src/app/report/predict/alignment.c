/* alignment.c - throughput by place of the code: predicted for each start offset in a 64-byte line, because
 * fetch blocks (16 bytes), DSB blocks (32 or 64) and the JCC erratum (32) look at addresses. */
#include "app/report/report.h"

/* The code's first byte `alignment` bytes after a boundary; whole predictions are not asked for. */
static int predict_at(tacho_predictor *predictor, const report_subject *s, tacho_predict_options o,
                      uint32_t alignment, const tacho_prediction **p, tacho_error *err)
{
    o.details = false;
    o.trace = NULL;
    o.run_iterations = 0;
    o.alignment = alignment;
    return tacho_predict(predictor, s->arch, s->region->bytes, s->region->byte_count, &o, p, err);
}

int report_alignments_predict(report_alignments *out, tacho_predictor *predictor, const report_subject *s,
                              const tacho_predict_options *options, tacho_error *err)
{
    for (uint32_t k = 0; k < REPORT_ALIGNMENTS; k++) {
        const tacho_prediction *p;
        int rc = predict_at(predictor, s, *options, k, &p, err);
        if (rc)
            return rc;
        out->at[k] = (report_alignment){p->cycles, p->cycles_num, p->cycles_den, p->source, p->bottlenecks};
    }
    return 0;
}

int report_places_predict(report_places *out, tacho_predictor *predictor, const report_subject *s,
                          const tacho_predict_options *options, tacho_error *err)
{
    tacho_predict_options o = *options;
    uint32_t step = s->region->place_step;
    o.bounds = false;
    *out = (report_places){INFINITY, 0};
    for (uint32_t k = s->region->alignment; step && k < REPORT_ALIGNMENTS; k += step) {
        const tacho_prediction *p;
        int rc = predict_at(predictor, s, o, k, &p, err);
        if (rc)
            return rc;
        out->fewest = fmin(out->fewest, p->cycles);
        out->most = fmax(out->most, p->cycles);
    }
    return 0;
}

const char *report_places_warning(const report_places *places, const report_subject *s, char *out,
                                  size_t size)
{
    char fewest[TACHO_NUMBER_SIZE], most[TACHO_NUMBER_SIZE];
    double here = s->prediction->cycles;
    *out = '\0';
    if (places->most > 1.005 * here || places->fewest < 0.995 * here)
        snprintf(out, size,
                 "the linker decides where in a block of 64 bytes the code will lie; offset %u is assumed "
                 "here, other offsets take from %s to %s cycles (--alignment all shows each)",
                 s->region->alignment, report_number(fewest, places->fewest),
                 report_number(most, places->most));
    return out;
}

/* The names as they are written for a whole prediction. */
static const char *exact(const report_alignment *a, char out[48])
{
    return report_exact(&(tacho_prediction){.cycles_num = a->cycles_num, .cycles_den = a->cycles_den}, out);
}

static bool same(const report_alignment *a, const report_alignment *b)
{
    return fabs(a->cycles - b->cycles) < 1e-9 && a->source == b->source && a->bottlenecks == b->bottlenecks;
}

/* "0-15, 32-47" */
static void offsets_text(const report_alignments *a, const report_alignment *like, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int k = 0; k < REPORT_ALIGNMENTS && used < size; k++) {
        if (!same(&a->at[k], like))
            continue;
        int first = k;
        while (k + 1 < REPORT_ALIGNMENTS && same(&a->at[k + 1], like))
            k++;
        used += (size_t)snprintf(out + used, size - used, k > first ? "%s%d-%d" : "%s%d", used ? ", " : "",
                                 first, k);
    }
}

/* The next group after `after` in the order of cycles, then of offsets; -1 none. */
static int next_group(const report_alignments *a, const bool done[REPORT_ALIGNMENTS])
{
    int best = -1;
    for (int k = 0; k < REPORT_ALIGNMENTS; k++)
        if (!done[k] && (best < 0 || a->at[k].cycles < a->at[best].cycles - 1e-9))
            best = k;
    return best;
}

void report_alignments_text(tacho_str *out, const report_subject *s, const report_alignments *a)
{
    char number[TACHO_NUMBER_SIZE], fraction[48], names[128], offsets[300];
    bool done[REPORT_ALIGNMENTS] = {false};
    int k;
    tacho_str_puts(out, "Start of the code after a 64-byte boundary, in bytes: ");
    tacho_str_printf(out, "cycles per iteration there%s\n",
                     tacho_prediction_is_lower_bound(s->prediction) ? ", at least" : "");
    for (k = 0; k < REPORT_ALIGNMENTS; k++) {
        if (k % 8 == 0)
            tacho_str_printf(out, "  %2d-%-2d ", k, k + 7);
        tacho_str_printf(out, "%9s%s", report_number(number, a->at[k].cycles), k % 8 == 7 ? "\n" : "");
    }
    tacho_str_puts(out, "\n  cycles  exactly     µops from  bottleneck, and where\n");
    while ((k = next_group(a, done)) >= 0) {
        const report_alignment *g = &a->at[k];
        offsets_text(a, g, offsets, sizeof offsets);
        tacho_str_printf(
            out, "%8s  %-10s  %-9s  %s\n            at %s\n", report_number(number, g->cycles),
            exact(g, fraction), tacho_own_word(s->prediction->arch, tacho_uop_source_name(g->source)),
            g->bottlenecks ? tacho_bottleneck_words(s->prediction->arch, g->bottlenecks, names, sizeof names)
                           : "no single component",
            offsets);
        for (int i = 0; i < REPORT_ALIGNMENTS; i++)
            done[i] |= same(&a->at[i], g);
    }
}

/* ---- JSON and CSV ---- */

#define RECORD report_alignment
GETTER(offset, report_whole(at->index))
GETTER(fraction, report_word(exact(r, at->room)))
LIST_OF(bottlenecks, TACHO_BOUND_COUNT, r->bottlenecks >> i & 1,
        json_string(tacho_bound_name((tacho_bound)i)))
static const report_field alignments[] = {
    {MADE(WHOLE, "alignment", offset, "of the first byte from a 64-byte boundary")},
    {MEMBER(cycles, NULL)},
    {MADE_OR_NULL(TEXT, "cycles_exact", fraction, NULL)},
    {WORD("source", source, tacho_uop_source_name, NULL)},
    {MADE(LIST, "bottlenecks", bottlenecks, "there")},
    {PART_UP(&report_subject_table)},
};
#undef RECORD
TABLE(report_alignment_table, alignments, "alignment");
const char report_alignment_columns[] =
    "alignment,cycles,cycles_exact,mode,arch,source,bottlenecks,region,unknown,lower_bound";

json_t *report_alignments_json(const report_alignments *a)
{
    return report_records_json(&report_alignment_table, a->at, REPORT_ALIGNMENTS, sizeof *a->at, NULL);
}

void report_alignments_csv_header(tacho_str *out)
{
    report_record_head(out, report_alignment_columns, &report_alignment_table, NULL);
}

void report_alignments_csv(tacho_str *out, const report_subject *s, const report_alignments *a)
{
    report_record_rows(out, report_alignment_columns, &report_alignment_table, a->at, REPORT_ALIGNMENTS,
                       sizeof *a->at, &(report_at){.record = s});
}
