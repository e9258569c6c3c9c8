/* kernels_trace.c - the real path through a region: the loader notes it by breakpoints at the branches of the
 * kernel's object, which are found here, and windows are cut out of that trace (kernels_windows.c). As Gus
 * (F. Gruber, 2019), it needs a run. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "binary/input/input.h"
#include "study/kernels/kernels_internal.h"
#include "study/kernels/loader.h"
#include "x86/decode/insn_struct.h"
#include "x86/decode/ops.h"

typedef struct tracing {
    const loader_control *control;
    kernels_step *steps; /* by slot; length 0: not decoded yet */
    uint32_t *order;     /* slots */
    uint64_t count;      /* instructions in the trace */
} tracing;

/* The slot of an address, decoded. @return LOADER_CODE_MAX: there is no instruction */
static uint32_t slot_of(tracing *t, uint64_t address)
{
    uint32_t slot = loader_slot(address);
    for (uint32_t tries = 0; t->control->code[slot].address != address; tries++) {
        if (tries == LOADER_CODE_MAX)
            return LOADER_CODE_MAX;
        slot = (slot + 1) & (LOADER_CODE_MAX - 1);
    }
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

static int cut_run(const loader_control *control, const tacho_arch *arch, kernels_windows *out,
                   char message[KERNELS_MESSAGE_SIZE], tacho_error *err)
{
    const uint64_t count = control->trace_count < LOADER_TRACE_MAX ? control->trace_count : LOADER_TRACE_MAX;
    tracing t = {.control = control,
                 .count = count,
                 .steps = tacho_mem_zalloc(LOADER_CODE_MAX, sizeof *t.steps),
                 .order = tacho_mem_alloc((count + 1) * sizeof *t.order)};
    int rc = t.steps && t.order ? 0 : tacho_no_memory(err);
    if (!rc && !count)
        snprintf(message, KERNELS_MESSAGE_SIZE, "it cannot be stepped through here");
    else if (!rc && !put_in_order(&t))
        snprintf(message, KERNELS_MESSAGE_SIZE, "the trace has what is no instruction");
    else if (!rc) {
        const kernels_path path = {.steps = t.steps,
                                   .order = t.order,
                                   .count = count,
                                   .total = control->trace_count,
                                   .registers = control->registers,
                                   .registers_count = control->registers_count < LOADER_REGISTERS_MAX
                                                          ? control->registers_count
                                                          : LOADER_REGISTERS_MAX};
        rc = kernels_cut_windows(&path, arch, out, err);
    }
    TACHO_MEM_FREE(t.steps, t.order);
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
    input_image image = {0};
    int rc = input_start(&in, object, NULL, 0, NULL, &elf, err);
    if (rc)
        return rc;
    rc = input_elf_open(&in, &image, in.out->data, in.out->size);
    if (!rc)
        plan_image(c, &image);
    input_image_close(&image);
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
    int rc = kernels_run_open(&run, k, NULL, err);
    if (!rc)
        rc = kernels_plan_breakpoints(run.control, object, err);
    if (!rc)
        rc = kernels_run_loader(&run, argv, k->options.seconds, &status, message, err);
    if (!rc && status == TACHO_KERNEL_COUNTED)
        rc = cut_run(run.control, arch, out, message, err);
    kernels_run_close(&run);
    return rc;
}
