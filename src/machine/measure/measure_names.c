/* measure_names.c - the words for statuses, clocks and notes, as scripts and people see them. */
#include "tacho/measure.h"

const char *tacho_measure_status_name(tacho_measure_status status)
{
    static const char *const names[] = {"ok", "unstable", "unsupported", "crashed", "timeout", "rejected"};
    return (size_t)status < sizeof names / sizeof *names ? names[status] : "";
}

const char *tacho_clock_name(tacho_clock clock)
{
    static const char *const names[] = {"auto", "perf", "tsc-calibrated", "tsc"};
    return (size_t)clock < sizeof names / sizeof *names ? names[clock] : "";
}

static const struct {
    const char *name, *text;
} notes[TACHO_MEASURE_NOTE_COUNT] = {
    {"line-crossing", "an access crosses a cache line"},
    {"page-crossing", "an access crosses a page"},
    {"aliasing", "a load reads what an earlier store wrote to another address, because their pages are one "
                 "physical page; "
                 "other initial values show whether it matters"},
    {"forwarding-fails", "a load needs more bytes than an earlier store wrote: store forwarding fails"},
    {"state-dependent", "which loads read what was stored before depends on the initial values"},
    {"many-pages", "more pages than the first-level data cache, or its TLB, has room for: loads may miss"},
    {"x87-unbalanced", "the x87 stack over- or underflows, which no program does"},
    {"input-dependent", "division, square root or repetition: the time depends on the values"},
    {"long-code", "the copies do not fit into the instruction cache"},
    {"counter-in-vector", "the block uses all general registers: the loop's counter is in a vector register"},
    {"branch-replaced",
     "the loop's branch was replaced by DEC and JNZ, because its iterations cannot be counted"},
    {"branch-kept-inside", "a branch that leaves the block goes to the next instruction"},
    {"not-traced",
     "some addresses are not known (vector-indexed or repeated accesses): notes on memory may lack"},
    {"intercepted", "an instruction that virtual machines intercept"},
    {"noisy", "most samples were disturbed"},
    {"cache-misses", "the first-level data cache missed"},
    {"kept-in-cache", "a walk through memory, which ran only as far as the first-level data cache and its "
                      "TLB hold what it touches"},
};

static int number_of(uint32_t note)
{
    for (int i = 0; i < TACHO_MEASURE_NOTE_COUNT; i++)
        if (note == 1u << i)
            return i;
    return -1;
}

const char *tacho_measure_note_name(uint32_t note)
{
    int n = number_of(note);
    return n < 0 ? "" : notes[n].name;
}

const char *tacho_measure_note_text(uint32_t note)
{
    int n = number_of(note);
    return n < 0 ? "" : notes[n].text;
}
