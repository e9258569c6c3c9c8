/* loops_sweep.c - code without symbols, cut into pieces that seem to be functions.
 *
 * Code is decoded from one end to the other. A cut is made after an instruction that control does not pass (a
 * jump, a return, bytes that are no instruction), unless a branch leads across: a conditional branch, or a
 * jump that is too short to be a call in tail position. The pieces need not be functions; they only must
 * contain their loops whole. */
#include "base/mem.h"
#include "x86/flow/code_search.h"

enum {
    MAX_JUMP_BYTES = 4096 /* a longer jump is taken for a call in tail position */
};

typedef struct sweeper {
    tacho_error *err;
    size_t *cuts; /* where pieces begin: a stack */
    size_t count, capacity;
    size_t reach; /* branches lead up to here */
} sweeper;

static int push(sweeper *s, size_t at)
{
    if (tacho_mem_grow(&s->cuts, &s->capacity, s->count + 1, sizeof *s->cuts))
        return tacho_no_memory(s->err);
    s->cuts[s->count++] = at;
    return 0;
}

static void note_branch(sweeper *s, const code_span *span, size_t next, insn_flow flow, int64_t distance)
{
    int64_t target = (int64_t)next + distance;
    if (target < (int64_t)span->start || target >= (int64_t)span->end)
        return;
    if (flow == FLOW_JUMP && (distance > MAX_JUMP_BYTES || distance < -MAX_JUMP_BYTES))
        return;
    if ((size_t)target >= next) {
        s->reach = (size_t)target > s->reach ? (size_t)target : s->reach;
        return;
    }
    while (s->count > 1 && s->cuts[s->count - 1] > (size_t)target)
        s->count--;
}

/* Where the next piece may begin: after the padding. */
static size_t skip_padding(const code_span *span, size_t at)
{
    tacho_insn insn;
    while (at < span->end) {
        if (span->section->bytes[at] == 0xcc)
            at++;
        else if (!tacho_decode(&insn, span->section->bytes + at, span->end - at, NULL) && insn.is_nop)
            at += insn.length;
        else
            break;
    }
    return at;
}

static int find_cuts(sweeper *s, const code_span *span)
{
    int rc = push(s, span->start);
    for (size_t at = span->start; at < span->end && !rc;) {
        tacho_insn insn;
        int64_t distance = 0;
        insn_flow flow = FLOW_STOP;
        size_t next = at + 1;
        if (!tacho_decode(&insn, span->section->bytes + at, span->end - at, NULL)) {
            flow = tacho_insn_flow_of(&insn, &distance);
            next = at + insn.length;
        }
        if (flow == FLOW_JUMP || flow == FLOW_BRANCH)
            note_branch(s, span, next, flow, distance);
        at = next;
        if (flow <= FLOW_CALL || flow == FLOW_BRANCH)
            continue;
        at = skip_padding(span, at);
        if (at > s->reach && at < span->end)
            rc = push(s, at);
    }
    return rc;
}

int tacho_spans_split(span_list *out, code_span span, tacho_error *err)
{
    sweeper s = {.err = err};
    if (span.start) /* a NOP that begins a section is no padding */
        span.start = skip_padding(&span, span.start);
    if (span.end <= span.start)
        return 0;
    int rc = find_cuts(&s, &span);
    for (size_t i = 0; i < s.count && !rc; i++) {
        code_span piece = {span.section, s.cuts[i], i + 1 < s.count ? s.cuts[i + 1] : span.end, span.name};
        rc = tacho_spans_add(out, piece, err);
    }
    tacho_mem_free(s.cuts);
    return rc;
}
