/* report_hot.c - what the reports on hot places share. */
#include "app/report/report_hot.h"

void report_hot_start(report_hot_place *out, const tacho_hot_place *place, size_t number)
{
    report_loop_start(&out->loop, place->loop, number, NULL, 0);
    out->place = place;
    out->number = number;
    out->subject = (report_subject){.input = place->object->path,
                                    .region_count = 1,
                                    .warnings = out->loop.warnings,
                                    .warning_count = out->loop.warning_count};
}

double report_hot_gap(const report_hot_place *p)
{
    const tacho_prediction *prediction = p->subject.prediction;
    return prediction && prediction->cycles > 0 ? p->place->observed_cycles / prediction->cycles : NAN;
}

bool report_hot_contradicts(const report_hot_place *p)
{
    const double much = 2;
    return report_hot_gap(p) > much;
}

const char *report_hot_name(const tacho_loop *loop, char *out, size_t size)
{
    report_loop_place(loop, (int)size - 1, out, size);
    return out;
}

const char *report_hot_insn(const report_hot *h, const tacho_hot_insn *insn, char out[REPORT_HOT_INSN_SIZE])
{
    tacho_insn decoded;
    strcpy(out, "(bad)");
    if (!tacho_decode(&decoded, insn->bytes, insn->length, NULL))
        tacho_insn_write(&decoded, h->syntax, insn->address, TACHO_TARGETS_ABSOLUTE, out,
                         REPORT_HOT_INSN_SIZE);
    return out;
}

void report_hot_subject(tacho_str *out, const report_hot *h)
{
    if (h->file)
        report_put_plain(out, h->file);
    if (h->pid)
        tacho_str_printf(out, "process %ld", h->pid);
    for (char *const *arg = h->command; arg && *arg; arg++) {
        tacho_str_puts(out, arg == h->command ? "" : " ");
        report_put_plain(out, *arg);
    }
}

const char *report_hot_round(const tacho_hot_place *place)
{
    return place->is_loop ? "iteration" : "execution";
}

const char *report_hot_observed_by(const tacho_hot_place *place)
{
    return !strcmp(place->observed_by, "lbr")     ? "from the processor's branch records"
           : !strcmp(place->observed_by, "count") ? "from its share of the time, divided by its executions"
                                                  : "from how far its registers advanced between samples";
}

const char *report_hot_gap_words(const report_hot *h, const report_hot_place *p, char *out, size_t size)
{
    const double much = 1.25;
    double gap = report_hot_gap(p);
    const char *other = h->own_arch ? "" : "; and the prediction is for another core than this machine's";
    out[0] = '\0';
    if (gap > much && *report_hot_wait_words(h, p, out, size))
        return out;
    if (gap > much && p->told && *report_hot_cause_sum(p, out, size))
        return out;
    if (gap > much)
        snprintf(out, size,
                 "not part of the prediction: cache misses, mispredicted branches, 4K aliasing, other paths "
                 "through the code, effects of the code before and after%s",
                 other);
    else if (gap < 1 / much)
        snprintf(out, size,
                 "%sother paths through the code are shorter than the predicted one, or the processor "
                 "overlaps it with the code before and after%s",
                 p->place->is_loop ? "" : "a block is predicted as if it were repeated; ", other);
    return out;
}
