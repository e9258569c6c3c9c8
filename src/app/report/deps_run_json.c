/* deps_run_json.c - dependencies of a run as JSON. */
#include <math.h>
#include <stdio.h>

#include "app/report/report.h"
#include "app/report/report_deps_run.h"
#include "base/mem.h"

static json_t *number_or_null(double x)
{
    return isnan(x) ? json_null() : json_real(x);
}

static json_t *sum_json(const tacho_deps_run_sum *s)
{
    return json_pack("{s:I, s:I}", "dependencies", (json_int_t)s->dependencies, "count",
                     (json_int_t)s->count);
}

static json_t *lifetime_json(uint64_t lifetime)
{
    return lifetime == TACHO_DEPS_RUN_FOREVER ? json_null() : json_integer((json_int_t)lifetime);
}

static json_t *reasons_json(const tacho_deps_run_sum *sums)
{
    json_t *reasons = json_object();
    for (int k = 1; k < TACHO_DEPS_RUN_REASON_COUNT; k++)
        json_object_set_new(reasons, tacho_deps_run_reason_name((tacho_deps_run_reason)k),
                            sum_json(&sums[k]));
    return reasons;
}

/* One analysis alone. */
static json_t *figures_json(const tacho_deps_run_figures *f)
{
    json_t *o = json_object();
    json_object_set_new(o, "cov_u", number_or_null(f->cov_u));
    json_object_set_new(o, "cov_w", number_or_null(f->cov_w));
    json_object_set_new(o, "found", sum_json(&f->found));
    json_object_set_new(o, "missed", sum_json(&f->missed));
    json_object_set_new(o, "reasons", reasons_json(f->reasons));
    json_object_set_new(o, "claimed", json_integer((json_int_t)f->claimed));
    json_object_set_new(o, "shown", json_integer((json_int_t)f->shown));
    json_object_set_new(o, "precision", number_or_null(f->precision));
    return o;
}

static json_t *coverage_json(const tacho_deps_run *run)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < run->lifetime_count; i++) {
        const tacho_deps_run_coverage *c = &run->coverage[i];
        json_t *o = json_object(), *analyses = json_object();
        json_object_set_new(o, "lifetime", lifetime_json(c->lifetime));
        json_object_set_new(o, "cov_u", number_or_null(c->cov_u));
        json_object_set_new(o, "cov_w", number_or_null(c->cov_w));
        for (int k = 0; k < TACHO_DEPS_RUN_VERDICT_COUNT; k++)
            json_object_set_new(o, tacho_deps_run_verdict_name((tacho_deps_run_verdict)k),
                                sum_json(&c->verdicts[k]));
        json_object_set_new(o, "reasons", reasons_json(c->reasons));
        json_object_set_new(o, "claimed", json_integer((json_int_t)c->claimed));
        json_object_set_new(o, "shown", json_integer((json_int_t)c->shown));
        json_object_set_new(o, "precision", number_or_null(c->precision));
        for (int p = 0; p < TACHO_DEPS_RUN_PART_COUNT; p++)
            json_object_set_new(analyses, tacho_deps_run_part_name((tacho_deps_run_part)p),
                                figures_json(&c->parts[p]));
        json_object_set_new(o, "analyses", analyses);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *insn_json(const tacho_deps_run *run, const tacho_deps_run_insn *insn)
{
    char text[DEPS_RUN_ASM_SIZE], hex[2 * TACHO_MAX_INSN_BYTES + 1] = "";
    bool in_block = insn->block != TACHO_DEPS_RUN_NO_BLOCK;
    for (int b = 0; b < insn->length; b++)
        snprintf(hex + 2 * b, 3, "%02x", insn->bytes[b]);
    json_t *o = json_pack("{s:o, s:I, s:I, s:o, s:o}", "object", report_json_string(insn->object), "address",
                          (json_int_t)insn->address, "count", (json_int_t)insn->count, "symbol",
                          report_json_string(insn->symbol), "offset",
                          insn->symbol ? json_integer((json_int_t)insn->offset) : json_null());
    json_object_set_new(o, "asm", insn->length ? report_json_string(deps_run_asm(insn, text)) : json_null());
    json_object_set_new(o, "hex", insn->length ? json_string(hex) : json_null());
    json_object_set_new(o, "block", in_block ? json_integer(insn->block) : json_null());
    json_object_set_new(o, "hot", in_block ? json_boolean(run->blocks[insn->block].hot) : json_null());
    return o;
}

/* What each analysis that was asked says: "found", or the reason why it does not find it. */
static json_t *analyses_json(const tacho_deps_run_dependency *d)
{
    json_t *o = json_object();
    for (int p = 0; p < TACHO_DEPS_RUN_PART_COUNT; p++)
        if (d->judged_by >> p & 1)
            json_object_set_new(o, tacho_deps_run_part_name((tacho_deps_run_part)p),
                                d->found_by >> p & 1
                                    ? json_string("found")
                                    : json_string(tacho_deps_run_reason_name(d->reasons[p])));
    return o;
}

static json_t *dependency_json(const tacho_deps_run *run, const tacho_deps_run_dependency *d,
                               const uint32_t *numbers)
{
    json_t *within = json_array();
    for (uint32_t i = 0; i < run->lifetime_count; i++)
        json_array_append_new(within, json_integer((json_int_t)d->within[i]));
    const char *reason = tacho_deps_run_reason_name(d->reason);
    return json_pack("{s:i, s:i, s:I, s:o, s:I, s:s, s:s?, s:o}", "source", (int)numbers[d->source] - 1,
                     "target", (int)numbers[d->target] - 1, "count", (json_int_t)d->count, "within", within,
                     "shortest", (json_int_t)d->shortest, "verdict", tacho_deps_run_verdict_name(d->verdict),
                     "reason", *reason ? reason : NULL, "analyses", analyses_json(d));
}

/* What an analysis says and the run does not show. */
static json_t *claim_json(const tacho_deps_run_claim *claim, const uint32_t *numbers)
{
    json_t *by = json_array();
    for (int p = 0; p < TACHO_DEPS_RUN_PART_COUNT; p++)
        if (claim->by >> p & 1)
            json_array_append_new(by, json_string(tacho_deps_run_part_name((tacho_deps_run_part)p)));
    return json_pack("{s:i, s:i, s:o}", "source", (int)numbers[claim->source] - 1, "target",
                     (int)numbers[claim->target] - 1, "analyses", by);
}

/* The dependencies, what is claimed beside them, and the instructions that they are between. */
static bool put_dependencies(json_t *o, const tacho_deps_run *run)
{
    json_t *list = json_array(), *insns = json_array(), *claims = json_array();
    uint32_t *numbers = tacho_mem_zalloc(run->insn_count + 1, sizeof *numbers),
             next = 0; /* + 1; 0: in none */
    for (size_t i = 0; numbers && i < run->dependency_count; i++)
        numbers[run->dependencies[i].source] = numbers[run->dependencies[i].target] = 1;
    for (size_t i = 0; numbers && i < run->claim_count; i++)
        numbers[run->claims[i].source] = numbers[run->claims[i].target] = 1;
    for (size_t i = 0; numbers && i < run->insn_count; i++)
        if (numbers[i]) {
            numbers[i] = ++next;
            json_array_append_new(insns, insn_json(run, &run->insns[i]));
        }
    for (size_t i = 0; numbers && i < run->dependency_count; i++)
        json_array_append_new(list, dependency_json(run, &run->dependencies[i], numbers));
    for (size_t i = 0; numbers && i < run->claim_count; i++)
        if (run->claims[i].dependency == UINT32_MAX)
            json_array_append_new(claims, claim_json(&run->claims[i], numbers));
    json_object_set_new(o, "instructions", insns);
    json_object_set_new(o, "not_shown", claims);
    json_object_set_new(o, "dependencies", list);
    tacho_mem_free(numbers);
    return numbers;
}

json_t *report_deps_run_json(const report_deps_run *r)
{
    const tacho_deps_run *run = r->run;
    json_t *command = json_array(), *warnings = json_array(), *o = json_object();
    for (char *const *word = r->command; *word; word++)
        json_array_append_new(command, report_json_string(*word));
    for (size_t i = 0; i < run->warning_count; i++)
        json_array_append_new(warnings, report_json_string(run->warnings[i]));
    json_object_set_new(o, "schema", json_string("tacho-deps-run-1"));
    json_object_set_new(o, "command", command);
    json_object_set_new(o, "ended", json_boolean(run->run.ended));
    json_object_set_new(o, "judged", json_boolean(run->judged));
    json_object_set_new(o, "exit_status",
                        run->run.exit_status < 0 ? json_null() : json_integer(run->run.exit_status));
    json_object_set_new(o, "signal", run->run.signal ? json_integer(run->run.signal) : json_null());
    json_object_set_new(o, "seconds", json_real(run->run.seconds));
    json_object_set_new(o, "executed_instructions", json_integer((json_int_t)run->run.executed_insns));
    json_object_set_new(o, "executed_addresses", json_integer((json_int_t)run->insn_count));
    json_object_set_new(o, "blocks", json_integer((json_int_t)run->block_count));
    json_object_set_new(o, "hot_blocks", json_integer((json_int_t)run->hot_count));
    json_object_set_new(o, "hot_share", json_real(r->hot));
    json_object_set_new(o, "hottest_count", json_integer((json_int_t)run->hottest));
    json_object_set_new(o, "coverage", coverage_json(run));
    bool good = put_dependencies(o, run);
    json_object_set_new(o, "warnings", warnings);
    if (!good) {
        json_decref(o);
        return NULL;
    }
    return o;
}
