/* many_run.c - runs of many commands, in blocks of one run of each, and what comes out of them. */
#include <math.h>

#include "base/hash.h"
#include "base/mem.h"
#include "study/compare/compare_run.h"
#include "study/compare/many_internal.h"

enum {
    CHECK_RESAMPLES = 500 /* while running */
};

/* Any order of a block is as likely as any other: were two commands the same, each block's difference of the
 * two would be as likely to have the other sign, whatever the noise. */
uint32_t many_schedule_side(comparing *c, uint32_t block, uint32_t i)
{
    if (!i) {
        uint64_t state = hash_mix(hash_mix(c->options->judge.seed) + block);
        hash_draw_order(&state, c->order, c->command_count);
    }
    return c->order[i];
}

uint32_t many_fewest_blocks(const comparing *c)
{
    uint32_t needed = many_units_needed_for_ranks(&c->options->judge, c->command_count);
    return needed > TACHO_COMPARE_MIN_BLOCKS ? needed : TACHO_COMPARE_MIN_BLOCKS;
}

static int take(const comparing *c, many *m, tacho_error *err)
{
    return many_make(m, c->out->samples, c->out->run_count, c->command_count, c->options->layouts > 0, err);
}

/* Whether more blocks in the same layouts would hardly narrow the interval of command `i`. @return below 0 */
static int is_dominated(const many *m, size_t i, bool *out, tacho_error *err)
{
    judging j;
    int rc = many_pair(m, 0, i, &j, err);
    if (rc)
        return rc;
    *out = layouts_dominate(&j);
    judging_free(&j);
    return 0;
}

static int weigh(comparing *c, const many_resampled *s, double precision, bool *narrow, bool *dominated,
                 tacho_error *err)
{
    many_contrast ratios[TACHO_COMPARE_MAX_COMMANDS];
    size_t n = c->command_count - 1;
    double critical;
    for (uint32_t i = 0; i < n; i++)
        ratios[i] = (many_contrast){.b = i + 1};
    int rc = many_contrasts(s, c->options->judge.confidence, ratios, n, &critical, err);
    c->half_width = 0;
    *narrow = *dominated = true;
    for (size_t i = 0; i < n && !rc; i++) {
        double half = sinh(critical * ratios[i].error);
        bool own = s->m->layouts;
        c->half_width = half <= c->half_width ? c->half_width : half;
        if (half <= precision)
            continue;
        *narrow = false;
        rc = own ? is_dominated(s->m, ratios[i].b, &own, err) : 0;
        *dominated &= own;
    }
    return rc;
}

static int look(comparing *c, const many *m, double precision, bool *narrow, bool *dominated,
                tacho_error *err)
{
    many_resampled s;
    int rc = many_resample(m, &c->options->judge, CHECK_RESAMPLES, &s, err);
    if (rc)
        return rc;
    rc = weigh(c, &s, precision, narrow, dominated, err);
    many_resampled_free(&s);
    return rc;
}

int many_look(comparing *c, double precision, bool *narrow, bool *dominated, tacho_error *err)
{
    many m;
    int rc = take(c, &m, err);
    *narrow = *dominated = false;
    if (rc)
        return rc;
    size_t values = m.first_value[m.commands], least = values;
    for (size_t i = 0; i < m.commands; i++)
        least =
            m.first_value[i + 1] - m.first_value[i] < least ? m.first_value[i + 1] - m.first_value[i] : least;
    if (!values)
        rc = compare_no_values(c, err);
    else if (least)
        rc = look(c, &m, precision, narrow, dominated, err);
    many_free(&m);
    return rc;
}

int many_has_enough(const comparing *c, bool *enough, tacho_error *err)
{
    tacho_judge_options o = c->options->judge;
    uint32_t layouts = c->options->layouts, units = layouts && layouts < c->blocks ? layouts : c->blocks;
    many m;
    *enough = units >= many_units_needed(&o, c->command_count);
    if (*enough)
        return 0;
    o.confidence = 1 - (1 - many_confidence(&o, c->command_count - 1)) / 10;
    int rc = take(c, &m, err);
    if (rc)
        return rc;
    *enough = true;
    for (size_t i = 1; i < c->command_count && !rc && *enough; i++) {
        separation sides;
        judging j;
        rc = many_pair(&m, 0, i, &j, err);
        if (rc)
            break;
        rc = separation_judge(&j, &o, &sides) ? tacho_no_memory(err) : 0;
        *enough = !rc && sides.is_clear;
        judging_free(&j);
    }
    many_free(&m);
    return rc;
}

/* ---- all ---- */

static int take_medians(tacho_many_result *out, size_t count, tacho_error *err)
{
    const tacho_compare_result *r = &out->runs;
    double *of_command = tacho_mem_zalloc(r->run_count + 1, sizeof *of_command);
    out->medians = tacho_mem_zalloc(count * r->metric_count, sizeof *out->medians);
    int failed = !of_command || !out->medians;
    for (size_t c = 0; c < count && !failed; c++)
        for (size_t m = 0; m < r->metric_count && !failed; m++) {
            tacho_distribution d;
            size_t n = 0;
            for (size_t i = 0; i < r->run_count; i++)
                if (r->runs[i].side == c)
                    of_command[n++] = r->values[i * r->metric_count + m];
            failed = tacho_distribution_compute(of_command, n, &d);
            out->medians[c * r->metric_count + m] = failed ? NAN : d.median;
        }
    tacho_mem_free(of_command);
    return failed ? tacho_no_memory(err) : 0;
}

static int conclude(const comparing *c, tacho_many_result *out, tacho_error *err)
{
    if (!out->runs.run_count)
        return tacho_error_set(err, TACHO_ERR_INPUT, "nothing was run");
    int rc = take_medians(out, c->command_count, err);
    return rc ? rc
              : tacho_judge_many(out->runs.samples, out->runs.run_count, c->command_count,
                                 c->options->layouts > 0, &c->options->judge, &out->judgement, err);
}

int tacho_compare_many(const tacho_command *commands, size_t count, const tacho_compare_options *options,
                       tacho_many_result *out, tacho_error *err)
{
    tacho_error own;
    err = err ? err : &own;
    *out = (tacho_many_result){0};
    if (count < 2 || count > TACHO_COMPARE_MAX_COMMANDS)
        return tacho_error_set(err, TACHO_ERR_USAGE, "2 to %d commands", TACHO_COMPARE_MAX_COMMANDS);
    comparing c = {.commands = commands,
                   .command_count = (uint32_t)count,
                   .block_runs = (uint32_t)count,
                   .of_many = true,
                   .order = tacho_mem_zalloc(count, sizeof *c.order),
                   .out = &out->runs};
    int rc = c.order ? compare_take_runs(&c, options, err) : tacho_no_memory(err);
    rc = rc ? rc : conclude(&c, out, err);
    if (rc)
        tacho_many_result_free(out);
    compare_end_runs(&c);
    return rc;
}

void tacho_many_result_free(tacho_many_result *r)
{
    tacho_compare_free(&r->runs);
    tacho_many_judgement_free(&r->judgement);
    tacho_mem_free(r->medians);
    *r = (tacho_many_result){0};
}
