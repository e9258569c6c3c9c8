/* report_deps_run.h - dependencies of a run as text, JSON and CSV. Uses public headers only. */
#ifndef TACHO_REPORT_DEPS_RUN_H
#define TACHO_REPORT_DEPS_RUN_H

#include <jansson.h>

#include "base/records.h"
#include "base/str.h"
#include "tacho/tools.h"

typedef struct report_deps_run {
    char *const *command; /**< ends in NULL */
    const tacho_deps_run *run;
    double hot;   /**< as in the options */
    uint32_t top; /**< dependencies that the text shows */
} report_deps_run;

void report_deps_run_text(tacho_str *out, const report_deps_run *r, bool colour);
void report_deps_run_csv(tacho_str *out, const report_deps_run *r);
extern const report_table report_deps_run_table;
extern const char report_deps_run_columns[];
/** @return a new reference, as report_record_json */
json_t *report_deps_run_json(const report_deps_run *r);

enum {
    DEPS_RUN_ASM_SIZE = 200
};
/** The instruction in Intel syntax; "" where its bytes are not known. @return out */
const char *deps_run_asm(const tacho_deps_run_insn *insn, char out[DEPS_RUN_ASM_SIZE]);

#endif
