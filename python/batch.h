/* What would take long in Python. Included by what bindings.py writes, and read by cffi. */

/* Predicts the blocks first..last-1 on `arch_count` cores, without Python's lock: block i is the bytes
   starts[i] .. starts[i + 1] of `code`, placed at alignments[i]. Its result on core k is number i *
   arch_count + k: `cycles`, or NaN; `numerator` and `denominator`, its fraction, or 0; `status`, 0 or a
   tacho_status; `bottlenecks`, bits 1 << tacho_bound; `lower_bound`, whether instructions without figures are
   in it. */
void batch_predict(tacho_predictor *predictor, const tacho_arch *const *archs, size_t arch_count,
                   const tacho_predict_options *options, const uint8_t *code, const uint64_t *starts,
                   const uint8_t *alignments, size_t first, size_t last, double *cycles, int64_t *numerator,
                   int64_t *denominator, int8_t *status, uint32_t *bottlenecks, uint8_t *lower_bound);

/* Of each instruction DESCRIBED_NUMBERS numbers: offset, notes, µops (MITE, MS, DSB, LSD, issued, executed),
   latency, reciprocal throughput, critical latency, µops on each port. What is returned is text, four lines
   for each: as `listing` writes it, its bytes, form and source of figures (or empty lines); to be freed by
   described_free; NULL: memory ran out. */
enum {
    DESCRIBED_NUMBERS = 27
};
char *describe(const tacho_prediction *prediction, const tacho_listing *listing, double *numbers);
void described_free(char *text);

/* As <tacho/code.h> has it, of the library's other part. */
long tacho_hex_decode(uint8_t *out, const char *text, size_t length, tacho_error *err);
