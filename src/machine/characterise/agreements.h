/* agreements.h - how many of a form's measured figures agree with a table's. */
#ifndef TACHO_CHARACTERISE_AGREEMENTS_H
#define TACHO_CHARACTERISE_AGREEMENTS_H

#include "base/private.h"
#include "tacho/characterise.h"
#include "x86/arch/arch_struct.h"

/** How many figures were compared with the table's, and what could not be measured. */
typedef struct tacho_agreements {
    unsigned agree, within, differ, missing; /**< within: below a measured upper bound */
} tacho_agreements;

/** @param arch NULL: nothing is compared */
TACHO_PRIVATE tacho_agreements tacho_agreements_of(const tacho_arch *arch, const tacho_characterisation *c);

#endif
