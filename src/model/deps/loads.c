/* loads.c - which stores a load reads from, byte by byte; also notes stores for later loads. */
#include "model/deps/deps_internal.h"

static uint8_t at_most_255(uint32_t n)
{
    return (uint8_t)(n < 255 ? n : 255);
}

/* How many of so many bytes a store wrote last. */
static uint32_t bytes_of(const machine *m, const store *from, uint64_t address, uint32_t bytes)
{
    uint32_t n = 0;
    int64_t before = (int64_t)(address - from->address); /* bytes that the store wrote before these */
    uint32_t first = before < 0 ? (uint32_t)-before : 0;
    int64_t end = (int64_t)from->bytes - before;
    for (uint32_t i = first; i < bytes && (int64_t)i < end; i++)
        n += machine_writer(m, address + i) == from;
    return n;
}

/* Bytes of a load that one store wrote are one dependency, also if bytes of another store lie between them.
 */
static void note_source(const moment *now, const machine *m, const store *from, tacho_dependency *d)
{
    uint64_t back =
        (uint64_t)(now->iteration - from->iteration) * now->r->out.insn_count + now->number - from->insn;
    d->distance = now->iteration - from->iteration;
    if (now->counts) {
        back = m->time - from->time;
        d->distance = now->counts[from->insn] - from->iteration + (from->insn >= now->number);
    }
    if (back > now->options->window)
        return;
    d->source = from->insn;
    d->back = (uint32_t)back;
    d->store_bytes = at_most_255(from->bytes);
    findings_note(now->findings, d, now->iteration);
}

static void note_load(const moment *now, const machine *m, const tacho_operand *o, uint64_t address,
                      uint32_t bytes)
{
    for (uint32_t i = 0, run; i < bytes; i += run) {
        const store *from = machine_writer(m, address + i);
        for (run = 1; i + run < bytes && machine_writer(m, address + i + run) == from;)
            run++;
        if (!from || bytes_of(m, from, address, i))
            continue;
        uint32_t n = run + bytes_of(m, from, address + i + run, bytes - i - run);
        tacho_dependency d = {.target = now->number,
                              .kind = TACHO_DEPENDENCY_MEMORY,
                              .mem = o->mem,
                              .bytes = at_most_255(n),
                              .load_bytes = at_most_255(bytes),
                              .offset = (int16_t)(int64_t)(address - from->address)};
        note_source(now, m, from, &d);
    }
}

static uint32_t access_bytes(const tacho_operand *o)
{
    uint32_t bytes = o->width_bits / 8;
    return bytes <= MACHINE_MAX_ACCESS ? bytes : 0;
}

void loads_note(const moment *now, machine *m, const addresses *a, unsigned access)
{
    const found_deps *r = now->r;
    for (size_t k = now->first_access; k < r->out.access_count && r->accesses[k].insn == now->number; k++) {
        int operand = r->accesses[k].operand;
        const tacho_operand *o = &r->insns[now->number].operands[operand];
        uint32_t bytes = access_bytes(o);
        if (!(o->access & access))
            continue;
        r->accesses[k].unknown |= !a->of[operand].known || !bytes;
        bytes *= a->repeats;
        if (!a->of[operand].known || !bytes)
            continue;
        if (access == TACHO_READ && !now->options->no_memory)
            note_load(now, m, o, a->of[operand].bits, bytes);
        else if (access == TACHO_WRITE)
            machine_store(m, a->of[operand].bits, bytes, now->number, now->iteration);
    }
}
