/* threads_watch.c - the looking: at all threads, again and again.
 *
 * A thread that waited and was given no processor since waits still, or has been woken and is not there yet:
 * either way the wait goes on. */
#include "program/threads/threads_watching.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/proc.h"
#include "base/seconds.h"

enum {
    MOST_LOGGED = 1 << 18, /* 20 MB, and as much again for the report */
    MOST_STACKS = 256      /* processes of which stacks are read; those of more have no places */
};
static const double least_gap = 0.001, most_gap = 0.05, /* seconds from one look to the next */
    most_thinned_gap = 0.2,                             /* rings of samples are to be read */
    most_share = 0.02, least_share = 0.005; /* of one processor, for looking; most: with stacks of samples */

threads_watch *threads_new(void)
{
    threads_watch *w = tacho_mem_zalloc(1, sizeof *w);
    if (!w)
        return NULL;
    cpu_set_t cpus;
    w->code = code_new();
    w->log.failed = !w->code;
    w->began = seconds_now();
    w->random = (uint64_t)(w->began * 1e9);
    w->log.most = MOST_LOGGED;
    w->log.processors = sched_getaffinity(0, sizeof cpus, &cpus) ? 1 : (uint32_t)CPU_COUNT(&cpus);
    return w;
}

void threads_free(threads_watch *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < w->thread_count; i++)
        thread_files_close(&w->threads[i].files);
    for (size_t i = 0; i < w->process_count; i++) {
        if (w->processes[i].directory >= 0)
            close(w->processes[i].directory);
        stacks_free(w->processes[i].stacks);
    }
    code_free(w->code);
    TACHO_MEM_FREE(w->processes, w->threads, w->places, w->made);
    hash_index_free(&w->by_place);
    hash_index_free(&w->by_name);
    log_free(&w->log);
    tacho_mem_free(w);
}

void threads_in_kernel(threads_watch *w)
{
    w->log.in_kernel = 1;
}

void threads_begins(threads_watch *w)
{
    if (w)
        w->log.begun++;
}

const threads_log *threads_log_of(const threads_watch *w)
{
    return &w->log;
}

/* ---- processes and threads ---- */

uint32_t watched_process_of(const threads_watch *w, pid_t pid)
{
    for (size_t i = w->process_count; i-- > 0;)
        if (w->processes[i].pid == pid)
            return (uint32_t)i;
    return LOG_NONE;
}

static void note_refusal(threads_watch *w)
{
    w->log.refused |= errno == EACCES || errno == EPERM;
}

/* The log has it from when it is looked at: some are about to end. */
static void add_thread(threads_watch *w, uint32_t process, uint64_t tid)
{
    const watched_process *p = &w->processes[process];
    for (size_t i = 0; i < w->thread_count; i++)
        if (w->threads[i].tid == tid && w->threads[i].process == process)
            return;
    watched_thread t = {.process = process, .tid = tid, .number = LOG_NONE, .wait = LOG_NONE};
    if (!thread_files_open(&t.files, p->directory, tid)) {
        note_refusal(w);
        return;
    }
    w->log.failed |= tacho_mem_grow(&w->threads, &w->thread_capacity, w->thread_count + 1, sizeof t) != 0;
    if (w->log.failed || (p->running && !thread_files_times(&t.files, &t.times)))
        thread_files_close(&t.files);
    else
        w->threads[w->thread_count++] = t;
}

static void scan(threads_watch *w, uint32_t process)
{
    const int copy = openat(w->processes[process].directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = copy < 0 ? NULL : fdopendir(copy);
    for (pid_t tid; (tid = proc_next_task(d));)
        add_thread(w, process, (uint64_t)tid);
    if (d)
        closedir(d);
    else if (copy >= 0)
        close(copy);
}

/* New threads show in the number of the directory's links. */
static void find_threads(threads_watch *w)
{
    for (size_t i = 0; i < w->process_count; i++) {
        watched_process *p = &w->processes[i];
        struct stat s;
        if (p->directory < 0)
            continue;
        if (fstat(p->directory, &s) || s.st_nlink < 3) {
            close(p->directory);
            p->directory = -1;
        } else if (s.st_nlink != p->links) {
            p->links = s.st_nlink;
            scan(w, (uint32_t)i);
            p->running = false; /* threads that come later are new */
        }
    }
}

/* Stacks of processes that have ended, so that others can be read. */
static void drop_ended(threads_watch *w)
{
    for (size_t i = 0; i < w->process_count; i++) {
        watched_process *p = &w->processes[i];
        if (p->directory >= 0 || !p->stacks)
            continue;
        describe_places(w, (uint32_t)i);
        stacks_free(p->stacks);
        p->stacks = NULL;
        w->stacks--;
    }
}

void threads_add(threads_watch *w, pid_t pid, bool running)
{
    char path[40];
    const uint32_t known = w ? watched_process_of(w, pid) : LOG_NONE;
    if (!w || (known != LOG_NONE && w->processes[known].directory >= 0))
        return;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    watched_process p = {.pid = pid, .running = running};
    p.directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (p.directory < 0)
        return;
    struct stat s;
    if (running && !fstat(p.directory, &s))
        w->log.begun += s.st_nlink - 2;
    else if (!w->process_count) /* of others forks tell */
        w->log.begun++;
    if (!w->precedes) /* not before: what is started has the same */
        proc_be_quick(true);
    w->precedes = true;
    if (tacho_mem_grow(&w->processes, &w->process_capacity, w->process_count + 1, sizeof p)) {
        close(p.directory);
        w->log.failed = true;
        return;
    }
    if (w->stacks == MOST_STACKS)
        drop_ended(w);
    p.stacks = w->stacks < MOST_STACKS ? stacks_new(pid, w->code) : NULL;
    w->stacks += p.stacks != NULL;
    w->processes[w->process_count++] = p;
}

void threads_exec(threads_watch *w, pid_t pid)
{
    const uint32_t process = w ? watched_process_of(w, pid) : LOG_NONE;
    if (process == LOG_NONE || !w->processes[process].stacks)
        return;
    describe_places(w, process);
    stacks_free(w->processes[process].stacks);
    w->processes[process].stacks = stacks_new(pid, w->code);
}

const watched_thread *watched_thread_of(const threads_watch *w, pid_t pid, uint64_t tid)
{
    for (size_t i = 0; i < w->thread_count; i++)
        if (w->threads[i].tid == tid && w->processes[w->threads[i].process].pid == pid)
            return &w->threads[i];
    return NULL;
}

/* Its name; a thread may give itself one later. */
static void name_thread(threads_watch *w, const watched_thread *t)
{
    thread_files_name(w->processes[t->process].directory, t->tid, w->log.threads[t->number].name);
}

/* The log has it from now on. @return false: memory ran out */
static bool begin_thread(threads_watch *w, watched_thread *t, double since)
{
    t->number = log_add_thread(&w->log, (uint64_t)w->processes[t->process].pid, t->tid, "");
    if (t->number == LOG_NONE)
        return false;
    name_thread(w, t);
    log_began(&w->log, t->number, since);
    return true;
}

/* @return false: it has ended, or may not be looked at */
static bool look_at(threads_watch *w, watched_thread *t)
{
    thread_times now;
    thread_call call;
    bool waits;
    if (!thread_files_times(&t->files, &now))
        return false;
    if (t->wait == LOG_NONE || now.slices != t->times.slices) {
        if (!thread_files_call(&t->files, &call, &waits)) {
            note_refusal(w);
            return false;
        }
        t->wait = waits ? describe_wait(w, t, &call) : LOG_NONE;
    }
    w->slices += w->makers_off ? 0 : now.slices - t->times.slices;
    const double running = now.running - t->times.running, ready = now.ready - t->times.ready;
    if (t->number == LOG_NONE && !begin_thread(w, t, running + ready))
        return false;
    log_ran(&w->log, t->number, running, ready, now.slices != t->times.slices || t->wait != LOG_NONE);
    t->times = now;
    log_state(&w->log, t->number, t->wait, describe_holder(w, t));
    t->looks++;
    if (t->looks == 8 || t->looks == 512)
        name_thread(w, t);
    return true;
}

/* ---- looking ---- */

/* What looking takes usually: now and then a look reads the files of a program that is new. */
static void note_cost(threads_watch *w, double cost)
{
    const double little = 1e-6, most = 1.1 * w->look_cost + little;
    w->look_cost = cost < w->look_cost ? 0.8 * w->look_cost + 0.2 * cost : cost < most ? cost : most;
}

/* What this thread has done since is told as a cost. */
double watched_cost(threads_watch *w, double since)
{
    const double cost = seconds_by(CLOCK_THREAD_CPUTIME_ID) - since;
    w->log.cost += cost;
    return cost;
}

static void look(threads_watch *w)
{
    const double before = seconds_by(CLOCK_THREAD_CPUTIME_ID);
    log_add_moment(&w->log, seconds_now());
    find_threads(w);
    for (size_t i = 0; i < w->thread_count && !w->log.failed;) {
        if (look_at(w, &w->threads[i])) {
            i++;
            continue;
        }
        thread_files_close(&w->threads[i].files);
        w->processes[w->threads[i].process].links = 0; /* another may have come in its place */
        w->threads[i] = w->threads[--w->thread_count];
    }
    note_cost(w, watched_cost(w, before));
}

/* By chance, so that nothing that the program does keeps in step. */
static double gap(threads_watch *w)
{
    const double left = most_share - w->sampled_cost / (seconds_now() - w->began);
    double mean = w->look_cost / (left > least_share ? left : least_share);
    mean = mean < least_gap ? least_gap : mean > most_gap ? most_gap : mean;
    mean *= (double)(1U << w->log.thinned);
    mean = mean > most_thinned_gap ? most_thinned_gap : mean;
    return mean * (0.5 + (double)(hash_next_random(&w->random) >> 11) * 0x1p-53);
}

void threads_look(threads_watch *w, double seconds)
{
    const double end = seconds_now() + seconds;
    do {
        seconds_pause(gap(w));
        look(w);
    } while (w->thread_count && seconds_now() < end && !w->log.failed);
}

int threads_finish(threads_watch *w)
{
    for (size_t i = 0; i < w->process_count; i++) {
        describe_places(w, (uint32_t)i);
        stacks_free(w->processes[i].stacks);
        w->processes[i].stacks = NULL;
    }
    if (w->precedes)
        proc_be_quick(false);
    return w->log.failed ? TACHO_ERR_MEMORY : 0;
}
