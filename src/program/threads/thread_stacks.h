/* thread_stacks.h - the frames of a thread's stack down to the program's own code, read from the process
 * while it goes on. */
#ifndef TACHO_THREAD_STACKS_H
#define TACHO_THREAD_STACKS_H

#include <sys/types.h>

#include "program/threads/thread_code.h"
#include "program/threads/threads_log.h"

/** Of one process. */
typedef struct thread_stacks thread_stacks;

/** What is known of a thread's registers and stack. */
typedef struct stack_start {
    pid_t thread; /* through which the process is read: its first one may have ended */
    uint64_t pc, sp;
    uint64_t frame;       /* register RBP; 0: not known */
    const uint8_t *bytes; /* a copy of the stack from sp on; NULL: to be read */
    size_t count;
    bool whole; /* where the thread began is wanted, too */
} stack_start;

typedef struct stack_found {
    uint64_t place;   /* an address in the program's call, or its instruction; 0: none was found */
    const char *call; /* the outermost function of the runtime libraries above it; NULL: none, or no name */
    tacho_wait_kind kind;   /* what that function waits for; TACHO_WAIT_FUTEX: not known */
    bool in_runtime;        /* the innermost frame is of a runtime library */
    uint64_t caller, start; /* where that was called, and an address in the program's first function; 0: not
                               found, or not asked for (stack_start.whole) */
} stack_found;

/** `code`: lives longer. NULL: memory ran out, or libdw is not installed. */
thread_stacks *stacks_new(pid_t pid, thread_code *code);
void stacks_free(thread_stacks *s);
void stacks_find(thread_stacks *s, const stack_start *start, stack_found *out);
/** The place in its file, whose path is copied to `texts` (NULL: it lives as long as the mapping); function
 * and line are looked for by stacks_name, which may take long. */
void stacks_place(thread_stacks *s, uint64_t address, arena *texts, log_place *out);
void stacks_name(thread_stacks *s, uint64_t address, arena *texts, log_place *out);
/** Where the function at an address begins; 0: not known. */
uint64_t stacks_function(thread_stacks *s, uint64_t address);
/** Whether it belongs to what people call `text`: a function, FILE:LINE or FILE:FROM-TO. */
bool stacks_is_in(thread_stacks *s, uint64_t address, const char *text);
/** The first instruction of that, or (0x...) at that address in the program's file. @return 0: there is none
 * among what is mapped now */
uint64_t stacks_point(thread_stacks *s, const char *text);
/** The first instruction of a function of the C library. */
uint64_t stacks_library_point(thread_stacks *s, const char *name);
/** The variable or function there. @return false: none is known */
bool stacks_symbol(thread_stacks *s, uint64_t address, code_symbol *out);

#endif
