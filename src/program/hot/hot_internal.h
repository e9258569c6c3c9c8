/* hot_internal.h - what the files of src/program/hot share: the profile as it grows (which code lies where in
 * which process, and how many samples each place has), and the ways to take samples. */
#ifndef TACHO_HOT_INTERNAL_H
#define TACHO_HOT_INTERNAL_H

#include <stdatomic.h>
#include <sys/resource.h>

#include "base/arena.h"
#include "base/warnings.h"
#include "program/hot/maps.h"
#include "program/hot/pairs.h"
#include "tacho/hot.h"

typedef struct hot_process {
    uint64_t pid;
    hot_maps *maps;
    const char *dump; /* the jitdump file that it has mapped; NULL none */
    uint32_t threads; /* 0: it is gone */
    uint64_t samples; /* with registers, since it executes this program */
    bool stale;       /* the mappings are to be read again (ptrace) */
} hot_process;

enum {
    HOT_MAX_WARNINGS = 20 /* of what comes from files that others made */
};

/** What tells a file from others of the same name. */
typedef struct hot_file_id {
    uint64_t inode, major, minor;
    uint8_t build_id[TACHO_HOT_BUILD_ID_BYTES];
    uint32_t build_id_bytes;
} hot_file_id;

/** A profile, and what is known while samples come in. */
typedef struct hot_tally {
    tacho_hot_profile profile; /* first: the public pointer is to this */
    tacho_hot_object *objects;
    size_t object_capacity;
    hash_index by_path;
    tacho_hot_sample *places;
    size_t place_capacity;
    hash_index by_place;
    tacho_hot_round *rounds;
    size_t round_capacity;
    hash_index by_round;
    hot_pairs pairs;
    warnings warnings;
    hot_process *processes; /* only while samples come in; those that are gone, too */
    size_t process_count, process_capacity;
    hash_index by_pid;
    uint64_t seed, rank; /* numbers that files cannot foresee: of hashes, of mappings */
    arena texts;
    char event[64], missing[400], no_windows[200], no_watch[200], not_saved[400];
    struct tacho_hot_windows *windows; /* NULL: none are to be taken */
    struct threads_watch *threads;     /* NULL: they are not looked at */
    struct threads_log *threads_saved; /* NULL: the file, if there is one, has none */
    struct causal *causal;             /* NULL: no experiments */
} hot_tally;

/** A branch that was taken, the newest first; as the processor records them. */
typedef struct hot_branch {
    uint64_t from, to;
    uint32_t cycles; /* since the one before; 0: not known */
} hot_branch;

/* tally.c. All that return int return 0, or TACHO_ERR_MEMORY without a message. */
hot_tally *tally_new(void);
void tally_free(hot_tally *b);
/** Forgets the processes and sorts: the profile is complete. */
int tally_finish(hot_tally *b);
/** A hash of a path, other in each profile. */
uint64_t tally_hash(const hot_tally *b, const char *path);
int tally_warn(hot_tally *b, const char *format, ...) TACHO_PRINTF(2, 3);
/** Code is mapped; what was there is gone. `path`: "" or "//anon" and the like: memory. */
int tally_map(hot_tally *b, uint64_t pid, uint64_t start, uint64_t length, uint64_t offset, const char *path,
              const hot_file_id *id);
/** A process appears, as a copy of another one or (0) of none. */
int tally_fork(hot_tally *b, uint64_t parent, uint64_t pid);
/** A thread appears in a process, or ends. The last one takes the process with it. */
int tally_thread(hot_tally *b, uint64_t pid);
void tally_exit(hot_tally *b, uint64_t pid);
/** It executes another program: all mappings are gone. */
int tally_exec(hot_tally *b, uint64_t pid);
/** Sends a signal to all processes that are there. @return how many there are */
size_t tally_signal(const hot_tally *b, int signal);
/** Reads the mappings of a process that lives. */
int tally_read_maps(hot_tally *b, uint64_t pid);
/** NULL: not known */
hot_process *tally_process(const hot_tally *b, uint64_t pid);
/** The mapping there; NULL: none is known */
const hot_map *tally_find(const hot_process *p, uint64_t address);
int tally_sample(hot_tally *b, uint64_t pid, uint64_t address, double weight);
int tally_branches(hot_tally *b, uint64_t pid, const hot_branch *branches, size_t count);

/** A command that waits to be let go. */
typedef struct hot_child {
    pid_t pid;
    int go;   /* closing lets it execute the command */
    int said; /* what it says if that fails */
} hot_child;

/* hot_child.c */
/** Makes the process. `output`: its standard output, -1 the caller's. @return 0, TACHO_ERR_SYSTEM */
int child_start(hot_child *c, char *const argv[], int output, tacho_error *err);
/** Executes the command; waits until it has. @return 0, TACHO_ERR_INPUT */
int child_go(hot_child *c, const char *name, tacho_error *err);
/** Without the waiting: child_failed then tells. */
void child_let_go(hot_child *c);
/** Whether it could not execute the command, once that is decided: the errno, 0 */
int child_failed(hot_child *c);
/** Holds it from its execution on, unless it may gain rights by that. @return whether it does: then it is to
 * be released */
bool child_hold(const hot_child *c, const char *name);
/** To the first instruction of the program, when libraries are mapped. @return whether it stands there */
bool child_to_entry(const hot_child *c);
void child_release(const hot_child *c);
/** Ends one that was never let go. */
void child_drop(hot_child *c);

/** What samples are taken of. */
typedef struct hot_target {
    const tacho_hot_options *options;
    char *const *argv; /* NULL: a process that runs */
    pid_t pid;
    double started;
    double told; /* when the caller was last asked */
} hot_target;

/** Whether sampling is to end: asks the caller, looks at the clock. About ten times a second. */
enum {
    TARGET_GOES_ON = 0,
    TARGET_ENDS,
    TARGET_IS_KILLED /* at once */
};
int target_is_over(hot_target *t);
/** The process that a thread belongs to; 0: it is gone. */
uint64_t target_process_of(uint64_t tid);
/** Fills in how a command ended. */
void target_ended(hot_tally *b, int status, const struct rusage *usage);

/* hot_perf.c: TACHO_ERR_UNSUPPORTED where it does not work here, with b->missing, before anything was run. */
int hot_by_perf(hot_tally *b, hot_target *t, bool counter, tacho_error *err);
/* stops.c */
int hot_by_ptrace(hot_tally *b, hot_target *t, tacho_error *err);

/* perf_data.c */
/** tacho_hot_read from memory. */
int hot_read_data(tacho_hot_profile **out, const char *name, const uint8_t *bytes, size_t size,
                  tacho_error *err);

#endif
