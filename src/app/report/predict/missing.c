/* missing.c - how a result that rests on instructions without figures is shown: as the lower bound that it
 * is, everywhere alike. */
#include <stdio.h>
#include <string.h>

#include "app/report/units.h"

enum {
    MAX_NAMED = 12,
    VALUE_AT = 13 /* behind a label */
};

const char *report_prediction_cycles(char out[REPORT_RESULT_SIZE], const tacho_prediction *p)
{
    char number[TACHO_NUMBER_SIZE];
    snprintf(out, REPORT_RESULT_SIZE, "%s%s", tacho_prediction_is_lower_bound(p) ? "at least " : "",
             report_number(number, p->cycles));
    return out;
}

const char *report_prediction_cell(char out[REPORT_RESULT_SIZE], const tacho_prediction *p)
{
    char number[TACHO_NUMBER_SIZE];
    if (!p)
        return strcpy(out, "-");
    snprintf(out, REPORT_RESULT_SIZE, "%s%s", tacho_prediction_is_lower_bound(p) ? ">=" : "",
             report_number(number, p->cycles));
    return out;
}

const char *report_missing(const tacho_prediction *p, char *out, size_t size)
{
    char count[48] = "", taken[60] = "";
    uint32_t n = p->unknown_count;
    out[0] = '\0';
    if (!n)
        return out;
    if (p->instruction_count) /* else only how many lack figures is known */
        snprintf(count, sizeof count, " of %zu", p->instruction_count + p->skipped_count);
    if (p->unknown == TACHO_UNKNOWN_LATENCY)
        snprintf(taken, sizeof taken, ", and %u cycle%s assumed for each", p->unknown_latency,
                 p->unknown_latency == 1 ? " is" : "s are");
    else if (p->unknown == TACHO_UNKNOWN_SKIP)
        snprintf(taken, sizeof taken, " and %s left out", n == 1 ? "is" : "are");
    bool one = n == 1 && (!p->instruction_count || p->instruction_count + p->skipped_count == 1);
    snprintf(out, size, "%u%s instruction%s %s no figures%s", n, count, one ? "" : "s",
             n == 1 ? "has" : "have", taken);
    return out;
}

void report_missing_names(tacho_str *out, bool colour, const tacho_prediction *p)
{
    tacho_str names = {0};
    size_t named = 0, all = p->unknown_count - p->skipped_count; /* the warning names those left out */
    for (size_t i = 0; i < p->instruction_count && named < MAX_NAMED; i++) {
        const tacho_insn_report *r = p->instructions[i];
        char name[40];
        if (!(r->notes & TACHO_NOTE_UNKNOWN))
            continue;
        snprintf(name, sizeof name, "%s", tacho_mnemonic_name(r->insn->mnemonic));
        for (char *c = name; *c; c++)
            *c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
        tacho_str_printf(&names, "%s%s (%zu)", named++ ? ", " : "", name, i);
    }
    if (named < all)
        tacho_str_puts(&names, ", ...");
    if (named) {
        report_label(out, colour, "no figures");
        report_wrapped(out, names.failed ? "" : names.data, VALUE_AT);
    }
    out->failed |= names.failed;
    tacho_str_free(&names);
}

const char *report_limit_words(const tacho_prediction *p, tacho_bound bound, char *out, size_t size)
{
    char words[REPORT_WORDS_SIZE];
    if (bound == TACHO_BOUND_PORTS)
        return report_busiest_words(p, out, size);
    snprintf(out, size, "%s", report_bound_words(p->arch, bound, words));
    return out;
}

const char *report_limit(const tacho_prediction *p, const char *label, char *out, size_t size)
{
    char number[TACHO_NUMBER_SIZE], words[160];
    int next = tacho_prediction_next_limit(p);
    size_t used = (size_t)snprintf(out, size, "%s", p->bottlenecks ? label : "");
    const char *before = "";
    for (uint32_t left = p->bottlenecks; left && used < size; left &= left - 1, before = ", ")
        used +=
            (size_t)snprintf(out + used, size - used, "%s%s", before,
                             report_limit_words(p, (tacho_bound)__builtin_ctz(left), words, sizeof words));
    if (!p->bottlenecks && next >= 0)
        snprintf(out, size, "nearest limit: %s at %s",
                 report_limit_words(p, (tacho_bound)next, words, sizeof words),
                 report_number(number, p->bounds[next]));
    return out;
}
