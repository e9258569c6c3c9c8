/* bias_names.c - names of factors, phases and causes. */
#include "program/bias/bias_internal.h"

static const struct {
    const char *name, *words;
} kinds[TACHO_BIAS_KIND_COUNT] = {
    [TACHO_BIAS_ENVIRONMENT] = {"environment", "size of the environment"},
    [TACHO_BIAS_STACK] = {"stack", "where the stack begins"},
    [TACHO_BIAS_HEAP] = {"heap", "where the heap begins"},
    [TACHO_BIAS_MAPPINGS] = {"mappings", "where mappings begin"},
    [TACHO_BIAS_ARGUMENT] = {"argument", "length of the program's path"},
    [TACHO_BIAS_DIRECTORY] = {"directory", "length of the current directory's name"},
    [TACHO_BIAS_ALLOCATOR] = {"allocator", "allocator of memory"},
    [TACHO_BIAS_BUFFERS] = {"buffers", "distance between large allocations"},
    [TACHO_BIAS_LINK_ORDER] = {"link-order", "order of the object files"},
    [TACHO_BIAS_CODE] = {"code", "place of the code"},
};

static const char *const phases[TACHO_BIAS_PHASE_COUNT] = {
    [TACHO_BIAS_LINKING] = "linking",       [TACHO_BIAS_SWEEPING] = "sweep",
    [TACHO_BIAS_CONFIRMING] = "confirming", [TACHO_BIAS_EXPLAINING] = "cause",
    [TACHO_BIAS_ADVISING] = "advice",
};

static const char *const causes[] = {
    [TACHO_BIAS_NO_CAUSE] = "",
    [TACHO_BIAS_UNKNOWN] = "unknown",
    [TACHO_BIAS_ALIASING] = "4k_aliasing",
    [TACHO_BIAS_LINE_CROSSING] = "line_crossing",
    [TACHO_BIAS_PAGE_CROSSING] = "page_crossing",
    [TACHO_BIAS_CODE_ALIGNMENT] = "code_alignment",
    [TACHO_BIAS_INSTRUCTIONS] = "other_code",
    [TACHO_BIAS_PAGE_FAULTS] = "page_faults",
    [TACHO_BIAS_MAJOR_FAULTS] = "major_page_faults",
    [TACHO_BIAS_WAITING] = "waiting",
    [TACHO_BIAS_SET_CONFLICTS] = "set_conflicts",
    [TACHO_BIAS_TLB] = "tlb",
};

const char *tacho_bias_kind_name(tacho_bias_kind kind)
{
    return (unsigned)kind < TACHO_BIAS_KIND_COUNT ? kinds[kind].name : "";
}

const char *tacho_bias_kind_words(tacho_bias_kind kind)
{
    return (unsigned)kind < TACHO_BIAS_KIND_COUNT ? kinds[kind].words : "";
}

const char *tacho_bias_phase_name(tacho_bias_phase phase)
{
    return (unsigned)phase < TACHO_BIAS_PHASE_COUNT ? phases[phase] : "";
}

const char *tacho_bias_effect_name(const tacho_bias_factor *factor)
{
    (void)factor;
    return "slowest_to_fastest";
}

const char *tacho_bias_cause_name(tacho_bias_cause cause)
{
    return (unsigned)cause < sizeof causes / sizeof *causes ? causes[cause] : "";
}
