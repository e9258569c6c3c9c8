/* demangle.c - names of C++ and Rust symbols as people write them. Names come from files that anybody may
 * have made, and a short one can stand for a text without end: what gets too long stays as it is. */
#include <libiberty/demangle.h>
#include <setjmp.h>

#include "binary/loops/finder.h"

enum {
    MAX_MANGLED = 4096
};

typedef struct readable {
    char *text;
    size_t length, size;
    jmp_buf too_long;
} readable;

static void take(const char *piece, size_t length, void *payload)
{
    readable *r = payload;
    if (length >= r->size - r->length)
        longjmp(r->too_long, 1);
    memcpy(r->text + r->length, piece, length);
    r->length += length;
}

/* Both demanglers give pieces as they go, and 0 at the end where it was none of their names. */
static bool read_name(readable *r, const char *name)
{
    if (setjmp(r->too_long))
        return false;
    if (rust_demangle_callback(name, DMGL_PARAMS | DMGL_ANSI, take, r))
        return true;
    r->length = 0;
    return cplus_demangle_v3_callback(name, DMGL_PARAMS | DMGL_ANSI, take, r);
}

bool symbol_read(const char *name, char *out, size_t size)
{
    readable r = {.text = out, .size = size};
    bool mangled = (name[0] == '_' && (name[1] == 'Z' || name[1] == 'R')) && strlen(name) < MAX_MANGLED;
    if (!mangled || !read_name(&r, name))
        return false;
    out[r.length] = '\0';
    return true;
}

char *loop_symbol(finder *f, const char *name)
{
    char text[SYMBOL_MAX_READABLE];
    bool is_read = !f->options->keep_mangled && symbol_read(name, text, sizeof text);
    return loop_text(f, is_read ? text : name);
}
