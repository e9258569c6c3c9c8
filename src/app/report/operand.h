/* operand.h - names of the operands of instruction forms. */
#ifndef TACHO_REPORT_OPERAND_H
#define TACHO_REPORT_OPERAND_H

#include "tacho/insndb.h"

/** "R64 (1st)" for what is written in assembly; "rsp", "memory" or "flags" for what is not. */
void report_operand_text(const tacho_form *form, unsigned i, char *out, size_t size);

#endif
