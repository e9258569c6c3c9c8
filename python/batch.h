/* What would take long in Python. Included by what bindings.py writes, and read by cffi. */

/* Block i is the bytes starts[i] .. starts[i + 1] of `code`, placed at alignments[i]; of a loop's path the
   pieces piece_starts[i] .. piece_starts[i + 1]. */
typedef struct batch_blocks {
    const uint8_t *code;
    const uint64_t *starts;
    const uint8_t *alignments;
    const tacho_piece *pieces;
    const uint64_t *piece_starts;
} batch_blocks;

/* Of block i on core k the result is number i * (number of cores) + k. */
typedef struct batch_results {
    double *cycles;                   /* NaN: it cannot be predicted */
    int64_t *numerator, *denominator; /* the same as a fraction; 0: none */
    int8_t *status;                   /* 0, or a tacho_status */
    uint32_t *bottlenecks;            /* bits 1 << tacho_bound */
    uint8_t *lower_bound;             /* whether instructions without figures are in it */
} batch_results;

/* Predicts the blocks first..last-1 on `arch_count` cores, without Python's lock. */
void batch_predict(tacho_predictor *predictor, bool bounds_only, const tacho_arch *const *archs,
                   size_t arch_count, const tacho_predict_options *options, const batch_blocks *blocks,
                   size_t first, size_t last, const batch_results *results);

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
