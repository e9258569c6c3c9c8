/* arch.h - microarchitectures and their parameters: everything in which the cores differ, apart from the
 * instruction table. Made from data/arch/NAME/params.txt. A copy may be changed for a what-if run, and more
 * of them may be loaded at run time.
 *
 * Core: stable within a major version. */
#ifndef TACHO_ARCH_H
#define TACHO_ARCH_H

#include <stdbool.h>
#include "error.h"
#include "options.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TACHO_MAX_PORTS = 16
};

/** What predictions for a core were compared with; doc/ACCURACY.md has the results. */
typedef enum tacho_compared {
    TACHO_COMPARED_NOT = 0,
    TACHO_COMPARED_MODEL,        /**< another model of that core, but no measurements */
    TACHO_COMPARED_MEASUREMENTS, /**< measurements on that core, or on one that differs by its name only */
    TACHO_COMPARED_INSTRUCTIONS, /**< others' measurements of single instructions (InstLatx64), not of blocks
                                  */
} tacho_compared;

/** A microarchitecture. */
typedef struct tacho_arch tacho_arch;

/** The number of microarchitectures in this build. */
TACHO_API size_t tacho_arch_count(void);
/** The i-th of them; NULL after the last. */
TACHO_API const tacho_arch *tacho_arch_get(size_t i);
/** By name or compiler alias ("skylake", "icelake-server"), in any case, or "native" (the one this program
 * runs on). @return NULL with a message that suggests the nearest names. */
TACHO_API const tacho_arch *tacho_arch_find(const char *name, tacho_error *err);
/** "SKL" */
TACHO_API const char *tacho_arch_name(const tacho_arch *arch);
/** "Skylake (client)" */
TACHO_API const char *tacho_arch_long_name(const tacho_arch *arch);
/** What its instruction timing is, in words. */
TACHO_API const char *tacho_arch_table(const tacho_arch *arch);
/** What predictions for it were compared with. */
TACHO_API tacho_compared tacho_arch_compared(const tacho_arch *arch);
/** Whether the two are products with the same core, such as SKX and CLX: what is measured on one holds for
 *  the other, too. */
TACHO_API bool tacho_arch_same_core(const tacho_arch *a, const tacho_arch *b);
/** "measurements", "model", "instructions"; "" for TACHO_COMPARED_NOT. */
TACHO_API const char *tacho_compared_name(tacho_compared compared);
/** The i-th alias of `arch`, NULL after the last. */
TACHO_API const char *tacho_arch_alias(const tacho_arch *arch, size_t i);
/** Where the value of the named parameter comes from ("issue_width"); NULL for unknown names. */
TACHO_API const char *tacho_arch_param_source(const tacho_arch *arch, const char *parameter);

/** What kind of value a parameter has, and how it is written. */
typedef enum tacho_parameter_type {
    TACHO_PARAMETER_NUMBER, /**< a whole number from min to max */
    TACHO_PARAMETER_BOOL,   /**< "yes" or "no" */
    TACHO_PARAMETER_PORTS,  /**< a mask; the digits of the ports ("237", "6a": 0 to 9, then a to f), "-" for
                               none */
    TACHO_PARAMETER_SLOTS,  /**< a number, or "unlimited" */
    TACHO_PARAMETER_POLICY, /**< the rules by which µops get their ports: "6", "8", "10", "12" or "16" */
    TACHO_PARAMETER_UNROLL, /**< lsd_unroll: "1-4:8 5:6", "-" for none */
} tacho_parameter_type;

typedef struct tacho_arch_parameter {
    const char *name; /**< the member's, "issue_width" */
    const char *unit; /**< in words, "" where there is none */
    tacho_parameter_type type;
    uint32_t min, max; /**< NUMBER, SLOTS */
} tacho_arch_parameter;

TACHO_API size_t tacho_arch_parameter_count(void);
/** @return 0, or TACHO_ERR_USAGE when there is no i-th parameter */
TACHO_API int tacho_arch_parameter_get(size_t i, tacho_arch_parameter *out);
/** What the i-th parameter says, to be read behind its unit: fused µops a cycle "that the renamer takes from
 * that queue"; of BOOL: what is so, or not. NULL when there is none */
TACHO_API const char *tacho_arch_parameter_meaning(size_t i);
/** The i-th parameter's value as text; `i` less than the count; 80 bytes are enough. */
TACHO_API void tacho_arch_parameter_text(const tacho_arch *arch, size_t i, char *out, size_t size);
/** The same as a number; BOOL: 0 or 1, PORTS: the mask, SLOTS: 255 for unlimited. @return -1 for UNROLL, and
 *  when there is no i-th parameter */
TACHO_API int64_t tacho_arch_parameter_number(const tacho_arch *arch, size_t i);
/** A copy, for a what-if run; NULL: memory ran out. What is predicted with it must not outlive it. */
TACHO_API tacho_arch *tacho_arch_copy(const tacho_arch *arch);
/** Frees what tacho_arch_copy or tacho_arch_load has made; copies of a loaded one live on. NULL is allowed.
 */
TACHO_API void tacho_arch_free(tacho_arch *copy);
/** Sets a parameter of a copy of a microarchitecture. Whether the parameters fit together, tacho_arch_check
 *  says. @return 0, or TACHO_ERR_USAGE with a message that names the range or the nearest parameters: `arch`
 *  is then unchanged */
TACHO_API int tacho_arch_parameter_set(tacho_arch *arch, const char *name, const char *value,
                                       tacho_error *err);
/** Whether all parameters are in their ranges and fit together; tacho_predict checks this, too.
 *  @return 0 or TACHO_ERR_USAGE */
TACHO_API int tacho_arch_check(const tacho_arch *arch, tacho_error *err);

enum {
    TACHO_MAX_MODEL_BYTES = 16 << 20, /**< of a text for tacho_arch_load */
    TACHO_MAX_MODEL_PROBLEMS = 100    /**< after so many it is read no further */
};

/** Initialise with TACHO_ARCH_LOAD_OPTIONS_INIT. */
typedef struct tacho_arch_load_options {
    size_t size;
    /** What it is called if the text does not say it, such as the name of its file without directory and
     *  ending; what cannot be in a name becomes '-'. NULL: "model" */
    const char *name;
    /** NULL, or called for each problem, in the order of lines; `line` from 1, 0 where it is in none. */
    void (*problem)(void *context, uint64_t line, const char *text);
    void *context; /**< passed to `problem` */
} tacho_arch_load_options;
#define TACHO_ARCH_LOAD_OPTIONS_INIT TACHO_OPTIONS_INIT(arch_load, 0)
TACHO_OPTIONS(arch_load);

/** Reads a microarchitecture from a text of `size` bytes, whose grammar data/README.md has ("Models of
 * cores"): all of it, or what differs from a built-in one. It is one more beside these: tacho_arch_find does
 * not know it, and all else that takes a microarchitecture does. `options` may be NULL. *out is freed with
 * tacho_arch_free, the text is not needed any more.
 * @return 0; TACHO_ERR_INPUT: the first problem is in `err`, with its line; TACHO_ERR_LIMIT,
 * TACHO_ERR_MEMORY */
TACHO_API int tacho_arch_load(tacho_arch **out, const char *text, size_t size,
                              const tacho_arch_load_options *options, tacho_error *err);
/** Whether it is such a one, or a copy of one. */
TACHO_API bool tacho_arch_is_loaded(const tacho_arch *arch);

#ifdef __cplusplus
}
#endif
#endif
