/* hot_memory_text.c - what hot places wait for in memory, in words and as JSON. */

#include "app/report/report_hot.h"

enum {
    LINE = TACHO_MEMORY_LINE_BYTES
};

bool report_hot_waits(const report_hot_place *p)
{
    return p->memory.limit != TACHO_HOT_NO_WAIT;
}

static const char *level_name(const report_hot *h, int32_t level)
{
    return h->memory && level >= 0 ? h->memory->levels[level].name : NULL;
}

const char *report_hot_wait_cell(const report_hot *h, const report_hot_place *p, char *out, size_t size)
{
    const tacho_hot_memory *m = &p->memory;
    const char *level = level_name(h, m->waits[m->operand].level);
    *out = '\0';
    if (report_hot_waits(p))
        snprintf(out, size, "%s %s", level,
                 m->limit == TACHO_HOT_WAIT_TLB ? "latency, TLB" : tacho_hot_wait_name(m->limit));
    return out;
}

/* ---- words ---- */

static void insn_words(tacho_str *out, const report_hot *h, const report_hot_place *p, size_t operand)
{
    char text[REPORT_HOT_INSN_SIZE];
    tacho_str_printf(out, "`%s`",
                     report_hot_insn(h, &p->place->insns[p->place->operands[operand].insn], text));
}

static void size_words(tacho_str *out, double bytes)
{
    static const char *const units[] = {"bytes", "KB", "MB", "GB"};
    size_t unit = 0;
    for (; bytes >= 999.5 && unit < 3; unit++)
        bytes /= 1000;
    tacho_str_printf(out, unit && bytes < 99.5 ? "%.3g %s" : "%.0f %s", bytes, units[unit]);
}

/* Cycles as they are worth saying. */
static void cycles_words(tacho_str *out, double cycles)
{
    tacho_str_printf(out, cycles < 10 ? "%.1f" : "%.0f", cycles);
}

static void pattern_words(tacho_str *out, const report_hot *h, const report_hot_place *p, size_t number)
{
    const tacho_hot_operand *o = &p->place->operands[number];
    switch (o->pattern) {
    case TACHO_HOT_CHAIN:
        tacho_str_printf(out, "%s, each address from the last", o->in_order ? "in order" : "at random");
        break;
    case TACHO_HOT_RANDOM:
        tacho_str_puts(out, "at random");
        break;
    case TACHO_HOT_ROWS:
        tacho_str_printf(out, "by rows of %" PRId64 " bytes, %u bytes of a line at a time", o->stride,
                         o->bytes);
        break;
    case TACHO_HOT_STRIDE:
        tacho_str_printf(out, "by %" PRId64 " bytes an %s", o->stride, report_hot_round(p->place));
        break;
    default:
        tacho_str_puts(out, "one after the other");
    }
    if (o->pattern != TACHO_HOT_CHAIN && o->from >= 0) {
        tacho_str_puts(out, ", at addresses that ");
        insn_words(out, h, p, (size_t)o->from);
        tacho_str_puts(out, " loads");
    }
    if (o->line_bytes <= LINE / 2.0 && o->pattern != TACHO_HOT_ROWS)
        tacho_str_printf(out, ", %.0f of the %d bytes of each line", o->line_bytes, LINE);
}

/* All operands that wait for bandwidth do so together. */
static void others_words(tacho_str *out, const report_hot_place *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->place->operand_count; i++)
        n += i != p->memory.operand &&
             p->memory.waits[i].cycles > 0.1 * p->memory.waits[p->memory.operand].cycles;
    if (n)
        tacho_str_printf(out, ", as do %zu other operand%s", n, n == 1 ? "" : "s");
}

static void split_words(tacho_str *out, const report_hot *h, const report_hot_place *p)
{
    const tacho_hot_memory *m = &p->memory;
    const char *level = level_name(h, m->waits[m->operand].level);
    double all = 0, tlb = 0;
    for (size_t i = 0; i < p->place->operand_count; i++) {
        all += m->waits[i].cycles;
        tlb += m->waits[i].tlb_cycles;
    }
    tacho_str_puts(out, "; ");
    cycles_words(out, all);
    tacho_str_puts(out, " of ");
    cycles_words(out, p->place->observed_cycles);
    tacho_str_puts(out, " cycles");
    if (tlb > 0.05 * all) {
        tacho_str_puts(out, ": ");
        cycles_words(out, all - tlb);
        tacho_str_printf(out, " %s, ", level);
        cycles_words(out, tlb);
        tacho_str_puts(out, " TLB walks");
    } else if (m->limit == TACHO_HOT_WAIT_BANDWIDTH) {
        tacho_str_printf(out, ": the bandwidth of %s", level);
    } else {
        tacho_str_printf(out, ": the latency of %s", level);
    }
    if (!m->dependent && isfinite(m->in_flight) && m->limit != TACHO_HOT_WAIT_BANDWIDTH)
        tacho_str_printf(out, ", about %.0f at a time", m->in_flight);
}

static void still_words(tacho_str *out, const report_hot *h, const tacho_hot_operand_wait *w, int32_t cache)
{
    const tacho_hot_misses *m = &w->misses[cache];
    tacho_str_printf(out, "%.0f %% (%.0f to %.0f) were still in %s", 100 * (1 - m->share),
                     100 * (1 - m->high), 100 * (1 - m->low), level_name(h, cache));
}

/* What its level follows from, where that is not its footprint. */
static void watched_words(tacho_str *out, const report_hot *h, const report_hot_place *p)
{
    const tacho_hot_operand_wait *w = &p->memory.waits[p->memory.operand];
    if (!w->by_reuse)
        return;
    tacho_str_printf(out, "; of %" PRIu64 " watched lines ", p->place->reuse[p->memory.operand].watched);
    if (w->level > 0)
        still_words(out, h, w, w->level - 1);
    if (w->level > 0 && w->level < (int32_t)w->cache_count)
        tacho_str_puts(out, ", ");
    if (w->level < (int32_t)w->cache_count)
        still_words(out, h, w, w->level);
    tacho_str_puts(out, " when it came back to them");
}

const char *report_hot_wait_words(const report_hot *h, const report_hot_place *p, char *out, size_t size)
{
    const tacho_hot_memory *m = &p->memory;
    TACHO_FREED tacho_str s = {0};
    *out = '\0';
    if (m->no_machine && !h->file)
        snprintf(out, size,
                 "it may wait for memory; what that takes on this machine is not known before `tacho doctor "
                 "--memory` has measured it");
    if (!report_hot_waits(p))
        return out;
    const tacho_hot_operand *o = &p->place->operands[m->operand];
    tacho_str_printf(&s, "waits for %s: ", level_name(h, m->waits[m->operand].level));
    insn_words(&s, h, p, m->operand);
    tacho_str_puts(&s, o->loads && o->stores ? " changes " : o->stores ? " writes " : " reads ");
    if (!o->samples)
        tacho_str_puts(&s, "up to ");
    size_words(&s, o->footprint);
    tacho_str_putc(&s, ' ');
    pattern_words(&s, h, p, m->operand);
    others_words(&s, p);
    split_words(&s, h, p);
    watched_words(&s, h, p);
    snprintf(out, size, "%s", s.failed ? "" : s.data);
    return out;
}

void report_hot_remedy_words(tacho_str *out, const report_hot *h, const report_hot_place *p,
                             const tacho_hot_remedy *r)
{
    const tacho_hot_operand *o = &p->place->operands[r->operand];
    if (!strcmp(r->kind, "huge-pages")) {
        tacho_str_puts(out,
                       "huge pages for these data (madvise(MADV_HUGEPAGE), or an allocator that uses them)");
    } else if (!strcmp(r->kind, "prefetch")) {
        tacho_str_puts(out, "prefetch what ");
        insn_words(out, h, p, r->operand);
        tacho_str_printf(out, " accesses %u iteration%s ahead", r->ahead, r->ahead == 1 ? "" : "s");
    } else if (!strcmp(r->kind, "interchange")) {
        tacho_str_puts(out, "interchange the loops, or block them, so that ");
        insn_words(out, h, p, r->operand);
        tacho_str_puts(out, " goes along lines");
    } else if (!strcmp(r->kind, "padding")) {
        tacho_str_printf(
            out, "make rows %d bytes longer: lines that are a power of two apart share a set of the cache",
            LINE);
    } else if (!strcmp(r->kind, "packing")) {
        tacho_str_printf(out, "lay the %.0f bytes that are used of each %d beside each other", o->line_bytes,
                         LINE);
    } else if (!strcmp(r->kind, "non-temporal")) {
        tacho_str_puts(out, "non-temporal stores (MOVNT), which do not read lines first");
    } else {
        tacho_str_puts(out, "go along two chains at a time, from two starts");
    }
}

void report_hot_remedies_text(tacho_str *out, const report_hot *h, const report_hot_place *p, bool colour)
{
    const tacho_hot_memory *m = &p->memory;
    for (size_t i = 0; i < m->remedy_count; i++) {
        tacho_str text = {0};
        report_hot_remedy_words(&text, h, p, &m->remedies[i]);
        tacho_str_puts(&text, ": about ");
        cycles_words(&text, m->remedies[i].after);
        tacho_str_puts(&text, " cycles in place of ");
        cycles_words(&text, p->place->observed_cycles);
        report_line_text(out, colour, i ? "" : "advice", &text);
    }
    if (!m->remedy_count)
        report_line(out, colour, "advice",
                    "none: the time goes into memory, not into what the code makes ports do");
}

/* ---- JSON ---- */

#define RECORD tacho_hot_misses
static const report_field misses[] = {
    {MEMBER(share, NULL)},
    {MEMBER(low, NULL)},
    {MEMBER(high, "of the touches; 95 % interval")},
};
#undef RECORD
static TABLE(misses_table, misses, NULL);

typedef struct operand_row {
    const report_hot_place *of;
    const tacho_hot_operand *operand;
    const tacho_hot_operand_wait *wait;
} operand_row;

#define RECORD operand_row
GETTER(pattern, report_text_value(tacho_hot_pattern_name(r->operand->pattern)))
GETTER(row_level, report_text_value(level_name(report_root(at), r->wait->level)))
ONLY(is_seen, r->operand->pattern != TACHO_HOT_UNSEEN)
#define ROW_REUSE r->of->place->reuse[r->operand - r->of->place->operands]
ONLY(is_watched, r->of->place->reuse &&ROW_REUSE.watched)
GETTER(row_watched, report_whole(ROW_REUSE.watched))
GETTER(row_touched, report_whole(ROW_REUSE.touched))
ONLY(has_misses, r->wait->cache_count)
OBJECT_OF(row_misses, r->wait->cache_count, level_name(report_root(at), (int32_t)i),
          report_record_json(&misses_table, &r->wait->misses[i], at))
#define ROW_INSN r->of->place->insns[r->operand->insn]
GETTER(operand_insn, report_whole((uint64_t)(int64_t)ROW_INSN.on_path))
GETTER(row_address, report_whole(ROW_INSN.address))
GETTER(row_stride, report_whole((uint64_t)r->operand->stride))
#undef RECORD
#define RECORD tacho_hot_operand
static const report_field seen[] = {
    {MEMBER(operand, "its number among the instruction's operands")},
    MEMBERS2(loads, stores, "what it does"),
    {MEMBER(bytes, "that it accesses")},
    {MEMBER(in_order, "of a chain: one address lies behind the other")},
    MEMBERS2(
        from, shares,
        "numbers of operands in this list: whose loaded value the address is made of; that lies in the same "
        "lines",
        .none = REPORT_BELOW_0),
    {MEMBER(samples, "that tell an address")},
    {NAMED("footprint_bytes", footprint, NULL)},
    MEMBERS2(footprint_low, footprint_high, "of the lines that it touches; 95 % interval"),
    {MEMBER(line_bytes, "used of each line, with those that share it")},
    {NAMED("reach_bytes", reach, "in which it stays for some milliseconds, where that is less")},
    {NAMED("huge_pages", huge, "share of its pages")},
};
#undef RECORD
#define RECORD tacho_hot_operand_wait
static const report_field wait[] = {
    {MEMBER(cycles, NULL)},
    {MEMBER(tlb_cycles, "of an iteration, that it waits; of these for the TLB")},
};
#undef RECORD
#define RECORD operand_row
static const report_field row[] = {
    {MADE(WHOLE, "instruction", operand_insn, "its number in `prediction.instructions`")},
    {MADE(WHOLE, "address", row_address, "of the instruction")},
    {MADE(TEXT, "pattern", pattern,
          "place, stride, rows (a stride of lines that are come back to), sequence, random, chain (each "
          "address "
          "from what it loaded before), unseen")},
    {MADE(WHOLE, "stride", row_stride, "bytes an iteration", .known = is_seen)},
    {PART_AT(operand, ROWS(seen))},
    {MADE_OR_NULL(TEXT, "level", row_level, "that serves it: L1, L2, L3, memory")},
    {MADE(WHOLE, "watched", row_watched, NULL, .known = is_watched)},
    {MADE(WHOLE, "touched", row_touched,
          "lines of it that watchpoints waited at; those that were touched again meanwhile; null: too few",
          .known = is_watched)},
    {MADE(OBJECT, "misses", row_misses,
          "by these, for each cache (L1, L2, L3): `share` of its touches whose line was not in it any more; "
          "`low`, `high`: 95 % interval",
          .known = has_misses)},
    {PART_AT(wait, ROWS(wait))},
};
#undef RECORD
static TABLE(operand_table, row, NULL);

typedef struct remedy_row {
    const report_hot_place *of;
    const tacho_hot_remedy *remedy;
} remedy_row;

#define RECORD remedy_row
static report_value remedy_text(const report_at *at)
{
    const remedy_row *r = at->record;
    tacho_str text = {0};
    report_hot_remedy_words(&text, report_root(at), r->of, r->remedy);
    return report_text_made(at, &text);
}
#undef RECORD
#define RECORD tacho_hot_remedy
static const report_field remedy[] = {
    {MEMBER(kind, "huge-pages, prefetch, interchange, padding, packing, non-temporal, two-chains")},
    {MEMBER(operand, "number in `operands`")},
    {NAMED("cycles_after", after, "estimated, of an iteration, in place of those observed")},
    {MEMBER(ahead, "prefetch: iterations", .none = REPORT_ZERO)},
};
#undef RECORD
#define RECORD remedy_row
static const report_field remedies[] = {
    {PART_AT(remedy, ROWS(remedy))},
    {MADE(TEXT, "text", remedy_text, "a sentence")},
};
#undef RECORD
static TABLE(remedy_table, remedies, NULL);

#define RECORD report_hot_place
LIST_OF(operands, r->place->operand_count, true,
        report_record_json(&operand_table, &(operand_row){r, &r->place->operands[i], &r->memory.waits[i]},
                           at))
LIST_OF(remedy_list, r->memory.remedy_count, true,
        report_record_json(&remedy_table, &(remedy_row){r, &r->memory.remedies[i]}, at))
GETTER(operand, report_hot_waits(r) ? report_whole(r->memory.operand) : report_null())
static const report_field memory[] = {
    {MADE(LIST, "operands", operands, "in memory, on the path; by instructions", .table = &operand_table)},
    {WORD("limit", memory.limit, tacho_hot_wait_name,
          "latency, bandwidth, tlb; null: memory does not limit it, or that is not known",
          .none = REPORT_ZERO)},
    {MADE_OR_NULL(WHOLE, "operand", operand, "the one that waits most")},
    {NAMED("explained", memory.explained, "share of the observed cycles beyond the prediction")},
    {NAMED("cycles", memory.cycles, "of an iteration, estimated from all this")},
    {NAMED("in_flight", memory.in_flight, "accesses at random that are under way at a time")},
    {MADE(LIST, "advice", remedy_list, "the best first", .table = &remedy_table)},
};
#undef RECORD
TABLE(report_hot_memory_table, memory, "hot-memory");

json_t *report_hot_memory_json(const report_hot *h, const report_hot_place *p)
{
    return report_record_json(&report_hot_memory_table, p, &(report_at){.record = h});
}
