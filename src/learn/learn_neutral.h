/* learn_neutral.h - what a parameter of a core is taken to be where no experiment has decided it and no
 * built-in core is asked (--from-scratch): the mechanism is off, or as on most cores. */
#ifndef TACHO_LEARN_NEUTRAL_H
#define TACHO_LEARN_NEUTRAL_H

typedef struct learn_neutral {
    const char *name;  /* of the parameter; NULL: of any for which there is no other */
    const char *value; /* as in params.txt */
    const char
        *why; /* why that is neutral, and, where no experiment finds the parameter, why there is none */
} learn_neutral;

/** Of every parameter of tacho_arch; all together are a legal core. NULL: there is no such parameter. */
const learn_neutral *learn_neutral_of(const char *name);

#endif
