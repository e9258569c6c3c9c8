/* cmd_insn.h - what tacho insn shares: finding forms, ports as text, the missing ones. */
#ifndef TACHO_CLI_INSN_H
#define TACHO_CLI_INSN_H

#include "app/cli/cli.h"
#include "app/report/fields.h"

/** Lists the distinct instructions of a batch that have no form on `arch`, and what share has one.
 *  @return an exit status */
int insn_missing(const char *path, const tacho_arch *arch, cli_format format);

enum {
    INSN_NAME_SIZE = 200
};
/** Forms, by number. Start with {0}; the ids are to be freed where some were found. */
typedef struct insn_forms {
    uint32_t *ids;
    size_t count, capacity;
} insn_forms;
/** Those of that mnemonic, or whose name begins so: at least one. @return an exit status; unless CLI_OK with
 * a message */
int insn_find(const char *text, insn_forms *out);
/** Shows the loops by which a form is characterised, as the simulator of `arch` predicts them.
 *  @return an exit status */
int insn_chains(const char *form, const tacho_arch *arch, cli_format format);

/** The one form of that name, as tacho insn understands names. @return an exit status; unless CLI_OK with a
 *  message */
int insn_find_one(const char *text, uint32_t *id);

/** Ports as people write them: "2*p01+1*p23", "none". */
void insn_ports_text(const tacho_variant *v, char *out, size_t size);

extern const report_table insn_table, insn_cost_table, insn_missing_table;
extern const char insn_columns[];

#endif
