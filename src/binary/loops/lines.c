/* lines.c - source lines of addresses, by DWARF (elfutils' libdw behind it); names of symbols.
 *
 * An executable's debug information is read where it is. That of an object file must be relocated first, for
 * which libdwfl wants a file: a copy in memory. Nothing is looked up elsewhere: no separate debug files, no
 * servers. Compilation units are found by their own address ranges, since not all compilers write an index of
 * them. */
#include <dwarf.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "binary/loops/finder.h"
#include "binary/loops/libdw.h"

typedef struct function_range {
    Dwarf_Addr start; /*< first, to be searched for */
    Dwarf_Addr end;
    Dwarf_Off die;
} function_range;

/* The functions of one unit, sorted. Start with {0}; free items. */
typedef struct unit_functions {
    function_range *items;
    size_t count, capacity;
    Dwarf_Off unit;
    bool listed;
} unit_functions;

/* ---- inlined calls ---- */

/* By which inlined calls an instruction came to its place, by DWARF: from the outer function inwards, where
 * each call stands. The functions of a compilation unit are listed once, as long as the questions are about
 * one unit. */

enum {
    MAX_LEVELS = 64, /* of blocks within one another */
    MAX_CHILDREN = 20000
};

ORDER_BY(by_start, function_range, start);

static int add_function(unit_functions *f, Dwarf_Die *die)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t at = 0;
    while ((at = libdw()->dwarf_ranges(die, at, &base, &start, &end)) > 0) {
        if (start >= end)
            continue;
        if (tacho_mem_grow(&f->items, &f->capacity, f->count + 1, sizeof *f->items))
            return -1;
        f->items[f->count++] = (function_range){start, end, libdw()->dwarf_dieoffset(die)};
    }
    return 0;
}

/* Functions stand in the unit itself or in its namespaces. */
static int add_functions(unit_functions *f, Dwarf_Die *parent, int level)
{
    Dwarf_Die die;
    int more = level < MAX_LEVELS ? libdw()->dwarf_child(parent, &die) : 1, failed = 0;
    for (; more == 0 && !failed; more = libdw()->dwarf_siblingof(&die, &die)) {
        int tag = libdw()->dwarf_tag(&die);
        if (tag == DW_TAG_subprogram)
            failed = add_function(f, &die);
        else if (tag == DW_TAG_namespace || tag == DW_TAG_module)
            failed = add_functions(f, &die, level + 1);
    }
    return failed;
}

static int list_functions(unit_functions *f, Dwarf_Die *unit)
{
    if (f->listed && f->unit == libdw()->dwarf_dieoffset(unit))
        return 0;
    f->count = 0;
    f->unit = libdw()->dwarf_dieoffset(unit);
    f->listed = true;
    int failed = add_functions(f, unit, 0);
    tacho_sort(f->items, f->count, sizeof *f->items, by_start);
    return failed;
}

static const function_range *function_at(const unit_functions *f, Dwarf_Addr address)
{
    size_t low = tacho_count_below(f->items, f->count, sizeof *f->items, address + 1);
    return low && f->items[low - 1].end > address ? &f->items[low - 1] : NULL;
}

/* The block or inlined call inside `die` that holds the address. */
static bool inner_scope(Dwarf_Die *die, Dwarf_Addr address)
{
    Dwarf_Die child;
    int more = libdw()->dwarf_child(die, &child);
    for (int k = 0; more == 0 && k < MAX_CHILDREN; k++, more = libdw()->dwarf_siblingof(&child, &child)) {
        int tag = libdw()->dwarf_tag(&child);
        if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_try_block ||
             tag == DW_TAG_catch_block) &&
            libdw()->dwarf_haspc(&child, address) > 0) {
            *die = child;
            return true;
        }
    }
    return false;
}

static uint32_t number_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    if (!libdw()->dwarf_attr(die, name, &attribute) || libdw()->dwarf_formudata(&attribute, &value) ||
        value > UINT32_MAX)
        return 0;
    return (uint32_t)value;
}

static const char *function_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    const char *name =
        libdw()->dwarf_formstring(libdw()->dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
    return name ? name : libdw()->dwarf_diename(die);
}

static line_call call_of(Dwarf_Die *unit, Dwarf_Die *die)
{
    line_call call = {libdw()->dwarf_dieoffset(die), NULL, number_of(die, DW_AT_call_line), function_of(die)};
    Dwarf_Files *files;
    size_t count;
    uint32_t file = number_of(die, DW_AT_call_file);
    if (!libdw()->dwarf_getsrcfiles(unit, &files, &count) && file < count)
        call.file = libdw()->dwarf_filesrc(files, file, NULL, NULL);
    return call;
}

/* Fills calls and call_count of *out. @return 0, -1 when memory runs out */
static int inlined_calls(unit_functions *f, Dwarf *dwarf, Dwarf_Die *unit, Dwarf_Addr address,
                         line_place *out)
{
    Dwarf_Die die;
    out->call_count = 0;
    if (list_functions(f, unit))
        return -1;
    const function_range *function = function_at(f, address);
    if (!function || !libdw()->dwarf_offdie(dwarf, function->die, &die))
        return 0;
    for (int level = 0; level < MAX_LEVELS && inner_scope(&die, address); level++)
        if (libdw()->dwarf_tag(&die) == DW_TAG_inlined_subroutine && out->call_count < LINE_MAX_CALLS)
            out->calls[out->call_count++] = call_of(unit, &die);
    return 0;
}

enum {
    MAX_UNITS = 1 << 20,
    MAX_OVERLAPS = 64 /* of units' ranges that are looked through; more is damage */
};

typedef struct unit_range {
    Dwarf_Addr start;      /* first, to be searched for */
    Dwarf_Addr end, reach; /* reach: the highest end of this one and those before it */
    Dwarf_Off die;
} unit_range;

struct debug_lines {
    Dwfl_Callbacks callbacks; /* of: */
    Dwfl *dwfl;               /* object files */
    Dwarf *dwarf;
    Dwarf_Addr bias;
    uint64_t *addresses; /* of an object file's sections, by number */
    size_t address_count;
    unit_range *units;
    size_t unit_count, unit_capacity;
    unit_functions functions;
};

/* No search for debug information in other files. */
static int find_nothing(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file,
                        const char *link, GElf_Word crc, char **out)
{
    return -1;
}

static int find_no_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, char **file,
                       Elf **elf)
{
    return -1;
}

/* Where libdwfl has placed an object file's sections. */
static int read_addresses(debug_lines *d, Dwfl_Module *module)
{
    GElf_Addr bias;
    size_t count = 0;
    Elf *elf = libdw()->dwfl_module_getelf(module, &bias);
    if (!elf || elf_getshdrnum(elf, &count) || !count)
        return 0;
    d->addresses = tacho_mem_zalloc(count, sizeof *d->addresses);
    if (!d->addresses)
        return -1;
    d->address_count = count;
    for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
        GElf_Shdr h;
        if (gelf_getshdr(scn, &h) && elf_ndxscn(scn) < count)
            d->addresses[elf_ndxscn(scn)] = h.sh_addr + bias;
    }
    return 0;
}

static int open_object(debug_lines *d, const char *data, size_t size)
{
    d->callbacks = (Dwfl_Callbacks){.find_elf = find_no_elf,
                                    .find_debuginfo = find_nothing,
                                    .section_address = libdw()->dwfl_offline_section_address};
    d->dwfl = libdw()->dwfl_begin(&d->callbacks);
    int fd = d->dwfl ? tacho_file_in_memory(data, size) : -1;
    if (fd < 0)
        return 0;
    Dwfl_Module *module = libdw()->dwfl_report_offline(d->dwfl, "input", "input", fd);
    if (!module) {
        close(fd);
        return 0;
    }
    libdw()->dwfl_report_end(d->dwfl, NULL, NULL);
    d->dwarf = libdw()->dwfl_module_getdwarf(module, &d->bias);
    return d->dwarf ? read_addresses(d, module) : 0;
}

ORDER_BY_TWO(by_unit_start, unit_range, start, die);

static int add_unit(debug_lines *d, Dwarf_Die *die)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t at = 0;
    while (d->unit_count < MAX_UNITS && (at = libdw()->dwarf_ranges(die, at, &base, &start, &end)) > 0) {
        if (start >= end)
            continue;
        if (tacho_mem_grow(&d->units, &d->unit_capacity, d->unit_count + 1, sizeof *d->units))
            return -1;
        d->units[d->unit_count++] = (unit_range){start, end, 0, libdw()->dwarf_dieoffset(die)};
    }
    return 0;
}

static int read_units(debug_lines *d)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    while (d->dwarf && d->unit_count < MAX_UNITS &&
           libdw()->dwarf_get_units(d->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
        if (libdw()->dwarf_tag(&die) == DW_TAG_compile_unit && add_unit(d, &die))
            return -1;
    tacho_sort(d->units, d->unit_count, sizeof *d->units, by_unit_start);
    Dwarf_Addr reach = 0;
    for (size_t i = 0; i < d->unit_count; i++)
        d->units[i].reach = reach = d->units[i].end > reach ? d->units[i].end : reach;
    return 0;
}

int lines_open(debug_lines **out, const input *in, const input_image *image, const char *data, size_t size)
{
    *out = NULL;
    if (!image->elf)
        return 0;
    if (!libdw())
        return input_fail(in, TACHO_ERR_SYSTEM, 0, -1,
                          "debug information needs elfutils' libdw (libdw.so.1), which is not installed");
    debug_lines *d = tacho_mem_zalloc(1, sizeof *d);
    if (!d)
        return tacho_no_memory(in->err);
    int failed = 0;
    if (image->relocatable)
        failed = open_object(d, data, size);
    else
        d->dwarf = libdw()->dwarf_begin_elf(image->elf, DWARF_C_READ, NULL);
    if (failed || read_units(d)) {
        lines_close(d);
        return tacho_no_memory(in->err);
    }
    *out = d;
    return 0;
}

/* The unit whose code contains the address. */
static const unit_range *unit_of(const debug_lines *d, Dwarf_Addr address)
{
    size_t low = tacho_count_below(d->units, d->unit_count, sizeof *d->units, address + 1);
    for (int k = 0; k < MAX_OVERLAPS && low > 0 && d->units[low - 1].reach > address; k++)
        if (d->units[--low].end > address)
            return &d->units[low];
    return NULL;
}

bool lines_find(debug_lines *d, const input_section *section, size_t offset, line_place *out)
{
    uint64_t base = section->address;
    if (d->dwfl) {
        if (section->index >= d->address_count)
            return false;
        base = d->addresses[section->index] - d->bias;
    }
    const unit_range *unit = unit_of(d, base + offset);
    Dwarf_Die die;
    int number = 0;
    if (!unit || !libdw()->dwarf_offdie(d->dwarf, unit->die, &die))
        return false;
    Dwarf_Line *found = libdw()->dwarf_getsrc_die(&die, base + offset);
    if (!found || libdw()->dwarf_lineno(found, &number) || number <= 0)
        return false;
    out->file = libdw()->dwarf_linesrc(found, NULL, NULL);
    out->line = (uint32_t)number;
    return out->file && !inlined_calls(&d->functions, d->dwarf, &die, base + offset, out);
}

void lines_close(debug_lines *d)
{
    if (!d)
        return;
    if (d->dwfl)
        libdw()->dwfl_end(d->dwfl);
    else if (d->dwarf)
        libdw()->dwarf_end(d->dwarf);
    TACHO_MEM_FREE(d->addresses, d->units, d->functions.items, d);
}

/* ---- names of C++ and Rust symbols as people write them ---- */

/* Names come from files that anybody may have made, and a short one can stand for a text without end: what
 * gets too long stays as it is. */

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
