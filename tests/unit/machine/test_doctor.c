/* test_doctor.c - what the doctor makes of machines that it is shown: a directory that stands for / and what
 * processor and kernel would have answered. Of the machine that runs the test only the shape of the report is
 * looked at: nothing here depends on a time. */
#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/cpus.h"
#include "base/mem.h"
#include "machine/doctor/doctor_internal.h"
#include "tacho/tools.h"

static char root[200];

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    return remove(path);
}

static int start(void **state)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(root, sizeof root, "%s/tacho-doctor-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    return mkdtemp(root) ? 0 : -1;
}

static int finish(void **state)
{
    return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A file of the machine shown, with its directories; NULL: it is not there. */
static void put(const char *path, const char *text)
{
    char full[600];
    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(full, 0777);
        *slash = '/';
    }
    remove(full);
    if (!text)
        return;
    FILE *f = fopen(full, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

#define CPU "/sys/devices/system/cpu"

static const char *const tuned_files[][2] = {
    {"/proc/sys/kernel/randomize_va_space", "0\n"},
    {"/proc/sys/kernel/numa_balancing", "0\n"},
    {"/proc/sys/vm/memfd_noexec", "0\n"},
    {"/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu tsc constant_tsc nonstop_tsc avx2\n\n"},
    {"/proc/loadavg", "0.10 0.20 0.30 1/200 4242\n"},
    {"/proc/self/cgroup", "0::/user.slice/session.scope\n"},
    {CPU "/online", "0-3\n"},
    {CPU "/isolated", "2-3\n"},
    {CPU "/nohz_full", "3\n"},
    {CPU "/cpu3/cpufreq/scaling_governor", "performance\n"},
    {CPU "/intel_pstate/no_turbo", "1\n"},
    {CPU "/cpu3/topology/thread_siblings_list", "3\n"},
    {"/sys/devices/system/node/online", "0-1\n"},
    {"/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"},
};

/* A machine of its own, well set up, on which nothing happened while it was measured. */
static doctor_host tuned(void)
{
    for (size_t i = 0; i < sizeof tuned_files / sizeof *tuned_files; i++)
        put(tuned_files[i][0], tuned_files[i][1]);
    doctor_quantiles still = {1.25, 1.25, 1.25};
    return (doctor_host){
        .cpu = 3,
        .cpu_count = 4,
        .vendor = "GenuineIntel",
        .cpuid = {.brand = "A Processor", .invariant_tsc = true},
        .counters_by_rdpmc = true,
        .clocks = {.granularity = 2,
                   .read_cost = 44,
                   .tsc_mhz = 2799.9,
                   .imul = 1.25,
                   .add = 1.2502,
                   .drift = still,
                   .drift_step = 0.0001,
                   .clean = 1},
        .before = {.has_times = true, .has_interrupts = true, .steal = 10, .all = 100000, .interrupts = 1000},
        .after = {.has_times = true, .has_interrupts = true, .steal = 10, .all = 100080, .interrupts = 1003},
        .seconds = 0.8};
}

/* One in the cloud. */
static doctor_host rented(void)
{
    doctor_host h = tuned();
    h.cpuid.hypervisor = true;
    strcpy(h.cpuid.hypervisor_vendor, "KVMKVMKVM");
    h.counters_error = ENOENT;
    h.counters_by_rdpmc = false;
    put(CPU "/cpu3/cpufreq/scaling_governor", NULL);
    put(CPU "/intel_pstate/no_turbo", NULL);
    put(CPU "/isolated", "\n");
    return h;
}

static tacho_doctor_report *judge(const doctor_host *h)
{
    tacho_doctor_report *r;
    tacho_error err = {.message = ""};
    if (doctor_judge(&r, root, h, &err))
        fail_msg("%s", err.message);
    return r;
}

static const tacho_doctor_finding *find(const tacho_doctor_report *r, const char *id)
{
    for (size_t i = 0; i < r->finding_count; i++)
        if (!strcmp(r->findings[i].id, id))
            return &r->findings[i];
    fail_msg("no finding %s", id);
    return NULL;
}

static double figure(const tacho_doctor_finding *f, const char *name)
{
    for (size_t i = 0; i < f->figure_count; i++)
        if (!strcmp(f->figures[i].name, name))
            return f->figures[i].value;
    fail_msg("no figure %s of %s", name, f->id);
    return 0;
}

static void check_state(const tacho_doctor_report *r, const char *id, tacho_doctor_state state)
{
    const tacho_doctor_finding *f = find(r, id);
    if (f->state != state)
        fail_msg("%s is %s, not %s: %s", id, tacho_doctor_state_name(f->state),
                 tacho_doctor_state_name(state), f->value);
}

/* What must be so for every machine. */
static void check_shape(const tacho_doctor_report *r)
{
    bool unfit = false, bad = false;
    assert_int_equal(r->finding_count, 20);
    for (size_t i = 0; i < r->finding_count; i++) {
        const tacho_doctor_finding *f = &r->findings[i];
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(f->id, r->findings[k].id);
        assert_true(!i || f->group >= r->findings[i - 1].group);
        assert_true(f->group < TACHO_DOCTOR_GROUP_COUNT && f->state < TACHO_DOCTOR_STATE_COUNT);
        if (!f->value || !*f->value || !*f->why || !*f->title)
            fail_msg("%s says nothing", f->id);
        if (f->state == TACHO_DOCTOR_BAD && !f->advice)
            fail_msg("%s is bad, and nothing is advised", f->id);
        assert_true(!f->command || f->advice);
        assert_true(!f->unfit || f->state == TACHO_DOCTOR_BAD);
        for (size_t k = 0; k < f->figure_count; k++)
            if (!isfinite(f->figures[k].value) || !*f->figures[k].name)
                fail_msg("%s: figure %s", f->id, f->figures[k].name);
        unfit |= f->unfit;
        bad |= f->state == TACHO_DOCTOR_BAD;
    }
    assert_int_equal(r->verdict, unfit ? TACHO_DOCTOR_UNFIT
                                 : bad ? TACHO_DOCTOR_FIT_WITH_CARE
                                       : TACHO_DOCTOR_FIT);
    assert_int_equal(r->reason_count > 0, r->verdict != TACHO_DOCTOR_FIT);
}

/* ---- whole machines ---- */

static void test_doctor__a_tuned_machine_is_fit(void **state)
{
    doctor_host h = tuned();
    tacho_doctor_report *r = judge(&h);
    check_shape(r);
    for (size_t i = 0; i < r->finding_count; i++) {
        check_state(r, r->findings[i].id, TACHO_DOCTOR_GOOD);
        assert_null(r->findings[i].advice);
    }
    assert_int_equal(r->verdict, TACHO_DOCTOR_FIT);
    assert_int_equal(r->clock, TACHO_DOCTOR_CLOCK_PERF);
    assert_string_equal(r->processor, "A Processor");
    assert_int_equal(r->cpu, 3);
    assert_float_equal(figure(find(r, "interrupts"), "per_second"), 3 / 0.8, 0.001);
    tacho_doctor_free(r);
}

static void test_doctor__a_rented_machine_calibrates_its_clock(void **state)
{
    doctor_host h = rented();
    tacho_doctor_report *r = judge(&h);
    check_shape(r);
    assert_int_equal(r->verdict, TACHO_DOCTOR_FIT_WITH_CARE);
    assert_int_equal(r->clock, TACHO_DOCTOR_CLOCK_TSC_CALIBRATED);
    assert_int_equal(r->reason_count, 1);
    check_state(r, "perf_counters", TACHO_DOCTOR_BAD);
    assert_non_null(strstr(find(r, "perf_counters")->advice, "pmu=on"));
    check_state(r, "governor", TACHO_DOCTOR_UNKNOWN);
    check_state(r, "turbo", TACHO_DOCTOR_UNKNOWN);
    check_state(r, "smt", TACHO_DOCTOR_UNKNOWN);
    check_state(r, "hypervisor", TACHO_DOCTOR_ACCEPTABLE);
    check_state(r, "isolation", TACHO_DOCTOR_ACCEPTABLE);
    tacho_doctor_free(r);
}

static void test_doctor__where_nothing_can_be_read_it_says_so(void **state)
{
    doctor_host h = {.cpu = 1, .cpu_count = 1, .counters_error = EACCES};
    tacho_doctor_report *r = judge(&h);
    check_shape(r);
    check_state(r, "aslr", TACHO_DOCTOR_UNKNOWN);
    assert_non_null(strstr(find(r, "aslr")->value, "No such file"));
    check_state(r, "steal", TACHO_DOCTOR_UNKNOWN);
    check_state(r, "interrupts", TACHO_DOCTOR_UNKNOWN);
    check_state(r, "core_clock", TACHO_DOCTOR_UNKNOWN);
    check_state(r, "neighbour", TACHO_DOCTOR_UNKNOWN);
    check_state(r, "tsc", TACHO_DOCTOR_BAD);
    assert_string_equal(r->processor, "unknown processor");
    assert_int_equal(r->clock, TACHO_DOCTOR_CLOCK_TSC);
    tacho_doctor_free(r);
}

/* ---- one setting at a time ---- */

static const struct {
    const char *path, *text, *id;
    tacho_doctor_state state;
    const char *command; /* a part of it; NULL: none */
} settings[] = {
    {"/proc/sys/kernel/randomize_va_space", "what", "aslr", TACHO_DOCTOR_UNKNOWN, NULL},
    {"/proc/sys/kernel/randomize_va_space", "", "aslr", TACHO_DOCTOR_UNKNOWN, NULL},
    {"/proc/cpuinfo", "flags : tsc nonstop_tsc\n", "tsc", TACHO_DOCTOR_BAD, NULL},
    {"/proc/cpuinfo", "flags : tsc constant_tsc", "tsc", TACHO_DOCTOR_GOOD, NULL}, /* CPUID knows */
    {"/proc/cpuinfo", "flags : tsc not_constant_tsc constant_tsc_not\n", "tsc", TACHO_DOCTOR_BAD, NULL},
    {CPU "/cpu3/cpufreq/scaling_governor", "powersave\n", "governor", TACHO_DOCTOR_ACCEPTABLE,
     "-g performance"},
    {CPU "/cpu3/cpufreq/scaling_governor", NULL, "governor", TACHO_DOCTOR_UNKNOWN, NULL},
    {CPU "/intel_pstate/no_turbo", "0", "turbo", TACHO_DOCTOR_ACCEPTABLE, "no_turbo"},
    {CPU "/intel_pstate/no_turbo", NULL, "turbo", TACHO_DOCTOR_UNKNOWN, NULL},
    {CPU "/cpu3/topology/thread_siblings_list", "1,3\n", "smt", TACHO_DOCTOR_ACCEPTABLE, "smt/control"},
    {CPU "/cpu3/topology/thread_siblings_list", NULL, "smt", TACHO_DOCTOR_UNKNOWN, NULL},
    {CPU "/isolated", "0-2\n", "isolation", TACHO_DOCTOR_ACCEPTABLE, "taskset -c 3"},
    {"/proc/loadavg", "3.90 3.0 3.0 1/1 1\n", "load", TACHO_DOCTOR_ACCEPTABLE, "top"},
    {"/proc/loadavg", "4.10 3.0 3.0 1/1 1\n", "load", TACHO_DOCTOR_BAD, "top"},
    {"/proc/loadavg", "?\n", "load", TACHO_DOCTOR_UNKNOWN, NULL},
    {"/proc/self/cgroup", NULL, "quota", TACHO_DOCTOR_UNKNOWN, NULL},
    {"/proc/sys/kernel/randomize_va_space", "2", "aslr", TACHO_DOCTOR_ACCEPTABLE, "setarch -R"},
    {"/proc/sys/kernel/numa_balancing", "1", "numa_balancing", TACHO_DOCTOR_ACCEPTABLE, "numa_balancing=0"},
    {"/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never", "huge_pages",
     TACHO_DOCTOR_ACCEPTABLE, "madvise"},
    {"/sys/kernel/mm/transparent_hugepage/enabled", "always", "huge_pages", TACHO_DOCTOR_UNKNOWN, NULL},
};

static void test_doctor__each_setting_is_seen(void **state)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        doctor_host h = tuned();
        put(settings[i].path, settings[i].text);
        tacho_doctor_report *r = judge(&h);
        check_shape(r);
        check_state(r, settings[i].id, settings[i].state);
        const char *command = find(r, settings[i].id)->command;
        if (settings[i].command ? !command || !strstr(command, settings[i].command) : command != NULL)
            fail_msg("%s: %s: the command is %s", settings[i].path, settings[i].text,
                     command ? command : "none");
        for (size_t k = 0; k < r->finding_count; k++)
            if (strcmp(r->findings[k].id, settings[i].id))
                check_state(r, r->findings[k].id, TACHO_DOCTOR_GOOD);
        tacho_doctor_free(r);
    }
}

static void test_doctor__other_places_of_the_turbo_setting(void **state)
{
    static const char *const paths[] = {CPU "/cpufreq/boost", CPU "/cpu3/cpufreq/boost"};
    for (size_t i = 0; i < 2; i++) {
        doctor_host h = tuned();
        put(CPU "/intel_pstate/no_turbo", NULL);
        for (int on = 0; on < 2; on++) {
            put(paths[i], on ? "1\n" : "0\n");
            tacho_doctor_report *r = judge(&h);
            check_state(r, "turbo", on ? TACHO_DOCTOR_ACCEPTABLE : TACHO_DOCTOR_GOOD);
            tacho_doctor_free(r);
        }
        put(paths[i], NULL);
    }
}

/* ---- quotas ---- */

static double quota_of(const char *cgroup)
{
    doctor_host h = tuned();
    put("/proc/self/cgroup", cgroup);
    tacho_doctor_report *r = judge(&h);
    const tacho_doctor_finding *f = find(r, "quota");
    double quota = f->figure_count ? figure(f, "quota_cpus") : 0;
    assert_int_equal(f->state, quota == 0    ? TACHO_DOCTOR_GOOD
                               : quota < 1.5 ? TACHO_DOCTOR_BAD
                                             : TACHO_DOCTOR_ACCEPTABLE);
    tacho_doctor_free(r);
    return quota;
}

static void test_doctor__the_tightest_quota_counts(void **state)
{
    put("/sys/fs/cgroup/a/cpu.max", "150000 100000\n");
    put("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    assert_float_equal(quota_of("0::/a/b\n"), 1.5, 1e-9);
    put("/sys/fs/cgroup/a/b/cpu.max", "20000 40000\n");
    assert_float_equal(quota_of("0::/a/b\n"), 0.5, 1e-9);
    assert_float_equal(quota_of("0::/a/c\n"), 1.5, 1e-9);
    assert_float_equal(quota_of("0::/other\n"), 0, 0);
    put("/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us", "200000\n");
    put("/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us", "100000\n");
    assert_float_equal(quota_of("5:memory:/x\n4:cpu,cpuacct:/x\n"), 2, 1e-9);
    assert_float_equal(quota_of("4:cpuacct,cpuset:/x\n"), 0, 0);
    put("/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us", "-1\n");
    assert_float_equal(quota_of("4:cpu,cpuacct:/x\n"), 0, 0);
    assert_float_equal(quota_of("nonsense\n::\n:\n\n"), 0, 0);
    put("/sys/fs/cgroup/a/cpu.max", NULL);
    put("/sys/fs/cgroup/a/b/cpu.max", NULL);
}

/* ---- clocks ---- */

static void test_doctor__counters_that_rdpmc_may_not_read_are_none(void **state)
{
    doctor_host h = tuned();
    h.counters_by_rdpmc = false;
    tacho_doctor_report *r = judge(&h);
    check_state(r, "perf_counters", TACHO_DOCTOR_BAD);
    assert_non_null(strstr(find(r, "perf_counters")->command, "rdpmc"));
    assert_int_equal(r->clock, TACHO_DOCTOR_CLOCK_TSC_CALIBRATED);
    tacho_doctor_free(r);
}

static void test_doctor__no_counters_for_lack_of_permission(void **state)
{
    doctor_host h = tuned();
    h.counters_error = EACCES;
    tacho_doctor_report *r = judge(&h);
    check_state(r, "perf_counters", TACHO_DOCTOR_BAD);
    assert_non_null(strstr(find(r, "perf_counters")->command, "perf_event_paranoid=2"));
    tacho_doctor_free(r);
}

static void test_doctor__chains_that_disagree_do_not_calibrate(void **state)
{
    static const struct {
        double add;
        tacho_doctor_state state;
        tacho_doctor_clock clock;
    } cases[] = {{1.25, TACHO_DOCTOR_GOOD, TACHO_DOCTOR_CLOCK_TSC_CALIBRATED},
                 {1.23, TACHO_DOCTOR_ACCEPTABLE, TACHO_DOCTOR_CLOCK_TSC_CALIBRATED},
                 {0.75, TACHO_DOCTOR_BAD, TACHO_DOCTOR_CLOCK_TSC},
                 {0, TACHO_DOCTOR_UNKNOWN, TACHO_DOCTOR_CLOCK_TSC}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        doctor_host h = rented();
        h.clocks.add = cases[i].add;
        tacho_doctor_report *r = judge(&h);
        check_state(r, "core_clock", cases[i].state);
        assert_int_equal(r->clock, cases[i].clock);
        tacho_doctor_free(r);
    }
}

static void test_doctor__clock_figures_and_their_limits(void **state)
{
    doctor_host h = tuned();
    h.clocks.drift = (doctor_quantiles){1.2, 1.25, 1.3};
    h.clocks.granularity = 26;
    h.clocks.read_cost = 300;
    tacho_doctor_report *r = judge(&h);
    check_shape(r);
    check_state(r, "drift", TACHO_DOCTOR_BAD);
    assert_float_equal(figure(find(r, "drift"), "spread"), 0.08, 1e-9);
    check_state(r, "tsc_granularity", TACHO_DOCTOR_ACCEPTABLE);
    check_state(r, "tsc_cost", TACHO_DOCTOR_ACCEPTABLE);
    assert_int_equal(r->verdict, TACHO_DOCTOR_FIT_WITH_CARE);
    tacho_doctor_free(r);
}

static void test_doctor__a_counter_that_stops_in_deep_sleep(void **state)
{
    doctor_host h = rented();
    h.cpuid.invariant_tsc = false;
    put("/proc/cpuinfo", "flags : tsc constant_tsc\n");
    tacho_doctor_report *r = judge(&h);
    check_state(r, "tsc", TACHO_DOCTOR_ACCEPTABLE);
    assert_non_null(strstr(find(r, "tsc")->command, "idle-set"));
    assert_int_equal(r->clock, TACHO_DOCTOR_CLOCK_TSC_CALIBRATED);
    tacho_doctor_free(r);
}

/* Where 102 of 103 blocks came out unstable, it had said no more than "with care". */
static void test_doctor__several_disturbances_foretell_unstable_measurements(void **state)
{
    doctor_host h = tuned();
    h.after.interrupts += 4000;
    h.clocks.clean = 0.2;
    tacho_doctor_report *r = judge(&h);
    check_shape(r);
    assert_int_equal(r->reason_count, 2);
    assert_null(strstr(r->reasons[0], "unstable"));
    tacho_doctor_free(r);
    h.clocks.drift = (doctor_quantiles){1.2, 1.25, 1.3};
    r = judge(&h);
    check_shape(r);
    assert_int_equal(r->verdict, TACHO_DOCTOR_FIT_WITH_CARE);
    assert_int_equal(r->reason_count, 4);
    assert_memory_equal(r->reasons[0], "unstable measurements: 3 ", 25);
    tacho_doctor_free(r);
}

/* ---- unfit ---- */

static void check_unfit(const doctor_host *h, const char *id)
{
    tacho_doctor_report *r = judge(h);
    check_shape(r);
    assert_int_equal(r->verdict, TACHO_DOCTOR_UNFIT);
    assert_true(find(r, id)->unfit);
    assert_int_equal(r->reason_count, 1);
    assert_memory_equal(r->reasons[0], find(r, id)->title, strlen(find(r, id)->title));
    tacho_doctor_free(r);
}

static void test_doctor__what_makes_a_machine_unfit(void **state)
{
    doctor_host h = tuned();
    h.sandbox = "no memory file";
    check_unfit(&h, "sandbox");
    h = tuned();
    h.cpuid.hypervisor = true;
    strcpy(h.cpuid.hypervisor_vendor, "TCGTCGTCGTCG");
    check_unfit(&h, "hypervisor");
    h = tuned();
    h.clocks.clean = 0.05;
    check_unfit(&h, "neighbour");
    h = tuned();
    h.after.steal += 60;
    check_unfit(&h, "steal");
    h = rented();
    h.clocks.read_cost = 4000;
    check_unfit(&h, "tsc_cost");
    h = rented();
    put("/proc/cpuinfo", "flags : tsc\n");
    check_unfit(&h, "tsc");
}

static void test_doctor__with_counters_the_time_stamp_counter_may_be_bad(void **state)
{
    doctor_host h = tuned();
    put("/proc/cpuinfo", "flags : tsc\n");
    h.clocks.read_cost = 4000;
    tacho_doctor_report *r = judge(&h);
    assert_int_equal(r->verdict, TACHO_DOCTOR_FIT_WITH_CARE);
    assert_int_equal(r->clock, TACHO_DOCTOR_CLOCK_PERF);
    tacho_doctor_free(r);
}

static void test_doctor__without_the_sandbox_its_setting_is_advised(void **state)
{
    doctor_host h = tuned();
    put("/proc/sys/vm/memfd_noexec", "2\n");
    h.sandbox = "no memory file";
    h.clocks = (doctor_clocks){.granularity = 26, .read_cost = 50}; /* which need no sandbox */
    tacho_doctor_report *r = judge(&h);
    check_shape(r);
    check_state(r, "tsc_granularity", TACHO_DOCTOR_ACCEPTABLE);
    check_state(r, "tsc_cost", TACHO_DOCTOR_GOOD);
    check_state(r, "core_clock", TACHO_DOCTOR_UNKNOWN);
    assert_string_equal(find(r, "sandbox")->command, "sudo sysctl vm.memfd_noexec=0");
    check_state(r, "drift", TACHO_DOCTOR_UNKNOWN);
    assert_int_equal(find(r, "drift")->figure_count, 0);
    tacho_doctor_free(r);
}

/* ---- reading ---- */

static void test_doctor__what_the_kernel_counts_for_a_cpu(void **state)
{
    doctor_usage u;
    put("/proc/stat",
        "cpu  9 9 9 9 9 9 9 9 9 9\ncpu1 1 2 3 4 5 6 7 8 0 0\ncpu12 1 1 1 1 1 1 1 9 0 0\nintr 5\n");
    /* CPU 0 is offline; lines with one number for all of the machine, or fewer numbers than CPUs */
    put("/proc/interrupts", "           CPU1       CPU12\n"
                            "  8:          5          70   IO-APIC   8-edge      rtc0\n"
                            "LOC:        100        2000   Local timer interrupts\n"
                            "ERR:         50\nMIS:          0\n");
    doctor_read_usage(root, 1, &u);
    assert_true(u.has_times && u.has_interrupts);
    assert_int_equal(u.steal, 8);
    assert_int_equal(u.all, 36);
    assert_int_equal(u.interrupts, 155);
    doctor_read_usage(root, 12, &u);
    assert_int_equal(u.steal, 9);
    assert_int_equal(u.interrupts, 2070);
    doctor_read_usage(root, 0, &u);
    assert_false(u.has_times || u.has_interrupts);
    put("/proc/stat", "cpu1 1 2 3\n");
    put("/proc/interrupts", "");
    doctor_read_usage(root, 1, &u);
    assert_false(u.has_times || u.has_interrupts);
    put("/proc/stat", NULL);
    put("/proc/interrupts", NULL);
}

static void test_doctor__lists_of_cpus(void **state)
{
    assert_true(doctor_list_has("0-3,8", 3) && doctor_list_has("0-3,8", 8) && doctor_list_has("7", 7));
    assert_false(doctor_list_has("0-3,8", 4) || doctor_list_has("", 0) || doctor_list_has("1-", 1));
    assert_int_equal(doctor_list_count("0-3,8"), 5);
    assert_int_equal(doctor_list_count(""), 0);
    assert_int_equal(doctor_list_count("3-1,5"), 1);
    assert_int_equal(doctor_list_count("0-999999999999"), 0);
}

static void test_doctor__lines_are_trimmed_and_cut(void **state)
{
    char line[DOCTOR_LINE_BYTES], longer[600];
    long long number;
    put("/x", " \ta b \t\nc\n");
    assert_int_equal(doctor_read_line(root, "/x", line), 0);
    assert_string_equal(line, "a b");
    put("/x", " \n");
    assert_int_equal(doctor_read_line(root, "/x", line), 0);
    assert_string_equal(line, "");
    memset(longer, 'y', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    put("/x", longer);
    assert_int_equal(doctor_read_line(root, "/x", line), 0);
    assert_int_equal(strlen(line), DOCTOR_LINE_BYTES - 1);
    assert_int_equal(doctor_read_number(root, "/x", &number), EINVAL);
    put("/x", "99999999999999999999999\n");
    assert_int_equal(doctor_read_number(root, "/x", &number), EINVAL);
    put("/x", NULL);
    assert_int_equal(doctor_read_number(root, "/x", &number), ENOENT);
}

static void test_doctor__when_memory_runs_out(void **state)
{
    doctor_host h = tuned();
    for (unsigned long n = 1; n < 1000; n++) {
        tacho_doctor_report *r;
        tacho_error err;
        tacho_mem_fail_at(n);
        int result = doctor_judge(&r, root, &h, &err);
        tacho_mem_fail_at(0);
        if (!result) {
            check_shape(r);
            tacho_doctor_free(r);
            assert_true(n > 1);
            return;
        }
        assert_int_equal(result, TACHO_ERR_MEMORY);
        assert_null(r);
    }
    fail_msg("still failing at the 1000th allocation");
}

/* ---- this machine ---- */

static void test_doctor__this_machine(void **state)
{
    tacho_doctor_options o = TACHO_DOCTOR_OPTIONS_INIT;
    tacho_doctor_report *r;
    tacho_error err = {.message = ""};
    cpu_set_t before, after;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    int result = tacho_doctor_examine(&r, &o, &err);
    if (result)
        fail_msg("%s", err.message);
    check_shape(r);
    assert_true(r->cpu >= 0 && CPU_ISSET(r->cpu, &before));
    assert_true(r->seconds > 0);
    assert_true(figure(find(r, "tsc_granularity"), "step_ticks") >= 1);
    assert_true(figure(find(r, "tsc_cost"), "ticks") >= 0);
    assert_true(figure(find(r, "core_clock"), "core_mhz") > 0);
    assert_true(figure(find(r, "drift"), "low_mhz") <= figure(find(r, "drift"), "high_mhz"));
    assert_true(figure(find(r, "neighbour"), "clean") >= 0 && figure(find(r, "neighbour"), "clean") <= 1);
    tacho_doctor_free(r);
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&before, &after));
}

static void test_doctor__wrong_options(void **state)
{
    tacho_doctor_options o = TACHO_DOCTOR_OPTIONS_INIT;
    tacho_doctor_report *r;
    tacho_error err;
    o.cpu = CPUS_MOST;
    assert_int_equal(tacho_doctor_examine(&r, &o, &err), TACHO_ERR_USAGE);
    assert_null(r);
    o = (tacho_doctor_options)TACHO_DOCTOR_OPTIONS_INIT;
    o.size = 1;
    assert_int_equal(tacho_doctor_examine(&r, &o, &err), TACHO_ERR_USAGE);
    assert_null(r);
    tacho_doctor_free(NULL);
}

static void test_doctor__no_memory_to_measure_with(void **state)
{
    tacho_doctor_options o = TACHO_DOCTOR_OPTIONS_INIT;
    cpu_set_t before, after;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    for (unsigned long n = 1; n <= 3; n++) {
        tacho_doctor_report *r;
        tacho_error err;
        tacho_mem_fail_at(n);
        int result = tacho_doctor_examine(&r, &o, &err);
        tacho_mem_fail_at(0);
        assert_int_equal(result, TACHO_ERR_MEMORY);
        assert_null(r);
        assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
        assert_true(CPU_EQUAL(&before, &after));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(test_doctor__##name, start, finish)
        TEST(a_tuned_machine_is_fit),
        TEST(a_rented_machine_calibrates_its_clock),
        TEST(where_nothing_can_be_read_it_says_so),
        TEST(each_setting_is_seen),
        TEST(other_places_of_the_turbo_setting),
        TEST(the_tightest_quota_counts),
        TEST(counters_that_rdpmc_may_not_read_are_none),
        TEST(no_counters_for_lack_of_permission),
        TEST(chains_that_disagree_do_not_calibrate),
        TEST(clock_figures_and_their_limits),
        TEST(a_counter_that_stops_in_deep_sleep),
        TEST(several_disturbances_foretell_unstable_measurements),
        TEST(what_makes_a_machine_unfit),
        TEST(with_counters_the_time_stamp_counter_may_be_bad),
        TEST(without_the_sandbox_its_setting_is_advised),
        TEST(what_the_kernel_counts_for_a_cpu),
        TEST(lists_of_cpus),
        TEST(lines_are_trimmed_and_cut),
        TEST(when_memory_runs_out),
        TEST(this_machine),
        TEST(wrong_options),
        TEST(no_memory_to_measure_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
