/* explain_what_if.c - parts of the machine taken as ideal, one at a time: what the code would gain. The idea
 * of idealising one resource after the other is that of bottleneck analysis by simulation; llvm-mca's
 * bottleneck report and Facile's counterfactuals (Abel, Sharma, Reineke 2023, on bounds) are of its kind. */
#include <stdio.h>

#include "base/names.h"
#include "base/search.h"
#include "model/explain/explain_internal.h"
#include "x86/arch/port_digits.h"

enum {
    MAX_LATENCIES = 16, /* instructions of the critical cycle that are looked at */
    LARGEST_ROB = 600,  /* what the simulator can hold */
    LARGEST_RS = 400,
    LARGEST_WIDTH = 16,
    LARGEST_RETIRE = 64,
    MAX_PAIRS = 15, /* of the six parts below */
};

static variant *add(subject *s, what_if_list *list, tacho_what what, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = arena_vformat(s->memory, format, args);
    va_end(args);
    s->failed |= text == NULL;
    if (!text || list->count == list->capacity)
        return NULL;
    tacho_what_if *w = &list->items[list->count];
    variant *v = &list->variants[list->count++];
    *w = (tacho_what_if){.what = what, .also = TACHO_WHAT_COUNT, .instruction = -1, .text = text};
    *v = explain_unchanged(s);
    return v;
}

static void add_ideal(subject *s, what_if_list *list, tacho_what what, uint32_t ideal, const char *text)
{
    variant *v = add(s, list, what, "%s", text);
    if (v)
        v->options.ideal |= ideal;
}

static void add_issue(subject *s, what_if_list *list)
{
    uint32_t width = s->p->arch->issue_width, twice = 2 * width > LARGEST_WIDTH ? LARGEST_WIDTH : 2 * width;
    variant *v = add(s, list, TACHO_WHAT_ISSUE, "%u fused µops issued a cycle instead of %u", twice, width);
    tacho_arch *arch = v ? explain_own_arch(s, v) : NULL;
    if (!arch)
        return;
    arch->issue_width = (uint16_t)twice;
    if (2 * arch->retire_width <= LARGEST_RETIRE)
        arch->retire_width = (uint16_t)(2 * arch->retire_width);
}

static void add_buffers(subject *s, what_if_list *list)
{
    const tacho_arch *now = s->p->arch;
    if (now->rob_entries >= LARGEST_ROB && now->rs_entries >= LARGEST_RS)
        return;
    variant *v = add(s, list, TACHO_WHAT_BUFFERS,
                     "a reorder buffer of %d and a scheduler of %d µops instead of %u and %u", LARGEST_ROB,
                     LARGEST_RS, now->rob_entries, now->rs_entries);
    tacho_arch *arch = v ? explain_own_arch(s, v) : NULL;
    if (!arch)
        return;
    arch->rob_entries = arch->rob_entries > LARGEST_ROB ? arch->rob_entries : LARGEST_ROB;
    arch->rs_entries = arch->rs_entries > LARGEST_RS ? arch->rs_entries : LARGEST_RS;
}

static void add_ports(subject *s, what_if_list *list)
{
    for (size_t k = 0; k < s->p->port_set_count; k++) {
        char name[24] = "p";
        uint16_t set = s->p->port_sets[k];
        for (unsigned p = 0, n = 1; p < TACHO_MAX_PORTS; p++)
            if (set >> p & 1)
                n += (unsigned)snprintf(name + n, sizeof name - n, "%c", port_digit(p));
        variant *v = add(s, list, TACHO_WHAT_PORTS, "no port contention for the µops of %s", name);
        if (!v)
            return;
        v->options.ideal_port_set = set;
        list->items[list->count - 1].ports = set;
    }
    if (s->p->port_set_count)
        add_ideal(s, list, TACHO_WHAT_ALL_PORTS, TACHO_IDEAL_PORTS, "no port contention at all");
}

/* Instructions on the critical cycle that take more than a cycle there. */
static void add_latencies(subject *s, what_if_list *list)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->p->instruction_count && n < MAX_LATENCIES; i++) {
        const tacho_insn_report *r = s->p->instructions[i];
        char text[120];
        if (!(r->critical_latency > 1))
            continue;
        tacho_listing_write(s->options.listing, r->insn, r->code_offset, text, sizeof text);
        variant *v =
            add(s, list, TACHO_WHAT_LATENCY, "a latency of one cycle for instruction %u (%s)", i, text);
        if (!v)
            return;
        v->options.ideal_latency_insn = (int32_t)i;
        list->items[list->count - 1].instruction = (int32_t)i;
        n++;
    }
}

static bool any_noted(const subject *s, uint32_t note)
{
    for (size_t i = 0; i < s->p->instruction_count; i++)
        if (s->p->instructions[i]->notes & note)
            return true;
    return false;
}

/* Instructions other than divisions that have an initiation interval. */
static bool any_interval(const subject *s)
{
    for (size_t i = 0; i < s->p->instruction_count; i++) {
        tacho_form form;
        tacho_figures f;
        if (!tacho_insndb_match(s->p->arch, insn_at(s, i), &form, &f) && f.base.tp_cycles &&
            !f.base.div_cycles)
            return true;
    }
    return false;
}

void explain_find_what_ifs(subject *s, what_if_list *out)
{
    *out = (what_if_list){.capacity = TACHO_WHAT_COUNT + s->p->port_set_count + MAX_LATENCIES + MAX_PAIRS};
    out->items = explain_alloc(s, out->capacity * sizeof *out->items);
    out->variants = explain_alloc(s, out->capacity * sizeof *out->variants);
    if (!out->items || !out->variants)
        return;
    add_ideal(s, out, TACHO_WHAT_FRONT_END, TACHO_IDEAL_FRONT_END, "an unlimited front end");
    add_issue(s, out);
    add_ports(s, out);
    if (any_noted(s, TACHO_NOTE_DIVIDER))
        add_ideal(s, out, TACHO_WHAT_DIVIDER, TACHO_IDEAL_DIVIDER,
                  "a divider that starts a division every cycle");
    if (any_interval(s))
        add_ideal(s, out, TACHO_WHAT_START_INTERVALS, TACHO_IDEAL_START_INTERVALS,
                  "no minimum time between the starts of instructions");
    add_latencies(s, out);
    add_ideal(s, out, TACHO_WHAT_LATENCIES, TACHO_IDEAL_LATENCIES, "a latency of one cycle for every µop");
    if (any_noted(s, TACHO_NOTE_STORE_FORWARD | TACHO_NOTE_STORE_BLOCKED | TACHO_NOTE_ALIAS_4K)) {
        variant *v = add(s, out, TACHO_WHAT_MEMORY_DEPENDENCIES, "no dependencies through memory");
        if (v)
            v->options.no_memory_deps = true;
    }
    variant *v = add(s, out, TACHO_WHAT_DEPENDENCIES, "no dependencies at all");
    if (v) {
        v->options.no_memory_deps = true;
        v->options.ideal |= TACHO_IDEAL_DEPENDENCIES;
    }
    add_buffers(s, out);
}

/* Parts that are also tried two at a time. */
static bool is_part(const what_if_list *list, size_t i)
{
    return IS_ONE_OF((uint8_t)list->items[i].what, TACHO_WHAT_FRONT_END, TACHO_WHAT_ISSUE,
                     TACHO_WHAT_ALL_PORTS, TACHO_WHAT_DIVIDER, TACHO_WHAT_START_INTERVALS,
                     TACHO_WHAT_DEPENDENCIES);
}

/* Only one of the parts has parameters of its own. */
void explain_find_pairs(subject *s, what_if_list *list)
{
    size_t singles = list->count;
    for (size_t a = 0; a < singles; a++)
        for (size_t b = a + 1; b < singles; b++) {
            if (!is_part(list, a) || !is_part(list, b))
                continue;
            variant *v =
                add(s, list, list->items[a].what, "%s, and %s", list->items[a].text, list->items[b].text);
            if (!v)
                return;
            list->items[list->count - 1].also = list->items[b].what;
            const variant *both[] = {&list->variants[a], &list->variants[b]};
            for (int k = 0; k < 2; k++) {
                v->options.ideal |= both[k]->options.ideal;
                v->options.no_memory_deps |= both[k]->options.no_memory_deps;
                v->arch = both[k]->arch != s->p->arch ? both[k]->arch : v->arch;
            }
        }
}

NAMES_OF(tacho_what_name, tacho_what, "", "front_end", "issue", "ports", "all_ports", "divider",
         "start_intervals", "latency", "latencies", "memory_dependencies", "dependencies", "buffers")
