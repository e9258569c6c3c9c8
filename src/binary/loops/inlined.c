/* inlined.c - by which inlined calls an instruction came to its place, by DWARF: from the outer function
 * inwards, where each call stands. The functions of a compilation unit are listed once, as long as the
 * questions are about one unit. */
#include <dwarf.h>

#include "base/mem.h"
#include "base/search.h"
#include "binary/loops/debug.h"

enum {
    MAX_LEVELS = 64, /* of blocks within one another */
    MAX_CHILDREN = 20000
};

ORDER_BY(by_start, function_range, start);

static int add_function(unit_functions *f, Dwarf_Die *die)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t at = 0;
    while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
        if (start >= end)
            continue;
        if (tacho_mem_grow(&f->items, &f->capacity, f->count + 1, sizeof *f->items))
            return -1;
        f->items[f->count++] = (function_range){start, end, dwarf_dieoffset(die)};
    }
    return 0;
}

/* Functions stand in the unit itself or in its namespaces. */
static int add_functions(unit_functions *f, Dwarf_Die *parent, int level)
{
    Dwarf_Die die;
    int more = level < MAX_LEVELS ? dwarf_child(parent, &die) : 1, failed = 0;
    for (; more == 0 && !failed; more = dwarf_siblingof(&die, &die)) {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_subprogram)
            failed = add_function(f, &die);
        else if (tag == DW_TAG_namespace || tag == DW_TAG_module)
            failed = add_functions(f, &die, level + 1);
    }
    return failed;
}

static int list_functions(unit_functions *f, Dwarf_Die *unit)
{
    if (f->listed && f->unit == dwarf_dieoffset(unit))
        return 0;
    f->count = 0;
    f->unit = dwarf_dieoffset(unit);
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
    int more = dwarf_child(die, &child);
    for (int k = 0; more == 0 && k < MAX_CHILDREN; k++, more = dwarf_siblingof(&child, &child)) {
        int tag = dwarf_tag(&child);
        if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_try_block ||
             tag == DW_TAG_catch_block) &&
            dwarf_haspc(&child, address) > 0) {
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
    if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &value) || value > UINT32_MAX)
        return 0;
    return (uint32_t)value;
}

static const char *function_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
    return name ? name : dwarf_diename(die);
}

static line_call call_of(Dwarf_Die *unit, Dwarf_Die *die)
{
    line_call call = {dwarf_dieoffset(die), NULL, number_of(die, DW_AT_call_line), function_of(die)};
    Dwarf_Files *files;
    size_t count;
    uint32_t file = number_of(die, DW_AT_call_file);
    if (!dwarf_getsrcfiles(unit, &files, &count) && file < count)
        call.file = dwarf_filesrc(files, file, NULL, NULL);
    return call;
}

int inlined_calls(unit_functions *f, Dwarf *dwarf, Dwarf_Die *unit, Dwarf_Addr address, line_place *out)
{
    Dwarf_Die die;
    out->call_count = 0;
    if (list_functions(f, unit))
        return -1;
    const function_range *function = function_at(f, address);
    if (!function || !dwarf_offdie(dwarf, function->die, &die))
        return 0;
    for (int level = 0; level < MAX_LEVELS && inner_scope(&die, address); level++)
        if (dwarf_tag(&die) == DW_TAG_inlined_subroutine && out->call_count < LINE_MAX_CALLS)
            out->calls[out->call_count++] = call_of(unit, &die);
    return 0;
}
