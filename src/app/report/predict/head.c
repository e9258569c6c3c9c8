/* head.c - how a prediction for people begins: the result, what binds and what would move it, the bound of
 * each component. */
#include "app/report/report.h"
#include "model/explain/critical.h"
#include "x86/decode/ops.h"
#include "x86/decode/regs.h"

enum {
    BAR_WIDTH = 40
};

/* ---- the bottleneck in words ---- */

static void carriers_text(const tacho_prediction *p, char *out, size_t size)
{
    critical_carriers c;
    tacho_critical_carriers(p, &c);
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < c.count && used < size; i++) {
        const char *before = i == 0 ? "through " : i + 1 == c.count && !c.more ? " and " : ", ";
        used += (size_t)snprintf(out + used, size - used, "%s%s", before, c.names[i]);
    }
    if (c.more && used < size)
        snprintf(out + used, size - used, ", ...");
}

static void critical_text(const tacho_prediction *p, char *out, size_t size)
{
    size_t count = p->critical_cycle_length;
    size_t used = (size_t)snprintf(out, size, "instruction%s ", tacho_plural(count));
    for (size_t i = 0; i < count && used < size; i++) {
        if (i == 12) {
            snprintf(out + used, size - used, ", ... (%zu in all)", count);
            break;
        }
        used += (size_t)snprintf(out + used, size - used, "%s%u", i ? ", " : "", tacho_critical_insn(p, i));
    }
}

/* What binds, where the core and the code do not matter, and what it would take to move it. */
static const struct {
    const char *what, *move;
} bound_texts[TACHO_BOUND_COUNT] = {
    [TACHO_BOUND_PREDECODE] =
        {"", "shorter instructions, no length-changing prefixes, or code that the DSB can hold"},
    [TACHO_BOUND_DECODE] =
        {"the decoders", "fewer instructions that need the complex decoder, or code that the DSB can hold"},
    [TACHO_BOUND_DSB] = {"", "fewer µops, or a better placement of the code (see --alignment)"},
    [TACHO_BOUND_LSD] = {"delivery from the LSD, which replays the loop out of the µop queue",
                         "fewer µops, or an unrolled loop"},
    [TACHO_BOUND_ISSUE] = {"", "fewer µops: fused memory operands, wider vectors, less loop overhead"},
    [TACHO_BOUND_PORTS] = {"", ""},
    [TACHO_BOUND_DIVIDER] = {"the divider, which takes one division at a time",
                             "fewer or narrower divisions and square roots, or reciprocals"},
    [TACHO_BOUND_DEPENDENCIES] = {"", "a shorter chain, or several independent ones (more accumulators)"},
    [TACHO_BOUND_START_INTERVALS] =
        {"instructions with a minimum time between starts (locked ones, cpuid ...)", "fewer of them"},
    [TACHO_BOUND_PORT_CONFLICTS] = {"expected port conflicts between chains of one cycle an iteration",
                                    "fewer such chains, or fewer µops for their ports"},
};

/* Whether the renamer issues some of it beside no other instruction. */
static bool has_lone_microcode(const tacho_prediction *p)
{
    bool found = false;
    for (size_t i = 0; i < p->instruction_count; i++)
        found |= p->instructions[i]->notes & TACHO_NOTE_MICROCODED;
    return found && p->arch->ms_own_groups;
}

static void what_binds(const tacho_prediction *p, tacho_bound b, char *what, size_t size)
{
    char detail[256], numbers[128] = "";
    switch (b) {
    case TACHO_BOUND_PREDECODE:
        snprintf(what, size, "finding where instructions begin (%u bytes, up to %u instructions a cycle)",
                 p->arch->predecode_block_bytes, p->arch->predecode_width);
        break;
    case TACHO_BOUND_DSB:
        snprintf(what, size, "delivery from the %s, the cache of decoded µops (%u a cycle)",
                 tacho_own_word(p->arch, "DSB"), p->arch->dsb_width);
        break;
    case TACHO_BOUND_ISSUE:
        snprintf(what, size, "the renamer issues at most %u fused µops a cycle%s", p->arch->issue_width,
                 has_lone_microcode(p) ? ", and microcode beside no other instruction" : "");
        break;
    case TACHO_BOUND_PORTS:
        report_busiest_text(p, what);
        break;
    case TACHO_BOUND_DEPENDENCIES:
        carriers_text(p, detail, sizeof detail);
        if (p->critical_cycle_length)
            critical_text(p, numbers, sizeof numbers);
        snprintf(what, size, "the dependency %s%s%s%s", *detail ? detail : "from one iteration to the next",
                 *numbers ? " (" : "", numbers, *numbers ? ")" : "");
        break;
    default:
        snprintf(what, size, "%s", bound_texts[b].what);
    }
}

/* Whether what carries the cycle is moved on by a constant alone: the counter of a loop, an address. */
static bool is_counter(const tacho_prediction *p)
{
    for (size_t i = 0; i < p->critical_cycle_length; i++) {
        const tacho_insn *insn = p->instructions[p->critical_cycle[i]]->insn;
        const tacho_operand *from = &insn->operands[1];
        bool counts = insn->operand_count && insn->operands[0].kind == TACHO_OPERAND_REG &&
                      reg_is_general(insn->operands[0].reg) &&
                      (insn->visible_count == 1 || from->kind == TACHO_OPERAND_IMM);
        if (!counts || p->critical_latencies[i] > 1)
            return false;
    }
    return p->critical_cycle_length;
}

/* Whether one instruction on the cycle accesses memory so. */
static bool accesses(const tacho_prediction *p, int access)
{
    for (size_t i = 0; i < p->critical_cycle_length; i++)
        if (insn_accesses_memory(p->instructions[p->critical_cycle[i]]->insn, access))
            return true;
    return false;
}

/* Whether each iteration loads from where the one before told it to: the loaded register is an address. */
static bool is_walk(const tacho_prediction *p)
{
    for (size_t i = 0; i < p->critical_cycle_length; i++) {
        const tacho_insn *insn = p->instructions[p->critical_cycle[i]]->insn;
        if (insn->operation == OP_MOVE && insn_accesses_memory(insn, TACHO_READ))
            return true;
    }
    return false;
}

static const char *shorter_chain(const tacho_prediction *p)
{
    if (is_counter(p))
        return "more work for each step of the counter: an unrolled loop";
    if (accesses(p, TACHO_WRITE) && accesses(p, TACHO_READ))
        return "a value kept in a register, in place of memory";
    return is_walk(p) ? "several independent walks side by side, or addresses that are known without a load"
                      : bound_texts[TACHO_BOUND_DEPENDENCIES].move;
}

static void put_bottleneck(tacho_str *out, bool colour, const tacho_prediction *p, tacho_bound b)
{
    char what[512];
    tacho_str move = {0};
    what_binds(p, b, what, sizeof what);
    report_label(out, colour, "bottleneck");
    const char *name = tacho_bound_words(p->arch, b);
    report_paint(out, colour, REPORT_BOLD, name);
    tacho_str_puts(out, ": ");
    report_wrapped_from(out, what, REPORT_VALUE_AT, REPORT_VALUE_AT + strlen(name) + 2);
    report_own_words(&move, p->arch,
                     b == TACHO_BOUND_PORTS          ? report_busiest_move(p)
                     : b == TACHO_BOUND_DEPENDENCIES ? shorter_chain(p)
                                                     : bound_texts[b].move);
    report_line_text(out, colour, "to move it", &move);
}

/* "ports (load ports), at 1.5" */
static void put_limit(tacho_str *out, const tacho_prediction *p, tacho_bound b, const char *before)
{
    char number[TACHO_NUMBER_SIZE], words[160];
    report_limit_words(p, b, words, sizeof words);
    tacho_str_printf(out, b == TACHO_BOUND_PORTS ? "ports (%s)%s %s" : "%s%s %s", words, before,
                     report_number(number, p->bounds[b]));
}

void report_bottleneck_text(tacho_str *out, bool colour, const tacho_prediction *p)
{
    tacho_str text = {0};
    int next = tacho_prediction_next_limit(p);
    for (int b = 0; b < TACHO_BOUND_COUNT; b++)
        if (p->bottlenecks & 1u << b)
            put_bottleneck(out, colour, p, (tacho_bound)b);
    if (!p->bottlenecks) {
        tacho_str_puts(&text, "no single limit: several components interact");
        tacho_str_puts(&text, next >= 0 ? "; the nearest is " : "");
    }
    if (next >= 0)
        put_limit(&text, p, (tacho_bound)next, p->bottlenecks ? ", at" : " at");
    if (text.length)
        report_line_text(out, colour, p->bottlenecks ? "next limit" : "bottleneck", &text);
}

/* ---- the head ---- */

static void result(tacho_str *out, bool colour, const tacho_prediction *p)
{
    char cycles[REPORT_RESULT_SIZE], exact[48], text[160], missing[200];
    TACHO_FREED tacho_str rest = {0};
    snprintf(text, sizeof text, "%s cycle%s per iteration", report_prediction_cycles(cycles, p),
             p->cycles == 1 ? "" : "s");
    report_paint(out, colour, REPORT_BOLD, text);
    if (p->cycles_den > 1 && !p->unknown_count)
        tacho_str_printf(&rest, "(exactly %s) ", report_exact(p, exact));
    tacho_str_printf(&rest, "on %s, %s", p->arch->name, p->arch->long_name);
    if (*report_missing(p, missing, sizeof missing))
        tacho_str_printf(&rest, ": %s", missing);
    tacho_str_putc(out, ' ');
    report_wrapped_from(out, rest.failed ? "" : rest.data, 0, strlen(text) + 1);
    out->failed |= rest.failed;
    tacho_str_putc(out, '\n');
    report_missing_names(out, colour, p);
}

/* Before what binds, as the answer is another one then: the code repeated as it stands is not what is meant.
 */
static void repeated(tacho_str *out, bool colour, const report_subject *s)
{
    char number[TACHO_NUMBER_SIZE];
    for (size_t i = 0; s->explanation && i < s->explanation->advice_count; i++) {
        const tacho_advice *a = &s->explanation->advice[i];
        if (strcmp(a->kind, "advance") != 0)
            continue;
        report_paint(out, colour, REPORT_BOLD,
                     "each iteration reads what the one before wrote, as addresses do not advance");
        tacho_str_printf(out, " (instruction%s %u", a->instruction_count > 1 ? "s" : "", a->instructions[0]);
        if (a->instruction_count > 1)
            tacho_str_printf(out, ", %u", a->instructions[1]);
        tacho_str_printf(out, ");\ninclude the increment, or use --advance: %s%s cycle%s\n\n",
                         tacho_prediction_is_lower_bound(s->prediction) ? "at least " : "",
                         report_number(number, a->cycles_after), a->cycles_after == 1 ? "" : "s");
    }
}

/* How the code is run, and how much of the machine it uses. */
static void run(tacho_str *out, bool colour, const tacho_prediction *p)
{
    char number[TACHO_NUMBER_SIZE];
    tacho_str ipc = {0}, elements = {0};
    bool lower = tacho_prediction_is_lower_bound(p);
    report_line(out, colour, "mode", "%s; µops from %s",
                p->mode == TACHO_MODE_LOOP ? "loop: the code jumps back to its start"
                                           : "unroll: copies of the code one after the other",
                tacho_uop_source_words(p->arch, p->source));
    tacho_str_printf(&ipc, "%s%s", lower ? "at most " : "", report_number(number, tacho_prediction_ipc(p)));
    if (isfinite(tacho_prediction_uops_per_cycle(p)))
        tacho_str_printf(&ipc, "; µops issued a cycle: %s of %u",
                         report_number(number, tacho_prediction_uops_per_cycle(p)), p->arch->issue_width);
    report_line_text(out, colour, "IPC", &ipc);
    report_elements_text(&elements, p);
    if (elements.length)
        report_line_text(out, colour, "elements", &elements);
    if (p->run_iterations)
        report_line(out, colour, "run", "%u iteration%s: %s%u cycles, starting with an empty pipeline",
                    p->run_iterations, tacho_plural(p->run_iterations), lower ? "at least " : "",
                    p->run_cycles);
}

void report_compared_text(tacho_str *out, bool colour, const tacho_arch *arch)
{
    if (arch->compared != TACHO_COMPARED_MEASUREMENTS)
        report_line(out, colour, "checked", "%s",
                    tacho_arch_is_loaded(arch) && arch->checked ? arch->checked
                    : tacho_arch_is_loaded(arch) ? "never: this model of the core comes from a file"
                    : arch->compared == TACHO_COMPARED_MODEL
                        ? "against another model of this core, never against measurements"
                    : arch->compared == TACHO_COMPARED_INSTRUCTIONS
                        ? "against InstLatx64's latencies and throughputs only, never against measured blocks"
                        : "never, neither against measurements of this core nor against another model");
}

void report_head(tacho_str *out, const report_subject *s, bool colour)
{
    const tacho_prediction *p = s->prediction;
    result(out, colour, p);
    repeated(out, colour, s);
    TACHO_FREED tacho_str what_if = {0};
    if (report_what_if(p, &what_if))
        report_line_text(out, colour, "what if", &what_if);
    report_bottleneck_text(out, colour, p);
    run(out, colour, p);
    if (p->bounds_only)
        report_line(out, colour, "by bounds", "the highest of the bounds, not simulated: %s",
                    p->bottlenecks >> TACHO_BOUND_PORT_CONFLICTS & 1
                        ? "an estimate, since port conflicts are expected but not certain"
                        : "a lower limit");
    else if (!p->cycles_den)
        report_line(out, colour, "steady state", "not found: an average over %u simulated iterations",
                    p->simulated_iterations);
    report_compared_text(out, colour, p->arch);
}

/* ---- bounds ---- */

/* The largest of what the bars show. */
static double longest(const tacho_prediction *p)
{
    double most = p->cycles;
    for (int b = 0; b < TACHO_BOUND_COUNT; b++)
        if (tacho_prediction_uses_bound(p, (tacho_bound)b) && p->bounds[b] > most)
            most = p->bounds[b];
    return most;
}

/* Where µops come from in place of what a bound speaks of. */
static const char *other_way(const tacho_prediction *p)
{
    return p->source == TACHO_SOURCE_MITE ? "decoders"
                                          : tacho_own_word(p->arch, tacho_uop_source_name(p->source));
}

static void put_bound(tacho_str *out, bool colour, const tacho_prediction *p, tacho_bound b, double most)
{
    char line[160], bar[BAR_WIDTH + 1], number[TACHO_NUMBER_SIZE];
    bool used = tacho_prediction_uses_bound(p, b);
    int n = most > 0 ? (int)lround(p->bounds[b] / most * BAR_WIDTH) : 0;
    memset(bar, '#', sizeof bar);
    bar[n < 0 ? 0 : n > BAR_WIDTH ? BAR_WIDTH : n] = '\0';
    const char *name = tacho_bound_words(p->arch, b);
    int width = 20 - (int)strlen(name); /* the number fills the column, whatever the name leaves */
    size_t at =
        (size_t)snprintf(line, sizeof line, "  %s %*s", name, width, report_number(number, p->bounds[b]));
    if (used)
        snprintf(line + at, sizeof line - at, "%s%s", *bar ? "  " : "", bar);
    else if (p->source == TACHO_SOURCE_MIXED)
        snprintf(line + at, sizeof line - at, "  does not apply: few µops come this way");
    else
        snprintf(line + at, sizeof line - at, "  does not apply: µops come from the %s", other_way(p));
    report_paint(out, colour && (!used || p->bottlenecks >> b & 1), used ? REPORT_RED : REPORT_DIM, line);
    tacho_str_putc(out, '\n');
}

void report_bounds_text(tacho_str *out, const tacho_prediction *p, bool colour)
{
    double most = longest(p);
    tacho_str_puts(out, "\nEach component alone, cycles per iteration:\n");
    for (int b = 0; b < TACHO_BOUND_COUNT; b++)
        if (isfinite(p->bounds[b]) && p->bounds[b] != 0)
            put_bound(out, colour, p, (tacho_bound)b, most);
}
