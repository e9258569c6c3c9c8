/* Many blocks in one call, without Python's lock. Included by what bindings.py writes, and read by cffi. */

/* Predicts the blocks first..last-1: block i is the bytes starts[i] .. starts[i + 1] of `code`, placed at
   alignments[i]. Of each:
   `cycles`, or NaN; `status`, 0 or a tacho_status; `bottlenecks`, bits 1 << tacho_bound; `lower_bound`,
   whether instructions without figures are in it. */
void batch_predict(tacho_predictor *predictor, const tacho_arch *arch, const tacho_predict_options *options,
                   const uint8_t *code, const uint64_t *starts, const uint8_t *alignments, size_t first,
                   size_t last, double *cycles, int8_t *status, uint32_t *bottlenecks, uint8_t *lower_bound);
