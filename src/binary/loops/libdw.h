/* libdw.h - elfutils' libdw, which reads debug information and call frames. It is loaded when it is needed:
 * with the libraries that it needs itself it would take a tenth of the program's start. */
#ifndef TACHO_BINARY_LIBDW_H
#define TACHO_BINARY_LIBDW_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

/* clang-format off */
#define LIBDW_FUNCTIONS(USE)                                                                                 \
    USE(dwarf_attr) USE(dwarf_attr_integrate) USE(dwarf_begin_elf) USE(dwarf_cfi_addrframe)                  \
    USE(dwarf_child) USE(dwarf_diename) USE(dwarf_dieoffset) USE(dwarf_end) USE(dwarf_filesrc)               \
    USE(dwarf_formstring) USE(dwarf_formudata) USE(dwarf_frame_cfa) USE(dwarf_frame_register)                \
    USE(dwarf_get_units) USE(dwarf_getsrc_die) USE(dwarf_getsrcfiles) USE(dwarf_haspc)                       \
    USE(dwarf_lineno) USE(dwarf_linesrc) USE(dwarf_offdie) USE(dwarf_ranges) USE(dwarf_siblingof)            \
    USE(dwarf_tag) USE(dwfl_addrmodule) USE(dwfl_begin) USE(dwfl_end) USE(dwfl_getmodules)                   \
    USE(dwfl_lineinfo) USE(dwfl_linux_proc_find_elf) USE(dwfl_linux_proc_report)                             \
    USE(dwfl_module_eh_cfi) USE(dwfl_module_getdwarf) USE(dwfl_module_getelf) USE(dwfl_module_getsrc)        \
    USE(dwfl_module_getsrc_file) USE(dwfl_module_getsym_info) USE(dwfl_module_getsymtab)                     \
    USE(dwfl_module_info) USE(dwfl_offline_section_address) USE(dwfl_report_begin)                           \
    USE(dwfl_report_end) USE(dwfl_report_offline)
/* clang-format on */

typedef struct libdw_functions {
#define MEMBER(name) __typeof__(name) *name;
    LIBDW_FUNCTIONS(MEMBER)
#undef MEMBER
} libdw_functions;

/* @return NULL where it is not installed */
const libdw_functions *libdw(void);

#endif
