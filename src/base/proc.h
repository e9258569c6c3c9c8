/* proc.h - files of /proc that several parts read; memory of other processes. */
#ifndef TACHO_BASE_PROC_H
#define TACHO_BASE_PROC_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

enum {
    PROC_PATH_BYTES = 4200
};

/** A mapping, as a line of /proc/PID/maps has it (proc_pid_maps(5)). */
typedef struct proc_map {
    uint64_t start, end, offset;
    uint64_t major, minor, inode; /**< of its file; 0: it has none */
    bool write, execute, is_private;
    char path[PROC_PATH_BYTES]; /**< "" where there is none */
} proc_map;

/** @return false: it is no such line, or of a mapping that is empty */
bool proc_parse_map(const char *line, proc_map *out);

/** Whether a mapping of this path is memory of no file, or of one that only holds memory: not the vdso. */
bool proc_is_memory(const char *path);

/** The mappings of a process. @return NULL with errno set: it cannot be read */
FILE *proc_open_maps(pid_t pid);
/** The next of them that can be executed. @return false: there is none, or `maps` is NULL */
bool proc_next_code(FILE *maps, proc_map *out);

/** The threads of a process. @return NULL with errno: it cannot be read */
DIR *proc_open_tasks(pid_t pid);
/** The next of them. @return 0: there is none, or `tasks` is NULL */
pid_t proc_next_task(DIR *tasks);

/** Lets this process have as many open files as it may. @return whether there may be more of them now */
bool proc_allow_more_files(void);
/** The calling thread gets a processor at once when it is time for it to do something, also where all are
 * busy. Otherwise who watches a program would come when that gives up a processor. */
void proc_be_quick(bool on);

/** Copies memory of a process, without stopping it. @return the bytes that could be read, which are the
 * first; below 0 with errno: none */
ssize_t proc_read_memory(pid_t pid, uint64_t address, void *out, size_t bytes);

/** Whether a thread executes, or only waits for a processor. */
bool proc_is_running(pid_t tid);
/** The time that a thread has had a processor. @return NaN: not known */
double proc_run_seconds(pid_t tid);
/** The processor that a thread was on last. @return -1: not known */
int proc_cpu(pid_t tid);
/** Whether signals wait for it that it does not hold back. */
bool proc_has_signals(pid_t tid);

#endif
