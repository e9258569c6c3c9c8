/* error.h - how the library reports what went wrong.
 *
 * Functions that can fail return 0 or a negative code and write a message to a caller-owned tacho_error.
 * The library neither prints nor exits.
 *
 * Core: stable within a major version. */
#ifndef TACHO_ERROR_H
#define TACHO_ERROR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TACHO_API          __attribute__((visibility("default")))
#define TACHO_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define TACHO_API
#define TACHO_PRINTF(f, a)
#endif

/** Result codes; every failing function returns one of the negative ones. */
typedef enum tacho_status {
    TACHO_OK = 0,
    TACHO_ERR_INPUT = -1,       /**< the input cannot be analysed (bad bytes, bad file, bad assembly) */
    TACHO_ERR_USAGE = -2,       /**< an argument is out of its documented range */
    TACHO_ERR_MEMORY = -3,      /**< an allocation failed */
    TACHO_ERR_SYSTEM = -4,      /**< a system call or an external program failed */
    TACHO_ERR_LIMIT = -5,       /**< a documented limit was exceeded */
    TACHO_ERR_UNSUPPORTED = -6, /**< valid, but not supported by this microarchitecture or build */
    TACHO_ERR_CANCELLED = -7,   /**< the caller's own function has ended it */
    TACHO_ERR_FAILED = -8, /**< a command that was to be watched or timed ended with another status than 0,
                                or by a signal */
} tacho_status;

enum {
    TACHO_ERROR_MESSAGE_SIZE = 512
};

/** What went wrong. Owned by the caller; may be passed as NULL where the message is not wanted. */
typedef struct tacho_error {
    int code;       /**< a tacho_status */
    uint64_t line;  /**< 1-based line in a text input, 0 where it does not apply */
    int64_t offset; /**< byte offset in the code or file, -1 where it does not apply */
    char message[TACHO_ERROR_MESSAGE_SIZE]; /**< one line, without a newline; never empty after a failure */
} tacho_error;

/** Fills `err` (which may be NULL) and returns `code`, so that callers can write `return
 * tacho_error_set(...)`. */
TACHO_API int tacho_error_set(tacho_error *err, int code, const char *format, ...) TACHO_PRINTF(3, 4);

#ifdef __cplusplus
}
#endif
#endif
