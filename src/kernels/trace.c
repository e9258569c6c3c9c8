/* trace.c - a region cut into pieces along the way that it really takes: the kernel is stepped through, and
 * windows of some thousand instructions are cut out of the trace, each of which is then predicted as the body
 * of a loop.
 *
 * What lifting block by block cannot see is in a window: that loops of few iterations overlap with what comes
 * before and after them, and what blocks have to do with each other, through registers and memory. As Gus
 * does (F. Gruber, 2019), it needs a run. A window has copies of code that in truth is in one place, so
 * fetching and decoding are not to be predicted; but no more than one branch a cycle is taken. The registers
 * with which a window begins are known, so that its addresses are. Of long traces only some windows are
 * taken, evenly spread. */
#include <stdio.h>
#include <string.h>

#include "kernels/kernels.h"
#include "kernels/loader.h"
#include "tacho/decode.h"
#include "util/mem.h"

enum {
    WINDOW = 1000, /* instructions: several reorder buffers */
    WINDOWS = 24,  /* of a variant, at most */
    SLACK = 256,   /* instructions beyond, to end with a branch */
    WINDOW_BYTES = (WINDOW + SLACK) * TACHO_MAX_INSN_BYTES,
    PAGE = 4096
};

/* An instruction, decoded once. */
typedef struct step {
    const loader_code *code;
    uint8_t length;       /* 0: no instruction */
    uint8_t displacement; /* where one that counts from the instruction's end lies; 0: there is none */
    bool is_branch;
} step;

/* A window that is being put together. */
typedef struct window {
    uint64_t first, insn_count, taken;
    size_t size;
    uint8_t bytes[WINDOW_BYTES];
} window;

typedef struct tracing {
    const loader_control *control;
    uint64_t count; /* instructions in the trace */
    step *steps;    /* by slot */
    window *now;
    kernels_piece *pieces;
    size_t piece_count;
} tracing;

static uint8_t place_of_displacement(const tacho_insn *insn)
{
    for (int i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].mem.base.class_ == TACHO_REG_RIP &&
            (insn->operands[i].kind == TACHO_OPERAND_MEM || insn->operands[i].kind == TACHO_OPERAND_AGEN))
            return (uint8_t)(insn->opcode_offset + 2); /* behind ModRM */
    return 0;
}

static const step *step_at(tracing *t, uint64_t i)
{
    const uint64_t address = t->control->trace[i];
    uint32_t slot = loader_slot(address);
    for (uint32_t tries = 0; t->control->code[slot].address != address; tries++) {
        if (tries == LOADER_CODE_MAX)
            return NULL;
        slot = (slot + 1) & (LOADER_CODE_MAX - 1);
    }
    step *s = &t->steps[slot];
    if (!s->code) {
        tacho_insn insn;
        s->code = &t->control->code[slot];
        size_t size = s->code->size < LOADER_INSN_BYTES ? s->code->size : LOADER_INSN_BYTES;
        if (!tacho_decode(&insn, s->code->bytes, size, NULL)) {
            s->length = insn.length;
            s->displacement = place_of_displacement(&insn);
            s->is_branch = insn.is_branch;
        }
    }
    return s->length ? s : NULL;
}

/* Copies an instruction to the window's end. What it reaches from its own address stays where it is, counted
 * from the page of the trace's first instruction, so that all copies reach the same. */
static void put(tracing *t, const step *s)
{
    uint8_t *to = t->now->bytes + t->now->size;
    memcpy(to, s->code->bytes, s->length);
    if (s->displacement) {
        uint32_t disp,
            moved = (uint32_t)(s->code->address - t->control->trace[0] / PAGE * PAGE - t->now->size);
        memcpy(&disp, to + s->displacement, sizeof disp);
        disp += moved;
        memcpy(to + s->displacement, &disp, sizeof disp);
    }
    t->now->size += s->length;
}

/* Puts together the window that begins there. @return false: it has what is no instruction */
static bool fill(tracing *t, uint64_t first)
{
    window *w = t->now;
    w->first = first;
    w->insn_count = w->taken = w->size = 0;
    bool ends = false;
    for (uint64_t at = first;
         at < t->count && w->insn_count < WINDOW + SLACK && !(w->insn_count >= WINDOW && ends); at++) {
        const step *s = step_at(t, at);
        if (!s)
            return false;
        put(t, s);
        w->insn_count++;
        ends = s->is_branch;
        w->taken += at + 1 < t->count && t->control->trace[at + 1] != s->code->address + s->length;
    }
    return true;
}

/* Takes the window over, with its bytes and registers. */
static int keep(tracing *t, tacho_error *err)
{
    const window *w = t->now;
    const size_t registers = LOADER_REGISTERS * sizeof(uint64_t);
    uint8_t *data = tacho_mem_alloc(registers + w->size);
    if (!data)
        return kernels_no_memory(err);
    memcpy(data, t->control->registers[w->first / LOADER_SNAPSHOT], registers);
    memcpy(data + registers, w->bytes, w->size);
    t->pieces[t->piece_count++] = (kernels_piece){.bytes = data + registers,
                                                  .registers = (const uint64_t *)(const void *)data,
                                                  .byte_count = (uint32_t)w->size,
                                                  .insn_count = (uint32_t)w->insn_count,
                                                  .least_cycles = (double)w->taken};
    return 0;
}

/* Where the registers are known, at `at` or next after it. */
static uint64_t next_snapshot(uint64_t at)
{
    return (at + LOADER_SNAPSHOT - 1) / LOADER_SNAPSHOT * LOADER_SNAPSHOT;
}

/* Windows one after the other, or evenly spread over a trace that is long. */
static int cut(tracing *t, char message[KERNELS_MESSAGE_SIZE], tacho_error *err)
{
    const bool all = t->count <= (uint64_t)WINDOW * WINDOWS;
    uint64_t covered = 0, at = 0;
    int rc = 0;
    while (!rc && at < t->count && t->piece_count < WINDOWS) {
        if (!fill(t, at)) {
            snprintf(message, KERNELS_MESSAGE_SIZE, "the trace has what is no instruction");
            return 0;
        }
        rc = keep(t, err);
        covered += t->now->insn_count;
        at = next_snapshot(all ? at + t->now->insn_count : t->count / WINDOWS * t->piece_count);
    }
    for (size_t i = 0; i < t->piece_count && covered; i++)
        t->pieces[i].executions = (double)t->control->trace_count / (double)covered;
    return rc;
}

void kernels_free_windows(kernels_piece *windows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        tacho_mem_free((void *)(uintptr_t)windows[i].registers);
    tacho_mem_free(windows);
}

static int cut_run(const loader_control *control, kernels_piece **windows, size_t *count,
                   char message[KERNELS_MESSAGE_SIZE], tacho_error *err)
{
    tracing t = {.control = control,
                 .count = control->trace_count < LOADER_TRACE_MAX ? control->trace_count : LOADER_TRACE_MAX,
                 .steps = tacho_mem_zalloc(LOADER_CODE_MAX, sizeof *t.steps),
                 .now = tacho_mem_alloc(sizeof *t.now),
                 .pieces = tacho_mem_zalloc(WINDOWS, sizeof *t.pieces)};
    int rc = t.steps && t.now && t.pieces ? 0 : kernels_no_memory(err);
    if (!rc && !t.count)
        snprintf(message, KERNELS_MESSAGE_SIZE, "it cannot be stepped through here");
    else if (!rc)
        rc = cut(&t, message, err);
    if (rc || *message) {
        kernels_free_windows(t.pieces, t.piece_count);
        t.pieces = NULL;
        t.piece_count = 0;
    }
    *windows = t.pieces;
    *count = t.piece_count;
    tacho_mem_free(t.steps);
    tacho_mem_free(t.now);
    return rc;
}

int kernels_cut_trace(const tacho_kernels *k, size_t variant, kernels_piece **windows, size_t *count,
                      char message[KERNELS_MESSAGE_SIZE], tacho_error *err)
{
    char loader[KERNELS_PATH_SIZE], object[KERNELS_PATH_SIZE];
    kernels_run run;
    tacho_kernel_status status = TACHO_KERNEL_COUNTED;
    *windows = NULL;
    *count = 0;
    *message = '\0';
    kernels_loader_path(k, loader);
    kernels_object_path(k, variant, object);
    if (kernels_hash_object(k, variant) != k->own[variant].file_hash) {
        snprintf(message, KERNELS_MESSAGE_SIZE, "its object is not there any more");
        return 0;
    }
    const char *const argv[] = {loader, "trace", object, NULL};
    int rc = kernels_run_open(&run, k, NULL, err);
    if (!rc)
        rc = kernels_run_loader(&run, argv, k->options.seconds, &status, message, err);
    if (!rc && status == TACHO_KERNEL_COUNTED)
        rc = cut_run(run.control, windows, count, message, err);
    kernels_run_close(&run);
    return rc;
}
