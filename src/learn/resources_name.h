/* resources_name.h - the ports that were found, under the names that a known core has for them. */
#ifndef TACHO_LEARN_RESOURCES_NAME_H
#define TACHO_LEARN_RESOURCES_NAME_H

#include "learn/resources.h"
#include "tacho/arch.h"

/** Gives the ports of `l` the core's numbers: in l->resources, and in findings of ports. Ports that the
 * core's own table has in the same sets get each other's names. @return false, with nothing changed, where
 * the sets are not the core's */
bool resources_name_as(lab *l, const tacho_arch *core);

#endif
