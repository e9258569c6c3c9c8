/* debug.h - what the readers of DWARF share; only they see libdw. */
#ifndef TACHO_LOOPS_DEBUG_H
#define TACHO_LOOPS_DEBUG_H

#include <elfutils/libdw.h>

#include "binary/loops/finder.h"

typedef struct function_range {
    Dwarf_Addr start; /**< first, to be searched for */
    Dwarf_Addr end;
    Dwarf_Off die;
} function_range;

/** The functions of one unit, sorted. Start with {0}; free items. */
typedef struct unit_functions {
    function_range *items;
    size_t count, capacity;
    Dwarf_Off unit;
    bool listed;
} unit_functions;

/** Fills calls and call_count of *out. @return 0, -1 when memory runs out */
int inlined_calls(unit_functions *f, Dwarf *dwarf, Dwarf_Die *unit, Dwarf_Addr address, line_place *out);

#endif
