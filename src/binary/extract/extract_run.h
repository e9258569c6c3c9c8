/* extract_run.h - the ways in which a run can be watched; extract_run.c chooses one. */
#ifndef TACHO_EXTRACT_RUN_H
#define TACHO_EXTRACT_RUN_H

#include "binary/extract/extract_internal.h"

/** A run under way, to whoever waits for it. */
typedef struct run_watch {
    const tacho_extract_run_options *options;
    double started;
} run_watch;

enum {
    RUN_DIRECTORY_SIZE = 4096,
    RUN_END_SIZE = 100
};

/** In words, after a colon, how it has ended if not well, for what has left nothing; "". @return out */
const char *run_bad_end(const tacho_extract_run *run, char out[RUN_END_SIZE]);

/* valgrind.c */
bool run_has_valgrind(void);
/** Whether valgrind is there, and the command. @return 0; TACHO_ERR_UNSUPPORTED, TACHO_ERR_INPUT */
int run_check_valgrind(char *const argv[], tacho_error *err);
/** valgrind's command line: what each has, `own` (which ends in NULL), and the command. The list is the
 * caller's, the words are not. NULL: memory ran out */
char **run_valgrind_line(const char *const *own, char *const argv[]);
int run_by_valgrind(extract_set *x, char *const argv[], run_watch *w, tacho_extract_run *out,
                    tacho_error *err);

#endif
