/* tracer.h - a run under ptrace: address spaces, what is known of their code, and the threads in them. */
#ifndef TACHO_EXTRACT_TRACER_H
#define TACHO_EXTRACT_TRACER_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "base/bytemap.h"
#include "binary/extract/branch.h"
#include "binary/extract/extract_internal.h"

/* ---- what was executed: pieces of straight-line code, how often, and the files that they lie in ---- */

typedef struct book_segment { /* of a file: what of it is loaded where */
    uint64_t offset, size, address;
} book_segment;

typedef struct book_object {
    char *path;
    const char *name; /* as it is shown */
    book_segment *segments;
    size_t segment_count;
} book_object;

/** From where control came in to where it goes elsewhere, as the bytes lie. */
typedef struct book_record {
    uint32_t object;
    int32_t other;        /* one at the same address with other bytes; -1 none */
    uint64_t address;     /* in the file */
    const uint8_t *bytes; /* byte_count, and those of what ends it */
    uint32_t byte_count, insn_count;
    uint8_t
        end; /* an extract_end; GOES_ON: cut before what something else leads to, or where decoding ended */
    branch branch;
    uint64_t count;
} book_record;

typedef struct book {
    book_object *objects;
    size_t object_count, object_capacity;
    hash_index by_path; /* objects */
    book_record **records;
    size_t record_count, record_capacity;
    tacho_bytemap by_place;
    arena memory;
    tacho_error *err;
} book;

/** The object of a path as the kernel names it ("[vdso]" too); `read_from`: where the file can be read, NULL:
 * it is none. @return its number, -1 when memory runs out */
int64_t book_object_of(book *b, const char *path, const char *read_from);
/** The address in the file of what lies at this offset of it. */
uint64_t book_address(const book *b, uint32_t object, uint64_t offset);

/** Reads up to `size` bytes of code at a distance from the start of what is asked for. @return how many there
 * are */
typedef size_t (*book_reader)(uint64_t distance, uint8_t *out, size_t size, void *payload);
/** The record of the code that begins at this address, made if there is none with these bytes. NULL: memory
 * ran out. */
book_record *book_record_of(book *b, uint32_t object, uint64_t address, book_reader read, void *payload);

/** Cuts the records at each other's starts, so that none overlap (but where one begins inside an
 * instruction of another), and adds them to the set. */
int book_finish(book *b, extract_set *x, uint64_t *executed_blocks, uint64_t *executed_insns);
void book_free(book *b);

/** A mapping of memory, as /proc/PID/maps has it. */
typedef struct region {
    uint64_t start, end, offset;
    uint32_t object;
    bool code;  /* may be executed */
    bool fixed; /* private and not writable: a breakpoint in it is seen by nobody */
} region;

/** What is done when control comes to a place. */
typedef enum plan_mode {
    PLAN_TRAP = 0, /* run to the breakpoint at the end of the straight-line code */
    PLAN_RUN,      /* run to the system call there, which the kernel reports */
    PLAN_STEP,     /* step to the end, and over what is there */
} plan_mode;

typedef struct plan {
    uint64_t start, end; /* where the code begins; where what ends it lies */
    book_record *record;
    uint8_t mode; /* a plan_mode */
    bool fixed;   /* the code cannot change but by system calls */
    bool gone;    /* the code was unmapped, or made writable */
} plan;

/** The memory that one or several processes share. */
typedef struct space {
    uint32_t users; /* tasks */
    bool stale;     /* the regions are to be read again */
    region *regions;
    size_t region_count, region_capacity;
    tacho_bytemap plans; /* by start: number in `all` + 1, 0 none */
    plan **all;
    size_t plan_count, plan_capacity;
    tacho_bytemap patches; /* by address: the byte that the breakpoint hides, -1 none any more */
    arena memory;          /* of the plans */
} space;

enum {
    TASK_FRAMES = 16
};

/** A block that a signal handler interrupted. */
typedef struct task_frame {
    plan *plan;
    uint64_t rip, rsp;
} task_frame;

/** A thread. */
typedef struct task {
    pid_t tid;
    space *space;
    plan *plan;      /* what it is executing; NULL: not known */
    bool started;    /* its first stop was seen */
    bool recording;  /* it runs the command, not yet tacho */
    bool in_syscall; /* between entry and exit */
    bool at_end;     /* the step that goes on executes what ends the plan */
    bool thread;     /* not the first of its process; changed under the tracer's lock */
    bool forked;     /* it has not executed a program of its own yet */
    bool handling;   /* the next stop is that at the entry of a signal handler */
    bool restarts;   /* a system call was interrupted, and may be begun again */
    bool cleared;    /* its system call changes code that was known */
    uint64_t syscall, syscall_args[6];
    task_frame frames[TASK_FRAMES];
    uint32_t frame_count;
} task;

typedef enum image_end {
    IMAGE_EXECS,
    IMAGE_EXITS,
    IMAGE_ENDED
} image_end;

typedef struct tracer {
    book book;
    bool step_only;
    /** Not NULL: code is not looked at; this is called when a process executes another program, when it is
     * about to end (`why` EXITS: it can still be looked at), and when it has. `forked`: it has not executed a
     * program yet. */
    void (*image_ends)(struct tracer *t, pid_t pid, bool forked, image_end why);
    void *payload;
    task **tasks; /* sorted by tid */
    size_t task_count, task_capacity;
    atomic_int root; /* the command's first process */
    int root_status; /* as wait has it; valid once root_ended */
    atomic_bool root_ended;
    atomic_uint_least64_t stops;
    uint64_t process_count, thread_count, lost;
    bool foreign; /* a 32-bit program was let go */
    bool out_of_memory;
    int unseen; /* an errno: why it cannot be known what lies where in a process; 0 */
    int output; /* of the command; -1: the caller's */
    tacho_error *err;
    pthread_mutex_t lock; /* of `tasks` as others than the tracing thread see it, and of `end` */
    atomic_bool end;      /* all tasks are to be killed */
} tracer;

/* space.c */
space *space_new(void);
/** Another one with the same breakpoints: what fork makes. NULL: memory ran out */
space *space_copy(const space *s);
void space_drop(space *s);
/** What to do at this address; NULL: it is not known what lies there, or memory ran out (out_of_memory). */
plan *space_plan(tracer *t, space *s, pid_t tid, uint64_t address);
bool space_patched(const space *s, uint64_t address);
/** The file and the address in it of what lies at an address; NULL: of no file. Regions are read anew. */
const char *space_locate(tracer *t, space *s, pid_t tid, uint64_t address, uint64_t *in_file);
/** Whether there may be code in [start, end). */
bool space_has_code(const space *s, uint64_t start, uint64_t end);
/** Takes all breakpoints out of [start, end) and forgets the plans there. */
void space_clear(space *s, pid_t tid, uint64_t start, uint64_t end);
/** Forgets all of [start, end), where something else lies now. */
void space_forget(space *s, uint64_t start, uint64_t end);
/** From now on the plan's end is stepped over. */
void space_unpatch_plan(space *s, pid_t tid, plan *p);
/** Reads memory of a thread. @return how much there is of it, from `address` on */
size_t space_read(pid_t tid, uint64_t address, void *out, size_t size);
/** The memory of a thread, for branch_take. */
branch_memory space_memory(pid_t *tid);

/* task.c */
/** Goes on at the place that control has come to. */
void task_go_on(tracer *t, task *k, struct user_regs_struct *regs);
/** Goes on as before, with a signal or 0. */
void task_resume(task *k, int signal);
/** It has stopped at a breakpoint, or after a step. @return false: neither, a signal of the program */
bool task_trapped(tracer *t, task *k);
/** It has stopped at the entry or the exit of a system call. */
void task_syscall_stop(tracer *t, task *k);
/** A signal is about to reach it. */
void task_signal(task *k, int signal);

/* tracer.c */
/** What kept it from its work, out_of_memory or unseen. @return 0, TACHO_ERR_MEMORY, TACHO_ERR_SYSTEM */
int tracer_failed(const tracer *t, tacho_error *err);
/** Starts the command, which waits before its first instruction. @return 0, TACHO_ERR_INPUT (no such
 * command), TACHO_ERR_SYSTEM */
int tracer_start(tracer *t, char *const argv[]);
/** Runs until nothing is left of what was started. By the thread that called tracer_start. */
void tracer_run(tracer *t);
/** Sends a signal to all that there is. SIGKILL: also to what comes, which ends the run. By any thread. */
void tracer_end(tracer *t, int signal);
void tracer_free(tracer *t);

struct run_watch;
/** Starts a tracer for the command, and waits for the end of the run. `grace_seconds`: before SIGKILL comes
 * SIGTERM.
 *  @return what tracer_start did, or TACHO_ERR_MEMORY */
int tracer_watch(tracer *t, char *const argv[], struct run_watch *w, double grace_seconds,
                 tacho_extract_run *out, tacho_error *err);

#endif
