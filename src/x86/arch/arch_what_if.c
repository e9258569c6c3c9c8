/* arch_what_if.c - changed copies of a microarchitecture: setting parameters, and whether they still fit
 * together. */
#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "base/suggest.h"
#include "x86/arch/parameters.h"
#include "x86/arch/loaded.h"

enum {
    MOST_SHARED = 8 /* schedulers: a byte of a word counts what waits in each */
};

static int find(const char *name, bool *is_old, tacho_error *err)
{
    tacho_suggest s = {.wanted = name};
    tacho_arch_parameter p;
    const int found = tacho_arch_parameter_find(name, is_old);
    if (found >= 0)
        return found;
    for (size_t i = 0; tacho_arch_parameter_get(i, &p) == 0; i++)
        tacho_suggest_offer(&s, p.name);
    const char *near = tacho_suggest_text(&s);
    return tacho_error_set(err, TACHO_ERR_USAGE, "there is no parameter %.64s%s", name,
                           *near ? near : "; 'tacho arch NAME' lists them");
}

/* The figures name the ports of the real core. */
static uint32_t lowest(const tacho_arch *arch, const tacho_arch_parameter *p)
{
    const tacho_arch *table = tacho_arch_original(arch);
    return table && strcmp(p->name, "ports") == 0 ? table->ports : p->min;
}

const tacho_arch *tacho_arch_original(const tacho_arch *arch)
{
    const gen_arch *tables = arch_tables(arch);
    return tables ? &tables->arch : NULL;
}

tacho_arch *tacho_arch_copy(const tacho_arch *arch)
{
    tacho_arch *copy = tacho_mem_zalloc(1, sizeof *copy);
    if (copy) {
        *copy = *arch;
        loaded_use(arch->loaded);
    }
    return copy;
}

void tacho_arch_free(tacho_arch *copy)
{
    if (copy)
        loaded_release(copy->loaded);
    tacho_mem_free(copy);
}

int tacho_arch_parameter_set(tacho_arch *arch, const char *name, const char *value, tacho_error *err)
{
    tacho_arch_parameter p;
    tacho_arch changed = *arch;
    char words[120];
    bool is_old;
    int i = find(name, &is_old, err);
    if (i < 0)
        return i;
    changed.old_names |= is_old;
    tacho_arch_parameter_get((size_t)i, &p);
    if (tacho_arch_parameter_parse(&changed, (size_t)i, value) &&
        (strcmp(name, "ports") != 0 || changed.ports >= lowest(arch, &p))) {
        *arch = changed;
        return 0;
    }
    tacho_arch_parameter_describe(&p, lowest(arch, &p), words, sizeof words);
    return tacho_error_set(err, TACHO_ERR_USAGE, "%s is %s, not '%.64s'", name, words, value);
}

/* One parameter must be so large that another one has room in it. */
static int check_room(const char *name, uint32_t value, uint32_t least, const char *because, tacho_error *err)
{
    if (value >= least)
        return 0;
    return tacho_error_set(err, TACHO_ERR_USAGE, "parameter %s is %u; with %s it must be at least %u", name,
                           value, because, least);
}

/* Schedulers that loads and store addresses are bound to. */
static int check_shared(const tacho_arch *a, tacho_error *err)
{
    const char *missing = a->port_policy != TACHO_PORTS_AT_DISPATCH ? "port_policy must be 16"
                          : !a->address_scheduler_entries ? "address_scheduler_entries must be more than 0"
                          : a->alu_scheduler_parts        ? "alu_scheduler_parts must be 0"
                          : a->store_address_ports & ~a->load_ports ? "store addresses must go to load ports"
                          : __builtin_popcount(a->load_ports) > MOST_SHARED
                              ? "there must be at most 8 load ports"
                              : NULL;
    if (!a->shared_scheduler_entries || !missing)
        return 0;
    return tacho_error_set(err, TACHO_ERR_USAGE, "parameter shared_scheduler_entries is %u; %s then",
                           a->shared_scheduler_entries, missing);
}

/* A part without an ALU would keep its µops for ever. */
static int check_parts(const tacho_arch *a, tacho_error *err)
{
    const int alus = __builtin_popcount(a->alu_ports);
    return a->alu_scheduler_parts <= alus
               ? 0
               : tacho_error_set(err, TACHO_ERR_USAGE,
                                 "parameter alu_scheduler_parts is %u; alu_ports has %d ports only",
                                 a->alu_scheduler_parts, alus);
}

/* Of the stores and the vector µops: what one parameter needs of others. */
static int check_memory_and_vectors(const tacho_arch *a, tacho_error *err)
{
    if (a->store_gather_lines && !a->paired_stores_same_line)
        return tacho_error_set(err, TACHO_ERR_USAGE,
                               "parameter store_gather_lines is %u; paired_stores_same_line must be yes then",
                               a->store_gather_lines);
    const uint32_t written = a->store_write_bytes;
    if (written & (written - 1))
        return tacho_error_set(err, TACHO_ERR_USAGE, "parameter store_write_bytes is %u, no power of two",
                               written);
    if (written && (!a->paired_stores_same_line || a->store_gather_lines))
        return tacho_error_set(err, TACHO_ERR_USAGE,
                               "parameter store_write_bytes is %u; paired_stores_same_line must be yes and "
                               "store_gather_lines 0 then",
                               written);
    const uint32_t alu = a->alu_scheduler_entries, address = a->address_scheduler_entries;
    const bool vectors = a->vector_scheduler_entries > 0;
    return check_room("alu_scheduler_entries", alu, alu ? a->issue_width : 0, "this issue_width", err)
               ?: check_room("address_scheduler_entries", address, address ? TACHO_MAX_PORTS : 0, "so many ports",
                             err)
               ?: check_room("vector_queue_entries", a->vector_queue_entries, vectors ? a->issue_width : 0,
                             "a vector_scheduler_entries and this issue_width", err);
}

int tacho_arch_check(const tacho_arch *a, tacho_error *err)
{
    tacho_arch_parameter p;
    char text[80], words[120];
    if (a == tacho_arch_original(a))
        return 0; /* not a copy */
    for (size_t i = 0; i < tacho_arch_parameter_count(); i++) {
        if (tacho_arch_parameter_valid(a, i))
            continue;
        tacho_arch_parameter_get(i, &p);
        tacho_arch_parameter_text(a, i, text, sizeof text);
        tacho_arch_parameter_describe(&p, p.min, words, sizeof words);
        return tacho_error_set(err, TACHO_ERR_USAGE, "parameter %s is %s; it must be %s", p.name, text,
                               words);
    }
    if (a->ports > TACHO_MAX_BOUND_PORTS && a->port_policy != TACHO_PORTS_AT_DISPATCH)
        return tacho_error_set(err, TACHO_ERR_USAGE,
                               "parameter ports is %u; with port_policy=%u there are at most %d", a->ports,
                               a->port_policy, TACHO_MAX_BOUND_PORTS);
    uint32_t used = a->load_ports | a->store_address_ports | a->store_data_ports | a->store_data_alu_ports |
                    a->alu_ports | a->not_taken_branch_ports;
    if (used >> a->ports)
        return tacho_error_set(
            err, TACHO_ERR_USAGE,
            "parameter ports is %u: loads, stores, additions or branches name ports beyond that", a->ports);
    if (!a->load_ports || !a->store_address_ports || !a->store_data_ports || !a->alu_ports)
        return tacho_error_set(err, TACHO_ERR_USAGE,
                               "loads, store addresses, store data and additions need a port each");
    return check_room("decoders", a->decoders, a->fusible_on_last_decoder ? 1 : 2,
                      "fusible_on_last_decoder=no", err)
               ?: check_room("iq_entries", a->iq_entries, a->predecode_width, "this predecode_width", err)
               ?: check_room("idq_entries", a->idq_entries, a->dsb_width, "this dsb_width", err)
               ?: check_room("rob_entries", a->rob_entries, 2u * a->issue_width, "this issue_width", err)
               ?: check_room("rs_entries", a->rs_entries, 2u * a->issue_width, "this issue_width", err)
               ?: check_room("mispredict_cycles", a->mispredict_cycles, a->issue_to_dispatch_cycles + 1u,
                             "this issue_to_dispatch_cycles", err)
               ?: check_shared(a, err) ?: check_parts(a, err) ?: check_memory_and_vectors(a, err);
}
