/* gzip_input.h - bytes of a file or pipe as read(2) gives them; what gzip has compressed, uncompressed. */
#ifndef TACHO_BASE_GZIP_INPUT_H
#define TACHO_BASE_GZIP_INPUT_H

#include <sys/types.h>

#include "base/str.h"

struct tacho_gunzip;

/** Start with {.fd = FD}, end with tacho_input_end, which leaves the descriptor open. */
typedef struct tacho_input {
    int fd;
    bool looked;              /**< the first bytes are known */
    struct tacho_gunzip *zip; /**< NULL: read as it is */
    const char *problem;      /**< why the last read failed; NULL: errno says it */
} tacho_input;

/** As read(2), but never interrupted. @return bytes, 0 at the end, -1: tacho_input_why says it */
ssize_t tacho_input_read(tacho_input *in, void *out, size_t size);
/** Why reading failed, right behind it. */
const char *tacho_input_why(const tacho_input *in);
/** Whether the next read may give bytes that have come already. */
bool tacho_input_pending(const tacho_input *in);
bool tacho_input_is_compressed(const tacho_input *in);
void tacho_input_end(tacho_input *in);

#endif
