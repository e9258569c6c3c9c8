/* learn_neutral.h - what a parameter of a core is taken to be where no experiment has decided it and no
 * built-in core is asked (--from-scratch): the mechanism is off, or as on most cores. */
#ifndef TACHO_LEARN_NEUTRAL_H
#define TACHO_LEARN_NEUTRAL_H

/** A row for every parameter of tacho_arch. */
typedef struct learn_neutral {
    const char *name, *value; /* as in params.txt */
    const char
        *why; /* why that is neutral, and, where no experiment finds the parameter, why there is none */
} learn_neutral;

/** Ends with name NULL. All together are a legal core. */
extern const learn_neutral learn_neutrals[];

/** NULL: there is no such parameter. */
const learn_neutral *learn_neutral_of(const char *name);

#endif
