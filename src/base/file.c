/* file.c - reading a whole file; functions of libraries; private directories; the cache folder; locks. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

/* Reads until the end of the file; pipes do not tell their size beforehand. */
static int read_all(int fd, size_t limit, char **data, size_t *size)
{
    char *buffer = NULL;
    size_t capacity = 0, used = 0;
    for (;;) {
        size_t want = used + (used < 65536 ? 65536 : used);
        if (want > limit + 1)
            want = limit + 1;
        if (tacho_mem_grow(&buffer, &capacity, want + 1, 1)) {
            errno = ENOMEM;
            break;
        }
        ssize_t n = read(fd, buffer + used, want - used);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break;
        if (n == 0) {
            buffer[used] = '\0';
            *data = buffer;
            *size = used;
            return 0;
        }
        used += (size_t)n;
        if (used > limit) {
            errno = EFBIG;
            break;
        }
    }
    int saved = errno;
    tacho_mem_free(buffer);
    errno = saved;
    return -1;
}

/* `fd`: as it was opened, -1 where it was not. */
static int read_and_close(int fd, size_t limit, char **data, size_t *size)
{
    int result = fd < 0 ? -1 : read_all(fd, limit, data, size), saved = errno;
    if (fd >= 0)
        close(fd);
    errno = saved;
    return result;
}

int tacho_file_read(const char *path, size_t limit, char **data, size_t *size)
{
    if (!strcmp(path, "-"))
        return read_all(STDIN_FILENO, limit, data, size);
    return read_and_close(open(path, O_RDONLY | O_CLOEXEC), limit, data, size);
}

int tacho_file_read_regular(const char *path, size_t limit, char **data, size_t *size)
{
    struct stat st;
    if (stat(path, &st))
        return -1;
    int fd = S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
    if (fd >= 0)
        fstat(fd, &st); /* it may be another one by now */
    if (S_ISREG(st.st_mode))
        return read_and_close(fd, limit, data, size);
    if (fd >= 0)
        close(fd);
    errno = S_ISDIR(st.st_mode) ? EISDIR : ESPIPE;
    return -1;
}

int tacho_file_write(int fd, const char *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = write(fd, data + done, size - done);
        if (n < 0 && errno != EINTR)
            return -1;
        done += n < 0 ? 0 : (size_t)n;
    }
    return 0;
}

int tacho_file_in_memory(const char *data, size_t size)
{
    int fd = memfd_create("tacho", MFD_CLOEXEC);
    if (fd >= 0 && (tacho_file_write(fd, data, size) || lseek(fd, 0, SEEK_SET))) {
        int saved = errno;
        close(fd);
        errno = saved;
        return -1;
    }
    return fd;
}

bool tacho_file_functions(const char *library, const char *const *names, size_t count, void *out)
{
    void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL); /* stays: results may point into it */
    bool found = loaded;
    for (size_t k = 0; k < count && found; k++) {
        void *address = dlsym(loaded, names[k]);
        memcpy((char *)out + k * sizeof address, &address, sizeof address);
        found = address;
    }
    return found;
}

/* ---- a private directory for a while ---- */

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

/* ---- the cache folder ---- */

bool cache_path(char *out, size_t size, const char *name)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const bool given = cache && *cache == '/';
    if (!given && (!home || *home != '/'))
        return false;
    const int n = snprintf(out, size, "%s%s/tacho/%s", given ? cache : home, given ? "" : "/.cache", name);
    return n > 0 && (size_t)n < size;
}

bool cache_make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0700) && errno != EEXIST)
            return false;
        *slash = '/';
    }
    return true;
}

/* ---- one process at a time ---- */

/* By /proc/locks, where the system says it: proc_locks(5). Some file systems have other numbers there than
 * stat has, and a process of another container has none. @return 0: not known */
static long find_holder(int fd)
{
    struct stat s;
    char line[200];
    long holder = 0;
    FILE *f = fstat(fd, &s) ? NULL : fopen("/proc/locks", "re");
    while (f && holder <= 0 && fgets(line, sizeof line, f)) {
        unsigned high, low;
        unsigned long long inode;
        long pid;
        if (sscanf(line, "%*d: FLOCK %*s %*s %ld %x:%x:%llu ", &pid, &high, &low, &inode) == 4 &&
            high == major(s.st_dev) && low == minor(s.st_dev) && inode == s.st_ino)
            holder = pid;
    }
    if (f)
        fclose(f);
    return holder > 0 ? holder : 0;
}

static void explain(int fd, char why[TACHO_LOCK_WHY_SIZE])
{
    long holder = find_holder(fd);
    if (holder == getpid())
        snprintf(why, TACHO_LOCK_WHY_SIZE, "another result goes there already");
    else if (holder)
        snprintf(why, TACHO_LOCK_WHY_SIZE, "process %ld is writing it", holder);
    else
        snprintf(why, TACHO_LOCK_WHY_SIZE, "it is being written already");
}

tacho_lock tacho_lock_take(int fd, char why[TACHO_LOCK_WHY_SIZE])
{
    *why = '\0';
    if (!TEMP_FAILURE_RETRY(flock(fd, LOCK_EX | LOCK_NB)))
        return TACHO_LOCK_OURS;
    if (errno == EWOULDBLOCK) {
        explain(fd, why);
        return TACHO_LOCK_THEIRS;
    }
    snprintf(why, TACHO_LOCK_WHY_SIZE, "%s", strerror(errno));
    return TACHO_LOCK_NONE;
}
