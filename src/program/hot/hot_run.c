/* hot_run.c - sampling a command or a process: by the best way that works here. */
#include <sys/wait.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/options_take.h"
#include "base/process.h"
#include "base/seconds.h"
#include "program/causal/causal.h"
#include "program/hot/hot_threads_seen.h"
#include "program/hot/hot_windows.h"

#define ASK_SECONDS 0.1

int target_is_over(hot_target *t)
{
    double now = seconds_now();
    const tacho_hot_options *o = t->options;
    int over = TARGET_GOES_ON;
    if (o->seconds > 0 && now - t->started >= o->seconds)
        over = TARGET_ENDS;
    if (!o->progress || now - t->told < ASK_SECONDS)
        return over;
    t->told = now;
    int asked = o->progress(now - t->started, o->payload);
    return asked > 1 ? TARGET_IS_KILLED : asked ? TARGET_ENDS : over;
}

void target_ended(hot_tally *b, int status, const struct rusage *usage)
{
    tacho_hot_profile *p = &b->profile;
    p->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    p->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    p->user_seconds = seconds_of(usage->ru_utime);
    p->system_seconds = seconds_of(usage->ru_stime);
}

static int by_one(hot_tally *b, hot_target *t, tacho_hot_via via, tacho_error *err)
{
    b->profile.command = t->argv != NULL;
    if (t->options->windows > 0 && !(b->windows = hot_windows_new(t->options->windows)))
        return tacho_no_memory(err);
    if ((t->options->threads || t->options->save) && via == TACHO_HOT_PTRACE)
        return tacho_error_set(err, TACHO_ERR_UNSUPPORTED, "%s beside samples by perf_event only%s%s",
                               t->options->threads ? "threads are looked at" : "a file is written",
                               *b->missing ? ", which does not work here: " : "", b->missing);
    if (t->options->threads && !(b->threads = threads_new()))
        return tacho_no_memory(err);
    if (t->options->progress_point &&
        !(b->causal = causal_new(t->options->progress_point, t->options->what_if)))
        return tacho_no_memory(err);
    t->started = t->told = seconds_now();
    int rc =
        via == TACHO_HOT_PTRACE ? hot_by_ptrace(b, t, err) : hot_by_perf(b, t, via == TACHO_HOT_CYCLES, err);
    b->profile.seconds = seconds_now() - t->started;
    hot_windows_finish(b->windows, b);
    const threads_log *log = b->threads ? threads_log_of(b->threads) : NULL;
    const char *unseen = !rc && log ? log_unseen(log) : NULL;
    if (unseen && tally_warn(b, "no thread was seen that runs or waits: %s", unseen))
        rc = tacho_no_memory(err);
    if (!rc && b->causal && !(b->profile.causal = causal_result(b->causal)))
        rc = tacho_no_memory(err);
    b->profile.threads = (const tacho_hot_thread_log *)log;
    return rc;
}

/* The process that a thread belongs to, and its state (proc_pid_status(5)); 0: it is gone. */
static uint64_t status_of(uint64_t tid, char *state)
{
    char path[48], line[128];
    unsigned long long pid = 0;
    *state = ' ';
    snprintf(path, sizeof path, "/proc/%llu/status", (unsigned long long)tid);
    FILE *f = fopen(path, "re");
    while (f && !pid && fgets(line, sizeof line, f)) {
        sscanf(line, "State: %c", state);
        sscanf(line, "Tgid: %llu", &pid);
    }
    if (f)
        fclose(f);
    return pid;
}

uint64_t target_process_of(uint64_t tid)
{
    char state;
    return status_of(tid, &state);
}

/* An attempt that did not work leaves nothing but why. */
static int by_best(hot_tally **b, hot_target *t, tacho_error *err)
{
    static const tacho_hot_via order[] = {TACHO_HOT_CYCLES, TACHO_HOT_CLOCK, TACHO_HOT_PTRACE};
    int rc = TACHO_ERR_UNSUPPORTED;
    for (size_t i = 0; i < sizeof order / sizeof *order && rc == TACHO_ERR_UNSUPPORTED; i++) {
        hot_tally *next = tally_new();
        if (!next)
            return tacho_no_memory(err);
        memcpy(next->missing, (*b)->missing, sizeof next->missing);
        tally_free(*b);
        *b = next;
        rc = by_one(next, t, order[i], err);
    }
    return rc;
}

OPTIONS_DEFINE(hot, TACHO_HOT_OPTIONS_INIT)

static int check(const tacho_hot_options *o, tacho_error *err)
{
    double most = o->via == TACHO_HOT_PTRACE ? TACHO_HOT_MAX_PTRACE_HZ : TACHO_HOT_MAX_HZ;
    if (o->via >= TACHO_HOT_FILE)
        return tacho_error_set(err, TACHO_ERR_USAGE, "a run is not sampled in this way (%d)", (int)o->via);
    if (o->what_if && !o->progress_point)
        return tacho_error_set(err, TACHO_ERR_USAGE, "no point of progress is given for what_if");
    if (o->progress_point && (o->threads || o->save || (o->via && o->via != TACHO_HOT_CLOCK)))
        return tacho_error_set(err, TACHO_ERR_USAGE,
                               "experiments (progress_point) are made beside samples by the clock only");
    if (o->hz && !(o->hz >= 1 && o->hz <= most))
        return tacho_error_set(err, TACHO_ERR_USAGE, "%g samples a second: 1 to %g can be had", o->hz, most);
    if (!(o->windows >= 0 && 100 * o->windows <= TACHO_HOT_MAX_WINDOWS))
        return tacho_error_set(err, TACHO_ERR_USAGE, "%g percent of the time for windows: 0 to %d can be had",
                               100 * o->windows, TACHO_HOT_MAX_WINDOWS);
    return 0;
}

static int sample(tacho_hot_profile **out, hot_target *t, const tacho_hot_options *options, tacho_error *err)
{
    tacho_hot_options o;
    *out = NULL;
    int rc = OPTIONS_TAKE(hot, &o, options, err);
    if (rc || (rc = check(&o, err)))
        return rc;
    if (o.progress_point) {
        o.via = TACHO_HOT_CLOCK;
        o.windows = 0;
    }
    t->options = &o;
    hot_tally *b = tally_new();
    if (!b)
        return tacho_no_memory(err);
    rc = t->options->via ? by_one(b, t, t->options->via, err) : by_best(&b, t, err);
    if (!rc && tally_finish(b))
        rc = tacho_no_memory(err);
    if (rc) {
        tally_free(b);
        return rc;
    }
    *out = &b->profile;
    return 0;
}

int tacho_hot_run(tacho_hot_profile **out, char *const argv[], const tacho_hot_options *options,
                  tacho_error *err)
{
    char path[4096];
    hot_target t = {.argv = argv};
    *out = NULL;
    if (!argv[0])
        return tacho_error_set(err, TACHO_ERR_USAGE, "no command");
    int rc = tacho_process_find_command(argv[0], path, sizeof path, err);
    return rc ? rc : sample(out, &t, options, err);
}

int tacho_hot_attach(tacho_hot_profile **out, pid_t pid, const tacho_hot_options *options, tacho_error *err)
{
    hot_target t = {.pid = pid};
    *out = NULL;
    if (pid <= 0)
        return tacho_error_set(err, TACHO_ERR_USAGE, "%d is no process", (int)pid);
    char state;
    const uint64_t process = status_of((uint64_t)pid, &state);
    if (state == 'Z' || state == 'X')
        return tacho_error_set(err, TACHO_ERR_INPUT,
                               "process %d has ended: only its entry is left, until its parent asks for it "
                               "(a zombie)",
                               (int)pid);
    if (!process || process == (uint64_t)pid)
        return sample(out, &t, options, err);
    t.pid = (pid_t)process;
    int rc = sample(out, &t, options, err);
    if (rc ||
        !tally_warn((hot_tally *)*out, "%d is a thread of process %d, which was sampled with all threads",
                    (int)pid, (int)t.pid))
        return rc;
    tacho_hot_profile_free(*out);
    *out = NULL;
    return tacho_no_memory(err);
}

void tacho_hot_profile_free(tacho_hot_profile *profile)
{
    tally_free((hot_tally *)profile);
}

NAMES_OF(tacho_hot_via_name, tacho_hot_via, "", "auto", "cycles", "clock", "ptrace", "file")
