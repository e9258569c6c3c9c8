/* learn_fusion.h - pairs of an instruction and a branch that take one slot. */
#ifndef TACHO_LEARN_FUSION_H
#define TACHO_LEARN_FUSION_H

#include "learn/learn_forms.h"

/** @return the group, from 1, of l->resources->fusion; 0: no branch is fused with the form */
unsigned learn_fusion(lab *l, uint32_t form);

#endif
