/* report_names.c - how results, regions and instructions are called in all formats, and what is said of a
 * result that rests on less than all: instructions without figures, another model than the plain one. */
#include "app/report/report.h"
#include "base/search.h"
#include "x86/arch/loaded.h"
#include "x86/arch/port_digits.h"

const char *report_fraction(int64_t num, int64_t den, char out[48])
{
    out[0] = '\0';
    if (den == 1)
        snprintf(out, 48, "%lld", (long long)num);
    else if (den > 1)
        snprintf(out, 48, "%lld/%lld", (long long)num, (long long)den);
    return out;
}

const char *report_exact(const tacho_prediction *p, char out[48])
{
    return report_fraction(p->cycles_num, p->cycles_den, out);
}

const char *report_region_name(const report_subject *s, char *out, size_t size)
{
    if (s->region->name)
        snprintf(out, size, "%.80s", s->region->name);
    else
        snprintf(out, size, "region %zu", s->region_number);
    return report_plain(out);
}

const char *report_flow_warning(const tacho_prediction *p, char *out, size_t size)
{
    size_t count = 0;
    out[0] = '\0';
    for (size_t i = 0; i < p->instruction_count && !p->is_path; i++) {
        const tacho_insn *insn = p->instructions[i]->insn;
        bool last = i + 1 == p->instruction_count;
        count += (insn->is_branch && !last) || insn->is_call || insn->is_ret;
    }
    if (count)
        snprintf(out, size,
                 "%zu branch%s, call%s or return%s in the code %s not followed: it is treated as one "
                 "straight line; to analyse a loop, select it with markers or --range",
                 count, count == 1 ? "" : "es", tacho_plural(count), tacho_plural(count),
                 count == 1 ? "is" : "are");
    return out;
}

/* ---- instructions in reports: what was typed, with the labels before it, or else disassembled ---- */

void report_insn_text(const report_subject *s, const tacho_insn_report *r, char *out, size_t size)
{
    tacho_listing_write(s->listing, r->insn, r->code_offset, out, size);
}

void report_asm(const tacho_listing *l, const tacho_insn *insn, uint64_t code_offset, char *out, size_t size)
{
    tacho_listing plain = l ? *l : (tacho_listing){0};
    plain.as_typed = false;
    tacho_listing_write(l ? &plain : NULL, insn, code_offset, out, size);
}

static const tacho_typed *typed_of(const report_subject *s, const tacho_insn_report *r)
{
    return s->listing ? tacho_listing_typed(s->listing, r->code_offset) : NULL;
}

#define RECORD tacho_typed
static const report_field typed[] = {
    MEMBERS2(line, text, NULL, .none = REPORT_NO_TEXT),
    {MEMBER(comment, NULL, .none = REPORT_NO_TEXT)},
};
#undef RECORD

report_value report_source(const tacho_listing *l, uint64_t code_offset)
{
    const tacho_typed *t = l && l->as_typed ? tacho_listing_typed(l, code_offset) : NULL;
    return t ? report_object(report_record_json(ROWS(typed), t, NULL)) : report_null();
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("_.$", c);
}

/* Whether a branch of the code names the label, which has a colon at its end. */
static bool is_target(const report_subject *s, const char *label)
{
    size_t n = strcspn(label, " :");
    for (size_t i = 0; i < s->prediction->instruction_count; i++) {
        const tacho_insn_report *r = s->prediction->instructions[i];
        const tacho_typed *t = r->insn->is_branch || r->insn->is_call ? typed_of(s, r) : NULL;
        const char *operand = t && t->text ? strrchr(t->text, ' ') : NULL;
        if (operand && !strncmp(operand + 1, label, n) && !(operand[1 + n] && is_word(operand[1 + n])))
            return true;
    }
    return false;
}

/* Compilers have labels for much that is no code's target (debug information, exceptions): these start with
 * ".L" and are left out unless a branch goes there. */
void report_labels(tacho_str *out, const report_subject *s, const tacho_insn_report *r)
{
    const tacho_listing *l = s->listing;
    if (!l || !l->as_typed)
        return;
    uint64_t address = tacho_listing_address(l, r->code_offset);
    size_t i = tacho_count_below(l->typed, l->typed_count, sizeof *l->typed, address);
    for (; i < l->typed_count && l->typed[i].address == address; i++) {
        const tacho_typed *t = &l->typed[i];
        if (t->label && t->text && (!tacho_starts_with(t->text, ".L") || is_target(s, t->text)))
            tacho_str_printf(out, "%s\n", t->text);
    }
}

/* ---- how a result that rests on instructions without figures is shown: as the lower bound that it is,
 * everywhere alike ---- */

enum {
    MAX_NAMED = 12
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
    TACHO_FREED tacho_str names = {0};
    size_t named = 0, all = p->unknown_count - p->skipped_count; /* the warning names those left out */
    for (size_t i = 0; i < p->instruction_count && named < MAX_NAMED; i++) {
        const tacho_insn_report *r = p->instructions[i];
        if (!(r->notes & TACHO_NOTE_UNKNOWN))
            continue;
        tacho_str_puts(&names, named++ ? ", " : "");
        report_put_mnemonic(&names, r->insn);
        tacho_str_printf(&names, " (%zu)", i);
    }
    if (named < all)
        tacho_str_puts(&names, ", ...");
    if (named)
        report_line_text(out, colour, "no figures", &names);
}

const char *report_limit_words(const tacho_prediction *p, tacho_bound bound, char *out, size_t size)
{
    if (bound == TACHO_BOUND_PORTS)
        return report_busiest_words(p, out, size);
    snprintf(out, size, "%s", tacho_bound_words(p->arch, bound));
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

/* ---- reports say it when the model was not the plain one ---- */

static json_t *ports_json(const char *digits)
{
    json_t *list = json_array();
    for (; port_of_digit(*digits) >= 0; digits++)
        json_array_append_new(list, json_integer(port_of_digit(*digits)));
    return list;
}

json_t *report_parameter_json(const tacho_arch *a, size_t i)
{
    char text[80];
    tacho_arch_parameter p;
    tacho_arch_parameter_get(i, &p);
    tacho_arch_parameter_text(a, i, text, sizeof text);
    switch (p.type) {
    case TACHO_PARAMETER_BOOL:
        return json_boolean(!strcmp(text, "yes"));
    case TACHO_PARAMETER_PORTS:
        return ports_json(text);
    case TACHO_PARAMETER_UNROLL: {
        json_t *unroll = json_array();
        for (unsigned n = 0; n <= TACHO_LSD_UNROLL_MAX; n++)
            json_array_append_new(unroll, json_integer(a->lsd_unroll[n]));
        return unroll;
    }
    default:
        return !strcmp(text, "unlimited") ? json_integer(TACHO_SLOTS_UNLIMITED) : json_integer(atoi(text));
    }
}

/* Whether the i-th parameter of `arch` is not that of the real core; then both values as text. */
static bool is_changed(const tacho_arch *arch, size_t i, char *now, char *real, size_t size)
{
    const tacho_arch *original = tacho_arch_original(arch);
    if (arch == original)
        return false;
    tacho_arch_parameter_text(arch, i, now, size);
    tacho_arch_parameter_text(original, i, real, size);
    return strcmp(now, real) != 0;
}

json_t *report_parameters_changed_json(const tacho_arch *arch)
{
    json_t *o = json_object();
    tacho_arch_parameter p;
    char now[80], real[80];
    for (size_t i = 0; tacho_arch_parameter_get(i, &p) == 0; i++)
        if (is_changed(arch, i, now, real, sizeof now))
            json_object_set_new(o, p.name,
                                json_pack("{s:o, s:o}", "value", report_parameter_json(arch, i), "model",
                                          report_parameter_json(tacho_arch_original(arch), i)));
    return o;
}

bool report_what_if(const tacho_prediction *p, tacho_str *out)
{
    const char *before = "";
    tacho_arch_parameter param;
    char now[80], real[80], words[REPORT_WORDS_SIZE];
    for (size_t i = 0; tacho_arch_parameter_get(i, &param) == 0; i++) {
        if (!is_changed(p->arch, i, now, real, sizeof now))
            continue;
        tacho_str_printf(out, "%s%s %s instead of %s", before, param.name, now, real);
        before = ", ";
    }
    for (unsigned k = 0; k < TACHO_VARIANT_COUNT; k++) {
        if (!(p->variants & 1u << k))
            continue;
        tacho_str_printf(out, "%s%s", before, report_words(tacho_variant_name(k), words));
        before = ", ";
    }
    return *before;
}
