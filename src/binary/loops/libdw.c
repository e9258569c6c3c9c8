/* libdw.c - see libdw.h. */
#include "binary/loops/libdw.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

static libdw_functions functions;
static bool found;

static void load(void)
{
#define NAME(name) #name,
    static const char *const names[] = {LIBDW_FUNCTIONS(NAME)};
#undef NAME
    _Static_assert(sizeof functions == sizeof names, "pointers alone");
    void *library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL); /* stays */
    found = library;
    for (size_t k = 0; k < sizeof names / sizeof *names && found; k++) {
        void *address = dlsym(library, names[k]);
        memcpy((char *)&functions + k * sizeof address, &address, sizeof address);
        found = address;
    }
}

const libdw_functions *libdw(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return found ? &functions : NULL;
}
