/* trace.c - a region predicted along the way that it really takes: the kernel is stepped through, the trace
 * is cut into windows of some thousand instructions, and each window is predicted as the body of a loop.
 *
 * What lifting block by block cannot see is in it: that loops of few iterations overlap with what comes
 * before and after them, and what blocks have to do with each other, through registers and memory. As Gus
 * does (F. Gruber, 2019), it needs a run. A window has copies of code that in truth is in one place, so the
 * front end is the simple one (as wide as the renamer); but no more than one branch a cycle is taken. Of long
 * traces only some windows are predicted, evenly spread. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/kernels.h"
#include "kernels/loader.h"
#include "tacho/predict.h"
#include "util/mem.h"

enum {
    WINDOW = 1000, /* instructions: several reorder buffers */
    WINDOWS = 24,  /* of a variant, at most */
    SLACK = 256,   /* instructions beyond, to end with a branch */
    WINDOW_BYTES = (WINDOW + SLACK) * TACHO_MAX_INSN_BYTES
};

/* An instruction, decoded once. */
typedef struct step {
    const loader_code *code;
    uint8_t length; /* 0: no instruction */
    bool is_branch;
} step;

/* A window, and what was predicted. */
typedef struct window {
    uint64_t hash;
    double cycles[2]; /* with and without dependencies through memory */
} window;

typedef struct tracing {
    const kernels_trace_model *model;
    const loader_control *control;
    uint64_t count; /* instructions in the trace */
    step *steps;    /* by slot */
    uint8_t *bytes;
    window known[WINDOWS + 1];
    size_t known_count;
} tracing;

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
        }
    }
    return s->length ? s : NULL;
}

/* Puts the window together. @return how many instructions; 0 when it cannot be */
static uint64_t fill(tracing *t, uint64_t first, uint64_t wanted, size_t *size, uint64_t *taken, bool *loop)
{
    uint64_t n = 0;
    *size = *taken = 0;
    *loop = false;
    for (; n < wanted + SLACK && first + n < t->count && (n < wanted || !*loop); n++) {
        const step *s = step_at(t, first + n);
        if (!s)
            return 0;
        memcpy(t->bytes + *size, s->code->bytes, s->length);
        *size += s->length;
        *loop = s->is_branch;
        *taken +=
            first + n + 1 < t->count && t->control->trace[first + n + 1] != s->code->address + s->length;
    }
    return n;
}

/* @return NaN with a message */
static double predict_bytes(const kernels_trace_model *m, const uint8_t *bytes, size_t size, bool loop,
                            bool no_memory_deps, char message[KERNELS_MESSAGE_SIZE])
{
    const tacho_prediction *p;
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    tacho_error err;
    o.details = false;
    o.mode = loop ? TACHO_MODE_LOOP : TACHO_MODE_UNROLL;
    o.variants = TACHO_VARIANT_SIMPLE_FRONT_END;
    o.no_memory_deps = no_memory_deps;
    if (!tacho_predict(m->predictor, m->arch, bytes, size, &o, &p, &err))
        return p->cycles;
    snprintf(message, KERNELS_MESSAGE_SIZE, "%.200s", err.message);
    return NAN;
}

/* Adds the cycles of the window that begins there. @return how many instructions it has */
static uint64_t predict_window(tracing *t, uint64_t first, uint64_t wanted, double cycles[2],
                               char message[KERNELS_MESSAGE_SIZE])
{
    size_t size, known = 0;
    uint64_t taken, n;
    bool loop;
    n = fill(t, first, wanted, &size, &taken, &loop);
    if (!n) {
        snprintf(message, KERNELS_MESSAGE_SIZE, "the trace has what is no instruction");
        return 0;
    }
    uint64_t hash = kernels_hash(taken, t->bytes, size);
    while (known < t->known_count && t->known[known].hash != hash)
        known++;
    window *w = &t->known[known];
    if (known == t->known_count) {
        w->hash = hash;
        for (int i = 0; i < 2 && !*message; i++)
            w->cycles[i] = fmax(predict_bytes(t->model, t->bytes, size, loop, i, message), (double)taken);
        t->known_count++;
    }
    cycles[0] += w->cycles[0];
    cycles[1] += w->cycles[1];
    return n;
}

/* Cycles of the whole trace. */
static void predict_trace(tracing *t, double cycles[2], char message[KERNELS_MESSAGE_SIZE])
{
    double sums[2] = {0, 0};
    uint64_t covered = 0;
    const bool all = t->count <= (uint64_t)WINDOW * WINDOWS;
    for (uint64_t w = 0, at = 0; !*message && (all ? at < t->count : w < WINDOWS); w++) {
        uint64_t n = predict_window(t, all ? at : t->count / WINDOWS * w, WINDOW, sums, message);
        covered += n;
        at += n;
    }
    for (int i = 0; i < 2 && !*message && covered; i++)
        cycles[i] = sums[i] * ((double)t->control->trace_count / (double)covered);
}

int kernels_predict_trace(const tacho_kernels *k, size_t variant, const kernels_trace_model *model,
                          double cycles[2], char message[KERNELS_MESSAGE_SIZE], tacho_error *err)
{
    char loader[KERNELS_PATH_SIZE], object[KERNELS_PATH_SIZE];
    kernels_run run = {NULL, -1, NULL};
    tacho_kernel_status status = TACHO_KERNEL_COUNTED;
    cycles[0] = cycles[1] = NAN;
    *message = '\0';
    kernels_loader_path(k, loader);
    kernels_object_path(k, variant, object);
    if (kernels_hash_object(k, variant) != k->own[variant].file_hash) {
        snprintf(message, KERNELS_MESSAGE_SIZE, "its object is not there any more");
        return 0;
    }
    const char *const argv[] = {loader, "trace", object, NULL};
    int rc = kernels_run_open(&run, err);
    if (!rc)
        rc = kernels_run_loader(&run, argv, k->options.seconds, &status, message, err);
    if (!rc && status == TACHO_KERNEL_COUNTED) {
        uint64_t count = run.control->trace_count;
        tracing t = {.model = model,
                     .control = run.control,
                     .count = count < LOADER_TRACE_MAX ? count : LOADER_TRACE_MAX,
                     .steps = tacho_mem_zalloc(LOADER_CODE_MAX, sizeof *t.steps),
                     .bytes = tacho_mem_alloc(WINDOW_BYTES)};
        rc = t.steps && t.bytes ? 0 : kernels_no_memory(err);
        if (!rc && !count)
            snprintf(message, KERNELS_MESSAGE_SIZE, "it cannot be stepped through here");
        else if (!rc)
            predict_trace(&t, cycles, message);
        tacho_mem_free(t.steps);
        tacho_mem_free(t.bytes);
    }
    kernels_run_close(&run);
    return rc;
}
