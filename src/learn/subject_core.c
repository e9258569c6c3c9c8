/* subject_core.c - a core in the simulator answers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "learn/subject.h"
#include "tacho/version.h"

/* The counter that a measured loop has; a register that the block does not use. */
static int append_counter(subject_loop *copy, tacho_error *err)
{
    static const uint8_t counter[] = {0x49, 0xff, 0xcf, 0x0f, 0x85}; /* dec r15; jnz rel32 */
    int failed = subject_add_bytes(copy, counter, sizeof counter, 1, err);
    int32_t back = -(int32_t)(copy->size + 4);
    return failed ? failed : subject_add_bytes(copy, (const uint8_t *)&back, sizeof back, 1, err);
}

int subject_predict(tacho_predictor *predictor, const struct tacho_arch *arch, const subject_loop *loop,
                    bool bounds, double *cycles, tacho_error *err)
{
    const tacho_prediction *p;
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    subject_loop copy = {0};
    o.mode = loop->mode;
    o.known_values = loop->values;
    o.known_mask = loop->known;
    o.bounds = bounds;
    o.details = false;
    o.unknown = TACHO_UNKNOWN_ERROR;
    int failed = subject_add_bytes(&copy, loop->code, loop->size, 1, err);
    if (!failed && loop->mode == TACHO_MODE_LOOP)
        failed = append_counter(&copy, err);
    if (!failed)
        failed = (bounds ? tacho_predict_bounds : tacho_predict)(predictor, arch, copy.code, copy.size, &o,
                                                                 &p, err);
    subject_loop_free(&copy);
    *cycles = failed ? NAN : p->cycles;
    /* with some parameters a block never ends */
    return failed == TACHO_ERR_UNSUPPORTED || failed == TACHO_ERR_LIMIT ? 0 : failed;
}

static int simulate(const subject *s, subject_loop *loop, tacho_error *err)
{
    int failed = subject_predict(s->predictor, s->core, loop, false, &loop->cycles, err);
    loop->status = isnan(loop->cycles) ? TACHO_MEASURED_UNSUPPORTED : TACHO_MEASURED_OK;
    loop->uncertainty = 0;
    return failed;
}

static int simulate_all(subject *s, subject_loop **loops, size_t count, tacho_error *err)
{
    int failed = 0;
    for (size_t i = 0; i < count && !failed; i++) {
        failed = subject_check_stop(s, err);
        if (!failed)
            failed = simulate(s, loops[i], err);
        if (!failed)
            failed = subject_keep_answer(s, loops[i], err);
    }
    return failed;
}

/* A core is simulated as long as all its parameters are what they were. */
static void identify_core(subject *s)
{
    char text[80];
    uint64_t hash = 0;
    for (size_t i = 0; i < tacho_arch_parameter_count(); i++) {
        tacho_arch_parameter_text(s->core, i, text, sizeof text);
        hash = hash_add(hash, hash_bytes(text, strlen(text)));
    }
    snprintf(s->identity, sizeof s->identity, "%s as modelled, parameters %08x, tacho %s",
             tacho_arch_name(s->core), (unsigned)(hash ^ hash >> 32), tacho_version());
}

subject *subject_of_core(const struct tacho_arch *arch, tacho_error *err)
{
    subject *s = subject_new(err);
    if (!s)
        return NULL;
    s->ask = simulate_all;
    s->core = arch;
    identify_core(s);
    s->predictor = tacho_predictor_new();
    if (s->predictor)
        return s;
    tacho_no_memory(err);
    subject_free(s);
    return NULL;
}
