/* units.h - the ports of a core as people know them: what each group is for, and which of them limits a
 * block. */
#ifndef TACHO_REPORT_UNITS_H
#define TACHO_REPORT_UNITS_H

#include "app/report/report.h"

enum {
    REPORT_UNITS_TEXT = 320
};

/** A column of a table of µops: ports that are for the same. */
typedef struct report_unit {
    char title[TACHO_MAX_PORTS + 2]; /**< "p0", "p23"; AMD's: "ALU", "AGU", "FP", "ST" */
    uint16_t ports;                  /**< bit n: port n */
    const char *what;                /**< "loads, addresses of stores" */
} report_unit;

/** AMD's cores, whose words for the same things are others: op cache, ALU, AGU, FP. */
static inline bool report_is_amd(const tacho_arch *arch)
{
    return arch->port_policy == TACHO_PORTS_AT_DISPATCH;
}

/** All ports of the core, each in one group. @return how many groups */
size_t report_units(const tacho_arch *arch, report_unit out[TACHO_MAX_PORTS]);
/** µops that the instruction has on `ports`. */
double report_unit_uops(const tacho_insn_report *r, uint16_t ports);
/** What those groups are that have any of `ports`; nothing for none. */
void report_units_text(tacho_str *out, const report_unit *units, size_t count, uint32_t ports);

/** What the bound of ports comes from, in a few words ("load ports"). @return out */
const char *report_busiest_words(const tacho_prediction *p, char *out, size_t size);
/** The same as a sentence without its full stop: the ports, which instructions need them, and how long. */
const char *report_busiest_text(const tacho_prediction *p, char out[REPORT_UNITS_TEXT]);
/** What would move it. */
const char *report_busiest_move(const tacho_prediction *p);

#endif
