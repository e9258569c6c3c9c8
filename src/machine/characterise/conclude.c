/* conclude.c - from the times of a form's loops to latencies and throughput.
 *
 * A latency is the loop's time without its links, divided by the passes through the pair. It is an upper
 * bound where another dependency may be the longer one, where the links' own time is only known in part, and
 * where the loop is no slower than independent instances. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "machine/characterise/work.h"

static bool has_time(const tacho_measurement *r)
{
    return r->status == TACHO_MEASURED_OK && !isnan(r->cycles);
}

static void no_time(const tacho_measurement *r, tacho_measure_status *status, char *why, size_t size)
{
    *status = r->status;
    snprintf(why, size, "%s%s%.150s", tacho_measure_status_name(r->status), *r->message ? ": " : "",
             r->message);
}

/* Instructions before the first instance, which each instance has. */
static void breaks_text(const chain *c, char *out, size_t size)
{
    chain before = *c;
    before.count = 0;
    while (before.count < c->count && c->steps[before.count].role != STEP_INSTANCE)
        before.count++;
    chain_format(&before, out, size);
}

static void take_throughput(work *w, const task *t)
{
    tacho_measured_throughput *out = &w->out->throughput;
    double cycles = t->result.cycles / t->instances;
    if (!walk_registers(t->c.steps, t->c.count).other && !(cycles >= w->independent))
        w->independent = cycles;
    /* More breaks must gain what is more than the noise. */
    if (!isnan(out->cycles) && !(cycles < out->cycles * 0.95))
        return;
    out->cycles = cycles;
    out->uncertainty = t->result.uncertainty * cycles;
    out->mode = t->mode;
    out->instances = t->instances;
    out->measurement = TACHO_MEASURED_OK;
    out->at_most = t->c.count > t->instances;
    out->why[0] = '\0';
    chain_format(&t->c, out->code, sizeof out->code);
    breaks_text(&t->c, out->breaks, sizeof out->breaks);
}

static void conclude_throughput(work *w)
{
    tacho_measured_throughput *out = &w->out->throughput;
    w->independent = NAN;
    for (unsigned i = 0; i < THROUGHPUT_KINDS * 2; i++) {
        int n = w->throughput_task[i / 2][i % 2];
        if (n == NO_TASK)
            continue;
        const task *t = &w->tasks[n];
        w->out->notes |= t->result.notes;
        if (has_time(&t->result))
            take_throughput(w, t);
        else if (isnan(out->cycles))
            no_time(&t->result, &out->measurement, out->why, sizeof out->why);
    }
    if (isnan(out->cycles) || !isnan(w->independent))
        return;
    out->at_most = true;
    snprintf(out->why, sizeof out->why, "each instance depends on another one");
}

/* What the links take. *whole: their time is known, not only its lower bound. @return false where one has no
 * stable time */
static bool links_time(const work *w, const chain *c, bool spaced, double *cycles, double *uncertainty,
                       bool *whole)
{
    *cycles = *uncertainty = 0;
    *whole = true;
    for (unsigned part = 0; part < LINK_COUNT; part++) {
        if (!c->links[part] || part == LINK_MEMORY)
            continue;
        bool pair = part == LINK_TEST || part == LINK_MOVE_IF;
        if (part == LINK_FILE) {
            *cycles += c->links[part];
            *whole = false;
            continue;
        }
        int n =
            spaced && w->spaced_link_task[part] != NO_TASK ? w->spaced_link_task[part] : w->link_task[part];
        if (n == NO_TASK || !has_time(&w->tasks[n].result))
            return false;
        double time = w->tasks[n].result.cycles;
        /* Then it does not wait for its operand. */
        if (time < 0.9)
            return false;
        if (part == LINK_SHUFFLE || part == LINK_SHIFT_OUT)
            *whole = false;
        if (pair && fabs(time - 2) > 0.2)
            *whole = false;
        *cycles += c->links[part] * (pair ? 1 : time);
        *uncertainty += c->links[part] * (pair ? 0 : time * w->tasks[n].result.uncertainty);
    }
    return true;
}

static void set_at_most(tacho_measured_latency *l, const char *why)
{
    if (l->status != TACHO_LATENCY_OK)
        return;
    l->status = TACHO_LATENCY_AT_MOST;
    snprintf(l->why, sizeof l->why, "%s", why);
}

static void judge(const work *w, tacho_measured_latency *l, const chain *c, bool whole)
{
    double each = l->chain_cycles / l->divided_by;
    if (c->links[LINK_MEMORY]) {
        l->status = TACHO_LATENCY_ROUND_TRIP;
        snprintf(l->why, sizeof l->why, "a store and a load together");
    }
    if (l->path == TACHO_PATH_SAME_REGISTER)
        return;
    if (!c->exact)
        set_at_most(l, "another dependency of the loop may be longer");
    if (!whole)
        set_at_most(l, "of a link only a part of its time is known");
    if (each >= 1.5 && each <= w->independent * 1.1)
        set_at_most(l, "independent instances are no faster");
}

/* Which of the two loops says less: only where the spaced one is clearly shorter. */
static const task *shorter_task(const work *w, unsigned n)
{
    const task *t = &w->tasks[w->latency_task[n]];
    const task *spaced = w->spaced_task[n] == NO_TASK ? NULL : &w->tasks[w->spaced_task[n]];
    return spaced && has_time(&t->result) && has_time(&spaced->result) &&
                   spaced->result.cycles < 0.95 * t->result.cycles
               ? spaced
               : t;
}

static void conclude_latency(const work *w, unsigned n)
{
    tacho_measured_latency *l = &w->out->latencies[n];
    if (w->latency_task[n] == NO_TASK) {
        if (l->status == TACHO_LATENCY_OK)
            l->status = TACHO_LATENCY_NO_CHAIN;
        return;
    }
    const task *t = shorter_task(w, n);
    double uncertainty;
    bool whole;
    w->out->notes |= t->result.notes;
    if (!has_time(&t->result)) {
        l->status = TACHO_LATENCY_NOT_MEASURED;
        no_time(&t->result, &l->measurement, l->why, sizeof l->why);
        return;
    }
    l->chain_cycles = t->result.cycles;
    if (t->spaces) {
        size_t used = strlen(l->chain);
        snprintf(l->chain + used, sizeof l->chain - used, "; nop * %u", t->spaces);
    }
    if (!links_time(w, &t->c, t->spaces > 0, &l->subtracted, &uncertainty, &whole)) {
        l->status = TACHO_LATENCY_NOT_MEASURED;
        l->measurement = TACHO_MEASURED_UNSTABLE;
        snprintf(l->why, sizeof l->why, "a link of the loop has no stable time, or takes none");
        return;
    }
    l->cycles = (l->chain_cycles - l->subtracted) / l->divided_by;
    l->uncertainty = (t->result.uncertainty * l->chain_cycles + uncertainty) / l->divided_by;
    if (l->subtracted > 0 && l->cycles < 0.3) {
        l->status = TACHO_LATENCY_INDEPENDENT;
        l->cycles = l->uncertainty = NAN;
        snprintf(l->why, sizeof l->why,
                 "the loop is no slower than its links: here the target does not wait");
        return;
    }
    judge(w, l, &t->c, whole);
    if (l->cycles < 0.9 && !*l->why)
        snprintf(l->why, sizeof l->why, "less than a cycle: %s",
                 l->subtracted > 0 ? "the links take less here than in their own loop"
                                   : "eliminated at rename, or the target does not wait");
}

static void describe_values(tacho_characterisation *out)
{
    uint64_t values[16];
    uint16_t mask;
    chain_values(out->form, values, &mask);
    bool memory = tacho_kind_is_memory(instance_kind(out->form, 0));
    if (chain_divides(out->form) && !memory)
        snprintf(out->values, sizeof out->values, "dividend 0x12340678 (or 0x12600600), divisor 0x%llx",
                 (unsigned long long)values[3]);
    else if (chain_divides(out->form))
        snprintf(
            out->values, sizeof out->values,
            "dividend 0x12340678 (or 0x12600600), divisor from memory: 0x20000000 and above, 0x20 in a byte");
    else if (out->notes & TACHO_MEASURE_INPUT_DEPENDENT)
        snprintf(out->values, sizeof out->values,
                 "from 1.875 and 1 (float), 1.0000002 (double), and what the loop makes of them");
}

void characterise_conclude(work *w)
{
    conclude_throughput(w);
    for (unsigned i = 0; i < w->out->latency_count; i++)
        conclude_latency(w, i);
    describe_values(w->out);
    bool ran = false;
    const tacho_measurement *shown = NULL;
    for (unsigned i = 0; i < w->count; i++) {
        const tacho_measurement *r = &w->tasks[i].result;
        bool it_ran = r->status == TACHO_MEASURED_OK || r->status == TACHO_MEASURED_UNSTABLE ||
                      r->status == TACHO_MEASURED_TIMEOUT;
        bool is_link = false;
        for (unsigned part = 0; part < LINK_COUNT; part++)
            is_link |= w->link_task[part] == (int)i || w->spaced_link_task[part] == (int)i;
        ran |= it_ran && !is_link;
        if (!it_ran && !shown)
            shown = r;
    }
    w->out->runs = ran;
    if (!ran && shown)
        snprintf(w->out->why, sizeof w->out->why, "%s%s%.150s", tacho_measure_status_name(shown->status),
                 *shown->message ? ": " : "", shown->message);
}
