/* hot_causes_text.c - what windows show of a place, in words and as records. */

#include "app/report/report_hot.h"

/* ---- pieces of sentences ---- */

static void put_place(tacho_str *out, const char *file, uint32_t line)
{
    if (!file)
        return;
    tacho_str_puts(out, " (");
    report_put_plain(out, tacho_base_name(file));
    tacho_str_printf(out, ":%u)", line);
}

static void put_insn(tacho_str *out, const report_hot *h, const tacho_hot_insn *insn)
{
    char text[REPORT_HOT_INSN_SIZE];
    tacho_str_printf(out, "0x%" PRIx64 " %s", insn->address, report_hot_insn(h, insn, text));
    put_place(out, insn->source_file, insn->source_line);
}

static void put_other(tacho_str *out, const report_hot *h, const report_hot_place *p,
                      const tacho_hot_other *o)
{
    const tacho_hot_place *place = p->place;
    bool same = o->object && !strcmp(o->object, place->object->path);
    for (size_t i = 0; same && i < place->insn_count; i++)
        if (place->insns[i].address == o->address) {
            put_insn(out, h, &place->insns[i]);
            return;
        }
    if (!o->object) {
        tacho_str_puts(out, "code that has no samples");
        return;
    }
    tacho_str_printf(out, "0x%" PRIx64, o->address);
    if (!same) {
        tacho_str_puts(out, " of ");
        report_put_plain(out, tacho_base_name(o->object));
    }
    put_place(out, o->source_file, o->source_line);
}

static void put_percent(tacho_str *out, const tacho_hot_cause *c)
{
    tacho_str_printf(out, "%.0f %% (%.0f to %.0f) of %" PRIu64 " execution%s", 100 * c->share,
                     100 * c->share_low, 100 * c->share_high, c->executions, tacho_plural(c->executions));
}

static void put_bytes(tacho_str *out, uint64_t bytes)
{
    if (bytes >= 10 << 20)
        tacho_str_printf(out, "%" PRIu64 " MB", bytes >> 20);
    else if (bytes >= 1 << 20)
        tacho_str_printf(out, "%.1f MB", (double)bytes / (1 << 20));
    else
        tacho_str_printf(out, "%" PRIu64 " KB", bytes >> 10);
}

static void put_data(tacho_str *out, const tacho_hot_cause *c)
{
    if (!c->variable) {
        tacho_str_printf(out, "0x%" PRIx64, c->data);
        return;
    }
    report_put_plain(out, c->variable);
    if (c->variable_offset)
        tacho_str_printf(out, "+%" PRIu64, c->variable_offset);
}

static void put_cycles(tacho_str *out, double cycles)
{
    char number[TACHO_NUMBER_SIZE];
    tacho_str_printf(out, "%s", cycles >= 100 ? "about " : "");
    tacho_str_puts(out, report_number(number, cycles >= 100 ? 10 * round(cycles / 10) : cycles));
}

/* "1 to 2", "up to 2", "2". */
static void put_range(tacho_str *out, double least, double most)
{
    if (isnan(most)) {
        tacho_str_puts(out, "an unknown number of");
        return;
    }
    if (least < 0.005 && most >= 0.005) {
        tacho_str_puts(out, "up to ");
    } else if (most - least > 0.05 * most) {
        put_cycles(out, least);
        tacho_str_puts(out, " to ");
    }
    put_cycles(out, most);
}

/* ---- what it is ---- */

static void put_cache(tacho_str *out, const tacho_hot_cause *c)
{
    tacho_str_printf(out, "%s data of ", c->is_store ? "stores to" : "loads from");
    put_bytes(out, c->least_bytes);
    if (c->level) {
        tacho_str_printf(out, " at least, more than the cache of level %u (", c->level);
        put_bytes(out, c->level_bytes);
        tacho_str_puts(out, ") holds");
    } else {
        tacho_str_puts(out, " at least");
    }
    if (c->dependent)
        tacho_str_puts(out, ", each address loaded by the load before");
    else if (c->stride)
        tacho_str_printf(out, ", %" PRId64 " bytes further each time", c->stride);
    else
        tacho_str_puts(out, ", without a stride");
    tacho_str_puts(out, "; another line in ");
    put_percent(out, c);
}

static void put_sharing(tacho_str *out, const report_hot *h, const report_hot_place *p,
                        const tacho_hot_cause *c)
{
    tacho_str_puts(out, c->is_store ? "writes " : "reads ");
    put_data(out, c);
    tacho_str_printf(out, ", and another thread %s%s in turn, by ",
                     !c->one_way   ? ""
                     : c->is_store ? "only reads "
                                   : "writes ",
                     c->kind == TACHO_HOT_FALSE_SHARING ? "other bytes of this line (false sharing)"
                                                        : "the same bytes (true sharing)");
    put_other(out, h, p, &c->other);
    tacho_str_puts(out, "; in ");
    put_percent(out, c);
}

/* What a cause is, a sentence without its full stop. */
static void report_hot_cause_words(tacho_str *out, const report_hot *h, const report_hot_place *p,
                                   const tacho_hot_cause *c)
{
    put_insn(out, h, &p->place->insns[c->insn]);
    tacho_str_putc(out, ' ');
    switch (c->kind) {
    case TACHO_HOT_SUBNORMAL:
        tacho_str_puts(out, "computes with subnormal numbers in ");
        put_percent(out, c);
        break;
    case TACHO_HOT_LINE_CROSSING:
    case TACHO_HOT_PAGE_CROSSING:
        tacho_str_printf(out, "%s across two %s in ", c->is_store ? "stores" : "loads",
                         c->kind == TACHO_HOT_LINE_CROSSING ? "cache lines" : "pages");
        put_percent(out, c);
        break;
    case TACHO_HOT_FORWARDING:
        tacho_str_puts(out, "loads bytes of which ");
        put_other(out, h, p, &c->other);
        tacho_str_puts(out, " has just stored only some (not forwarded), in ");
        put_percent(out, c);
        break;
    case TACHO_HOT_ALIAS_4K:
        tacho_str_puts(out, "loads from a multiple of 4096 bytes away from what ");
        put_other(out, h, p, &c->other);
        tacho_str_puts(out, " has just stored (4K aliasing), in ");
        put_percent(out, c);
        break;
    case TACHO_HOT_MISPREDICTION:
        tacho_str_printf(out,
                         "is taken %.0f %% of the time, and the history of branches does not predict it in ",
                         100 * c->taken);
        put_percent(out, c);
        break;
    case TACHO_HOT_CACHE:
        put_cache(out, c);
        break;
    default:
        put_sharing(out, h, p, c);
    }
    if (c->predicted)
        tacho_str_puts(out, "; already part of the prediction");
}

/* ---- the section ---- */

static bool is_group(tacho_hot_cause_kind kind, int group)
{
    return group == 0   ? kind == TACHO_HOT_CACHE
           : group == 1 ? kind == TACHO_HOT_MISPREDICTION
           : group == 2 ? kind == TACHO_HOT_FALSE_SHARING || kind == TACHO_HOT_TRUE_SHARING
                        : kind < TACHO_HOT_MISPREDICTION;
}

const char *report_hot_cause_sum(const report_hot_place *p, char *out, size_t size)
{
    static const char *const groups[] = {"caches", "mispredictions", "shared lines", "other causes below"};
    TACHO_FREED tacho_str s = {0};
    for (int g = 0; g < 4; g++) {
        double least = 0, most = 0;
        size_t n = 0;
        for (size_t i = 0; i < p->told; i++)
            if (is_group(p->causes[i].kind, g) && !p->causes[i].predicted) {
                least += isnan(p->causes[i].least) ? 0 : p->causes[i].least;
                most += p->causes[i].most;
                n++;
            }
        if (!n)
            continue;
        tacho_str_puts(&s, s.length ? "; " : "of this, windows explain: ");
        tacho_str_printf(&s, "%s, ", groups[g]);
        put_range(&s, least, most);
        tacho_str_puts(&s, " cycles");
    }
    snprintf(out, size, "%s", s.failed || !s.length ? "" : s.data);
    return out;
}

/* `before`: the cause that is told before it, or NULL: whose figure it is is not said twice. */
static void cause_text(tacho_str *out, const report_hot *h, const report_hot_place *p,
                       const tacho_hot_cause *c, const tacho_hot_cause *before)
{
    tacho_str text = {0};
    put_range(&text, c->least, c->most);
    tacho_str_printf(&text, " cycles per %s: ", report_hot_round(p->place));
    report_hot_cause_words(&text, h, p, c);
    if (isfinite(c->cycles_most)) {
        tacho_str_puts(&text, "; each ");
        put_range(&text, c->cycles_least, c->cycles_most);
        tacho_str_puts(&text, " cycles");
        if (!before || strcmp(before->cycles_from, c->cycles_from) != 0)
            tacho_str_printf(&text, " (%s)", c->cycles_from);
    }
    report_line_text(out, false, "", &text);
}

void report_hot_causes_text(tacho_str *out, const report_hot *h, const report_hot_place *p, bool colour)
{
    enum {
        LEAST_ROUNDS = 30
    };
    uint64_t rounds = p->place->window_rounds;
    size_t told = 0; /* caches are spoken of already, where it waits for memory */
    for (size_t i = 0; i < p->told; i++)
        told += !report_hot_waits(p) || p->causes[i].kind != TACHO_HOT_CACHE;
    if (!told && report_hot_waits(p))
        return;
    bool few = !p->told && rounds < LEAST_ROUNDS;
    if (few && (p->number || !h->profile->windows))
        return;
    report_label(out, colour, "causes");
    if (few) {
        char number[40] = "no";
        if (rounds)
            snprintf(number, sizeof number, "only %" PRIu64, rounds);
        tacho_str_printf(out, "none found: windows saw %s %s%s; --windows 50 shows more\n", number,
                         report_hot_round(p->place), tacho_plural(rounds));
        return;
    }
    const char *what = p->told ? "seen" : p->place->cause_count ? "none seen that costs time" : "none seen";
    tacho_str_printf(out, "%s in windows (%" PRIu64 " %s%s seen)\n", what, rounds, report_hot_round(p->place),
                     tacho_plural(rounds));
    for (size_t i = 0; i < p->told; i++)
        if (!report_hot_waits(p) || p->causes[i].kind != TACHO_HOT_CACHE)
            cause_text(out, h, p, &p->causes[i], i ? &p->causes[i - 1] : NULL);
}

/* ---- records ---- */

static const report_hot_place *place_of(const report_at *at)
{
    return at->up->record;
}

#define RECORD tacho_hot_cause
#define INSN   (&place_of(at)->place->insns[r->insn])
static report_value words_of(const report_at *at)
{
    tacho_str text = {0};
    report_hot_cause_words(&text, report_root(at), place_of(at), at->record);
    return report_text_made(at, &text);
}
GETTER(address, report_whole(INSN->address))
GETTER(own_file, report_word(INSN->source_file))
GETTER(own_line, INSN->source_line ? report_whole(INSN->source_line) : report_null())
ONLY(has_other, r->other.object)
ONLY(is_of_cache, r->kind == TACHO_HOT_CACHE)
ONLY(is_of_sharing, r->data != 0)
static const report_field cause[] = {
    {WORD("kind", kind, tacho_hot_cause_name,
          "subnormal, line-crossing, page-crossing, forwarding, 4k-aliasing, misprediction, cache, "
          "false-sharing, true-sharing")},
    {MADE(WHOLE, "address", address, NULL)},
    {MADE_OR_NULL(TEXT, "source_file", own_file, NULL)},
    {MADE_OR_NULL(WHOLE, "source_line", own_line, "of the instruction")},
    {NAMED("other_object", other.object, NULL, .none = REPORT_NO_TEXT)},
    {NAMED("other_address", other.address, NULL, .known = has_other)},
    {NAMED("other_source_file", other.source_file, NULL, .none = REPORT_NO_TEXT)},
    {NAMED("other_source_line", other.source_line,
           "the store before, or the other thread's instruction; null: there is none, or not known",
           .none = REPORT_ZERO)},
    {NAMED("store", is_store, "whether the access is one")},
    {MEMBER(one_way, "sharing: one of the two threads only reads")},
    MEMBERS3(executions, times, windows,
             "of the instruction; how many of them it was; windows that they are of"),
    MEMBERS3(share, share_low, share_high, "times of executions; 95 % interval, for windows as units"),
    {NAMED("executions_a_round", a_round, "of the instruction, for one iteration (execution) of the place")},
    {MEMBER(taken, "misprediction: share of the executions")},
    {MEMBER(stride, "cache: bytes; null: none", .none = REPORT_ZERO)},
    {MEMBER(least_bytes, "cache: of the data, at least", .known = is_of_cache)},
    MEMBERS2(level, level_bytes, "cache: the last level that the data do not fit, and its size",
             .none = REPORT_ZERO),
    {MEMBER(reach_seconds, "cache: between the windows that tell this", .known = is_of_cache)},
    {MEMBER(dependent, "of a load: its address was loaded by a former execution of it")},
    {MEMBER(variable, NULL, .none = REPORT_NO_TEXT)},
    {MEMBER(variable_offset, "sharing: the symbol that is written, and where in it", .known = is_of_sharing)},
    {NAMED("data_address", data, "sharing: in the process", .none = REPORT_ZERO)},
    MEMBERS2(cycles_least, cycles_most, "of one time: where nothing waits for it, and where all does"),
    {MEMBER(cycles_from, "a sentence: whose figure that is", .none = REPORT_ZERO)},
    {NAMED("least", least, NULL)},
    {NAMED("most", most, "cycles of an iteration; most: no more than observed beyond the prediction")},
    {MEMBER(predicted, "the prediction has it already")},
    {MEMBER(told, "large enough to be in the text: at least 2 % of an iteration")},
    {MADE(TEXT, "text", words_of, "a sentence")},
};
#undef RECORD
TABLE(report_hot_cause_table, cause, "cause");
