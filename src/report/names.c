/* names.c - the words that all formats share. */
#include <stdio.h>
#include <string.h>

#include "report/report.h"

const report_note report_notes[] = {
    {TACHO_NOTE_MACRO_FUSED, "macro_fused", 'M', "macro-fused with the next instruction"},
    {TACHO_NOTE_FUSED_INTO_PREV, "fused_into_previous", '^', "macro-fused into the instruction before it"},
    {TACHO_NOTE_MICRO_FUSED, "micro_fused", 'm', "micro-fused"},
    {TACHO_NOTE_UNLAMINATED, "unlaminated", 'u', "unlaminated: micro-fused only up to the renamer"},
    {TACHO_NOTE_ELIMINATED, "eliminated", 'E', "move eliminated by the renamer"},
    {TACHO_NOTE_ZERO_IDIOM, "zero_idiom", 'Z', "zero idiom: needs no execution"},
    {TACHO_NOTE_NOP, "nop", 'N', "no operation"},
    {TACHO_NOTE_UNKNOWN, "unknown", '?', "no figures for this instruction"},
    {TACHO_NOTE_ESTIMATED, "estimated", '~', "figures carried over from another core or estimated"},
    {TACHO_NOTE_SAME_CORE, "same_core", '=', "figures measured on another product with the same core"},
    {TACHO_NOTE_LCP, "lcp", 'L', "length-changing prefix: predecoding stalls"},
    {TACHO_NOTE_JCC_ERRATUM, "jcc_erratum", 'J', "JCC erratum: not served from the DSB"},
    {TACHO_NOTE_MICROCODED, "microcoded", 'S', "µops from the microcode sequencer"},
    {TACHO_NOTE_COMPLEX_DECODER, "complex_decoder", 'C', "needs the complex decoder"},
    {TACHO_NOTE_STACK_SYNC, "stack_sync", 'Y', "a stack synchronisation µop comes before it"},
    {TACHO_NOTE_HIGH8_MERGE, "high8_merge", 'H', "a µop merges a high-byte register before it"},
    {TACHO_NOTE_CRITICAL, "critical", '*', "on the critical dependency cycle"},
    {TACHO_NOTE_STORE_BLOCKED, "store_blocked", 'B',
     "loads what cannot be forwarded from a store of the block: waits for the cache"},
    {TACHO_NOTE_ALIAS_4K, "alias_4k", '4',
     "loads a multiple of 4096 bytes beside a store of the block: begins again"},
    {TACHO_NOTE_STORE_FORWARD, "store_forward", 'F', "loads what an earlier store of the block wrote"},
    {TACHO_NOTE_DIVIDER, "divider", 'D', "occupies the divider"},
    {TACHO_NOTE_SERIALIZING, "serializing", '!', "waits until all older instructions have retired"},
};
const size_t report_note_count = sizeof report_notes / sizeof *report_notes;

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
    return out;
}

const char *report_flow_warning(const tacho_prediction *p, char *out, size_t size)
{
    size_t count = 0;
    out[0] = '\0';
    for (size_t i = 0; i < p->instruction_count && !p->is_path; i++) {
        const tacho_insn *insn = &p->instructions[i].insn;
        bool last = i + 1 == p->instruction_count;
        count += (insn->is_branch && !last) || insn->is_call || insn->is_ret;
    }
    if (count)
        snprintf(out, size,
                 "%zu branch%s, call%s or return%s in the code %s not followed: it is taken as one straight "
                 "line; to "
                 "analyse a loop, select it with markers or --range",
                 count, count == 1 ? "" : "es", count == 1 ? "" : "s", count == 1 ? "" : "s",
                 count == 1 ? "is" : "are");
    return out;
}

const char *const report_slot_words[TACHO_SLOT_REASON_COUNT] = {
    [TACHO_SLOT_PREDECODE] = "the predecoder",
    [TACHO_SLOT_DECODE] = "the decoders",
    [TACHO_SLOT_MS] = "the microcode sequencer",
    [TACHO_SLOT_DSB] = "the DSB",
    [TACHO_SLOT_LSD] = "the LSD",
    [TACHO_SLOT_RENAME] = "the renamer",
    [TACHO_SLOT_PORTS] = "ports",
    [TACHO_SLOT_DIVIDER] = "the divider",
    [TACHO_SLOT_START_INTERVALS] = "start intervals",
    [TACHO_SLOT_ROB] = "the reorder buffer's size",
    [TACHO_SLOT_SCHEDULER] = "the scheduler's size",
    [TACHO_SLOT_DEPENDENCIES] = "dependencies",
};
