/* file.h - whole files and standard input, up to a limit. */
#ifndef TACHO_BASE_FILE_H
#define TACHO_BASE_FILE_H

#include <stddef.h>

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

#endif
