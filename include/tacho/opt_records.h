/* opt_records.h - what compilers said of a program's loops and calls: optimisation records.
 *
 * Read are clang's (-fsave-optimization-record: *.opt.yaml), gcc's (-fsave-optimization-record:
 * *.opt-record.json.gz), and what gcc prints with -fopt-info-optimized-missed.
 *
 * Tools: may change with each minor version. */
#ifndef TACHO_OPT_RECORDS_H
#define TACHO_OPT_RECORDS_H

#include "hot.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tacho_remark_kind {
    TACHO_REMARK_DONE = 0, /**< an optimisation was done */
    TACHO_REMARK_MISSED,
    TACHO_REMARK_REASON /**< why one was missed */
} tacho_remark_kind;
/** "done", "missed", "reason". */
TACHO_API const char *tacho_remark_kind_name(tacho_remark_kind kind);

typedef enum tacho_remark_about {
    TACHO_ABOUT_VECTORISATION = 0,
    TACHO_ABOUT_UNROLLING,
    TACHO_ABOUT_INLINING,
    TACHO_ABOUT_MEMORY,    /**< loads and stores that could be left out, or moved out of a loop */
    TACHO_ABOUT_REGISTERS, /**< values that are kept in memory for want of registers */
    TACHO_ABOUT_OTHER
} tacho_remark_about;
/** "vectorisation", "unrolling", "inlining", "memory", "registers", "other". */
TACHO_API const char *tacho_remark_about_name(tacho_remark_about about);

typedef struct tacho_remark {
    tacho_remark_kind kind;
    tacho_remark_about about;
    const char *pass;     /**< of the compiler: "loop-vectorize", "vect"; NULL: not known */
    const char *function; /**< as people write it; NULL: not known */
    const char *file;     /**< as the compiler was given it */
    uint32_t line, column;
    const char *text;
} tacho_remark;

typedef struct tacho_opt_records {
    const tacho_remark *list; /**< in the order of reading */
    size_t count;
    size_t files; /**< that were read */
} tacho_opt_records;

/** Reads files, and of folders all records in them and below. What is in a file is seen from its content.
 *  @return 0 and *out, to be freed; TACHO_ERR_INPUT (it cannot be read, is damaged, or no record),
 *  TACHO_ERR_UNSUPPORTED (clang's, where tacho was built without libyaml), TACHO_ERR_MEMORY */
TACHO_API int tacho_opt_records_read(tacho_opt_records **out, const char *const *paths, size_t count,
                                     tacho_error *err);
TACHO_API void tacho_opt_records_free(tacho_opt_records *r);

/** The remarks on a place: on the lines of its code, of its function where records say which; first those on
 *  vectorisation, and so on; each once.
 *  @return how many there are; the first `most` of them are at `out` */
TACHO_API size_t tacho_opt_records_of(const tacho_opt_records *r, const tacho_hot_place *place,
                                      const tacho_remark **out, size_t most);

#ifdef __cplusplus
}
#endif
#endif
