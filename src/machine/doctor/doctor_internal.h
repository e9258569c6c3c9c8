/* doctor_internal.h - inside the doctor: what was asked of processor and kernel (the host), what was
 * measured, and the findings that are made of it and of the files under /proc and /sys.
 *
 * Judging is apart from finding out: doctor_judge needs only a doctor_host and a directory that stands for
 * the root of the file system, so that tests can show it any machine. */
#ifndef TACHO_DOCTOR_DOCTOR_H
#define TACHO_DOCTOR_DOCTOR_H

#include "base/arena.h"
#include "base/ask_cpuid.h"
#include "tacho/doctor.h"

/* ---- what was measured, on one processor ---- */

typedef struct doctor_quantiles {
    double low, median, high; /* 5, 50 and 95 % */
} doctor_quantiles;

/* Ratios are core cycles a tick; 0: not measured. */
typedef struct doctor_clocks {
    double granularity; /* ticks: what the time stamp counter advances by */
    double read_cost;   /* ticks: median of an empty pair of fenced reads */
    double tsc_mhz;
    double imul, add;       /* ratio by chains of multiplications, of additions: of most looks */
    doctor_quantiles drift; /* of the ratio by multiplications, sample by sample */
    double drift_step;      /* what one step of the counter is in that ratio, relative */
    double clean;           /* share of the samples that a measurement would not give up */
} doctor_clocks;

/* What the kernel has counted for a CPU since it started (files.c). */
typedef struct doctor_usage {
    bool has_times, has_interrupts;
    uint64_t steal, all; /* in ticks of the kernel's accounting */
    uint64_t interrupts;
} doctor_usage;
void doctor_read_usage(const char *root, int cpu, doctor_usage *out);

typedef struct doctor_host {
    int cpu;          /* the one that is examined */
    size_t cpu_count; /* that this process may use */
    char vendor[13];
    cpuid_description cpuid;
    int counters_error;     /* an errno value, 0: they work */
    bool counters_by_rdpmc; /* they can be read without the kernel */
    const char *sandbox;    /* why unknown code cannot run here; NULL: it can */
    doctor_clocks clocks;
    doctor_usage before, after; /* of the measuring */
    double seconds;             /* between the two */
} doctor_host;

/* Makes the report of it; `root` is what stands before "/proc" and "/sys", "" for the machine itself.
 * @return 0 and *out, or TACHO_ERR_MEMORY */
int doctor_judge(tacho_doctor_report **out, const char *root, const doctor_host *host, tacho_error *err);

/* ---- findings in the making ---- */

typedef struct doctor {
    const char *root;
    const doctor_host *host;
    arena memory;
    bool failed;                                /* an allocation */
    bool has_counters, is_clock, is_calibrated; /* what the findings say of the clocks */
    tacho_doctor_finding *findings;
} doctor;

/* One of each, in the order of the report: a row of judge.c. */
typedef void doctor_judgement(doctor *d, tacho_doctor_finding *f);
/* judge_measured.c */
doctor_judgement doctor_counters, doctor_tsc, doctor_granularity, doctor_cost, doctor_core_clock,
    doctor_drift, doctor_steal, doctor_interrupts, doctor_neighbour, doctor_runs_code;
/* judge_settings.c */
doctor_judgement doctor_governor, doctor_turbo, doctor_smt, doctor_hypervisor, doctor_load, doctor_isolation,
    doctor_aslr, doctor_numa, doctor_huge_pages;
doctor_judgement doctor_quota;

/* Text in the report's memory; "" when memory runs out, which `failed` tells. */
const char *doctor_format(doctor *d, const char *format, ...) TACHO_PRINTF(2, 3);
/* Sets state and value. */
void doctor_say(doctor *d, tacho_doctor_finding *f, tacho_doctor_state state, const char *format, ...)
    TACHO_PRINTF(4, 5);
static inline tacho_doctor_state doctor_good_if(bool good)
{
    return good ? TACHO_DOCTOR_GOOD : TACHO_DOCTOR_ACCEPTABLE;
}
/* Of what is the better the less there is of it: up to where it is good, and up to where it will do. */
static inline tacho_doctor_state doctor_grade(double value, double good, double acceptable)
{
    return value <= good         ? TACHO_DOCTOR_GOOD
           : value <= acceptable ? TACHO_DOCTOR_ACCEPTABLE
                                 : TACHO_DOCTOR_BAD;
}
void doctor_figure(tacho_doctor_finding *f, const char *name, double value, const char *unit);
/* What would help, unless all is good. `command` may be NULL. Texts are not copied. */
void doctor_advise(tacho_doctor_finding *f, const char *advice, const char *command);
/* Sets the state unknown because of a file that could not be read for the reason `error` (errno). */
void doctor_unknown_file(doctor *d, tacho_doctor_finding *f, const char *path, int error);

/* ---- files (files.c); paths begin with "/"; results are errno values, 0: read ---- */

enum {
    DOCTOR_LINE_BYTES = 256
};
/* The first line, without white space around it; longer ones are cut. */
int doctor_read_line(const char *root, const char *path, char out[DOCTOR_LINE_BYTES]);
/* EINVAL where it is no whole number. */
int doctor_read_number(const char *root, const char *path, long long *out);
/* All of it, to be freed with tacho_mem_free. */
int doctor_read_all(const char *root, const char *path, char **out);
/* Whether a list as "0-3,8" has it. */
bool doctor_list_has(const char *list, int cpu);
/* How many it has. */
size_t doctor_list_count(const char *list);
/* The line of `text` that begins with `key`: what follows that; NULL where there is none. */
const char *doctor_find_line(const char *text, const char *key);

#endif
