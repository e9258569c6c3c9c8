/* libdw.c - see libdw.h. A file of its own, as a static program has libdw_linked.c of
 * integrations/compiler-explorer in its place. */
#include "binary/loops/libdw.h"

#include <pthread.h>

#include "base/file.h"

static libdw_functions functions;
static bool is_loaded;

static void load(void)
{
#define NAME(name) #name,
    static const char *const names[] = {LIBDW_FUNCTIONS(NAME)};
#undef NAME
    _Static_assert(sizeof functions == sizeof names, "pointers alone");
    is_loaded = tacho_file_functions("libdw.so.1", names, sizeof names / sizeof *names, &functions);
}

const libdw_functions *libdw(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return is_loaded ? &functions : NULL;
}
