/* words.c - the words that people read for the names that JSON and CSV have, and the one rounding of numbers
 * for people: here is all that text reports and pages say of them. */
#include <ctype.h>

#include "app/report/report.h"

const report_note report_notes[] = {
    {TACHO_NOTE_MACRO_FUSED, "macro_fused", 'M', "macro-fused with the next instruction", NULL},
    {TACHO_NOTE_FUSED_INTO_PREV, "fused_into_previous", '^', "macro-fused into the instruction before it",
     NULL},
    {TACHO_NOTE_MICRO_FUSED, "micro_fused", 'm', "micro-fused", NULL},
    {TACHO_NOTE_UNLAMINATED, "unlaminated", 'u', "unlaminated", "micro-fused only up to the renamer"},
    {TACHO_NOTE_ELIMINATED, "eliminated", 'E',
     "a move or an addition of a constant that the renamer executed", NULL},
    {TACHO_NOTE_ZERO_IDIOM, "zero_idiom", 'Z', "zero idiom", "needs no execution"},
    {TACHO_NOTE_NOP, "nop", 'N', "no operation", NULL},
    {TACHO_NOTE_UNKNOWN, "unknown", '?', "no figures for this instruction", NULL},
    {TACHO_NOTE_ESTIMATED, "estimated", '~', "figures carried over from another core or estimated", NULL},
    {TACHO_NOTE_SAME_CORE, "same_core", '=', "figures measured on another product with the same core", NULL},
    {TACHO_NOTE_LCP, "lcp", 'L', "length-changing prefix", "predecoding stalls"},
    {TACHO_NOTE_JCC_ERRATUM, "jcc_erratum", 'J', "JCC erratum", "not served from the DSB"},
    {TACHO_NOTE_MICROCODED, "microcoded", 'S', "µops from the microcode sequencer", NULL},
    {TACHO_NOTE_COMPLEX_DECODER, "complex_decoder", 'C', "needs the complex decoder", NULL},
    {TACHO_NOTE_STACK_SYNC, "stack_sync", 'Y', "a stack synchronisation µop comes before it", NULL},
    {TACHO_NOTE_HIGH8_MERGE, "high8_merge", 'H', "a µop merges a high-byte register before it", NULL},
    {TACHO_NOTE_CRITICAL, "critical", '*', "on the critical dependency cycle", NULL},
    {TACHO_NOTE_STORE_BLOCKED, "store_blocked", 'B', "loads what a store of the block cannot forward",
     "waits for the cache"},
    {TACHO_NOTE_ALIAS_4K, "alias_4k", '4',
     "loads from a multiple of 4096 bytes away from a store of the block", "the load is repeated"},
    {TACHO_NOTE_STORE_FORWARD, "store_forward", 'F', "loads what an earlier store of the block wrote", NULL},
    {TACHO_NOTE_DIVIDER, "divider", 'D', "occupies the divider", NULL},
    {TACHO_NOTE_SERIALIZING, "serializing", '!', "waits until all older instructions have retired", NULL},
};
const size_t report_note_count = sizeof report_notes / sizeof *report_notes;

const char *report_note_letters(uint32_t notes, char out[REPORT_NOTES_SIZE])
{
    size_t n = 0;
    for (size_t k = 0; k < report_note_count; k++)
        if (notes & report_notes[k].bit)
            out[n++] = report_notes[k].letter;
    out[n] = '\0';
    return out;
}

uint32_t report_shown_notes(const tacho_prediction *p)
{
    static const uint32_t origins[] = {TACHO_NOTE_ESTIMATED, TACHO_NOTE_SAME_CORE};
    uint32_t shown = UINT32_MAX;
    for (size_t k = 0; k < sizeof origins / sizeof *origins; k++) {
        size_t n = 0;
        for (size_t i = 0; i < p->instruction_count; i++)
            n += (p->instructions[i]->notes & origins[k]) != 0;
        shown &= 2 * n >= p->instruction_count && p->instruction_count > 1 ? ~origins[k] : UINT32_MAX;
    }
    return shown;
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

/* Names that are no words, or not those that people use. In others "_" is a space. */
static const struct {
    const char *name, *words;
} names[] = {
    {"perf", "performance counters"},
    {"tsc", "time stamp counter"},
    {"tsc-calibrated", "calibrated time stamp counter"},
    {"at-most", "at most"},
    {"no-chain", "no chain"},
    {"not-measured", "not measured"},
    {"round-trip", "round trip"},
    {"4k_aliasing", "4K aliasing"},
    {"tlb", "TLB"},
};

const char *report_words(const char *name, char out[REPORT_WORDS_SIZE])
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i].name, name))
            return names[i].words;
    snprintf(out, REPORT_WORDS_SIZE, "%s", name);
    for (char *c = out; *c; c++)
        if (*c == '_')
            *c = ' ';
    return out;
}

const char *report_column_word(const tacho_arch *arch, const char *word)
{
    const own_word *own = tacho_own_word_row(arch, word);
    return own ? own->column : word;
}

void report_own_words(tacho_str *out, const tacho_arch *arch, const char *text)
{
    char word[8];
    while (*text) {
        size_t length = 0;
        while (isalnum((unsigned char)text[length]))
            length++;
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        if (length && length < sizeof word)
            tacho_str_puts(out, tacho_own_word(arch, word));
        else
            tacho_str_append(out, text, length ? length : 1);
        text += length ? length : 1;
    }
}

json_t *report_words_json(void)
{
    json_t *bounds = json_object(), *slots = json_object(), *notes = json_object(), *amd = json_object();
    for (int b = 0; b < TACHO_BOUND_COUNT; b++)
        json_object_set_new(bounds, tacho_bound_name((tacho_bound)b),
                            json_string(tacho_bound_words(NULL, (tacho_bound)b)));
    for (int k = 0; k < TACHO_SLOT_REASON_COUNT; k++)
        json_object_set_new(slots, tacho_slot_reason_name((tacho_slot_reason)k),
                            json_string(report_slot_words[k]));
    for (size_t i = 0; i < report_note_count; i++)
        json_object_set_new(notes, report_notes[i].name, json_string(report_notes[i].words));
    for (const own_word *w = tacho_own_words; w->word; w++)
        json_object_set_new(amd, w->word, json_string(w->amd));
    return json_pack("{s:o, s:o, s:o, s:{s:o}}", "bounds", bounds, "slots", slots, "notes", notes, "own",
                     "AMD", amd);
}

const char *report_number(char out[TACHO_NUMBER_SIZE], double value)
{
    return isfinite(value) ? tacho_format_number(out, value, TACHO_DECIMALS) : strcpy(out, "-");
}
