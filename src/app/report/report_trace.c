/* report_trace.c - keeps what a trace's listener is told. */
#include "app/report/report_trace.h"

#include <string.h>

#include "base/mem.h"

static int keep_uop(const tacho_trace_uop *u, void *payload)
{
    report_trace *t = payload;
    if (t->full)
        return 0;
    if (t->uop_count == REPORT_TRACE_MAX_UOPS)
        return REPORT_TRACE_TOO_LONG;
    bool next_iteration = t->uop_count && u->iteration != t->uops[t->uop_count - 1].iteration;
    if (next_iteration && !t->listener.max_iterations && t->uop_count >= REPORT_TRACE_USUAL_UOPS) {
        t->full = true;
        t->iterations = u->iteration;
        return 0;
    }
    if (tacho_mem_grow(&t->uops, &t->uop_capacity, t->uop_count + 1, sizeof *t->uops) ||
        tacho_mem_grow(&t->first_edge, &t->first_edge_capacity, t->uop_count + 2, sizeof *t->first_edge) ||
        tacho_mem_grow(&t->edges, &t->edge_capacity, t->edge_count + u->edge_count + 1, sizeof *t->edges))
        return REPORT_TRACE_NO_MEMORY;
    if (u->edge_count)
        memcpy(t->edges + t->edge_count, u->edges, u->edge_count * sizeof *u->edges);
    t->first_edge[t->uop_count] = t->edge_count;
    t->uops[t->uop_count] = *u;
    t->uops[t->uop_count++].edges = NULL;
    t->edge_count += u->edge_count;
    return 0;
}

static int keep_cycle(const tacho_trace_cycle *c, void *payload)
{
    report_trace *t = payload;
    if (t->full && c->cycle > t->uops[t->uop_count - 1].retired)
        return 0;
    if (tacho_mem_grow(&t->cycles, &t->cycle_capacity, t->cycle_count + 1, sizeof *t->cycles))
        return REPORT_TRACE_NO_MEMORY;
    t->cycles[t->cycle_count++] = *c;
    if (!t->full)
        t->iterations = c->iterations;
    return 0;
}

void report_trace_start(report_trace *t, uint32_t iterations)
{
    t->uop_count = t->edge_count = t->cycle_count = 0;
    t->iterations = 0;
    t->full = false;
    t->listener = (tacho_trace_listener){keep_uop, keep_cycle, t, iterations, 0};
}

void report_trace_finish(report_trace *t)
{
    if (t->listener.max_iterations && t->iterations > t->listener.max_iterations)
        t->iterations = t->listener.max_iterations;
    while (t->uop_count && t->uops[t->uop_count - 1].iteration >= t->iterations)
        t->uop_count--;
    size_t end = t->uop_count ? (size_t)t->uops[t->uop_count - 1].retired + 1 : 0;
    if (t->cycle_count > end)
        t->cycle_count = end;
}

void report_trace_free(report_trace *t)
{
    TACHO_MEM_FREE(t->uops, t->first_edge, t->edges, t->cycles);
    *t = (report_trace){0};
}

const tacho_trace_edge *report_trace_edges(const report_trace *t, size_t uop)
{
    return t->edges + t->first_edge[uop];
}

/* ymm0 rather than zmm0 where the instruction says so. */
static tacho_reg as_written(const tacho_insn *insn, tacho_reg reg)
{
    for (unsigned i = 0; i < insn->operand_count && i < TACHO_MAX_OPERANDS; i++) {
        const tacho_operand *o = &insn->operands[i];
        if (o->kind == TACHO_OPERAND_REG && tacho_reg_same_full(o->reg, reg))
            return o->reg;
        if (o->kind == TACHO_OPERAND_MEM && tacho_reg_same_full(o->mem.index, reg))
            return o->mem.index;
    }
    return reg;
}

const char *report_carrier_name(const report_subject *s, uint32_t instruction, tacho_trace_carrier carrier,
                                tacho_reg reg)
{
    switch (carrier) {
    case TACHO_TRACE_REGISTER:
        if (reg.class_ == TACHO_REG_ZMM)
            reg = as_written(s->prediction->instructions[instruction]->insn, reg);
        return tacho_reg_name(reg);
    case TACHO_TRACE_FLAGS:
        return reg.number == TACHO_FLAG_C ? "carry flag" : "flags";
    case TACHO_TRACE_MEMORY:
        return "memory";
    default:
        return "";
    }
}

const char *report_title(const report_subject *s)
{
    return s->region->name ? s->region->name : s->input;
}
