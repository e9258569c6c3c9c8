/* libdw_linked.c - in place of src/binary/loops/libdw.c: a static program loads no library. */
#include "binary/loops/libdw.h"

const libdw_functions *libdw(void)
{
#define ADDRESS(name) .name = name,
    static const libdw_functions functions = {LIBDW_FUNCTIONS(ADDRESS)};
#undef ADDRESS
    return &functions;
}
