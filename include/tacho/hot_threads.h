/* hot_threads.h - where the threads of a program wait, for what, and who holds it: from samples in elapsed
 * time (tacho_hot_options.threads). Part of hot.h, which includes it.
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_HOT_THREADS_H
#define TACHO_HOT_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tacho_hot;
struct tacho_hot_profile;

/** What a thread waits for. */
typedef enum tacho_wait_kind {
    TACHO_WAIT_LOCK = 0,  /**< a mutex, a read-write lock, once; the C library's own */
    TACHO_WAIT_ALLOCATOR, /**< the lock of malloc and free */
    TACHO_WAIT_BARRIER,
    TACHO_WAIT_CONDITION, /**< a condition variable */
    TACHO_WAIT_SEMAPHORE,
    TACHO_WAIT_JOIN,  /**< the end of a thread */
    TACHO_WAIT_FUTEX, /**< by code that is not the C library's: which of the above is not known */
    TACHO_WAIT_IO,    /**< a file, or a device */
    TACHO_WAIT_PEER,  /**< data through a pipe, socket or terminal; events (poll, select, epoll) */
    TACHO_WAIT_CHILD, /**< another process */
    TACHO_WAIT_SLEEP, /**< a time, or a signal */
    TACHO_WAIT_OTHER, /**< another system call */
    TACHO_WAIT_KINDS
} tacho_wait_kind;

/** A place in the program, and time there. */
typedef struct tacho_thread_place {
    const char *object; /**< the file's path; NULL: not known, as are the others */
    uint64_t address;   /**< in the file */
    const char *function, *source_file;
    uint32_t source_line; /**< 0: not known */
    double seconds;
    const char *call; /**< of a holder that waits: in which function or system call; NULL: it runs */
} tacho_thread_place;

/** A thread's part. */
typedef struct tacho_thread_share {
    uint32_t thread; /**< its number */
    double seconds;
} tacho_thread_share;

/** Waits for one thing: a lock (condition, ...), or, where that has no address, at one place. */
typedef struct tacho_thread_wait {
    tacho_wait_kind kind;
    const char *call;       /**< the function or system call that waits */
    const char *name;       /**< the variable; NULL: it has none (it lies on the heap, or on a stack) */
    uint64_t offset;        /**< in it */
    uint64_t process, data; /**< whose, and the address there; data 0: none */
    const tacho_thread_place *makers; /**< of one without a name: the call that initialised it, and the call
                                         of that function; their seconds are 0 */
    size_t maker_count;               /**< 0: not known */
    double seconds; /**< of all threads together; with the time from being woken to having a processor */
    double lost;  /**< processor seconds that were not used because of it: see tacho_hot_threads; and calls */
    double calls; /**< processor seconds of system calls that wait for it, or wake who does; NaN: not known
                     (samples in the kernel are not allowed) */
    double longest;                    /**< of one thread's waits together */
    uint32_t thread_count;             /**< that waited for it */
    const tacho_thread_share *waiters; /**< as many: each one's seconds */
    const tacho_thread_place *places;  /**< where they wait; longest first */
    size_t place_count;
    const tacho_thread_place *holders; /**< where those were meanwhile that held it, longest first; where
                                          that is not known, or nobody holds it: those that ran */
    size_t holder_count;
    bool owned; /**< it was known who had it; else holders are those that ran */
} tacho_thread_wait;

/** A loop that only looks whether something has changed. */
typedef struct tacho_thread_spin {
    tacho_thread_place place;
    double lost;
} tacho_thread_spin;

enum {
    TACHO_THREAD_BINS = 120
};

/** What a thread does in a part of the time; shares. */
typedef struct tacho_thread_bin {
    float running, spinning, ready, lock, waiting; /**< lock: any that another thread can end: lock, barrier,
                                                      allocator; waiting: all others */
} tacho_thread_bin;

typedef struct tacho_hot_thread {
    uint64_t process, thread;
    const char *name;
    const char *start; /**< the function in which it began; NULL: not known (that of a process's first thread
                          is not asked for) */
    double from, to;   /**< seconds since sampling began */
    double running, ready;          /**< by the kernel's account: had a processor; wanted one */
    double spinning;                /**< of running */
    double waits[TACHO_WAIT_KINDS]; /**< by samples */
} tacho_hot_thread;

enum {
    TACHO_THREAD_LANES = 64
};

/** What threads of one name do that come one after the other. */
typedef struct tacho_thread_lane {
    uint32_t first; /**< number of the first of them */
    uint32_t thread_count;
    tacho_thread_bin bins[TACHO_THREAD_BINS]; /**< of the run */
} tacho_thread_lane;

/** Two threads of which each runs, and never at the same time. */
typedef struct tacho_threads_apart {
    uint32_t one, other;        /**< numbers in `threads` */
    double together, by_chance; /**< seconds in which both ran or were ready; what it were without a reason */
} tacho_threads_apart;

/** What matters most. */
typedef enum tacho_threads_finding {
    TACHO_THREADS_FINE = 0, /**< nothing does: less than a tenth of what could be used is lost */
    TACHO_THREADS_ONE,      /**< there is but one thread, or never a second that wanted to run */
    TACHO_THREADS_IDLE,     /**< mostly nobody wanted to run, and for nothing that another thread holds */
    TACHO_THREADS_WAIT,     /**< waits[0] */
    TACHO_THREADS_SPIN,     /**< spins[0] */
    TACHO_THREADS_SERIAL,   /**< the serial part */
    TACHO_THREADS_CROWDED,  /**< more threads want to run than there are processors */
    TACHO_THREADS_FINDINGS
} tacho_threads_finding;

/** The whole. Of each moment, `lost` is how many more of the processors could have been used by the threads
 *  that there were (at least two processors are taken to be there), divided among the threads that waited
 *  for a lock, barrier, allocator or a file, or went round in a loop that looks; where there were none of
 *  these, and one thread alone wanted to run, it is the serial part's. Where the program is starved, this
 *  says little, and waits for what another thread holds come by their length. */
typedef struct tacho_hot_threads {
    double seconds;        /**< sampled */
    uint32_t processors;   /**< that the program might use */
    uint64_t moments;      /**< at which all threads were looked at */
    double cost;           /**< processor seconds that looking took */
    double running, ready; /**< of all threads, seconds */
    double spinning;       /**< of running */
    double lost;           /**< processor seconds, of all reasons */
    double wanted;         /**< the mean number of threads that ran or were ready */
    bool starved;          /**< it got far less of the processors than it could have used: others have them */
    double crowded;        /**< seconds in which more wanted to run than there are processors */
    const tacho_hot_thread *threads; /**< in the order of their appearance */
    size_t thread_count;
    uint64_t begun; /**< threads that there were: of some it is known only that they began; 0: not known */
    const tacho_thread_lane *lanes; /**< TACHO_THREAD_LANES at most, as their first threads come */
    size_t lane_count;
    size_t without_lane;            /**< threads that found none */
    const tacho_thread_wait *waits; /**< most lost first, then longest */
    size_t wait_count;
    const tacho_thread_spin *spins; /**< most lost first */
    size_t spin_count;
    double serial; /**< seconds in which one thread alone wanted to run, of a program with several */
    double serial_lost;
    double serial_work;   /**< processor seconds of that time; without spinning, as the next */
    double parallel_work; /**< ... of all other times */
    double limit;         /**< Amdahl's: all work by its serial part: how many times as fast as by one
                             processor with as many as one likes; NaN: not known */
    const tacho_thread_place *serial_places; /**< longest first */
    size_t serial_place_count;
    const tacho_threads_apart *apart;
    size_t apart_count;
    tacho_threads_finding finding;
} tacho_hot_threads;

/** Judges what a run with tacho_hot_options.threads has seen. `hot`: its places, of which loops that spin are
 *  taken; NULL: none. *out is NULL where no thread was seen. The result is to be freed before the
 *  profile. @return 0, TACHO_ERR_MEMORY */
TACHO_API int tacho_hot_threads_find(tacho_hot_threads **out, const struct tacho_hot_profile *profile,
                                     const struct tacho_hot *hot, tacho_error *err);
TACHO_API void tacho_hot_threads_free(tacho_hot_threads *threads);
/** "lock", "allocator", "barrier", "condition", "semaphore", "join", "futex", "io", "peer", "child", "sleep",
 * "other". */
TACHO_API const char *tacho_wait_kind_name(tacho_wait_kind kind);
/** "fine", "one-thread", "idle", "wait", "spin", "serial", "crowded". */
TACHO_API const char *tacho_threads_finding_name(tacho_threads_finding finding);

#ifdef __cplusplus
}
#endif
#endif
