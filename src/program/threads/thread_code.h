/* thread_code.h - what files say of their code: its symbols, and how a frame there is left. It is read
 * through the first process that has a file mapped, and holds for all that have. */
#ifndef TACHO_THREAD_CODE_H
#define TACHO_THREAD_CODE_H

#include "binary/loops/libdw.h"
#include "tacho/hot_threads.h"

typedef struct thread_code thread_code;

/** A place in code, and how the caller of a frame there is found, once that was asked for. */
typedef struct frame_rule {
    bool runtime;          /* a runtime library's */
    const char *name;      /* of a function of such a library; lives as long as all */
    tacho_wait_kind kind;  /* what that waits for; TACHO_WAIT_FUTEX: not known */
    bool asked, known;     /* its caller can be found */
    bool by_frame;         /* the canonical frame address is of RBP, else of RSP */
    bool saves_frame;      /* it has saved the caller's RBP, at ... */
    int64_t cfa, frame_at; /* ... that from the canonical frame address */
} frame_rule;

typedef struct code_symbol {
    const char *name; /* lives as long as the module */
    uint64_t start, size;
} code_symbol;

/** NULL: memory ran out. */
thread_code *code_new(void);
void code_free(thread_code *c);
/** The path of a module's file; "": it has none. */
const char *code_path(Dwfl_Module *m);
/** Whether it is of a library that the program's waiting goes through. */
bool code_is_runtime(Dwfl_Module *m);
/** The function or variable there. @return false: none is known */
bool code_symbol_at(thread_code *c, Dwfl_Module *m, uint64_t address, code_symbol *out);
/** `whole`: the program has the C library in it; `caller`: how that is found is asked for. Valid until the
 * next call. @return NULL: memory ran out */
const frame_rule *code_rule(thread_code *c, Dwfl_Module *m, uint64_t address, bool whole, bool caller);

#endif
