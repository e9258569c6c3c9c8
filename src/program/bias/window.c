/* window.c - running a command under ptrace and looking into it now and then: at random times one of its
 * threads that are executing is stopped, stepped for some hundred instructions, and let go. Needs neither
 * counters nor privileges, and no symbols.
 *
 * ptrace wants all from one thread, which waits for its own children only; so a thread is made for it. */
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/proc.h"
#include "base/process.h"
#include "base/seconds.h"
#include "machine/trial/trial_layout.h"
#include "program/bias/window.h"

enum {
    MOST_TASKS = 256,
    NAP_NANOSECONDS = 100000,
    ENOUGH_WINDOWS = 24
};

typedef struct watching {
    bias *b;
    const bias_place *place;
    observation *seen;
    window window;
    pid_t root, tasks[MOST_TASKS];
    size_t task_count;
    bool ended; /* the command, or its time */
    double until;
    int rc;
} watching;

/* ---- stops ---- */

static void add_task(watching *w, pid_t tid)
{
    for (size_t i = 0; i < w->task_count; i++)
        if (w->tasks[i] == tid)
            return;
    if (w->task_count < MOST_TASKS)
        w->tasks[w->task_count++] = tid;
}

static void drop_task(watching *w, pid_t tid)
{
    for (size_t i = 0; i < w->task_count; i++)
        if (w->tasks[i] == tid)
            w->tasks[i] = w->tasks[--w->task_count];
}

static void go_on(pid_t tid, int signal)
{
    ptrace(PTRACE_CONT, tid, NULL, (void *)(intptr_t)signal);
}

/* A stop that was not asked for. */
static void handle_stop(watching *w, pid_t tid, int status)
{
    unsigned long born = 0;
    int signal = WSTOPSIG(status), event = status >> 16;
    add_task(w, tid);
    if (event && (event == PTRACE_EVENT_CLONE || event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK) &&
        !ptrace(PTRACE_GETEVENTMSG, tid, NULL, &born))
        add_task(w, (pid_t)born);
    /* A new task begins with a SIGSTOP; after an exec comes a SIGTRAP. */
    go_on(tid, event || signal == SIGSTOP || signal == SIGTRAP ? 0 : signal);
}

/* Handles what has happened, except what `except` (0: none) reports. When the command itself has ended, that
 * is left to be waited for. */
static void look_around(watching *w, pid_t except)
{
    for (;;) {
        siginfo_t info = {0};
        int status;
        if (waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL | __WNOTHREAD) ||
            !info.si_pid || info.si_pid == except)
            break;
        bool gone = info.si_code != CLD_STOPPED && info.si_code != CLD_TRAPPED;
        if (gone && info.si_pid == w->root) {
            w->ended = true;
            return;
        }
        if (waitpid(info.si_pid, &status, __WALL | WNOHANG) <= 0)
            break;
        if (gone)
            drop_task(w, info.si_pid);
        else if (WIFSTOPPED(status))
            handle_stop(w, info.si_pid, status);
    }
    bool interrupted = w->b->options.stop && w->b->options.stop(w->b->options.payload);
    w->b->stopped |= interrupted;
    w->ended |= interrupted || seconds_now() > w->until;
}

static void nap(watching *w, double seconds)
{
    const struct timespec little = {0, NAP_NANOSECONDS};
    double until = seconds_now() + seconds;
    do {
        nanosleep(&little, NULL);
        look_around(w, 0);
    } while (!w->ended && seconds_now() < until);
}

/* Waits for what a task reports, and has the others go on, as it may wait for them. @return false: it has
 * ended, or waits for something else; what it reports later is seen to by look_around */
static bool await(watching *w, pid_t tid, siginfo_t *info)
{
    const struct timespec little = {0, NAP_NANOSECONDS};
    const double most = 0.25;
    double since = seconds_now(), now = since;
    while (!w->ended && now - since < most) {
        *info = (siginfo_t){0};
        if (waitid(P_PID, (id_t)tid, info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL | __WNOTHREAD) &&
            errno != EINTR)
            return false;
        if (info->si_pid)
            return info->si_code == CLD_STOPPED || info->si_code == CLD_TRAPPED;
        look_around(w, tid);
        now = seconds_now();
        if (now - since < 1e-3)
            sched_yield();
        else
            nanosleep(&little, NULL);
    }
    return false;
}

/* ---- a window ---- */

static pid_t choose_task(watching *w)
{
    size_t first = w->task_count ? bias_random(w->b, (uint32_t)w->task_count) : 0;
    for (size_t i = 0; i < w->task_count; i++) {
        pid_t tid = w->tasks[(first + i) % w->task_count];
        if (proc_is_running(tid))
            return tid;
    }
    return 0;
}

/* Stops a task. @return whether it stands now, by our signal */
static bool halt(watching *w, pid_t tid)
{
    int status;
    if (syscall(SYS_tkill, tid, SIGSTOP))
        return false;
    for (;;) {
        siginfo_t info;
        if (!await(w, tid, &info) || waitpid(tid, &status, __WALL) != tid)
            return false;
        if (WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP && !(status >> 16))
            return true;
        handle_stop(w, tid, status);
    }
}

/* Threads that the one which steps has made are traced, too. */
static walk_answer await_step(void *payload, pid_t tid, int *signal)
{
    watching *w = payload;
    int status;
    siginfo_t info;
    if (!await(w, tid, &info) || waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status))
        return WALK_GONE;
    unsigned long born = 0;
    if (status >> 16 && !ptrace(PTRACE_GETEVENTMSG, tid, NULL, &born))
        add_task(w, (pid_t)born);
    if (WSTOPSIG(status) != SIGTRAP && WSTOPSIG(status) != SIGSTOP)
        *signal = WSTOPSIG(status);
    return WALK_ON;
}

static void look_into(watching *w, pid_t tid)
{
    /* Nobody asks which of the command's processes a window is of. */
    const walk_thread thread = {.process = tid,
                                .thread = tid,
                                .most = WINDOW_INSNS,
                                .through_calls = true,
                                .await = await_step,
                                .payload = w};
    int signal = 0;
    if (windows_walk(w->seen->code, &thread, &signal))
        go_on(tid, signal);
    w->seen->failed |= windows_failed(w->seen->code);
}

/* ---- mappings, for names ---- */

static void add_map(observation *o, const proc_map *m)
{
    for (size_t i = 0; i < o->map_count; i++)
        if (o->maps[i].start == m->start && !strcmp(o->maps[i].path, m->path))
            return;
    char *kept = tacho_mem_strndup(m->path, strlen(m->path));
    if (!kept || tacho_mem_grow(&o->maps, &o->map_capacity, o->map_count + 1, sizeof *o->maps)) {
        tacho_mem_free(kept);
        o->failed = true;
        return;
    }
    o->maps[o->map_count++] = (seen_map){m->start, m->end, m->offset, kept};
}

static void read_maps(observation *o, pid_t tid)
{
    proc_map m;
    FILE *f = proc_open_maps(tid);
    while (proc_next_code(f, &m))
        add_map(o, &m);
    if (f)
        fclose(f);
}

/* ---- a run ---- */

/* Kills the command and takes leave of its threads: the first of them does not count as ended to those who
 * wait for it before the others, being traced, were waited for. */
static void end_all(watching *w)
{
    kill(w->root, SIGKILL);
    for (;;) {
        siginfo_t info = {0};
        if (waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOWAIT | __WALL | __WNOTHREAD)) {
            if (errno == EINTR)
                continue;
            return;
        }
        bool stands = info.si_code == CLD_STOPPED || info.si_code == CLD_TRAPPED;
        if (info.si_pid == w->root && !stands)
            return; /* whoever started it waits for it */
        if (waitpid(info.si_pid, NULL, __WALL) < 0)
            return;
        if (stands)
            syscall(SYS_tkill, info.si_pid, SIGKILL);
    }
}

/* The program waits before its first instruction; when this returns it has done, or is killed. */
static int on_held(pid_t pid, void *payload)
{
    watching *w = payload;
    int error = layout_moves(&w->place->layout) ? layout_apply(pid, &w->place->layout) : 0;
    const long follow = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_EXITKILL;
    if (!error && ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)follow))
        error = errno;
    if (error)
        return error;
    w->root = pid;
    w->task_count = 0;
    w->ended = false;
    add_task(w, pid);
    go_on(pid, 0);
    double gap = w->b->run_seconds / (WINDOWS_A_RUN + 1) * 2;
    for (int i = 0; i < WINDOWS_A_RUN && !w->ended; i++) {
        nap(w, gap * bias_random(w->b, 1000) / 1000);
        pid_t tid = w->ended ? 0 : choose_task(w);
        if (!tid || !halt(w, tid))
            continue;
        read_maps(w->seen, tid);
        look_into(w, tid);
    }
    end_all(w);
    return ECANCELED; /* enough of it */
}

static void run_once(watching *w, const char *path, const char **environment, int input, int null)
{
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (w->b->result.cpu >= 0)
        CPU_SET(w->b->result.cpu, &allowed);
    tacho_process_end end;
    tacho_process p = {.path = path,
                       .argv = (const char *const *)w->place->command.argv,
                       .env = environment,
                       .directory = w->place->command.directory,
                       .input = input,
                       .output = null,
                       .errors = null,
                       .file = -1,
                       .seconds = fmax(w->until - seconds_now(), 0.01),
                       .cpus = w->b->result.cpu >= 0 ? &allowed : NULL,
                       .same_addresses = true,
                       .held = on_held,
                       .payload = w};
    if (!tacho_process_run(&p, &end) || errno == ECANCELED)
        return;
    w->rc = tacho_error_set(w->b->err, TACHO_ERR_SYSTEM, "cannot watch %s: %s", path, strerror(errno));
}

static void *watch(void *payload)
{
    watching *w = payload;
    const tacho_command *c = &w->place->command;
    char path[4096];
    const char **environment =
        layout_environment(&w->place->layout, c->environment ? c->environment : w->b->environment);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (!environment)
        w->rc = tacho_no_memory(w->b->err);
    else if (null < 0)
        w->rc = tacho_error_set(w->b->err, TACHO_ERR_SYSTEM, "/dev/null: %s", strerror(errno));
    else
        w->rc = tacho_process_find_command(c->argv[0], path, sizeof path, w->b->err);
    for (int i = 0; (i < WINDOW_RUNS || w->seen->windows < ENOUGH_WINDOWS) && i < 8 * WINDOW_RUNS && !w->rc &&
                    !w->b->stopped && seconds_now() < w->until;
         i++) {
        int input = c->input ? open(c->input, O_RDONLY | O_CLOEXEC) : -1;
        run_once(w, path, environment, input < 0 ? null : input, null);
        if (input >= 0)
            close(input);
    }
    if (null >= 0)
        close(null);
    tacho_mem_free(environment);
    return NULL;
}

/* The caches of the processor that the runs are on. */
static void find_caches(const bias *b, observation *out)
{
    data_cache caches[CACHES_MOST];
    size_t count = caches_read("", b->result.cpu < 0 ? 0 : b->result.cpu, caches);
    uint32_t entries;
    tlb_read(&entries, &out->page_ways);
    out->page_sets = entries / out->page_ways;
    if (count && caches[0].level == 1) {
        out->line_sets = caches[0].sets;
        out->line_ways = caches[0].ways;
    }
}

int window_observe(bias *b, const bias_place *place, observation *out)
{
    pthread_t thread;
    /* Stepping takes a multiple of the stepped code's time, and runs are cut off after their windows. */
    double most = fmin(fmin(60, fmax(10, 3 * b->run_seconds * 2 * WINDOW_RUNS)), b->options.max_seconds / 8);
    watching w = {
        .b = b, .place = place, .seen = out, .window = {.seen = out}, .until = seconds_now() + most};
    const step_observer observer = window_observer(&w.window);
    out->code = windows_new();
    if (!out->code || !windows_add(out->code, &observer))
        return tacho_no_memory(b->err);
    find_caches(b, out);
    window_open_caches(&w.window);
    int rc = parallel_start_thread(&thread, watch, &w, b->err);
    if (!rc)
        pthread_join(thread, NULL);
    window_close_caches(&w.window);
    return rc ? rc : w.rc ? w.rc : out->failed ? tacho_no_memory(b->err) : 0;
}
