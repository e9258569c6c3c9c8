/* report_insn.h - a form of the instruction table on a core, found by name, as JSON and CSV. */
#ifndef TACHO_REPORT_INSN_H
#define TACHO_REPORT_INSN_H

#include "app/report/report.h"
#include "x86/insndb/form_find.h"

/** A form on a core. */
typedef struct report_insn {
    const tacho_arch *arch;
    uint32_t id;
    bool known; /**< it has figures there */
    tacho_form form;
    tacho_figures figures;
} report_insn;
/** @return whether it is known there */
bool report_insn_get(report_insn *out, const tacho_arch *arch, uint32_t id);

/** Ports as people write them: "2*p01+1*p23", "none". */
void insn_ports_text(const tacho_variant *v, char *out, size_t size);
/** Over all register-to-register pairs and addresses; false when nothing is known. */
bool report_insn_latencies(const tacho_figures *f, int *low, int *high);

/** Of report_insn, and of the cost in it. */
extern const report_table insn_table, insn_cost_table;
extern const char insn_columns[];
/** @return a new reference, as report_record_json */
json_t *report_insn_json(const tacho_arch *arch, uint32_t form);

/* ---- microarchitectures as JSON ---- */

extern const report_table arch_table;
/** All that is known of one. @return a new reference, as report_record_json */
json_t *report_arch_json(const tacho_arch *arch);
/** A list: how each is called. */
json_t *report_archs_json(void);

#endif
