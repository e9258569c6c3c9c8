/* causal_places.c - an address is looked up once. */
#include "program/causal/causal_places.h"

#include "base/hash.h"
#include "base/mem.h"

static const double least_share = 0.02; /* of the samples: less cannot be worth much */

void places_free_all(causal_places *p)
{
    for (size_t i = 0; i < p->process_count; i++)
        stacks_free(p->processes[i].stacks);
    code_free(p->code);
    TACHO_MEM_FREE(p->list, p->addresses, p->processes);
    hash_index_free(&p->by_address);
    arena_free(&p->texts);
}

static placed_process *process_of(const causal_places *p, uint64_t pid)
{
    for (size_t i = p->process_count; i-- > 0;)
        if (p->processes[i].pid == (pid_t)pid)
            return &p->processes[i];
    return NULL;
}

void places_begin(causal_places *p, uint64_t pid)
{
    placed_process *known = process_of(p, pid);
    p->code = p->code ? p->code : code_new();
    if (known) {
        stacks_free(known->stacks);
        known->stacks = stacks_new((pid_t)pid, p->code);
        for (size_t i = 0; i < p->address_count; i++) /* those were of another program */
            if (p->addresses[i].process == pid)
                p->addresses[i].process = 0;
    } else if (tacho_mem_grow(&p->processes, &p->process_capacity, p->process_count + 1,
                              sizeof *p->processes)) {
        p->failed = true;
    } else {
        p->processes[p->process_count++] = (placed_process){(pid_t)pid, stacks_new((pid_t)pid, p->code)};
    }
}

static bool is_same(const log_place *a, const log_place *b)
{
    return a->address == b->address && a->object && b->object && !strcmp(a->object, b->object);
}

static uint32_t add_place(causal_places *p, const log_place *where)
{
    p->failed |= tacho_mem_grow(&p->list, &p->capacity, p->count + 1, sizeof *p->list) != 0;
    if (p->failed)
        return PLACE_NONE;
    p->list[p->count] = (causal_place){.where = *where};
    return (uint32_t)p->count++;
}

/* The function, or the file where it has no name. */
static uint32_t find_function(causal_places *p, thread_stacks *stacks, uint64_t address)
{
    const uint64_t begins = stacks_function(stacks, address);
    log_place where;
    stacks_place(stacks, begins ? begins : address, &p->texts, &where);
    if (!where.object)
        return PLACE_NONE;
    where.address = begins ? where.address : 0;
    for (size_t i = 0; i < p->count; i++)
        if (is_same(&p->list[i].where, &where))
            return (uint32_t)i;
    if (begins)
        stacks_name(stacks, begins, &p->texts, &where);
    return add_place(p, &where);
}

static uint32_t find_asked(causal_places *p, thread_stacks *stacks, uint64_t address)
{
    log_place where;
    if (!stacks_is_in(stacks, address, p->asked))
        return PLACE_NONE;
    if (p->count)
        return 0;
    const uint64_t begins = strchr(p->asked, ':') ? 0 : stacks_function(stacks, address);
    stacks_place(stacks, begins ? begins : address, &p->texts, &where);
    stacks_name(stacks, begins ? begins : address, &p->texts, &where);
    return add_place(p, &where);
}

static uint32_t look_up(causal_places *p, uint64_t pid, uint64_t address)
{
    const placed_process *process = process_of(p, pid);
    if (!process || !process->stacks)
        return PLACE_NONE;
    return p->asked ? find_asked(p, process->stacks, address) : find_function(p, process->stacks, address);
}

uint32_t places_of(causal_places *p, uint64_t pid, uint64_t address)
{
    const uint64_t hash = hash_add(hash_mix(address), pid);
    hash_probe probe;
    uint32_t place = PLACE_NONE;
    for (probe = hash_find(&p->by_address, hash); hash_next(&probe);) {
        const placed_address *a = &p->addresses[probe.item];
        if (a->address == address && a->process == pid)
            break;
    }
    if (probe.item != HASH_INDEX_NONE) {
        place = p->addresses[probe.item].place;
    } else {
        place = look_up(p, pid, address);
        p->failed |=
            tacho_mem_grow(&p->addresses, &p->address_capacity, p->address_count + 1, sizeof *p->addresses) ||
            hash_add_item(&p->by_address, hash, (uint32_t)p->address_count);
        if (!p->failed)
            p->addresses[p->address_count++] = (placed_address){pid, address, place};
    }
    p->samples++;
    if (place != PLACE_NONE)
        p->list[place].samples++;
    return place;
}

size_t places_hot(const causal_places *p, uint32_t *out, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (!p->asked && (double)p->list[i].samples < least_share * (double)p->samples)
            continue;
        size_t at = count < most ? count++ : most;
        for (; at > 0 && p->list[out[at - 1]].samples < p->list[i].samples; at--)
            if (at < most)
                out[at] = out[at - 1];
        if (at < most)
            out[at] = (uint32_t)i;
    }
    return count;
}

uint64_t places_point(const causal_places *p, const char *text, uint64_t *pid)
{
    uint64_t found = 0;
    for (size_t i = p->process_count; i-- > 0 && !found;) {
        *pid = (uint64_t)p->processes[i].pid;
        found = p->processes[i].stacks ? stacks_point(p->processes[i].stacks, text) : 0;
    }
    return found;
}
