/* lock.h - files and folders that one process at a time is to write: flock(2). The lock belongs to the open
 * file: it goes with its last descriptor, so with the process at the latest, and leaves nothing behind. */
#ifndef TACHO_BASE_LOCK_H
#define TACHO_BASE_LOCK_H

typedef enum tacho_lock {
    TACHO_LOCK_OURS,
    TACHO_LOCK_THEIRS,
    TACHO_LOCK_NONE /* there are no locks on this file system */
} tacho_lock;

enum {
    TACHO_LOCK_WHY_SIZE = 100
};

/** Locks what `fd` is open on, a file or a folder, or says why not: "process 123 is writing it". Without
 *  waiting. Descriptors of children are to be closed by exec (O_CLOEXEC), or they would keep the lock. */
tacho_lock tacho_lock_take(int fd, char why[TACHO_LOCK_WHY_SIZE]);

#endif
