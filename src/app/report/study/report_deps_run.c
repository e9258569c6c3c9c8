/* report_deps_run.c - dependencies of a run as text. */
#include "app/report/study/report_deps_run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/report/grid.h"
#include "app/report/report.h"

const char *deps_run_asm(const tacho_deps_run_insn *insn, char out[DEPS_RUN_ASM_SIZE])
{
    tacho_insn decoded;
    *out = '\0';
    if (insn->length && !tacho_decode(&decoded, insn->bytes, insn->length, NULL))
        tacho_insn_format(&decoded, insn->address, 1, out, DEPS_RUN_ASM_SIZE);
    return out;
}

/* ---- text ---- */

static const char *lifetime_text(uint64_t lifetime, char out[24])
{
    if (lifetime == TACHO_DEPS_RUN_FOREVER)
        return "any";
    snprintf(out, 24, "%" PRIu64, lifetime);
    return out;
}

static void put_head(tacho_str *out, const report_deps_run *r)
{
    const tacho_deps_run *run = r->run;
    for (char *const *word = r->command; *word; word++) {
        tacho_str_puts(out, word > r->command ? " " : "");
        report_put_plain(out, *word);
    }
    tacho_str_printf(out, "\n%" PRIu64 " instructions executed, at %zu addresses; %.1f s\n",
                     run->run.executed_insns, run->insn_count, run->run.seconds);
    tacho_str_printf(out,
                     "%zu of %zu blocks were executed at least %g %% as often as the hottest (%" PRIu64
                     " times)\n%zu pairs of a store and a load that read what it had written\n\n",
                     run->hot_count, run->block_count, r->hot * 100, run->hottest, run->dependency_count);
}

static void put_share(tacho_str *out, double share)
{
    if (isnan(share))
        tacho_str_puts(out, "        -");
    else
        tacho_str_printf(out, "  %5.1f %%", share * 100);
}

static void put_coverage(tacho_str *out, const tacho_deps_run *run, bool colour)
{
    char text[24];
    report_paint(out, colour, REPORT_BOLD,
                 "lifetime    found   missed  covered     times found    times missed  covered");
    tacho_str_putc(out, '\n');
    for (uint32_t i = 0; i < run->lifetime_count; i++) {
        const tacho_deps_run_coverage *c = &run->coverage[i];
        const tacho_deps_run_sum *found = &c->verdicts[TACHO_DEPS_RUN_FOUND],
                                 *missed = &c->verdicts[TACHO_DEPS_RUN_MISSED];
        tacho_str_printf(out, "%8s %8" PRIu64 " %8" PRIu64, lifetime_text(c->lifetime, text),
                         found->dependencies, missed->dependencies);
        put_share(out, c->cov_u);
        tacho_str_printf(out, " %15" PRIu64 " %15" PRIu64, found->count, missed->count);
        put_share(out, c->cov_w);
        tacho_str_putc(out, '\n');
    }
}

/* Each analysis alone, and how much of what it says the run shows. */
static void put_part(tacho_str *out, const char *lifetime, const char *name, const tacho_deps_run_figures *f)
{
    tacho_str_printf(out, "%8s %-8s %8" PRIu64 " %8" PRIu64, lifetime, name, f->found.dependencies,
                     f->missed.dependencies);
    put_share(out, f->cov_u);
    tacho_str_printf(out, " %15" PRIu64 " %15" PRIu64, f->found.count, f->missed.count);
    put_share(out, f->cov_w);
    tacho_str_printf(out, " %8" PRIu64 " %8" PRIu64 "  ", f->claimed, f->shown);
    put_share(out, f->precision);
    tacho_str_putc(out, '\n');
}

static void put_parts(tacho_str *out, const tacho_deps_run *run, bool colour)
{
    char text[24];
    tacho_str_putc(out, '\n');
    report_paint(out, colour, REPORT_BOLD,
                 "lifetime analysis    found   missed  covered     times found    times missed  covered  "
                 "claimed    shown  precision");
    tacho_str_putc(out, '\n');
    for (uint32_t i = 0; i < run->lifetime_count; i++)
        for (int p = 0; p < TACHO_DEPS_RUN_PART_COUNT; p++)
            put_part(out, lifetime_text(run->coverage[i].lifetime, text),
                     tacho_deps_run_part_name((tacho_deps_run_part)p), &run->coverage[i].parts[p]);
}

static void put_sum(tacho_str *out, const char *lifetime, const char *what, const tacho_deps_run_sum *s)
{
    if (s->dependencies)
        tacho_str_printf(out, "%8s %8" PRIu64 " %15" PRIu64 "  %s\n", lifetime, s->dependencies, s->count,
                         what);
}

static void put_others(tacho_str *out, const tacho_deps_run *run, bool colour)
{
    static const char *const reasons[] = {
        "",
        "missed: the block, or function, is too long to be analysed",
        "missed: the budget ran out first",
        "missed: it was not executed, for the branches chosen",
        "missed: the analysis does not know this access of the instruction",
        "missed: an address is not computed by integer arithmetic",
        "missed: further apart than the window",
        "missed: in a smaller share of the iterations than asked for",
        "missed: found, but always further apart than the window",
        "missed: after calls, which are not followed",
        "missed: after branches that depend on data",
        "missed: different pointers, equal because of what ran before the block",
        "missed: the same pointer, set again outside the block",
    };
    static const char *const verdicts[] = {
        "",
        "",
        "not counted: from one block to another",
        "not counted: in blocks that are executed less often",
        "not counted: no code of the program",
        "not counted: judging was stopped first",
    };
    char text[24];
    tacho_str_putc(out, '\n');
    report_paint(out, colour, REPORT_BOLD, "lifetime    pairs      executions");
    tacho_str_putc(out, '\n');
    for (uint32_t i = 0; i < run->lifetime_count; i++) {
        const tacho_deps_run_coverage *c = &run->coverage[i];
        const char *lifetime = lifetime_text(c->lifetime, text);
        for (int k = 1; k < TACHO_DEPS_RUN_REASON_COUNT; k++)
            put_sum(out, lifetime, reasons[k], &c->reasons[k]);
        for (int k = TACHO_DEPS_RUN_ACROSS; k < TACHO_DEPS_RUN_VERDICT_COUNT; k++)
            put_sum(out, lifetime, verdicts[k], &c->verdicts[k]);
    }
}

static void put_insn(tacho_str *out, const char *role, const tacho_deps_run_insn *insn)
{
    char text[DEPS_RUN_ASM_SIZE];
    tacho_str_printf(out, "         %s ", role);
    report_put_plain(out, insn->object ? insn->object : "[memory]");
    tacho_str_printf(out, " 0x%" PRIx64, insn->address);
    if (insn->symbol) {
        tacho_str_puts(out, " <");
        report_put_plain(out, insn->symbol);
        tacho_str_printf(out, "+0x%" PRIx64 ">", insn->offset);
    }
    tacho_str_printf(out, "  %s\n", deps_run_asm(insn, text));
}

/* Which analyses find it. */
static void put_finders(tacho_str *out, const tacho_deps_run_dependency *d)
{
    const char *between = " (";
    for (int p = 0; p < TACHO_DEPS_RUN_PART_COUNT; p++)
        if (d->found_by >> p & 1) {
            tacho_str_printf(out, "%s%s", between, tacho_deps_run_part_name((tacho_deps_run_part)p));
            between = ", ";
        }
    tacho_str_putc(out, ')');
}

static void put_dependency(tacho_str *out, const tacho_deps_run *run, const tacho_deps_run_dependency *d)
{
    char words[REPORT_WORDS_SIZE];
    tacho_str_printf(out, "%" PRIu64 " time%s", d->count, tacho_plural(d->count));
    for (uint32_t i = 0; i < run->lifetime_count; i++)
        if (run->coverage[i].lifetime != TACHO_DEPS_RUN_FOREVER)
            tacho_str_printf(out, ", %" PRIu64 " within %" PRIu64, d->within[i], run->coverage[i].lifetime);
    tacho_str_printf(out, "; shortest %" PRIu64 ": %s", d->shortest,
                     report_words(tacho_deps_run_verdict_name(d->verdict), words));
    if (d->found_by)
        put_finders(out, d);
    else if (d->verdict == TACHO_DEPS_RUN_MISSED)
        tacho_str_printf(out, " (%s)", report_words(tacho_deps_run_reason_name(d->reason), words));
    tacho_str_putc(out, '\n');
    put_insn(out, "store", &run->insns[d->source]);
    put_insn(out, "load ", &run->insns[d->target]);
}

void report_deps_run_text(tacho_str *out, const report_deps_run *r, bool colour)
{
    const tacho_deps_run *run = r->run;
    put_head(out, r);
    put_coverage(out, run, colour);
    put_parts(out, run, colour);
    put_others(out, run, colour);
    for (size_t i = 0; i < run->dependency_count && i < r->top; i++) {
        if (!i)
            tacho_str_putc(out, '\n');
        put_dependency(out, run, &run->dependencies[i]);
    }
}
