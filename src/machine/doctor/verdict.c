/* verdict.c - from the findings to a report: which clock, and fit or not. */
#include "machine/doctor/doctor_internal.h"

#include <string.h>

#include "base/mem.h"

enum {
    MANY_DISTURB = 3
};

/* The report's memory: the doctor's arena goes with it. */
typedef struct owned_report {
    tacho_doctor_report report; /* first: what callers hold */
    arena memory;
} owned_report;

/* Calibrating takes two chains that agree, and a counter with a constant rate. */
static tacho_doctor_clock choose_clock(const doctor *d)
{
    if (d->findings[DOCTOR_PERF_COUNTERS].state == TACHO_DOCTOR_GOOD)
        return TACHO_DOCTOR_CLOCK_PERF;
    if (d->findings[DOCTOR_CORE_CLOCK].state == TACHO_DOCTOR_BAD ||
        d->findings[DOCTOR_TSC].state == TACHO_DOCTOR_BAD)
        return TACHO_DOCTOR_CLOCK_TSC;
    return TACHO_DOCTOR_CLOCK_TSC_CALIBRATED;
}

/* Samples that are disturbed are thrown away; too many, and passes disagree. One cause is mostly survived,
 * several at once are often not. @return NULL where they are few */
static const char *foretell_unstable(doctor *d)
{
    static const doctor_item disturb[] = {DOCTOR_DRIFT,      DOCTOR_STEAL,  DOCTOR_LOAD,
                                          DOCTOR_INTERRUPTS, DOCTOR_JITTER, DOCTOR_NEIGHBOUR};
    int bad = 0;
    for (size_t i = 0; i < sizeof disturb / sizeof *disturb; i++)
        bad += d->findings[disturb[i]].state == TACHO_DOCTOR_BAD;
    return bad < MANY_DISTURB ? NULL
                              : doctor_format(d,
                                              "unstable measurements: %d things disturb samples at once "
                                              "(below); measure when less else runs",
                                              bad);
}

/* Unfit ones alone where there are any; else what is bad. */
static void find_reasons(doctor *d, tacho_doctor_report *r)
{
    const char **reasons = arena_alloc(&d->memory, (DOCTOR_ITEM_COUNT + 1) * sizeof *reasons);
    if (!reasons) {
        d->failed = true;
        return;
    }
    bool unfit = false, bad = false;
    for (int i = 0; i < DOCTOR_ITEM_COUNT; i++) {
        unfit |= d->findings[i].unfit;
        bad |= d->findings[i].state == TACHO_DOCTOR_BAD;
    }
    r->verdict = unfit ? TACHO_DOCTOR_UNFIT : bad ? TACHO_DOCTOR_FIT_WITH_CARE : TACHO_DOCTOR_FIT;
    const char *unstable = unfit ? NULL : foretell_unstable(d);
    if (unstable)
        reasons[r->reason_count++] = unstable;
    for (int i = 0; i < DOCTOR_ITEM_COUNT; i++) {
        const tacho_doctor_finding *f = &d->findings[i];
        if (unfit ? f->unfit : f->state == TACHO_DOCTOR_BAD)
            reasons[r->reason_count++] = doctor_format(d, "%s: %s", f->title, f->value);
    }
    r->reasons = reasons;
}

static void judge_all(doctor *d)
{
    doctor_findings_start(d);
    doctor_judge_counters(d);
    doctor_judge_clock(d);
    doctor_judge_frequency(d);
    doctor_judge_sharing(d);
    doctor_judge_container(d);
    doctor_judge_noise(d);
    doctor_judge_memory(d);
    doctor_judge_sandbox(d);
}

static void fill(doctor *d, tacho_doctor_report *r)
{
    const doctor_host *h = d->host;
    judge_all(d);
    find_reasons(d, r);
    r->clock = choose_clock(d);
    r->cpu = h->cpu;
    r->quick = h->quick;
    r->seconds = h->seconds;
    r->processor = doctor_format(d, "%s",
                                 *h->cpuid.brand    ? h->cpuid.brand
                                 : *h->cpuid.vendor ? h->cpuid.vendor
                                                    : "unknown processor");
    tacho_doctor_finding *copy = arena_alloc(&d->memory, sizeof d->findings);
    if (copy)
        memcpy(copy, d->findings, sizeof d->findings);
    d->failed |= !copy;
    r->findings = copy;
    r->finding_count = DOCTOR_ITEM_COUNT;
}

int doctor_judge(tacho_doctor_report **out, const char *root, const doctor_host *host, tacho_error *err)
{
    doctor d = {.root = root, .host = host};
    owned_report *o = tacho_mem_zalloc(1, sizeof *o);
    *out = NULL;
    if (o)
        fill(&d, &o->report);
    if (!o || d.failed) {
        arena_free(&d.memory);
        tacho_mem_free(o);
        return tacho_no_memory(err);
    }
    o->memory = d.memory;
    *out = &o->report;
    return TACHO_OK;
}

void tacho_doctor_free(tacho_doctor_report *report)
{
    owned_report *o = (owned_report *)report;
    if (!o)
        return;
    arena_free(&o->memory);
    tacho_mem_free(o);
}
