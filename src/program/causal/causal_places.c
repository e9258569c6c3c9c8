/* causal_places.c - places, and processes in which they are. */
#include "program/causal/causal_places.h"

#include <string.h>

#include "base/mem.h"

static const double least_share = 0.02; /* of the samples: less cannot be worth much */

void places_free_all(causal_places *p)
{
    for (size_t i = 0; i < p->process_count; i++)
        stacks_free(p->processes[i].stacks);
    code_free(p->code);
    TACHO_MEM_FREE(p->list, p->processes);
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

static uint32_t add_place(causal_places *p, thread_stacks *stacks, uint64_t address, bool named)
{
    log_place where;
    stacks_place(stacks, address, &p->texts, &where);
    if (named)
        stacks_name(stacks, address, &p->texts, &where);
    else
        where.address = 0;
    p->failed |= tacho_mem_grow(&p->list, &p->capacity, p->count + 1, sizeof *p->list) != 0;
    if (p->failed)
        return PLACE_NONE;
    p->list[p->count] = (causal_place){.where = where};
    return (uint32_t)p->count++;
}

/* The function, or the file where it has no name. */
static uint32_t find_function(causal_places *p, thread_stacks *stacks, uint64_t address)
{
    const uint64_t begins = stacks_function(stacks, address);
    log_place where;
    stacks_place(stacks, begins ? begins : address, NULL, &where);
    if (!where.object)
        return PLACE_NONE;
    where.address = begins ? where.address : 0;
    for (size_t i = 0; i < p->count; i++)
        if (is_same(&p->list[i].where, &where))
            return (uint32_t)i;
    return add_place(p, stacks, begins ? begins : address, begins != 0);
}

static uint32_t find_asked(causal_places *p, thread_stacks *stacks, uint64_t address)
{
    if (!stacks_is_in(stacks, address, p->asked))
        return PLACE_NONE;
    const uint64_t begins = strchr(p->asked, ':') ? 0 : stacks_function(stacks, address);
    return p->count ? 0 : add_place(p, stacks, begins ? begins : address, true);
}

uint32_t places_of(causal_places *p, uint64_t pid, uint64_t address)
{
    const placed_process *process = process_of(p, pid);
    thread_stacks *stacks = process ? process->stacks : NULL;
    const uint32_t place = !stacks    ? PLACE_NONE
                           : p->asked ? find_asked(p, stacks, address)
                                      : find_function(p, stacks, address);
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
