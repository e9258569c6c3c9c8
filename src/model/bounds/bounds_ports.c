/* bounds_ports.c - how long an iteration's µops need their ports and the divider, and the initiation
 * intervals of instructions that are not fully pipelined. */
#include "base/number.h"
#include "model/bounds/bounds.h"

#include <math.h>

enum {
    MAX_SETS = 64, /* distinct port sets that are told apart; further ones are left out */
    FEW_PORTS = 10,
    FEW_UNIONS = 1 << FEW_PORTS
};

typedef struct port_use {
    uint16_t set[MAX_SETS];
    uint32_t count[MAX_SETS];
    uint32_t n, total;
} port_use;

static void count_uop(port_use *use, uint16_t ports)
{
    use->total++;
    for (uint32_t j = 0; j < use->n; j++)
        if (use->set[j] == ports) {
            use->count[j]++;
            return;
        }
    if (use->n == MAX_SETS)
        return;
    use->set[use->n] = ports;
    use->count[use->n++] = 1;
}

/* Once for each cycle that it holds its port. */
static void count_held(port_use *use, const block *b, const block_insn *bi, const uop *u)
{
    for (uint32_t n = u->ports && !u->needs_no_port ? block_port_cycles(b->arch, bi, u) : 0; n; n--)
        count_uop(use, u->ports);
}

static void count_insn(port_use *use, const block *b, const block_insn *bi)
{
    if (bi->eliminable && !bounds_eliminates(b->arch, bi))
        count_uop(use, b->uops[bi->uneliminated_first].ports);
    for (uint32_t k = 0; k < bi->uop_count; k++)
        count_held(use, b, bi, &b->uops[bi->uop_first + k]);
}

static void count_block(port_use *use, const bounds_input *in, const stack_syncs *syncs)
{
    const block *b = in->b;
    use->n = use->total = 0;
    for (uint32_t i = 0; i < b->insn_count; i++)
        count_insn(use, b, &b->insns[i]);
    for (uint32_t k = 0; k < syncs->count; k++)
        count_uop(use, b->arch->alu_ports);
}

typedef struct port_maximum {
    uint32_t uops, ports; /* their quotient */
    uint32_t set;
} port_maximum;

/* The µops that can go nowhere but to `ports`. */
static void weigh_union(port_maximum *best, const port_use *use, uint32_t ports)
{
    uint32_t uops = 0, size = bits_in_16(ports);
    if (use->total * best->ports <= best->uops * size)
        return; /* not even all of them would be more */
    for (uint32_t j = 0; j < use->n; j++)
        uops += use->set[j] & ~ports ? 0 : use->count[j];
    if (uops * best->ports > best->uops * size)
        *best = (port_maximum){uops, size, ports};
}

/* The busiest set of ports is a union of sets that occur, in which each set shares a port with another one.
 * These are all such unions, beginning with the single sets. `known`: a bit for each set of ports, all clear.
 */
static port_maximum find_busiest(const port_use *use, uint16_t *unions, uint64_t *known)
{
    port_maximum best = {0, 1, 0};
    uint32_t n = 0;
    for (uint32_t j = 0; j < use->n; j++) {
        known[use->set[j] / 64] |= (uint64_t)1 << use->set[j] % 64;
        unions[n++] = use->set[j];
    }
    for (uint32_t k = 0; k < n; k++) {
        weigh_union(&best, use, unions[k]);
        for (uint32_t j = 0; j < use->n; j++) {
            uint16_t more = unions[k] | use->set[j];
            if (!(unions[k] & use->set[j]) || (known[more / 64] >> more % 64 & 1))
                continue;
            known[more / 64] |= (uint64_t)1 << more % 64;
            unions[n++] = more;
        }
    }
    return best;
}

/* The same for many ports: there are as many unions as sets and ports allow. */
static bool find_busiest_of_many(port_maximum *best, const port_use *use, uint32_t ports, arena *a)
{
    uint32_t most = (uint32_t)1 << (use->n < ports ? use->n : ports);
    uint16_t *unions = arena_alloc_raw(a, most * sizeof *unions);
    uint64_t *known = arena_alloc(a, ((size_t)1 << ports) / 64 * sizeof *known);
    if (!unions || !known)
        return false;
    *best = find_busiest(use, unions, known);
    return true;
}

/* Cycles of these ports that the instruction's µops hold, as they can go nowhere else. */
static uint32_t cycles_held(const block *b, const block_insn *bi, uint32_t ports)
{
    port_use use = {.n = 0};
    uint32_t cycles = 0;
    count_insn(&use, b, bi);
    for (uint32_t j = 0; j < use.n; j++)
        cycles += use.set[j] & ~ports ? 0 : use.count[j];
    return cycles;
}

static bool explain_ports(busiest_ports *out, const bounds_input *in, uint32_t ports)
{
    const block *b = in->b;
    *out = (busiest_ports){.ports = (uint16_t)ports};
    if (!ports || !in->options->details)
        return true;
    out->cycles = arena_alloc_raw(in->memory, b->insn_count * sizeof *out->cycles);
    for (uint32_t i = 0; out->cycles && i < b->insn_count; i++)
        out->cycles[i] = cycles_held(b, &b->insns[i], ports);
    return out->cycles;
}

double bounds_ports(const bounds_input *in, const stack_syncs *syncs, double store_cycles,
                    busiest_ports *busiest)
{
    port_use use;
    port_maximum best;
    count_block(&use, in, syncs);
    if (in->b->arch->ports <= FEW_PORTS) {
        uint16_t unions[FEW_UNIONS];
        uint64_t known[FEW_UNIONS / 64] = {0};
        best = find_busiest(&use, unions, known);
    } else if (!find_busiest_of_many(&best, &use, in->b->arch->ports, in->memory)) {
        return NAN;
    }
    double cycles = (double)best.uops / best.ports;
    if (!explain_ports(busiest, in, store_cycles > cycles ? 0 : best.set))
        return NAN;
    return store_cycles > cycles ? store_cycles : cycles;
}

double bounds_divider(const block *b)
{
    double cycles = 0;
    for (uint32_t i = 0; i < b->uop_count; i++)
        cycles += b->uops[i].div_cycles;
    return cycles / b->arch->dividers;
}

/* Instructions of one form share one initiation interval. */
double bounds_start_intervals(const block *b)
{
    uint32_t most = 0;
    bool any = false;
    for (uint32_t i = 0; i < b->insn_count; i++) {
        if (!b->insns[i].tp_cycles || b->insns[i].throttle_owner != i)
            continue;
        uint32_t cycles = 0;
        for (uint32_t k = i; k < b->insn_count; k++)
            cycles += b->insns[k].throttle_owner == i ? b->insns[k].tp_cycles : 0;
        most = cycles > most ? cycles : most;
        any = true;
    }
    return any ? most : NAN;
}
