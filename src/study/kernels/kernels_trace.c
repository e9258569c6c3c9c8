/* kernels_trace.c - the real path through a region: the kernel is stepped through, and windows are cut out of
 * its trace (kernels_windows.c). As Gus (F. Gruber, 2019), it needs a run. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "study/kernels/kernels_internal.h"
#include "study/kernels/loader.h"
#include "x86/decode/insn_struct.h"

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
                                   .registers = control->registers};
        rc = kernels_cut_windows(&path, arch, out, err);
    }
    TACHO_MEM_FREE(t.steps, t.order);
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
        rc = kernels_run_loader(&run, argv, k->options.seconds, &status, message, err);
    if (!rc && status == TACHO_KERNEL_COUNTED)
        rc = cut_run(run.control, arch, out, message, err);
    kernels_run_close(&run);
    return rc;
}
