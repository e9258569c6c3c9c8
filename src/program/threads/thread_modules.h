/* thread_modules.h - what is mapped in a process, as libdwfl knows it, for those who look for names there. */
#ifndef TACHO_THREAD_MODULES_H
#define TACHO_THREAD_MODULES_H

#include "binary/loops/libdw.h"
#include "program/threads/thread_stacks.h"

/** The module there; NULL: none is known. */
Dwfl_Module *stacks_module(thread_stacks *s, uint64_t address);
/** All of them, as they are now; NULL: memory ran out. */
Dwfl *stacks_modules(thread_stacks *s);

#endif
