/* kernels_windows.c - cuts windows out of the trace of a region. Each is then predicted as
 * a stretch of a run, whose first part fills the machine and does not count.
 *
 * A window contains what lifting block by block cannot see: that loops of few iterations overlap with what
 * comes before and after them, and that blocks depend on each other through registers and memory. A window
 * has copies of code that in truth is in one place, and says where each part lies, so that it is fetched and
 * decoded as in the run. Its mispredicted branches are known (kernels_branches.c), and the
 * registers with which it begins, and with them its addresses. Of long paths only some windows are taken,
 * spread over the path. */

#include "base/mem.h"
#include "base/search.h"
#include "binary/input/input.h"
#include "study/kernels/kernels_internal.h"
#include "study/kernels/loader.h"
#include "x86/decode/ops.h"

enum {
    WARM_UP = 1024,             /* instructions before those that count: more than a reorder buffer holds */
    WINDOW = 2000,              /* instructions that count */
    WINDOWS = LOADER_STRETCHES, /* of a variant, at most */
    SLACK = 256,                /* instructions beyond, to end with a branch */
    EARLIER = 4 * LOADER_SNAPSHOT, /* instructions before the warm-up, to begin where registers are known */
    WINDOW_INSNS = WARM_UP + EARLIER + WINDOW + SLACK,
    WINDOW_BYTES = WINDOW_INSNS * TACHO_MAX_INSN_BYTES
};

/* A window that is being put together. */
typedef struct window {
    uint64_t first, warm_up, insn_count; /* the latter without the warm-up */
    uint64_t taken;                      /* branches, of those that count */
    const uint64_t *registers;           /* before it; NULL: not known */
    size_t size, place_count;
    uint8_t bytes[WINDOW_BYTES];
    tacho_piece places[WINDOW_INSNS];
} window;

typedef struct cutting {
    const kernels_path *path;
    const tacho_arch *arch;
    window *now;
    kernels_branch *branches; /* of the path, in its order */
    size_t branch_count, branch_capacity;
    kernels_piece *pieces;
    uint64_t first[WINDOWS]; /* instruction of each that counts */
    size_t piece_count;
} cutting;

static kernels_branch_kind kind_of(const tacho_insn *insn)
{
    if (insn->is_conditional)
        return KERNELS_BRANCH_CONDITIONAL;
    bool direct = insn->operand_count && insn->operands[0].kind == TACHO_OPERAND_REL;
    return direct || insn->is_ret ? KERNELS_BRANCH_KNOWN : KERNELS_BRANCH_INDIRECT;
}

bool kernels_decode_step(kernels_step *s, uint64_t address, const uint8_t *bytes, size_t size,
                         tacho_insn *insn)
{
    if (tacho_decode(insn, bytes, size, NULL))
        return false;
    *s = (kernels_step){.address = address,
                        .bytes = bytes,
                        .length = insn->length,
                        .is_branch = insn->is_branch,
                        .transfers = insn->is_branch || insn->is_call || insn->is_ret,
                        .kind = (uint8_t)kind_of(insn)};
    return true;
}

static const kernels_step *step_at(const kernels_path *path, uint64_t at)
{
    return &path->steps[path->order[at]];
}

/* Copies an instruction to the window's end; a part of it begins where the one before did not lead by itself.
 */
static void put(window *w, const kernels_step *s, uint64_t expected)
{
    if (s->address != expected)
        w->places[w->place_count++] = (tacho_piece){.code_offset = (uint32_t)w->size, .address = s->address};
    memcpy(w->bytes + w->size, s->bytes, s->length);
    w->size += s->length;
}

/* Where a window begins with its warm-up: where the registers are known, if that is near. */
static void begin(const kernels_path *path, window *w, uint64_t start)
{
    const loader_registers *known = path->registers;
    const uint64_t wanted = start < WARM_UP ? 0 : start - WARM_UP;
    size_t before;
    COUNT_BEFORE(before, path->registers_count, known[before].place <= wanted);
    const bool near = before && wanted - known[before - 1].place < EARLIER;
    w->first = near ? known[before - 1].place : wanted / LOADER_SNAPSHOT * LOADER_SNAPSHOT;
    w->registers = near ? known[before - 1].values : NULL;
}

/* Puts together the window whose counted part begins at `start`. */
static void fill(cutting *t, uint64_t start)
{
    const kernels_path *path = t->path;
    window *w = t->now;
    begin(path, w, start);
    w->warm_up = start - w->first;
    w->insn_count = w->taken = w->size = w->place_count = 0;
    memset(w->places, 0, sizeof w->places);
    bool ends = false;
    uint64_t expected = 0; /* nothing lies there */
    for (uint64_t at = w->first; at < path->count && w->insn_count < WINDOW + SLACK; at++) {
        if (w->insn_count >= WINDOW && ends &&
            path->count - at > SLACK) /* no less than this is left for another */
            break;
        const kernels_step *s = step_at(path, at);
        put(w, s, expected);
        expected = s->address + s->length;
        ends = s->is_branch;
        if (at < start)
            continue;
        w->insn_count++;
        w->taken += at + 1 < path->count && step_at(path, at + 1)->address != expected;
    }
}

/* All branches of the path but those at the ends of stretches, of which it is not known where they lead. */
static int collect_branches(cutting *t, tacho_error *err)
{
    size_t stretch = 0;
    for (uint64_t at = 0; at + 1 < t->path->count; at++) {
        const kernels_step *s = step_at(t->path, at);
        bool ends = false;
        while (stretch < t->path->stretch_count && t->path->stretch_ends[stretch] <= at + 1)
            ends = t->path->stretch_ends[stretch++] == at + 1;
        if (!s->transfers || ends)
            continue;
        if (tacho_mem_grow(&t->branches, &t->branch_capacity, t->branch_count + 1, sizeof *t->branches))
            return tacho_no_memory(err);
        t->branches[t->branch_count++] = (kernels_branch){.address = s->address,
                                                          .following = s->address + s->length,
                                                          .next = step_at(t->path, at + 1)->address,
                                                          .place = (uint32_t)at,
                                                          .kind = s->kind};
    }
    return 0;
}

/* Numbers of the window's instructions that are mispredicted branches, into `out` where that is not NULL.
 * @return how many */
static uint32_t list_mispredicted(const cutting *t, const window *w, uint32_t *out)
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
static int keep(cutting *t, tacho_error *err)
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
    if (w->registers)
        memcpy(data, w->registers, registers);
    list_mispredicted(t, w, branches);
    t->first[t->piece_count] = w->first + w->warm_up;
    memcpy(data + before, w->bytes, w->size);
    t->pieces[t->piece_count++] =
        (kernels_piece){.block = {.code = data + before,
                                  .size = w->size,
                                  .registers = w->registers ? (const uint64_t *)(const void *)data : NULL,
                                  .pieces = (const tacho_piece *)(const void *)(data + registers),
                                  .piece_count = w->place_count,
                                  .mispredicted = mispredicted ? branches : NULL,
                                  .mispredicted_count = mispredicted,
                                  .once = true,
                                  .warm_up = (uint32_t)w->warm_up,
                                  .instructions = (uint32_t)(w->warm_up + w->insn_count)},
                        .owned = data,
                        .insn_count = (uint32_t)w->insn_count,
                        .least_cycles = (double)w->taken / t->arch->taken_branch_width};
    return 0;
}

static uint64_t place_in(uint64_t first, uint64_t length, size_t number)
{
    return first + (uint64_t)(loader_spread(number) * (double)length);
}

static int cut_at(cutting *t, uint64_t at, tacho_error *err)
{
    fill(t, at);
    return keep(t, err);
}

/* Windows one after the other, or spread over a path that is long. */
static int cut_whole(cutting *t, tacho_error *err)
{
    const uint64_t count = t->path->count, share = count / WINDOWS;
    const bool all = count <= (uint64_t)WINDOW * WINDOWS;
    uint64_t at = 0;
    int rc = 0;
    while (!rc && at < count && t->piece_count < WINDOWS) {
        rc = cut_at(t, at, err);
        at = all ? at + t->now->insn_count : place_in(t->piece_count * share, share - WINDOW, t->piece_count);
    }
    return rc;
}

/* One of each stretch that has room for it. */
static int cut_stretches(cutting *t, tacho_error *err)
{
    const uint64_t before = WARM_UP + EARLIER, after = WINDOW + SLACK;
    uint64_t first = 0;
    int rc = 0;
    for (size_t i = 0; i < t->path->stretch_count && t->piece_count < WINDOWS && !rc; i++) {
        const uint64_t end = t->path->stretch_ends[i], length = end - first;
        if (length > before + after)
            rc = cut_at(t, place_in(first + before, length - before - after, i), err);
        first = end;
    }
    return rc || t->piece_count ? rc : cut_whole(t, err);
}

/* A window stands for the executions of its instructions, divided among all windows that have them. So how
 * much of the run looks like it follows from counts, and not from how windows were chosen. */
static void weigh(cutting *t, double *seen)
{
    const kernels_path *path = t->path;
    double sum = 0;
    for (size_t i = 0; i < t->piece_count; i++)
        for (uint64_t at = t->first[i]; at < t->first[i] + t->pieces[i].insn_count; at++)
            seen[path->order[at]]++;
    for (size_t i = 0; i < t->piece_count; i++) {
        kernels_piece *p = &t->pieces[i];
        for (uint64_t at = t->first[i]; at < t->first[i] + p->insn_count; at++)
            p->executions += path->executions ? path->executions[path->order[at]] / seen[path->order[at]] : 1;
        sum += p->executions;
        p->executions /= (double)p->insn_count;
    }
    for (size_t i = 0; i < t->piece_count; i++)
        t->pieces[i].executions = sum > 0 ? t->pieces[i].executions * (double)path->total / sum : 0;
}

static int cut(cutting *t, tacho_error *err)
{
    TACHO_MEM_FREED double *seen = tacho_mem_zalloc(t->path->step_count + 1, sizeof *seen);
    int rc =
        seen ? t->path->stretch_count > 1 ? cut_stretches(t, err) : cut_whole(t, err) : tacho_no_memory(err);
    if (!rc)
        weigh(t, seen);
    return rc;
}

/* Branches in the part of the path that is there stand for all. */
static double count_mispredictions(const cutting *t)
{
    size_t count = 0;
    for (size_t i = 0; i < t->branch_count; i++)
        count += t->branches[i].mispredicted;
    return t->path->count ? (double)count * (double)t->path->total / (double)t->path->count : NAN;
}

int kernels_cut_windows(const kernels_path *path, const tacho_arch *arch, kernels_windows *out,
                        tacho_error *err)
{
    cutting t = {.path = path,
                 .arch = arch,
                 .now = tacho_mem_alloc(sizeof *t.now),
                 .pieces = tacho_mem_zalloc(WINDOWS, sizeof *t.pieces)};
    int rc = (t.now && t.pieces ? collect_branches(&t, err) : tacho_no_memory(err))
             ?: kernels_predict_branches(t.branches, t.branch_count, arch->branch_history, arch->branch_entries,
                                         err)
             ?: cut(&t, err);
    *out = (kernels_windows){
        .pieces = t.pieces, .count = t.piece_count, .mispredictions = rc ? NAN : count_mispredictions(&t)};
    if (rc)
        kernels_free_windows(out);
    TACHO_MEM_FREE(t.branches, t.now);
    return rc;
}

void kernels_free_windows(kernels_windows *windows)
{
    for (size_t i = 0; i < windows->count; i++)
        tacho_mem_free(windows->pieces[i].owned);
    tacho_mem_free(windows->pieces);
    *windows = (kernels_windows){.mispredictions = NAN};
}

/* ---- the trace ---- */

/* The real path through a region: the loader notes it by breakpoints at the branches of the kernel's object,
 * which are found here. As Gus (F. Gruber, 2019), it needs a run. */

typedef struct tracing {
    const loader_control *control;
    kernels_step *steps; /* by slot; length 0: not decoded yet */
    uint32_t *order;     /* slots */
    uint64_t count;      /* instructions in the trace */
} tracing;

/* The slot of an address, decoded. @return LOADER_CODE_MAX: there is no instruction */
static uint32_t slot_of(tracing *t, uint64_t address)
{
    const uint32_t slot = loader_find(t->control, address);
    if (slot == LOADER_CODE_MAX || t->control->code[slot].address != address)
        return LOADER_CODE_MAX;
    const loader_code *code = &t->control->code[slot];
    const size_t size = code->size < LOADER_INSN_BYTES ? code->size : LOADER_INSN_BYTES;
    tacho_insn insn;
    if (!t->steps[slot].length && !kernels_decode_step(&t->steps[slot], address, code->bytes, size, &insn))
        return LOADER_CODE_MAX;
    return slot;
}

/* @return false: the trace has what is no instruction */
static bool put_in_order(tracing *t)
{
    for (uint64_t i = 0; i < t->count; i++) {
        t->order[i] = slot_of(t, t->control->trace[i]);
        if (t->order[i] == LOADER_CODE_MAX)
            return false;
    }
    return true;
}

/* How many ends of stretches can be believed: the kernel may have written anything there. */
static size_t stretches_of(const loader_control *c, uint64_t count)
{
    uint64_t last = 0;
    size_t i = 0;
    while (i < c->stretch_count && i < LOADER_STRETCHES && c->stretch_ends[i] >= last &&
           c->stretch_ends[i] <= count)
        last = c->stretch_ends[i++];
    return i;
}

static int cut_run(const loader_control *control, const tacho_kernel_variant *v, const tacho_arch *arch,
                   kernels_windows *out, char message[KERNELS_MESSAGE_SIZE], tacho_error *err)
{
    const uint64_t count = loader_traced(control);
    tracing t = {.control = control,
                 .count = count,
                 .steps = tacho_mem_zalloc(LOADER_CODE_MAX, sizeof *t.steps),
                 .order = tacho_mem_alloc((count + 1) * sizeof *t.order)};
    const size_t stretches = stretches_of(control, count);
    double *executions = tacho_mem_zalloc(LOADER_CODE_MAX, sizeof *executions);
    int rc = t.steps && t.order && executions ? 0 : tacho_no_memory(err);
    if (!rc && !count)
        snprintf(message, KERNELS_MESSAGE_SIZE, "it cannot be stepped through here");
    else if (!rc && !put_in_order(&t))
        snprintf(message, KERNELS_MESSAGE_SIZE, "the trace has what is no instruction");
    else if (!rc && !(rc = kernels_count_steps(v, t.steps, LOADER_CODE_MAX, executions, err))) {
        const kernels_path path = {.steps = t.steps,
                                   .order = t.order,
                                   .count = count,
                                   .total = v->instructions > LOADER_TRACE_MAX ? v->instructions : count,
                                   .executions = executions,
                                   .step_count = LOADER_CODE_MAX,
                                   .stretch_ends = control->stretch_ends,
                                   .stretch_count = stretches,
                                   .registers = control->registers,
                                   .registers_count = control->registers_count < LOADER_REGISTERS_MAX
                                                          ? control->registers_count
                                                          : LOADER_REGISTERS_MAX};
        rc = kernels_cut_windows(&path, arch, out, err);
    }
    TACHO_MEM_FREE(t.steps, t.order, executions);
    return rc;
}

/* ---- the object's code ---- */

/* Finds the branches of a section. @return false: it has what cannot be done in the processor's place, or too
 * much */
static bool plan_section(loader_control *c, const input_section *s, uint64_t *branches)
{
    tacho_insn insn;
    for (uint64_t at = 0; at < s->size; at += insn.length) {
        if (tacho_decode(&insn, s->bytes + at, s->size - at, NULL))
            return false;
        loader_place *place = &c->text[s->address - c->text_address + at];
        place->length = insn.length;
        if (!insn.is_branch && !insn.is_call && !insn.is_ret && insn.operation != OP_SYSCALL)
            continue;
        const branch b = branch_of(&insn);
        const bool segment =
            b.target.kind == TACHO_OPERAND_MEM && b.target.mem.segment.class_ != TACHO_REG_NONE;
        if (b.kind < BRANCH_JUMP || segment || *branches + 1 == LOADER_BRANCHES_MAX)
            return false;
        place->branch = (uint16_t)++ * branches;
        c->branches[*branches] = b;
    }
    return true;
}

/* Whether all direct branches lead to where instructions begin, as far as they stay in the object. */
static bool lead_to_instructions(const loader_control *c, uint64_t size)
{
    for (uint64_t at = 0; at < size; at++) {
        const branch *b = &c->branches[c->text[at].branch];
        const uint64_t to = at + b->length + (uint64_t)b->distance;
        if (c->text[at].branch && b->direct && to < size && !c->text[to].length)
            return false;
    }
    return true;
}

static void plan_image(loader_control *c, const input_image *image)
{
    uint64_t first = UINT64_MAX, end = 0, branches = 0;
    for (size_t i = 0; i < image->section_count; i++) {
        const input_section *s = &image->sections[i];
        if (!s->executable || !s->size)
            continue;
        if (s->size > UINT64_MAX - s->address)
            return;
        first = s->address < first ? s->address : first;
        end = s->address + s->size > end ? s->address + s->size : end;
    }
    bool known = first < end && end - first <= LOADER_TEXT_MAX;
    c->text_address = first;
    for (size_t i = 0; i < image->section_count && known; i++)
        if (image->sections[i].executable)
            known = plan_section(c, &image->sections[i], &branches);
    known = known && lead_to_instructions(c, end - first);
    c->text_size = known ? end - first : 0;
}

int kernels_plan_breakpoints(loader_control *c, const char *object, tacho_error *err)
{
    static const tacho_code_options elf = {.size = sizeof elf, .kind = TACHO_INPUT_ELF};
    input in = {0};
    TACHO_ENDS(input_image_close) input_image image = {0};
    int rc = input_start(&in, object, NULL, 0, NULL, &elf, err);
    if (rc)
        return rc;
    rc = input_elf_open(&in, &image, in.out->data, in.out->size);
    if (!rc)
        plan_image(c, &image);
    tacho_code_free(&in.out->code);
    return rc;
}

int kernels_take_trace(const tacho_kernels *k, size_t variant, const tacho_arch *arch, kernels_windows *out,
                       char message[KERNELS_MESSAGE_SIZE], tacho_error *err)
{
    char loader[KERNELS_PATH_SIZE], object[KERNELS_PATH_SIZE];
    kernels_run run;
    tacho_kernel_status status = TACHO_KERNEL_COUNTED;
    kernels_loader_path(k, loader);
    kernels_object_path(k, variant, object);
    const char *const argv[] = {loader, "trace", object, NULL};
    int rc = kernels_run_open(&run, k, NULL, err) ?: kernels_plan_breakpoints(run.control, object, err);
    if (!rc)
        run.control->instructions = k->variants[variant].instructions;
    if (!rc)
        rc = kernels_run_loader(&run, argv, k->options.seconds, &status, message, err);
    if (!rc && status == TACHO_KERNEL_COUNTED)
        rc = cut_run(run.control, &k->variants[variant], arch, out, message, err);
    kernels_run_close(&run);
    return rc;
}
