/* file.c - reading a whole file. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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
