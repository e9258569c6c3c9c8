#include <math.h>
#include <tacho/tacho.h>
#include "batch.h"

void batch_predict(tacho_predictor *predictor, const tacho_arch *arch, const tacho_predict_options *options,
                   const uint8_t *code, const uint64_t *starts, const uint8_t *alignments, size_t first,
                   size_t last, double *cycles, int8_t *status, uint32_t *bottlenecks, uint8_t *lower_bound)
{
    tacho_predict_options o = *options;
    for (size_t i = first; i < last; i++) {
        const tacho_prediction *p;
        o.alignment = alignments[i];
        int rc = tacho_predict(predictor, arch, code + starts[i], starts[i + 1] - starts[i], &o, &p, NULL);
        status[i] = (int8_t)rc;
        cycles[i] = rc ? NAN : p->cycles;
        bottlenecks[i] = rc ? 0 : p->bottlenecks;
        lower_bound[i] = !rc && tacho_prediction_is_lower_bound(p);
    }
}
