/* parameters.h - what the library's parts and the table generator share of the table of parameters. */
#ifndef TACHO_ARCH_PARAMETERS_H
#define TACHO_ARCH_PARAMETERS_H

#include "x86/arch/arch_struct.h"

/** The number of a parameter, also by a name that the last version had (then *is_old); -1: there is none */
int tacho_arch_parameter_find(const char *name, bool *is_old);
/** Sets the i-th parameter from text as in params.txt. @return false, and `arch` as it was, when the text is
 * no value of that parameter. */
bool tacho_arch_parameter_parse(tacho_arch *arch, size_t i, const char *text);
/** Whether the value is in the parameter's range. */
bool tacho_arch_parameter_valid(const tacho_arch *arch, size_t i);
/** What values it can have, in words, the least being `low`: "a whole number from 1 to 64". */
void tacho_arch_parameter_describe(const tacho_arch_parameter *p, uint32_t low, char *out, size_t size);

#endif
