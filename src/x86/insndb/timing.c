/* timing.c - what an instruction takes when it is alone: its latency, and how often independent copies of it
 * can start. This is what tables of instructions list; how a block behaves is the simulator's business. */

#include "base/number.h"
#include "tacho/insndb.h"
#include "x86/arch/arch_struct.h"

enum {
    MAX_SETS = 16 /* different sets of ports among an instruction's µops; tables have up to 11 */
};

typedef struct port_sets {
    uint16_t ports[MAX_SETS], uops[MAX_SETS]; /* uops: times the cycles that each holds its port */
    unsigned count;
} port_sets;

/* Has 512 bits in a register, in memory. */
typedef struct wide {
    bool registers, memory;
} wide;

static wide wide_operands(const tacho_form *form)
{
    wide w = {0};
    for (int i = 0; form && i < form->visible_count; i++)
        if (form->operands[i].width_bits == 512) {
            w.registers |= form->operands[i].kind == TACHO_OPERAND_REG;
            w.memory |= form->operands[i].kind == TACHO_OPERAND_MEM;
        }
    return w;
}

/* How long a µop holds one of these ports; the simulator has the same of µops: block_port_cycles. */
static uint16_t held_cycles(const tacho_arch *arch, wide w, uint16_t ports)
{
    const uint16_t memory = arch->load_ports | arch->store_address_ports | arch->store_data_ports;
    if (!w.registers || !(ports & (uint16_t)~arch->from_general_ports) ||
        (ports & (uint16_t)~arch->zmm_two_cycle_ports))
        return 1;
    return ports & (uint16_t)~memory || w.memory ? 2 : 1;
}

/* Of a group's ports, those for accesses of 512 bits, where not all take them. */
static uint16_t open_ports(const tacho_arch *arch, wide w, uint16_t ports)
{
    const uint16_t of_512 = !(ports & (uint16_t)~arch->load_ports)         ? arch->load_ports_512
                            : !(ports & (uint16_t)~arch->store_data_ports) ? arch->store_data_ports_512
                                                                           : 0;
    return w.memory && ports & of_512 ? ports & of_512 : ports;
}

static bool collect(port_sets *out, const tacho_arch *arch, wide w, const tacho_variant *v)
{
    out->count = 0;
    for (unsigned g = 0; g < v->group_count; g++) {
        const uint16_t ports = open_ports(arch, w, v->groups[g].ports);
        unsigned k = 0;
        while (k < out->count && out->ports[k] != ports)
            k++;
        if (k == MAX_SETS)
            return false;
        if (k == out->count) {
            out->ports[k] = ports;
            out->uops[k] = 0;
            out->count++;
        }
        out->uops[k] = (uint16_t)(out->uops[k] + v->groups[g].count * held_cycles(arch, w, ports));
    }
    return true;
}

/* The busiest ports are a union of the sets that occur; its µops can go nowhere else. */
static double port_cycles(const tacho_arch *arch, wide w, const tacho_variant *v)
{
    port_sets s;
    double most = 0;
    if (!collect(&s, arch, w, v))
        return NAN;
    for (uint32_t chosen = 1; chosen < 1u << s.count; chosen++) {
        uint16_t ports = 0;
        uint32_t uops = 0;
        for (unsigned k = 0; k < s.count; k++)
            ports |= chosen >> k & 1 ? s.ports[k] : 0;
        for (unsigned k = 0; k < s.count; k++)
            uops += s.ports[k] & ~ports ? 0 : s.uops[k];
        double cycles = ports ? (double)uops / bits_in_16(ports) : 0;
        most = cycles > most ? cycles : most;
    }
    return most;
}

double tacho_form_throughput(const tacho_arch *arch, const tacho_form *form, const tacho_variant *v)
{
    double limits[] = {port_cycles(arch, wide_operands(form), v), (double)v->div_cycles / arch->dividers,
                       v->tp_cycles, arch->issue_width ? (double)v->retire_slots / arch->issue_width : 0};
    double most = limits[0];
    for (unsigned i = 1; i < sizeof limits / sizeof *limits && !isnan(most); i++)
        most = limits[i] > most ? limits[i] : most;
    return most;
}

double tacho_variant_throughput(const tacho_arch *arch, const tacho_variant *v)
{
    return tacho_form_throughput(arch, NULL, v);
}

/* The largest of one pair of operands. Data that comes from memory is left out: its figure is the way from a
 * store through the cache, while that of the address has the load. */
static int pair_cycles(const tacho_latency *l, bool same_register)
{
    const int16_t all[] = {l->cycles, l->address, l->address_index};
    int most = TACHO_NO_LATENCY;
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        most = all[i] > most ? all[i] : most;
    return same_register && l->same_register != TACHO_NO_LATENCY ? l->same_register : most;
}

double tacho_form_latency(const tacho_form *form, const tacho_figures *f, const tacho_variant *v)
{
    bool same = f->has_same_register && v == &f->same_register;
    int most = TACHO_NO_LATENCY;
    if (same && !v->uops)
        return 0; /* the renamer knows the result */
    for (unsigned i = 0; i < f->latency_count; i++) {
        const tacho_latency *l = &f->latencies[i];
        if (l->target >= form->operand_count || form->operands[l->target].kind == TACHO_OPERAND_MEM)
            continue;
        int cycles = pair_cycles(l, same);
        most = cycles > most ? cycles : most;
    }
    return most == TACHO_NO_LATENCY ? NAN : most;
}
