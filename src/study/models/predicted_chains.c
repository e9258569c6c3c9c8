/* predicted_chains.c - the loops by which an instruction form is characterised, in the simulator. */
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "tacho/characterise.h"
#include "tacho/predict.h"

typedef struct simulator {
    const tacho_arch *arch;
    tacho_predictor *predictor;
} simulator;

/* A loop that the core cannot execute, or that it has no timing for, has no time; all else is an error. */
static int time_block(const simulator *s, tacho_measure_job *job, const tacho_predict_options *o,
                      tacho_error *err)
{
    const tacho_prediction *p;
    tacho_measurement *r = &job->result;
    int rc = tacho_predict(s->predictor, s->arch, job->code, job->code_size, o, &p, err);
    *r = (tacho_measurement){.cycles = NAN, .uncertainty = NAN, .mode = o->mode, .offset = -1};
    if (rc == TACHO_ERR_UNSUPPORTED) {
        r->status = TACHO_MEASURED_UNSUPPORTED;
        snprintf(r->message, sizeof r->message, "%.*s", (int)sizeof r->message - 1, err->message);
        return 0;
    }
    if (rc)
        return rc;
    r->status = TACHO_MEASURED_OK;
    r->cycles = p->cycles;
    r->uncertainty = 0;
    return 0;
}

static int time_blocks(void *payload, tacho_measure_job *jobs, size_t count,
                       const tacho_measure_options *options, tacho_error *err)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    tacho_error own;
    int rc = 0;
    o.mode = options->mode;
    o.known_values = options->known_values;
    o.known_mask = options->known_mask;
    o.bounds = o.details = false;
    o.unknown = TACHO_UNKNOWN_ERROR;
    for (size_t i = 0; i < count && !rc; i++)
        rc = time_block(payload, &jobs[i], &o, err ? err : &own);
    return rc;
}

int tacho_characterise_predicted(const tacho_arch *arch, uint32_t form, tacho_characterisation *out,
                                 tacho_error *err)
{
    simulator s = {arch, tacho_predictor_new()};
    int rc =
        s.predictor ? tacho_characterise_by(time_blocks, &s, form, NULL, out, err) : tacho_no_memory(err);
    tacho_predictor_free(s.predictor);
    return rc;
}
