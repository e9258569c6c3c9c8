/* doctor_internal.h - inside the doctor: what was asked of processor and kernel (the host), what was
 * measured, and the findings that are made of it and of the files under /proc and /sys.
 *
 * Judging is apart from finding out: doctor_judge needs only a doctor_host and a directory that stands for
 * the root of the file system, so that tests can show it any machine. */
#ifndef TACHO_DOCTOR_DOCTOR_H
#define TACHO_DOCTOR_DOCTOR_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "tacho/doctor.h"

enum {
    DOCTOR_MAX_CPUS = 4096
};

/* ---- what the processor says of itself (cpuid.c) ---- */

typedef struct doctor_cpuid {
    char vendor[13], brand[49];
    bool hypervisor;
    char hypervisor_vendor[13]; /* "" where it does not say */
    bool invariant_tsc;
    double tsc_mhz; /* leaf 15h, else the base frequency of leaf 16h; 0: not given */
} doctor_cpuid;
void doctor_ask_cpuid(doctor_cpuid *out);

/* ---- what the kernel lets us do; errors are errno values, 0: it works ---- */

typedef struct doctor_perf {
    int cycles_error, instructions_error;
    bool counts; /* both counted at least what was executed */
    bool rdpmc;  /* the counter can be read without the kernel */
} doctor_perf;
void doctor_ask_perf(doctor_perf *out);

typedef struct doctor_sandbox {
    int memfd_error;   /* memfd_create, with the permission to execute */
    int exec_error;    /* execveat of it */
    int seccomp_error; /* a filter, after no-new-privileges */
} doctor_sandbox;
void doctor_ask_sandbox(doctor_sandbox *out);

/* ---- what was measured, on the CPU that this thread is pinned to ---- */

typedef struct doctor_quantiles {
    double low, median, high; /* 5, 50 and 95 % */
} doctor_quantiles;

/* Ratios are core cycles a tick. */
typedef struct doctor_clocks {
    double granularity;     /* ticks: what the time stamp counter advances by */
    double read_cost;       /* ticks: median of an empty pair of fenced reads */
    double tsc_mhz;         /* against CLOCK_MONOTONIC */
    double imul, add;       /* ratio by a chain of multiplications, of additions */
    doctor_quantiles drift; /* of the ratio by multiplications, sample by sample */
    double drift_step;      /* what one step of the counter is in that ratio, relative */
    doctor_quantiles nops;  /* core cycles of the two canaries, by the multiplications beside them */
    doctor_quantiles chase;
    double clean_nops, clean_chase; /* shares of them within 1 % and two steps of the fastest */
    double seconds;
} doctor_clocks;
/* Samples over `seconds`. @return 0, or TACHO_ERR_MEMORY */
int doctor_measure_clocks(doctor_clocks *out, double seconds);

typedef struct doctor_jitter {
    uint64_t samples;
    double mode_ticks;      /* of a sample */
    double disturbed;       /* share of samples longer by more than 1 % and a step of the counter */
    double lost;            /* share of the time that they were longer */
    double gaps_per_second; /* interruptions of more than a microsecond */
    double longest_us;
} doctor_jitter;
/* `granularity` and `tsc_mhz` as above. @return 0, or TACHO_ERR_MEMORY */
int doctor_measure_jitter(doctor_jitter *out, double granularity, double tsc_mhz, double seconds);

/* What the kernel has counted for a CPU since it started (usage.c). */
typedef struct doctor_usage {
    bool has_times, has_interrupts;
    uint64_t steal, all; /* in ticks of the kernel's accounting */
    uint64_t interrupts;
} doctor_usage;
void doctor_read_usage(const char *root, int cpu, doctor_usage *out);

typedef struct doctor_host {
    int cpu;          /* the one that is examined */
    size_t cpu_count; /* that this process may use */
    bool quick;       /* jitter, drift and canaries were not measured; of clocks the rest was */
    doctor_cpuid cpuid;
    doctor_perf perf;
    doctor_sandbox sandbox;
    doctor_clocks clocks;
    doctor_jitter jitter;
    doctor_usage before, after; /* of the measuring */
    double seconds;             /* between the two */
} doctor_host;

/* Makes the report of it; `root` is what stands before "/proc" and "/sys", "" for the machine itself.
 * @return 0 and *out, or TACHO_ERR_MEMORY */
int doctor_judge(tacho_doctor_report **out, const char *root, const doctor_host *host, tacho_error *err);

/* ---- findings in the making (doctor_findings.c) ---- */

/* In the order of the report; doctor_findings.c has a row for each. */
typedef enum doctor_item {
    DOCTOR_PERF_COUNTERS,
    DOCTOR_RDPMC,
    DOCTOR_TSC,
    DOCTOR_TSC_FREQUENCY,
    DOCTOR_TSC_GRANULARITY,
    DOCTOR_TSC_COST,
    DOCTOR_CORE_CLOCK,
    DOCTOR_MULTIPLIER,
    DOCTOR_DRIFT,
    DOCTOR_GOVERNOR,
    DOCTOR_TURBO,
    DOCTOR_SMT,
    DOCTOR_HYPERVISOR,
    DOCTOR_CONTAINER,
    DOCTOR_STEAL,
    DOCTOR_LOAD,
    DOCTOR_ISOLATION,
    DOCTOR_INTERRUPTS,
    DOCTOR_JITTER,
    DOCTOR_NEIGHBOUR,
    DOCTOR_ASLR,
    DOCTOR_NUMA_BALANCING,
    DOCTOR_HUGE_PAGES,
    DOCTOR_MEMFD,
    DOCTOR_SECCOMP,
    DOCTOR_ITEM_COUNT
} doctor_item;

typedef struct doctor {
    const char *root;
    const doctor_host *host;
    arena memory;
    bool failed; /* an allocation */
    tacho_doctor_finding findings[DOCTOR_ITEM_COUNT];
} doctor;

/* Where the findings begin: identifiers, titles, groups and reasons; all unknown. */
void doctor_findings_start(doctor *d);
/* Text in the report's memory; "" when memory runs out, which `failed` tells. */
const char *doctor_format(doctor *d, const char *format, ...) TACHO_PRINTF(2, 3);
/* Sets state and value. */
tacho_doctor_finding *doctor_say(doctor *d, doctor_item item, tacho_doctor_state state, const char *format,
                                 ...) TACHO_PRINTF(4, 5);
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
tacho_doctor_finding *doctor_unknown_file(doctor *d, doctor_item item, const char *path, int error);
/* The number in a file on which the item depends. @return false: it cannot be read, which is the finding */
bool doctor_setting(doctor *d, doctor_item item, const char *path, long long *out);

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
bool doctor_file_exists(const char *root, const char *path);
/* Whether a list as "0-3,8" has it. */
bool doctor_list_has(const char *list, int cpu);
/* How many it has. */
size_t doctor_list_count(const char *list);
/* The line of `text` that begins with `key`: what follows that; NULL where there is none. */
const char *doctor_find_line(const char *text, const char *key);

/* ---- judges, by what they judge; each fills its findings ---- */

void doctor_judge_counters(doctor *d);  /* judge_counters.c */
void doctor_judge_clock(doctor *d);     /* judge_clock.c */
void doctor_judge_frequency(doctor *d); /* judge_frequency.c */
void doctor_judge_sharing(doctor *d);   /* judge_sharing.c */
void doctor_judge_container(doctor *d); /* judge_container.c */
void doctor_judge_noise(doctor *d);     /* judge_noise.c */
void doctor_judge_memory(doctor *d);    /* judge_memory.c */
void doctor_judge_sandbox(doctor *d);   /* judge_sandbox.c */

#endif
