/* loaded.h - a microarchitecture that tacho_arch_load has read: its tables, shared by the tacho_arch that it
 * returned and all copies of that. */
#ifndef TACHO_ARCH_LOADED_H
#define TACHO_ARCH_LOADED_H

#include <stdatomic.h>

#include "base/arena.h"
#include "base/private.h"
#include "x86/arch/tables.h"

typedef struct loaded_source {
    const char *text;
    uint32_t origins; /* as in gen_source */
} loaded_source;

typedef struct loaded_tables {
    gen_arch tables;        /* with .arch as it was loaded; without pages and sources */
    const gen_arch *parent; /* NULL, or what has the figures of forms that have none here */
    uint16_t *forms;        /* by form: in figures, or GEN_NONE */
    gen_figures *figures;   /* with numbers of `sources` */
    gen_variant *variants;
    tacho_latency *latencies;
    tacho_port_group *groups;
    const loaded_source *sources; /* in tacho_figures they come after the built-in ones */
    int source_count;
    tacho_origin inherited; /* what is nearest for the parent is as near as this */
    arena texts;            /* what is pointed to, but for the arrays above */
    atomic_uint users;
} loaded_tables;

/** NULL is one of no account. */
void loaded_use(loaded_tables *t);
void loaded_release(loaded_tables *t);

/** NULL: `arch` is not one of ours. */
static inline const gen_arch *arch_tables(const tacho_arch *arch)
{
    return arch->loaded                         ? &arch->loaded->tables
           : arch->index < tacho_gen_arch_count ? &tacho_gen_archs[arch->index]
                                                : NULL;
}

/** What a copy was made of: a built-in microarchitecture, or one as it was loaded. Itself, if it is none. */
TACHO_PRIVATE const tacho_arch *tacho_arch_original(const tacho_arch *arch);

/** Whether it is this machine's: what tacho_arch_find says is "native"; of loaded ones those that say so by
 * CPUID's model, or are of the same core. */
TACHO_PRIVATE bool tacho_arch_is_native(const tacho_arch *arch);

/** Whose ports figures of `arch` name, which may have been given others by parameters: a what-if run changes
 * a copy's, a loaded one those of the one that it inherits; figures with that `source` may be its own. */
static inline const tacho_arch *arch_of_ports(const tacho_arch *arch, uint16_t source)
{
    const loaded_tables *loaded = arch->loaded;
    return loaded && loaded->parent && source < tacho_gen_source_count ? &loaded->parent->arch
                                                                       : &arch_tables(arch)->arch;
}

/* ---- which microarchitecture a processor has ---- */

enum {
    OTHER_VENDOR = GEN_AMD + 1
};

/** What CPUID says of it. */
typedef struct processor {
    unsigned vendor, family, model, stepping; /* vendor: a gen_vendor */
} processor;

/** NULL: none that is known. */
TACHO_PRIVATE const tacho_arch *tacho_processor_arch(const processor *p);

#endif
