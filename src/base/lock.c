/* lock.c - one process at a time. */
#include "base/lock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

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
