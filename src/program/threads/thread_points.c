/* thread_points.c - functions and source lines of a process by the names that people give. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "binary/loops/finder.h"
#include "program/threads/thread_modules.h"

enum {
    MOST_FILE = 1024,
    MOST_NAME = 512
};

/* FILE:LINE or FILE:FROM-TO. */
typedef struct line_range {
    char file[MOST_FILE];
    int from, to;
} line_range;

static bool read_range(const char *text, line_range *out)
{
    const char *colon = strrchr(text, ':');
    char *end;
    if (!colon || colon == text || colon[1] < '0' || colon[1] > '9' || colon - text >= MOST_FILE)
        return false;
    memcpy(out->file, text, (size_t)(colon - text));
    out->file[colon - text] = '\0';
    out->from = out->to = (int)strtol(colon + 1, &end, 10);
    if (*end == '-')
        out->to = (int)strtol(end + 1, &end, 10);
    return !*end;
}

/* "/src/app/queue.c" is called "queue.c", too, and "app/queue.c". */
static bool is_file(const char *path, const char *called)
{
    const size_t n = strlen(path), k = strlen(called);
    return n >= k && !strcmp(path + n - k, called) && (n == k || path[n - k - 1] == '/');
}

/* As symbols have it, or as people read it, which may leave out the parameters. */
static bool is_called(const char *symbol, const char *called)
{
    char readable[MOST_NAME];
    const size_t n = strlen(called);
    if (!strcmp(symbol, called))
        return true;
    return symbol_read(symbol, readable, sizeof readable) && !strncmp(readable, called, n) &&
           (!readable[n] || readable[n] == '(');
}

uint64_t stacks_function(thread_stacks *s, uint64_t address)
{
    code_symbol symbol;
    return stacks_symbol(s, address, &symbol) ? symbol.start : 0;
}

static bool is_at_line(Dwfl_Line *line, const line_range *r)
{
    int number = 0;
    const char *path = line ? libdw()->dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
    return path && number >= r->from && number <= r->to && is_file(path, r->file);
}

bool stacks_is_in(thread_stacks *s, uint64_t address, const char *text)
{
    line_range r;
    Dwfl_Module *m = stacks_module(s, address);
    if (m && read_range(text, &r))
        return is_at_line(libdw()->dwfl_module_getsrc(m, address), &r);
    code_symbol symbol;
    return stacks_symbol(s, address, &symbol) && is_called(symbol.name, text);
}

/* ---- where a point is ---- */

typedef struct point_search {
    const char *text;
    bool by_line, exact, in_runtime;
    line_range range;
    uint64_t found;
} point_search;

static uint64_t find_line(Dwfl_Module *m, const line_range *r)
{
    Dwfl_Line **lines = NULL;
    size_t count = 0;
    uint64_t first = 0;
    if (libdw()->dwfl_module_getsrc_file(m, tacho_base_name(r->file), r->from, 0, &lines, &count))
        return 0;
    for (size_t i = 0; i < count; i++) {
        Dwarf_Addr at;
        if (is_at_line(lines[i], r) && libdw()->dwfl_lineinfo(lines[i], &at, NULL, NULL, NULL, NULL) &&
            (!first || at < first))
            first = at;
    }
    free(lines);
    return first;
}

/* `exact`: the largest of that name: of some there is an old version that does less. */
static uint64_t find_function(Dwfl_Module *m, const char *text, bool exact)
{
    const int count = libdw()->dwfl_module_getsymtab(m);
    uint64_t found = 0, size = 0;
    for (int i = 1; i < count && (exact || !found); i++) {
        GElf_Sym symbol;
        GElf_Addr at;
        const char *name = libdw()->dwfl_module_getsym_info(m, i, &symbol, &at, NULL, NULL, NULL);
        if (!name || GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF ||
            (exact ? strcmp(name, text) || symbol.st_size < size : !is_called(name, text)))
            continue;
        found = at;
        size = symbol.st_size;
    }
    return found;
}

static int search_module(Dwfl_Module *m, void **data, const char *name, Dwarf_Addr base, void *payload)
{
    point_search *p = payload;
    if (p->in_runtime && !code_is_runtime(m))
        return DWARF_CB_OK;
    p->found = p->by_line ? find_line(m, &p->range) : find_function(m, p->text, p->exact);
    return p->found ? DWARF_CB_ABORT : DWARF_CB_OK;
}

/* In the program's own file, which is mapped first. */
static int move_to_file(Dwfl_Module *m, void **data, const char *name, Dwarf_Addr base, void *payload)
{
    GElf_Addr bias = 0;
    uint64_t *at = payload;
    *at = libdw()->dwfl_module_getelf(m, &bias) ? *at + bias : 0;
    return DWARF_CB_ABORT;
}

uint64_t stacks_point(thread_stacks *s, const char *text)
{
    point_search p = {.text = text, .by_line = read_range(text, &p.range)};
    char *end;
    Dwfl *dwfl = stacks_modules(s);
    if (!dwfl)
        return 0;
    uint64_t address = !strncmp(text, "0x", 2) ? strtoull(text, &end, 16) : 0;
    if (address)
        return libdw()->dwfl_getmodules(dwfl, move_to_file, &address, 0) < 0 || *end ? 0 : address;
    libdw()->dwfl_getmodules(dwfl, search_module, &p, 0);
    return p.found;
}

uint64_t stacks_library_point(thread_stacks *s, const char *name)
{
    point_search p = {.text = name, .exact = true, .in_runtime = true};
    Dwfl *dwfl = stacks_modules(s);
    if (dwfl)
        libdw()->dwfl_getmodules(dwfl, search_module, &p, 0);
    p.in_runtime = false; /* the program may have that library in it */
    if (dwfl && !p.found)
        libdw()->dwfl_getmodules(dwfl, search_module, &p, 0);
    return p.found;
}
