/* hot_perf.c - samples by perf_event (perf_event_open(2)): an event for each processor (and, of a process
 * that runs already, each thread), inherited by threads and processes to come, writing into a ring a
 * processor. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/proc.h"
#include "base/seconds.h"
#include "machine/measure/counters.h"
#include "program/hot/hot_causal_seen.h"
#include "program/hot/hot_save.h"
#include "program/hot/hot_threads_seen.h"
#include "program/hot/hot_windows.h"
#include "program/hot/ring.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

enum {
    USUAL_HZ = 997,              /* odd, so that nothing that a program does at round rates keeps in step */
    USUAL_HZ_WITH_THREADS = 499, /* looking at threads takes time, too */
    USUAL_HZ_OF_EXPERIMENTS = 1999, /* a delay for each: short ones keep threads in step */
    GRACE_SECONDS = 2,              /* from SIGTERM to SIGKILL */
    MOST_PRECISE = 2                /* attr.precise_ip: no skid */
};

static const double wait_seconds = 0.1;

static const char counter_skid[] =
    "samples of the cycle counter lie a few instructions behind those that took the time";
static const char precise_skid[] =
    "samples of the cycle counter are precise: they lie at instructions that retired";
static const char clock_skid[] = "samples of the CPU clock lie where its interrupt was taken: at, or a few "
                                 "instructions behind, those that "
                                 "took the time";

static void fill_attributes(struct perf_event_attr *a, bool counter, double hz, bool with_branches,
                            int precise)
{
    *a = (struct perf_event_attr){
        .type = counter ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE,
        .size = sizeof *a,
        .config = counter ? (uint64_t)PERF_COUNT_HW_CPU_CYCLES : (uint64_t)PERF_COUNT_SW_CPU_CLOCK,
        .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD,
        .sample_id_all = 1,
        .disabled = 1,
        .inherit = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .mmap = 1,
        .mmap2 = 1,
        .mmap_data = 1,
        .comm = 1,
        .comm_exec = 1,
        .task = 1,
        .precise_ip = (unsigned)precise & 3,
        .watermark = 1,
        .wakeup_watermark = 1 << 15,
    };
    if (counter) {
        a->freq = 1;
        a->sample_freq = (uint64_t)hz;
    } else {
        a->sample_period = (uint64_t)(1e9 / hz);
    }
    if (with_branches) {
        a->sample_type |= PERF_SAMPLE_BRANCH_STACK;
        a->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
    }
}

static int open_event(struct perf_event_attr *a, pid_t pid, int cpu)
{
    return (int)syscall(SYS_perf_event_open, a, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static bool works(struct perf_event_attr *a)
{
    int fd = open_event(a, 0, -1);
    if (fd < 0)
        return false;
    close(fd);
    return true;
}

/* Registers, too, where the kernel gives them. */
static void ask_for_registers(struct perf_event_attr *a)
{
    struct perf_event_attr with = *a;
    with.sample_type |= PERF_SAMPLE_REGS_USER;
    with.sample_regs_user = RECORD_REGISTERS;
    if (works(&with))
        *a = with;
}

/* The best attributes that the kernel takes. @return false with an errno: none */
static bool choose(struct perf_event_attr *a, bool counter, double hz, hot_tally *b)
{
    if (counter)
        for (int branches = 1; branches >= 0; branches--)
            for (int precise = MOST_PRECISE; precise >= 0; precise--) {
                fill_attributes(a, true, hz, branches, precise);
                b->profile.skid = precise == MOST_PRECISE ? precise_skid : counter_skid;
                if (works(a))
                    return true;
            }
    fill_attributes(a, counter, hz, false, 0);
    if (!counter)
        b->profile.skid = clock_skid;
    return works(a);
}

static void note_missing(hot_tally *b, const char *what, int error)
{
    char why[200];
    size_t n = strlen(b->missing);
    counters_why_not(error, why, sizeof why);
    snprintf(b->missing + n, sizeof b->missing - n, "%s%s: %s", n ? "; " : "", what, why);
}

static int not_here(hot_tally *b, bool counter, int error, tacho_error *err)
{
    note_missing(b, counter ? "cycle counter" : "CPU clock", error);
    return tacho_error_set(err, TACHO_ERR_UNSUPPORTED, "%s", b->missing);
}

/* ---- opening ---- */

typedef struct opening {
    ring_set *set;
    struct perf_event_attr attr;
    int error;
    size_t makers, makers_end; /* of the set's others: breakpoints where locks are made */
    bool makers_off;
} opening;

/* One thread on all processors; the first event on each has the ring. Many need many descriptors. */
static bool open_thread(opening *o, pid_t tid)
{
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    size_t number = 0; /* of the processor's ring */
    for (int cpu = 0; cpu < cpus; cpu++) {
        int fd = open_event(&o->attr, tid, cpu);
        if (fd < 0 && errno == EMFILE && proc_allow_more_files())
            fd = open_event(&o->attr, tid, cpu);
        if (fd < 0 && (errno == ENODEV || errno == ENXIO || (errno == EINVAL && cpu)))
            continue; /* a processor that is switched off */
        if (fd < 0 && errno == ESRCH)
            return true; /* the thread has ended */
        o->error = fd < 0                   ? errno
                   : number < o->set->count ? ring_add_other(o->set, fd, number)
                                            : ring_add(o->set, fd);
        number++;
        if (o->error) {
            if (fd >= 0)
                close(fd);
            return false;
        }
    }
    return true;
}

/* The threads of a process that runs; new ones may appear meanwhile, which inherit. */
static int open_process(opening *o, hot_tally *b, pid_t pid, bool tell)
{
    DIR *d = proc_open_tasks(pid);
    bool ok = d != NULL;
    int rc = 0;
    o->error = ESRCH;
    for (pid_t tid; ok && !rc && (tid = proc_next_task(d));) {
        ok = open_thread(o, tid);
        if (tell && tid != pid)
            rc = tally_thread(b, (uint64_t)pid);
    }
    if (d)
        closedir(d);
    if (rc)
        return rc;
    return ok && o->set->count ? 0 : -1;
}

/* ---- sampling ---- */

static int drained(ring_set *s, hot_tally *b, bool all, tacho_error *err)
{
    return ring_drain(s, b, all) ? tacho_no_memory(err) : 0;
}

/* Counts visits of the progress point from now on, once it is known where that is. */
static int watch_point(opening *o, hot_tally *b, const hot_target *t, tacho_error *err)
{
    uint64_t address;
    const pid_t pid = causal_find_point(b->causal, &address);
    if (!pid)
        return 0;
    opening point = {.set = o->set, .attr = hot_causal_breakpoint(&o->attr, address)};
    const int rc = open_process(&point, b, pid, false);
    if (rc == TACHO_ERR_MEMORY)
        return tacho_no_memory(err);
    return rc && point.error != ESRCH ? tacho_error_set(err, TACHO_ERR_UNSUPPORTED,
                                                        "visits of %.100s cannot be counted: perf_event: %s",
                                                        t->options->progress_point, strerror(point.error))
                                      : 0;
}

/* Delays threads meanwhile. Records are read twice, the second time by the caller, so that those of now are
 * sure to be in the order of time. */
static int wait_and_delay(opening *o, hot_tally *b, const hot_target *t, int pidfd, tacho_error *err)
{
    int rc = watch_point(o, b, t, err);
    if (!rc)
        ring_wait(o->set, pidfd, causal_turn(b->causal));
    return rc ? rc : drained(o->set, b, false, err);
}

/* Where the program initialises locks from now on. */
static void watch_makers(opening *o, hot_tally *b, pid_t pid)
{
    uint64_t makers[THREADS_MAKERS];
    threads_makers(b->threads, makers);
    o->makers = o->set->other_count;
    for (size_t i = 0; i < THREADS_MAKERS; i++) {
        opening point = {.set = o->set, .attr = hot_causal_breakpoint(&o->attr, makers[i])};
        point.attr.sample_stack_user = o->attr.sample_stack_user;
        point.attr.inherit_thread = 1; /* other processes mostly execute other programs */
        if (makers[i])
            open_thread(&point, pid);
    }
    o->makers_end = o->set->other_count;
}

static void watch_makers_as_due(opening *o, hot_tally *b)
{
    const bool due = threads_makers_due(b->threads);
    if (o->makers_off == due)
        for (size_t i = o->makers; i < o->makers_end; i++)
            ioctl(o->set->others[i], due ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
    o->makers_off = !due;
}

static int wait_for_records(opening *o, hot_tally *b, const hot_target *t, int pidfd, tacho_error *err)
{
    if (b->causal)
        return wait_and_delay(o, b, t, pidfd, err);
    if (b->threads) {
        watch_makers_as_due(o, b);
        hot_threads_look(b);
    } else
        ring_wait(o->set, pidfd, wait_seconds);
    return 0;
}

/* Whether the command has ended, which is then put down. That it stands, for a window, is not our affair. */
static bool has_ended(hot_tally *b, pid_t pid)
{
    struct rusage usage;
    siginfo_t info = {0};
    int status;
    if (!waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) &&
        (!info.si_pid || info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED))
        return false;
    pid_t got = wait4(pid, &status, WNOHANG, &usage);
    if (got == 0)
        return false;
    if (got == pid)
        target_ended(b, status, &usage);
    return true;
}

/* The command may not have told of itself yet. */
static void end_all(const hot_tally *b, pid_t pid, int signal)
{
    kill(pid, signal);
    tally_signal(b, signal);
}

static int follow_command(opening *o, hot_tally *b, hot_target *t, int pidfd, tacho_error *err)
{
    double asked = 0;
    int rc = 0;
    b->profile.ended = true;
    while (!rc && !has_ended(b, t->pid)) {
        rc = wait_for_records(o, b, t, pidfd, err);
        rc = rc ? rc : drained(o->set, b, false, err);
        int over = target_is_over(t);
        if (!asked && over) {
            asked = seconds_now();
            b->profile.ended = false;
            end_all(b, t->pid, SIGTERM);
        }
        if (asked && (seconds_now() - asked > GRACE_SECONDS || over == TARGET_IS_KILLED))
            end_all(b, t->pid, SIGKILL);
    }
    while (!rc && asked && tally_signal(b, 0)) { /* what the command has started, and left */
        if (seconds_now() - asked > GRACE_SECONDS || target_is_over(t) == TARGET_IS_KILLED) {
            tally_signal(b, SIGKILL);
            break;
        }
        ring_wait(o->set, -1, wait_seconds);
        rc = drained(o->set, b, false, err);
    }
    return rc;
}

static int follow_process(opening *o, hot_tally *b, hot_target *t, int pidfd, tacho_error *err)
{
    int rc = 0;
    while (!rc && !target_is_over(t) && !(kill(t->pid, 0) && errno == ESRCH)) {
        rc = wait_for_records(o, b, t, pidfd, err);
        rc = rc ? rc : drained(o->set, b, false, err);
        struct pollfd end = {.fd = pidfd, .events = POLLIN};
        if (pidfd >= 0 && poll(&end, 1, 0) == 1)
            break;
    }
    return rc;
}

static int finish(ring_set *s, hot_tally *b, tacho_error *err)
{
    ring_enable(s, false);
    int rc = drained(s, b, true, err);
    if (!rc && s->damaged && tally_warn(b, "%" PRIu64 " damaged records were left out", s->damaged))
        rc = tacho_no_memory(err);
    return rc;
}

static int sample_command(opening *o, hot_tally *b, hot_target *t, tacho_error *err)
{
    hot_child child;
    int rc = child_start(&child, t->argv, t->options->output, err);
    if (rc)
        return rc;
    o->attr.enable_on_exec = 1;
    if (!open_thread(o, child.pid) || !o->set->count) {
        child_drop(&child);
        return not_here(b, o->attr.type == PERF_TYPE_HARDWARE, o->error, err);
    }
    t->pid = child.pid;
    t->started = seconds_now();
    const bool held = b->threads && !b->causal && child_hold(&child, t->argv[0]);
    rc = child_go(&child, t->argv[0], err);
    if (rc)
        return rc;
    int pidfd = (int)syscall(SYS_pidfd_open, child.pid, 0);
    threads_add(b->threads, child.pid, false);
    if (held && child_to_entry(&child))
        watch_makers(o, b, child.pid);
    if (held)
        child_release(&child);
    if (b->causal)
        causal_process(b->causal, child.pid, true);
    hot_windows_begin(b->windows, child.pid, true);
    rc = follow_command(o, b, t, pidfd, err);
    hot_windows_end(b->windows);
    if (pidfd >= 0)
        close(pidfd);
    if (rc && !waitpid(t->pid, NULL, WNOHANG)) { /* it goes on */
        kill(t->pid, SIGKILL);
        waitpid(t->pid, NULL, 0);
    }
    return rc ? rc : finish(o->set, b, err);
}

static int sample_process(opening *o, hot_tally *b, hot_target *t, tacho_error *err)
{
    if (tally_fork(b, 0, (uint64_t)t->pid))
        return tacho_no_memory(err);
    int rc = open_process(o, b, t->pid, true);
    if (rc == TACHO_ERR_MEMORY)
        return tacho_no_memory(err);
    if (rc && (o->error == EACCES || o->error == EPERM) && kill(t->pid, 0) && errno == EPERM)
        return tacho_error_set(err, TACHO_ERR_INPUT, "process %d is another user's", (int)t->pid);
    if (rc && o->error == ESRCH)
        return tacho_error_set(err, TACHO_ERR_INPUT, "there is no process %d", (int)t->pid);
    if (rc)
        return not_here(b, o->attr.type == PERF_TYPE_HARDWARE, o->error, err);
    int pidfd = (int)syscall(SYS_pidfd_open, t->pid, 0);
    t->started = seconds_now();
    ring_enable(o->set, true);
    if (o->set->save)
        save_maps(o->set->save, t->pid, &o->attr);
    threads_add(b->threads, t->pid, true);
    if (b->causal)
        causal_process(b->causal, t->pid, false);
    hot_windows_begin(b->windows, t->pid, false);
    rc = tally_read_maps(b, (uint64_t)t->pid) ? tacho_no_memory(err) : follow_process(o, b, t, pidfd, err);
    hot_windows_end(b->windows);
    if (pidfd >= 0)
        close(pidfd);
    return rc ? rc : finish(o->set, b, err);
}

int hot_by_perf(hot_tally *b, hot_target *t, bool counter, tacho_error *err)
{
    ring_set set = {0};
    opening o = {.set = &set};
    bool by_rdpmc;
    struct rlimit files;
    const double usual = b->causal ? USUAL_HZ_OF_EXPERIMENTS : b->threads ? USUAL_HZ_WITH_THREADS : USUAL_HZ;
    double hz = t->options->hz > 0 ? t->options->hz : usual;
    const int missing = counter ? counters_try(&by_rdpmc) : 0;
    if (missing)
        return not_here(b, true, missing, err);
    if (!choose(&o.attr, counter, hz, b))
        return not_here(b, counter, errno, err);
    ask_for_registers(&o.attr);
    if (b->threads) {
        hot_threads_ask(&o.attr);
        o.attr.exclude_kernel = b->causal != NULL;
        o.attr.exclude_kernel |= !works(&o.attr);
        if (!o.attr.exclude_kernel)
            threads_in_kernel(b->threads);
    }
    if (b->causal) {
        hot_causal_ask(&o.attr);
        causal_costs(b->causal, counter ? 0 : sample_cost(&o.attr), visit_cost(&o.attr));
    }
    set.form = record_form_of(&o.attr);
    b->profile.via = counter ? TACHO_HOT_CYCLES : TACHO_HOT_CLOCK;
    b->profile.hz = hz;
    *(counter ? &b->profile.cycles_per_weight : &b->profile.seconds_per_weight) = counter ? 1 : 1e-9;
    snprintf(b->event, sizeof b->event, "%s", counter ? "cycles:u" : "cpu-clock:u");
    bool known = !getrlimit(RLIMIT_NOFILE, &files);
    int rc = t->options->save ? save_open(&set.save, t->options->save, &o.attr, err) : 0;
    if (!rc)
        rc = t->argv ? sample_command(&o, b, t, err) : sample_process(&o, b, t, err);
    if (b->causal)
        causal_end(b->causal);
    if (!rc && b->threads && threads_finish(b->threads))
        rc = tacho_no_memory(err);
    const threads_log *log = b->threads ? threads_log_of(b->threads) : NULL;
    tacho_error not_saved;
    if (set.save && save_close(set.save, t->options->save, &o.attr, log, &not_saved))
        snprintf(b->not_saved, sizeof b->not_saved, "%.*s", (int)sizeof b->not_saved - 1, not_saved.message);
    ring_free(&set);
    if (!rc && !counter && b->pairs.count)
        b->pairs.sample_seconds = sample_cost(&o.attr);
    if (known)
        setrlimit(RLIMIT_NOFILE, &files); /* as it was */
    return rc;
}
