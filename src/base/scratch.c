/* scratch.c - a private directory for a while. */
#include "base/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

enum {
    OPEN_DIRECTORIES = 16
};

const char *tacho_scratch_parent(void)
{
    const char *parent = getenv("TMPDIR");
    return parent && *parent ? parent : "/tmp";
}

int tacho_scratch_make(char *path, size_t size, tacho_error *err)
{
    char parent[PATH_MAX];
    const char *wanted = tacho_scratch_parent();
    int n = realpath(wanted, parent) ? snprintf(path, size, "%s/tacho-XXXXXX", parent) : -1;
    if (n >= 0 && (size_t)n >= size)
        errno = ENAMETOOLONG;
    else if (n >= 0 && mkdtemp(path))
        return 0;
    *path = '\0';
    return tacho_error_set(err, TACHO_ERR_SYSTEM, "no directory for temporary files in %s (TMPDIR): %s",
                           wanted, strerror(errno));
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    remove(path);
    return 0;
}

void tacho_scratch_remove(const char *path)
{
    nftw(path, remove_one, OPEN_DIRECTORIES, FTW_DEPTH | FTW_PHYS);
}

int tacho_scratch_write(const char *path, const char *name, const char *data, size_t size)
{
    char file[PATH_MAX];
    int n = snprintf(file, sizeof file, "%s/%s", path, name);
    if (n < 0 || (size_t)n >= sizeof file) {
        errno = ENAMETOOLONG;
        return -1;
    }
    unlink(file); /* what a program has made of it in the meantime */
    int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int failed = fd < 0 || tacho_file_write(fd, data, size), saved = errno;
    if (fd >= 0 && close(fd))
        return -1;
    errno = saved;
    return failed ? -1 : 0;
}
