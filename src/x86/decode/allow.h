/* allow.h - the list of what may run. */
#ifndef TACHO_DECODE_ALLOW_H
#define TACHO_DECODE_ALLOW_H

#include <Zydis/Zydis.h>

/* NULL where the instruction is on the list, else why it is not ("is of an instruction set ..."). Static
 * storage. */
const char *allow_refuses(const ZydisDecodedInstruction *zi);

#endif
