/* threads_watch.c - the looking: at all threads, again and again.
 *
 * A thread that waited and was given no processor since waits still, or has been woken and is not there yet:
 * either way the wait goes on. The owner of a mutex of the GNU C library is the number behind its lock word
 * (struct __pthread_mutex_s: __lock, __count, __owner). */
#include "program/threads/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/proc.h"
#include "base/seconds.h"
#include "base/str.h"
#include "program/threads/thread_files.h"

enum {
    MUTEX_OWNER_AT = 8,
    MUSL_LOCKED = EBUSY | 1 << 31, /* a mutex of musl that somebody waits for */
    MANY_LOOKS = 1000,             /* from then on it is not asked where a thread has begun */
    MANY_SAMPLES = 20,
    MOST_LOGGED = 1 << 18, /* 20 MB, and as much again for the report */
    MOST_STACKS = 256      /* processes of which stacks are read; those of more have no places */
};
static const double least_gap = 0.001, most_gap = 0.05, /* seconds from one look to the next */
    most_thinned_gap = 0.2,                             /* rings of samples are to be read */
    most_share = 0.02, least_share = 0.005; /* of one processor, for looking; most: with stacks of samples */

typedef struct watched_process {
    pid_t pid;
    int directory;         /* /proc/PID/task; below 0: it has ended */
    nlink_t links;         /* of it: two more than there are threads */
    bool running;          /* it was there before */
    thread_stacks *stacks; /* NULL: not read */
} watched_process;

typedef struct watched_thread {
    uint32_t process, number, wait; /* number: in the log */
    uint64_t tid;
    thread_files files;
    thread_times times; /* by the last look */
    uint64_t looks;
} watched_thread;

/* A place in the log, by its address in a process. */
typedef struct watched_place {
    uint64_t address;
    uint32_t process, number;
} watched_place;

struct threads_watch {
    threads_log log;
    watched_process *processes;
    size_t process_count, process_capacity;
    watched_thread *threads;
    size_t thread_count, thread_capacity;
    watched_place *places;
    size_t place_count, place_capacity;
    hash_index by_place, by_name; /* places here, and in the log: those that have been named */
    thread_code *code;
    size_t stacks;
    double look_cost; /* the last ones', about */
    double began, sampled_cost;
    uint64_t random;
    bool precedes; /* this thread does, when it is time to look */
};

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
    TACHO_MEM_FREE(w->processes, w->threads, w->places);
    hash_index_free(&w->by_place);
    hash_index_free(&w->by_name);
    log_free(&w->log);
    tacho_mem_free(w);
}

const threads_log *threads_log_of(const threads_watch *w)
{
    return &w->log;
}

/* ---- processes and threads ---- */

static uint32_t process_of(const threads_watch *w, pid_t pid)
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

/* As that of the same code in another process, if there is one: all symbols of its file are gone through. */
static void name_place(threads_watch *w, thread_stacks *stacks, uint64_t address, uint32_t number)
{
    log_place *place = &w->log.places[number];
    const char *object = place->object ? place->object : "";
    const uint64_t hash = hash_add(hash_mix(place->address), hash_bytes(object, strlen(object)));
    hash_probe p;
    for (p = hash_find(&w->by_name, hash); hash_next(&p);) {
        const log_place *same = &w->log.places[p.item];
        if (same->address == place->address && tacho_same_text(same->object, place->object)) {
            *place = *same;
            return;
        }
    }
    stacks_name(stacks, address, &w->log.texts, place);
    w->log.failed |= place->object && hash_add_item(&w->by_name, hash, number);
}

/* Names of the places in a process's program, which are not looked for again. */
static void name_places(threads_watch *w, uint32_t process)
{
    thread_stacks *stacks = w->processes[process].stacks;
    for (size_t i = 0; stacks && i < w->place_count; i++) {
        watched_place *p = &w->places[i];
        if (p->process != process)
            continue;
        name_place(w, stacks, p->address, p->number);
        p->process = LOG_NONE;
    }
}

/* Stacks of processes that have ended, so that others can be read. */
static void drop_ended(threads_watch *w)
{
    for (size_t i = 0; i < w->process_count; i++) {
        watched_process *p = &w->processes[i];
        if (p->directory >= 0 || !p->stacks)
            continue;
        name_places(w, (uint32_t)i);
        stacks_free(p->stacks);
        p->stacks = NULL;
        w->stacks--;
    }
}

void threads_add(threads_watch *w, pid_t pid, bool running)
{
    char path[40];
    const uint32_t known = w ? process_of(w, pid) : LOG_NONE;
    if (!w || (known != LOG_NONE && w->processes[known].directory >= 0))
        return;
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    watched_process p = {.pid = pid, .running = running};
    p.directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (p.directory < 0)
        return;
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
    const uint32_t process = w ? process_of(w, pid) : LOG_NONE;
    if (process == LOG_NONE || !w->processes[process].stacks)
        return;
    name_places(w, process);
    stacks_free(w->processes[process].stacks);
    w->processes[process].stacks = stacks_new(pid, w->code);
}

/* ---- what a thread does ---- */

static uint32_t place_at(threads_watch *w, uint32_t process, uint64_t address)
{
    const uint64_t hash = hash_add(hash_mix(address), process);
    hash_probe p;
    if (!address)
        return LOG_NONE;
    for (p = hash_find(&w->by_place, hash); hash_next(&p);)
        if (w->places[p.item].address == address && w->places[p.item].process == process)
            return w->places[p.item].number;
    log_place place;
    stacks_place(w->processes[process].stacks, address, &w->log.texts, &place);
    const uint32_t number = log_add_place(&w->log, &place);
    w->log.failed |= number == LOG_NONE ||
                     tacho_mem_grow(&w->places, &w->place_capacity, w->place_count + 1, sizeof *w->places) ||
                     hash_add_item(&w->by_place, hash, (uint32_t)w->place_count);
    if (!w->log.failed)
        w->places[w->place_count++] = (watched_place){address, process, number};
    return number;
}

static const watched_thread *thread_of(const threads_watch *w, pid_t pid, uint64_t tid)
{
    for (size_t i = 0; i < w->thread_count; i++)
        if (w->threads[i].tid == tid && w->processes[w->threads[i].process].pid == pid)
            return &w->threads[i];
    return NULL;
}

/* Who waits for the end of a thread waits until its number is no longer where it is; pthread_join(3) may have
 * no frame of its own. Where a function is known, the word is a count, which may be the same number. */
static void describe_futex(threads_watch *w, watched_process *p, const thread_call *call,
                           const stack_found *found, log_wait *out)
{
    out->kind = found->kind;
    if (out->kind == TACHO_WAIT_FUTEX && thread_of(w, p->pid, call->arguments[2]))
        out->kind = TACHO_WAIT_JOIN;
    out->data = call->arguments[0];
    if (out->kind == TACHO_WAIT_CONDITION && (call->arguments[1] & FUTEX_CMD_MASK) == FUTEX_WAIT) {
        out->kind = TACHO_WAIT_LOCK; /* the condition has come, and its mutex is to be taken again */
        out->call = "pthread_mutex_lock";
    }
    if (out->kind == TACHO_WAIT_FUTEX && found->in_runtime && found->place && found->call)
        out->kind = TACHO_WAIT_LOCK; /* the C library's own, as of a stream */
    if (out->kind == TACHO_WAIT_FUTEX && (int)call->arguments[2] == MUSL_LOCKED)
        out->kind = TACHO_WAIT_LOCK; /* musl, which cannot be unwound */
    if (out->kind == TACHO_WAIT_JOIN || out->kind == TACHO_WAIT_ALLOCATOR)
        out->data = 0;
    else
        out->name = stacks_variable(p->stacks, out->data, &out->offset);
    if (out->kind == TACHO_WAIT_CONDITION && !out->name)
        out->data = 0; /* one of two words of it, in turn: the place says more */
}

static void note_start(threads_watch *w, uint32_t process, uint32_t number, const stack_found *found)
{
    if (found->start && number != LOG_NONE)
        w->log.threads[number].start = place_at(w, process, found->start);
}

/* A process's first thread begins where all do. */
static bool wants_start(const threads_watch *w, uint32_t number)
{
    const log_thread *t = number == LOG_NONE ? NULL : &w->log.threads[number];
    return t && t->start == LOG_NONE && t->thread != t->process;
}

static uint32_t describe(threads_watch *w, const watched_thread *t, const thread_call *call)
{
    watched_process *p = &w->processes[t->process];
    const pid_t tid = (pid_t)t->tid;
    log_wait wait = {.process = (uint64_t)p->pid, .place = LOG_NONE};
    wait.kind = calls_kind(tid, call, &wait.call);
    if (p->stacks) {
        stack_found found;
        const bool whole = t->looks < MANY_LOOKS && wants_start(w, t->number);
        stacks_find(p->stacks, &(stack_start){.thread = tid, .pc = call->pc, .sp = call->sp, .whole = whole},
                    &found);
        note_start(w, t->process, t->number, &found);
        if (found.call)
            wait.call = found.call;
        if (wait.kind == TACHO_WAIT_FUTEX)
            describe_futex(w, p, call, &found, &wait);
        wait.place = place_at(w, t->process, found.place);
    }
    return log_add_wait(&w->log, &wait);
}

/* What it works for in futex(2): to wait for a lock (condition, ...), or to wake who does. */
static uint32_t describe_work(threads_watch *w, uint32_t process, const thread_call *call,
                              const stack_found *found)
{
    watched_process *p = &w->processes[process];
    log_wait wait = {.process = (uint64_t)p->pid, .call = found->call};
    if (!call || !found->call || found->kind == TACHO_WAIT_FUTEX)
        return LOG_NONE;
    describe_futex(w, p, call, found, &wait);
    wait.place = place_at(w, process, found->place);
    return log_add_wait(&w->log, &wait);
}

/* Who has the lock. */
static uint32_t holder_of(const threads_watch *w, const watched_thread *t)
{
    const log_wait *wait = t->wait == LOG_NONE ? NULL : &w->log.waits[t->wait];
    uint32_t owner = 0;
    if (!wait || !log_is_mutex(wait))
        return LOG_NONE;
    const pid_t pid = w->processes[t->process].pid;
    if (proc_read_memory((pid_t)t->tid, wait->data + MUTEX_OWNER_AT, &owner, sizeof owner) != sizeof owner)
        return LOG_NONE;
    const watched_thread *holder = thread_of(w, pid, owner);
    return holder ? holder->number : LOG_NONE;
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
        t->wait = waits ? describe(w, t, &call) : LOG_NONE;
    }
    const double running = now.running - t->times.running, ready = now.ready - t->times.ready;
    if (t->number == LOG_NONE && !begin_thread(w, t, running + ready))
        return false;
    log_ran(&w->log, t->number, running, ready, now.slices != t->times.slices || t->wait != LOG_NONE);
    t->times = now;
    log_state(&w->log, t->number, t->wait, holder_of(w, t));
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
static double charge(threads_watch *w, double since)
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
    note_cost(w, charge(w, before));
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

/* A thread that is there, or was last of that number. @return its number in the log, LOG_NONE: it has none */
static uint32_t number_of(const threads_watch *w, uint64_t pid, uint64_t tid)
{
    const watched_thread *here = thread_of(w, (pid_t)pid, tid);
    if (here)
        return here->number;
    for (size_t i = w->log.thread_count; i-- > 0;)
        if (w->log.threads[i].thread == tid && w->log.threads[i].process == pid)
            return (uint32_t)i;
    return LOG_NONE;
}

void threads_sampled(threads_watch *w, uint64_t pid, uint64_t tid, double time, const stack_start *at,
                     const thread_call *call)
{
    const double before = seconds_by(CLOCK_THREAD_CPUTIME_ID);
    const uint32_t process = process_of(w, (pid_t)pid), number = number_of(w, pid, tid);
    if (number == LOG_NONE || process == LOG_NONE || !w->processes[process].stacks)
        return;
    stack_found found;
    stack_start start = *at;
    start.whole = w->log.threads[number].samples < MANY_SAMPLES && wants_start(w, number);
    stacks_find(w->processes[process].stacks, &start, &found);
    note_start(w, process, number, &found);
    log_add_sample(&w->log, &(log_sample){.time = time,
                                          .thread = number,
                                          .place = place_at(w, process, found.place ? found.place : at->pc),
                                          .wait = describe_work(w, process, call, &found)});
    w->sampled_cost += charge(w, before);
}

int threads_finish(threads_watch *w)
{
    for (size_t i = 0; i < w->process_count; i++) {
        name_places(w, (uint32_t)i);
        stacks_free(w->processes[i].stacks);
        w->processes[i].stacks = NULL;
    }
    if (w->precedes)
        proc_be_quick(false);
    return w->log.failed ? TACHO_ERR_MEMORY : 0;
}
