/* kernels_trace.c - a region cut into pieces along its real trace. The kernel is stepped through, and windows
 * of some thousand instructions are cut out of the trace. Each is then predicted as a stretch of a run, whose
 * first part fills the machine and does not count.
 *
 * A window contains what lifting block by block cannot see: that loops of few iterations overlap with what
 * comes before and after them, and that blocks depend on each other through registers and memory. As Gus (F.
 * Gruber, 2019), it needs a run. A window has copies of code that in truth is in one place, and says where
 * each part lies, so that it is fetched and decoded as in the run. The registers with which a window begins
 * are known, and with them its addresses; so are its mispredicted branches (kernels_branches.c). Of long
 * traces only some windows are taken, spread over the trace. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "study/kernels/kernels_internal.h"
#include "study/kernels/loader.h"
#include "x86/decode/insn_struct.h"

enum {
    WARM_UP = 1024, /* instructions before those that count: more than a reorder buffer holds */
    WINDOW = 2000,  /* instructions that count */
    WINDOWS = 24,   /* of a variant, at most */
    SLACK = 256,    /* instructions beyond, to end with a branch */
    WINDOW_INSNS = WARM_UP + LOADER_SNAPSHOT + WINDOW + SLACK,
    WINDOW_BYTES = WINDOW_INSNS * TACHO_MAX_INSN_BYTES
};

/* An instruction, decoded once. */
typedef struct step {
    const loader_code *code;
    uint8_t length;            /* 0: no instruction */
    bool is_branch, transfers; /* jumps; calls and returns, too */
    uint8_t kind;              /* of a transfer: a kernels_branch_kind */
} step;

/* A window that is being put together. */
typedef struct window {
    uint64_t first, warm_up, insn_count; /* the latter without the warm-up */
    uint64_t taken;                      /* branches, of those that count */
    size_t size, place_count;
    uint8_t bytes[WINDOW_BYTES];
    tacho_piece places[WINDOW_INSNS];
} window;

typedef struct tracing {
    const loader_control *control;
    const tacho_arch *arch;
    uint64_t count; /* instructions in the trace */
    step *steps;    /* by slot */
    window *now;
    kernels_branch *branches; /* of the trace, in its order */
    size_t branch_count, branch_capacity;
    kernels_piece *pieces;
    size_t piece_count;
} tracing;

static kernels_branch_kind kind_of(const tacho_insn *insn)
{
    if (insn->is_conditional)
        return KERNELS_BRANCH_CONDITIONAL;
    bool direct = insn->operand_count && insn->operands[0].kind == TACHO_OPERAND_REL;
    return direct || insn->is_ret ? KERNELS_BRANCH_KNOWN : KERNELS_BRANCH_INDIRECT;
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
            s->is_branch = insn.is_branch;
            s->transfers = insn.is_branch || insn.is_call || insn.is_ret;
            s->kind = (uint8_t)kind_of(&insn);
        }
    }
    return s->length ? s : NULL;
}

/* Copies an instruction to the window's end; a part of it begins where the one before did not lead by itself.
 */
static void put(tracing *t, const step *s, uint64_t expected)
{
    window *w = t->now;
    if (s->code->address != expected)
        w->places[w->place_count++] =
            (tacho_piece){.code_offset = (uint32_t)w->size, .address = s->code->address};
    memcpy(w->bytes + w->size, s->code->bytes, s->length);
    w->size += s->length;
}

/* Puts together the window whose counted part begins at `start`; the window itself begins where the registers
 * are known. @return false: it contains bytes that are no instruction */
static bool fill(tracing *t, uint64_t start)
{
    window *w = t->now;
    w->first = start < WARM_UP ? 0 : (start - WARM_UP) / LOADER_SNAPSHOT * LOADER_SNAPSHOT;
    w->warm_up = start - w->first;
    w->insn_count = w->taken = w->size = w->place_count = 0;
    memset(w->places, 0, sizeof w->places);
    bool ends = false;
    uint64_t expected = 0; /* nothing lies there */
    for (uint64_t at = w->first; at < t->count && w->insn_count < WINDOW + SLACK; at++) {
        if (w->insn_count >= WINDOW && ends &&
            t->count - at > SLACK) /* no less than this is left for another */
            break;
        const step *s = step_at(t, at);
        if (!s)
            return false;
        put(t, s, expected);
        expected = s->code->address + s->length;
        ends = s->is_branch;
        if (at < start)
            continue;
        w->insn_count++;
        w->taken += at + 1 < t->count && t->control->trace[at + 1] != s->code->address + s->length;
    }
    return true;
}

/* All branches of the trace but one at its end, of which it is not known where it leads. */
static int collect_branches(tracing *t, tacho_error *err)
{
    for (uint64_t at = 0; at + 1 < t->count; at++) {
        const step *s = step_at(t, at);
        if (!s || !s->transfers)
            continue;
        if (tacho_mem_grow(&t->branches, &t->branch_capacity, t->branch_count + 1, sizeof *t->branches))
            return tacho_no_memory(err);
        t->branches[t->branch_count++] = (kernels_branch){.address = s->code->address,
                                                          .following = s->code->address + s->length,
                                                          .next = t->control->trace[at + 1],
                                                          .place = (uint32_t)at,
                                                          .kind = s->kind};
    }
    return 0;
}

/* Numbers of the window's instructions that are mispredicted branches, into `out` where that is not NULL.
 * @return how many */
static uint32_t list_mispredicted(const tracing *t, const window *w, uint32_t *out)
{
    uint32_t count = 0;
    for (size_t i = 0; i < t->branch_count && t->branches[i].place < w->first + w->warm_up + w->insn_count;
         i++)
        if (t->branches[i].mispredicted && t->branches[i].place >= w->first) {
            if (out)
                out[count] = (uint32_t)(t->branches[i].place - w->first);
            count++;
        }
    return count;
}

/* Takes the window over, with its registers, branches and bytes. */
static int keep(tracing *t, tacho_error *err)
{
    const window *w = t->now;
    const size_t registers = LOADER_REGISTERS * sizeof(uint64_t);
    const size_t places = w->place_count * sizeof *w->places;
    const uint32_t mispredicted = list_mispredicted(t, w, NULL);
    const size_t before = registers + places + mispredicted * sizeof(uint32_t);
    uint8_t *data = tacho_mem_alloc(before + w->size);
    if (!data)
        return tacho_no_memory(err);
    uint32_t *branches = (uint32_t *)(void *)(data + registers + places);
    memcpy(data + registers, w->places, places);
    memcpy(data, t->control->registers[w->first / LOADER_SNAPSHOT], registers);
    list_mispredicted(t, w, branches);
    memcpy(data + before, w->bytes, w->size);
    t->pieces[t->piece_count++] =
        (kernels_piece){.bytes = data + before,
                        .registers = (const uint64_t *)(const void *)data,
                        .byte_count = (uint32_t)w->size,
                        .insn_count = (uint32_t)w->insn_count,
                        .places = (const tacho_piece *)(const void *)(data + registers),
                        .place_count = (uint32_t)w->place_count,
                        .least_cycles = (double)w->taken / t->arch->taken_branch_width,
                        .mispredicted = mispredicted ? branches : NULL,
                        .mispredicted_count = mispredicted,
                        .once = true,
                        .warm_up = (uint32_t)w->warm_up};
    return 0;
}

/* Each window is somewhere in its share of the trace, by multiples of the golden ratio: at even distances
 * windows would meet the same place of a loop nest again and again. */
static uint64_t place_of_window(uint64_t count, size_t number)
{
    const double golden = 0.6180339887498949, share = (double)count / WINDOWS;
    return (uint64_t)(((double)number + fmod((double)number * golden, 1) * (1 - WINDOW / share)) * share);
}

/* Windows one after the other, or spread over a trace that is long. */
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
        at = all ? at + t->now->insn_count : place_of_window(t->count, t->piece_count);
    }
    for (size_t i = 0; i < t->piece_count && covered; i++)
        t->pieces[i].executions = (double)t->control->trace_count / (double)covered;
    return rc;
}

void kernels_free_trace(kernels_trace *trace)
{
    for (size_t i = 0; i < trace->window_count; i++)
        tacho_mem_free((void *)(uintptr_t)trace->windows[i].registers);
    tacho_mem_free(trace->windows);
    *trace = (kernels_trace){.mispredictions = NAN};
}

/* Branches in the part of the trace that there was room for stand for all. */
static double count_mispredictions(const tracing *t)
{
    size_t count = 0;
    for (size_t i = 0; i < t->branch_count; i++)
        count += t->branches[i].mispredicted;
    return (double)count * (double)t->control->trace_count / (double)t->count;
}

static int cut_run(const loader_control *control, const tacho_arch *arch, kernels_trace *out,
                   char message[KERNELS_MESSAGE_SIZE], tacho_error *err)
{
    tracing t = {.control = control,
                 .arch = arch,
                 .count = control->trace_count < LOADER_TRACE_MAX ? control->trace_count : LOADER_TRACE_MAX,
                 .steps = tacho_mem_zalloc(LOADER_CODE_MAX, sizeof *t.steps),
                 .now = tacho_mem_alloc(sizeof *t.now),
                 .pieces = tacho_mem_zalloc(WINDOWS, sizeof *t.pieces)};
    int rc = t.steps && t.now && t.pieces ? 0 : tacho_no_memory(err);
    if (!rc && !t.count)
        snprintf(message, KERNELS_MESSAGE_SIZE, "it cannot be stepped through here");
    if (!rc && t.count)
        rc = collect_branches(&t, err);
    if (!rc && t.count)
        rc = kernels_predict_branches(t.branches, t.branch_count, arch->branch_history, arch->branch_entries,
                                      err);
    if (!rc && t.count)
        rc = cut(&t, message, err);
    *out = (kernels_trace){.windows = t.pieces,
                           .window_count = t.piece_count,
                           .mispredictions = t.count ? count_mispredictions(&t) : NAN};
    if (rc || *message)
        kernels_free_trace(out);
    TACHO_MEM_FREE(t.branches, t.steps, t.now);
    return rc;
}

int kernels_take_trace(const tacho_kernels *k, size_t variant, const tacho_arch *arch, kernels_trace *out,
                       char message[KERNELS_MESSAGE_SIZE], tacho_error *err)
{
    char loader[KERNELS_PATH_SIZE], object[KERNELS_PATH_SIZE];
    kernels_run run;
    tacho_kernel_status status = TACHO_KERNEL_COUNTED;
    *out = (kernels_trace){.mispredictions = NAN};
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
        rc = cut_run(run.control, arch, out, message, err);
    kernels_run_close(&run);
    return rc;
}
