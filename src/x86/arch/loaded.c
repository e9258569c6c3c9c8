/* loaded.c - the tables of a loaded microarchitecture go with the last of its copies. */
#include "x86/arch/loaded.h"

#include "base/mem.h"

void loaded_use(loaded_tables *t)
{
    if (t)
        atomic_fetch_add(&t->users, 1);
}

void loaded_release(loaded_tables *t)
{
    if (!t || atomic_fetch_sub(&t->users, 1) != 1)
        return;
    TACHO_MEM_FREE(t->forms, t->figures, t->variants, t->latencies, t->groups, t->sources);
    arena texts = t->texts;
    arena_free(&texts);
    tacho_mem_free(t);
}
