/* counts.c - performance counters of a command, its threads and children: perf_event_open(2), with `inherit`.
 * Each event is counted apart, and scaled where it shared a counter with others. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "machine/trial/trial_internal.h"

static int open_count(struct perf_event_attr a, pid_t pid)
{
    a.disabled = 0;
    a.pinned = 0;
    a.inherit = 1;
    a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    return (int)syscall(SYS_perf_event_open, &a, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Whether an event can be counted, tried on this process. */
static bool can_count(const tacho_trials *t, uint32_t i, char *why, size_t size)
{
    int fd = open_count(t->counts[i], 0);
    if (fd >= 0)
        close(fd);
    else
        counters_why_not(errno, why, size);
    if (fd >= 0 && !t->may_trace)
        snprintf(why, size, "counters are attached with ptrace, which is not allowed here");
    return fd >= 0 && t->may_trace;
}

static int find_events(tacho_trials *t, const char *events, tacho_error *err)
{
    char why[160];
    for (const char *at = events; *at;) {
        size_t n = strcspn(at, ",");
        uint32_t i = 1 + t->event_count;
        char *name = t->event_names[t->event_count];
        if (t->event_count >= TACHO_TRIAL_MAX_EVENTS || !n || n >= sizeof t->event_names[0])
            return tacho_error_set(err, TACHO_ERR_USAGE,
                                   "at most %u events, each with a name of 1 to %zu letters",
                                   TACHO_TRIAL_MAX_EVENTS, sizeof t->event_names[0] - 1);
        snprintf(name, sizeof t->event_names[0], "%.*s", (int)n, at);
        int rc = counters_encode(&t->counts[i], name, err);
        if (rc)
            return rc;
        if (!can_count(t, i, why, sizeof why))
            return tacho_error_set(err, TACHO_ERR_UNSUPPORTED, "event '%s' cannot be counted here: %s", name,
                                   why);
        t->event_count++;
        at += n + (at[n] == ',');
    }
    return 0;
}

int counts_find(tacho_trials *t, tacho_error *err)
{
    const tacho_trials_options *o = &t->options;
    counters_cycles(&t->counts[0]);
    bool cycles = can_count(t, 0, t->counters_missing, sizeof t->counters_missing);
    if (!cycles && o->clock == TACHO_CLOCK_PERF)
        return tacho_error_set(err, TACHO_ERR_UNSUPPORTED, "%s", t->counters_missing);
    t->clock =
        cycles && o->clock != TACHO_CLOCK_TSC_CALIBRATED ? TACHO_CLOCK_PERF : TACHO_CLOCK_TSC_CALIBRATED;
    return o->events ? find_events(t, o->events, err) : 0;
}

static bool is_wanted(const tacho_trials *t, uint32_t i)
{
    return i || t->clock == TACHO_CLOCK_PERF;
}

int counts_open(tacho_trials *t, pid_t pid)
{
    for (t->counts_open = 0; t->counts_open <= t->event_count; t->counts_open++) {
        uint32_t i = t->counts_open;
        t->count_fds[i] = is_wanted(t, i) ? open_count(t->counts[i], pid) : -1;
        if (is_wanted(t, i) && t->count_fds[i] < 0)
            return errno;
    }
    return 0;
}

/* NaN where it was never on a counter. */
static double read_count(int fd, bool *multiplexed)
{
    struct {
        uint64_t value, enabled, running;
    } r;
    if (fd < 0 || read(fd, &r, sizeof r) != (ssize_t)sizeof r || !r.running)
        return NAN;
    *multiplexed |= r.running < r.enabled;
    return (double)r.value * ((double)r.enabled / (double)r.running);
}

void counts_read(const tacho_trials *t, tacho_trial *out)
{
    for (uint32_t i = 0; i < t->event_count; i++)
        out->events[i] = t->counts_open > i + 1 ? read_count(t->count_fds[i + 1], &out->multiplexed) : NAN;
    if (t->clock == TACHO_CLOCK_PERF)
        out->cycles = t->counts_open ? read_count(t->count_fds[0], &out->multiplexed) : NAN;
}

void counts_close(tacho_trials *t)
{
    while (t->counts_open > 0)
        if (t->count_fds[--t->counts_open] >= 0)
            close(t->count_fds[t->counts_open]);
}
