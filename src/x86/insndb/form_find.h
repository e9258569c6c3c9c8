/* form_find.h - forms of the instruction table by what a user types, and what their operands are called. */
#ifndef TACHO_X86_FORM_FIND_H
#define TACHO_X86_FORM_FIND_H

#include "base/private.h"
#include "tacho/arch.h"
#include "tacho/insndb.h"

enum {
    FORM_NAME_SIZE = 200
};
/** Forms, by number. Start with {0}; the ids are to be freed where some were found. */
typedef struct insn_forms {
    uint32_t *ids;
    size_t count, capacity;
} insn_forms;
/** Those of that mnemonic, or whose name begins so: at least one. @return 0, TACHO_ERR_INPUT or
 *  TACHO_ERR_MEMORY */
TACHO_PRIVATE int tacho_forms_find(const char *text, insn_forms *out, tacho_error *err);
/** Those with figures on the core whose name has each word of the text, in upper or lower case; that name
 * itself is the first one. None is no error. @return 0 or TACHO_ERR_MEMORY */
TACHO_PRIVATE int tacho_forms_search(const char *text, const tacho_arch *arch, insn_forms *out,
                                     tacho_error *err);
/** "R64 (1st)" for what is written in assembly; "rsp", "memory" or "flags" for what is not. */
TACHO_PRIVATE void tacho_form_operand_text(const tacho_form *form, unsigned i, char *out, size_t size);
/** A form's name without what tells its widths: "OR (R, M)" of "OR (R64, M64)". */
TACHO_PRIVATE void tacho_form_without_widths(const char *name, char *out, size_t size);

#endif
