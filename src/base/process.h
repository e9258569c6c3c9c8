/* process.h - running another program: without a shell, without pipes that could fill up, never for ever. */
#ifndef TACHO_BASE_PROCESS_H
#define TACHO_BASE_PROCESS_H

#include <sched.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/str.h"
#include "tacho/error.h"

/** Finds `program` in the directories of PATH, of which relative ones do not count; one with a '/' is taken
 *  as it is. @return whether it is there: a file, and executable; errno says why not */
bool tacho_process_find(const char *program, char *out, size_t size);

/** The same; says why not. @return 0 or TACHO_ERR_INPUT */
int tacho_process_find_command(const char *program, char *out, size_t size, tacho_error *err);

/** In words, of a command that cannot be run: the errno with which it was not found or not executed. */
const char *tacho_process_why_not(const char *program, int error);

/** What to run. Start with {0} and fill in; limits of 0 are none. */
typedef struct tacho_process {
    const char *path;          /**< as tacho_process_find found it */
    const char *const *argv;   /**< ends in NULL */
    const char *const *env;    /**< ends in NULL; NULL: this process's */
    const char *directory;     /**< to run in; NULL: this process's */
    int input, output, errors; /**< descriptors of files (not pipes that this process holds the other end of),
                                  which become 0, 1 and 2; may be the same */
    int file;                  /**< becomes descriptor 3; -1: none. The others are closed */
    double seconds; /**< of real time, then it is killed with all of its process group; more than 0 */
    unsigned cpu_seconds;
    unsigned open_files;             /**< 4 are open from the start */
    size_t memory_bytes, file_bytes; /**< file_bytes: of each file that it writes */
    const cpu_set_t *cpus;           /**< that it may run on; NULL: this thread's */
    bool same_addresses;             /**< without address space randomisation */
    /** Called when the program is loaded and waits, under ptrace, before its first instruction. What it
     * returns other than 0 is an errno, with which the run fails. NULL: it does not wait. */
    int (*held)(pid_t pid, void *payload);
    /** Asked when a signal has come in to this thread while it waits, and every `look` seconds where that is
     * not 0: whether to kill the run. May be NULL */
    bool (*stop)(void *payload);
    double look;
    void *payload; /**< of both */
} tacho_process;

/** Whether programs can be run without address space randomisation here. Some containers' system call filters
 * do not allow it. */
bool tacho_process_can_fix_addresses(void);

/** How it ended. */
typedef struct tacho_process_end {
    bool timed_out;
    bool stopped;    /**< as process->stop wanted */
    int exit_status; /**< -1 where it did not exit by itself, or that cannot be known (SIGCHLD is ignored) */
    int signal;      /**< that ended it; 0 */
    double seconds;  /**< of real time, from its first instruction (about) to its end */
    struct rusage usage; /**< its own and of those it has waited for; all 0 where SIGCHLD is ignored */
} tacho_process_end;

/** Runs it and waits. What it has started and left running in its process group is killed at its end, and all
 *  of it when the calling thread ends before it. Thread-safe; ignores no signals and changes none.
 *  @return 0; -1 with errno set when it could not be started, or `held` wanted so */
int tacho_process_run(const tacho_process *process, tacho_process_end *end);

/** The same with texts: `input` of `input_size` bytes, and what it writes to its standard output and error
 *  (appended; each at most process->file_bytes, which must be given). The descriptors in `process` are not
 *  looked at. @return 0; -1 with errno set (ENOMEM: also for the texts) */
int tacho_process_run_text(const tacho_process *process, const char *input, size_t input_size, tacho_str *out,
                           tacho_str *errors, tacho_process_end *end);

/** Appends all of a file, from its start, up to `limit` bytes. @return 0; -1 with errno set */
int tacho_process_read(int fd, size_t limit, tacho_str *out);

#endif
