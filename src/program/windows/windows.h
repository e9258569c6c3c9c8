/* windows.h - windows: a thread of another process that stands under ptrace is stepped, and observers are
 * told of each instruction that it is about to execute. Which threads, and when, is the callers' choice. */
#ifndef TACHO_WINDOWS_WINDOWS_H
#define TACHO_WINDOWS_WINDOWS_H

#include <sys/types.h>

#include "program/windows/step.h"

enum {
    WINDOWS_MOST_OBSERVERS = 16
};

/** The code that was seen, and who is told. All calls from one thread. */
typedef struct windows windows;

/** @return NULL: memory ran out */
windows *windows_new(void);
void windows_free(windows *w);
/** `observer` (copied) is told of all windows from now on, after those that were added before it.
 *  @return false: there are WINDOWS_MOST_OBSERVERS */
bool windows_add(windows *w, const step_observer *observer);
/** Whether memory ran out, so that windows ended early. */
bool windows_failed(const windows *w);
uint64_t windows_count(const windows *w);
/** Instructions, in all windows. */
uint64_t windows_steps(const windows *w);

/** What code lies in. */
typedef struct windows_object {
    const char *path;             /* "": memory (code made at run time), or not known (number 0) */
    uint64_t major, minor, inode; /* of the file */
    uint64_t process;             /* memory: the one that has it; else 0 */
} windows_object;

/** Those that steps' `object` numbers. */
const windows_object *windows_object_at(const windows *w, uint32_t number);

typedef enum walk_answer {
    WALK_ON = 0, /* the thread stands after its step */
    WALK_ENDS,   /* it stands, and is to be left */
    WALK_GONE    /* it has ended, or does something else */
} walk_answer;

/** Some instructions that count as no window. */
typedef struct windows_look {
    step_observer observer; /* who alone is told */
    const bool *enough;     /* it ends when this is true */
} windows_look;

/** A thread that stands before an instruction. */
typedef struct walk_thread {
    pid_t process, thread;
    uint64_t most;      /* instructions */
    bool through_calls; /* system calls are stepped, too; else the window ends before one, and before
                           instructions that would see that they are stepped (PUSHF) */
    /* Waits until the thread reports; `signal`: what is to be delivered when it goes on, 0 none. */
    walk_answer (*await)(void *payload, pid_t thread, int *signal);
    void *payload;
    double seconds;           /* since the run began, for the observers */
    const windows_look *look; /* NULL: it is a window */
} walk_thread;

/** Takes a window. `signal`: to be delivered by the first step; then, if the thread stands, when it is let
 * go.
 *  @return whether it stands */
bool windows_walk(windows *w, const walk_thread *t, int *signal);

/* ---- visits: windows of threads that nobody traces ---- */

typedef enum visit_end {
    VISIT_DONE = 0,
    VISIT_ELSEWHERE, /* the thread waits, is in the kernel, or gone */
    VISIT_REFUSED    /* it may not be traced, or is traced already: errno says which */
} visit_end;

typedef struct visit {
    pid_t process, thread;
    pid_t kept; /* a process whose end is left to be waited for; 0: none */
    uint64_t most;
    double seconds;           /* since the run began */
    const windows_look *look; /* NULL: it is a window */
} visit;

/** Takes a window of a thread that is not traced by the caller. All visits from one thread. */
visit_end windows_visit(windows *w, const visit *v);

typedef enum visit_report {
    VISIT_SAYS_NOTHING = 0, /* yet: only with WNOHANG */
    VISIT_STANDS,
    VISIT_IS_GONE
} visit_report;
/** What a seized thread reports, taken unless it is the end of the process `kept`: whoever started that waits
 *  for it. `options`: 0 or WNOHANG. *status as of waitpid(2). */
visit_report visit_await(pid_t thread, pid_t kept, int options, int *status);

typedef enum visit_where {
    VISIT_IN_PROGRAM = 0,
    VISIT_BEHIND_CALL, /* a system call is over */
    VISIT_IN_WAIT      /* one will go on, as if nothing had been: to be let go at once */
} visit_where;
/** Of a thread that stands as it was asked to. */
visit_where visit_stands_in(pid_t thread);
/** Takes leave of threads that ended just when they were to be visited: until somebody does, their process
 * does not end for those who wait for it. `kept` as in a visit. To be called now and then. */
void windows_bury(pid_t kept);

/* code_seen.c: instructions in processes, each decoded once. */

typedef struct code_seen code_seen;
typedef enum code_answer {
    CODE_THERE = 0,
    CODE_NONE, /* it cannot be read */
    CODE_NO_MEMORY
} code_answer;
code_seen *code_seen_new(void);
void code_seen_free(code_seen *c);
/** Begins a window. What was seen in earlier ones is looked at again. @return false: memory ran out */
bool code_seen_enter(code_seen *c, pid_t process);
/** Fills in what is at out->address. */
code_answer code_seen_at(code_seen *c, step *out);
const windows_object *code_seen_object(const code_seen *c, uint32_t number);

/* What a standing thread's registers and memory hold, read when they are asked for. */
enum {
    THREAD_STATE_BYTES = 4096 /* of XSAVE's standard form, without AMX */
};

typedef struct thread_values {
    pid_t process, thread;
    bool asked;         /* for `state`, which is of this step */
    size_t bytes;       /* of it; 0: it cannot be had */
    unsigned begins[8]; /* where parts of the state begin; 0: not asked for yet */
    _Alignas(64) uint8_t state[THREAD_STATE_BYTES];
} thread_values;

#endif
