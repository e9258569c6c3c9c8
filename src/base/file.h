/* file.h - whole files and standard input, up to a limit; functions of libraries; folders for a while, and
 * for long; locks. */
#ifndef TACHO_BASE_FILE_H
#define TACHO_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "tacho/error.h"

/** Reads all of `path` ("-": standard input) into *data, with a 0 byte after its end (not counted).
 *  @return 0; -1 with errno set; EFBIG when it is larger than `limit` bytes. Free with tacho_mem_free. */
int tacho_file_read(const char *path, size_t limit, char **data, size_t *size);

/** The same of a regular file alone, for names that come from others: never waits (for the writer of a pipe,
 * for what the kernel will say), opens no device, and "-" is a name as others. errno is ESPIPE where it is
 *  something else than a file. */
int tacho_file_read_regular(const char *path, size_t limit, char **data, size_t *size);

/** Writes all of it. @return 0; -1 with errno set */
int tacho_file_write(int fd, const char *data, size_t size);

/** A file that is only in memory and holds this, at its start. @return a descriptor, -1 with errno set */
int tacho_file_in_memory(const char *data, size_t size);

/** Functions of a library that is loaded when it is needed, and stays: `out` is a struct of pointers to them,
 * in the order of their names. @return false: it is not installed, or lacks one */
bool tacho_file_functions(const char *library, const char *const *names, size_t count, void *out);

/* ---- a private directory for files that other programs read, removed with all that is in it ---- */

/** Where such directories are made: what TMPDIR says, or /tmp where it says nothing. */
const char *tacho_scratch_parent(void);
/** Makes a directory that only this user can enter, there. @return 0 and its path, which is absolute;
 *  TACHO_ERR_SYSTEM and an empty path */
int tacho_scratch_make(char *path, size_t size, tacho_error *err);
/** Removes it with all that it holds; symbolic links are not followed. */
void tacho_scratch_remove(const char *path);
/** Writes a file in it anew. @return 0; -1 with errno set */
int tacho_scratch_write(const char *path, const char *name, const char *data, size_t size);

/* ---- what is kept for the user between runs, by the XDG Base Directory Specification ---- */

/** "$XDG_CACHE_HOME/tacho/NAME", or below ~/.cache. @return false: there is no such place, or it does not fit
 */
bool cache_path(char *out, size_t size, const char *name);
/** Makes the folders of a path, for the user alone. @return false with errno set, and the one that cannot be
 * made in `path` */
bool cache_make_folders(char *path);

/* ---- files and folders that one process at a time is to write: flock(2). The lock belongs to the open
 * file: it goes with its last descriptor, so with the process at the latest, and leaves nothing behind ----
 */

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
