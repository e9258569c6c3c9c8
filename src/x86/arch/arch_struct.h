/* arch_struct.h - what is in a tacho_arch: the parameters of a microarchitecture. parameter_rows.h has their
 * units, ranges and meanings, doc/rooms/model.md their part in the model. Other programs see them by
 * tacho/arch.h only. */
#ifndef TACHO_ARCH_STRUCT_H
#define TACHO_ARCH_STRUCT_H

#include "tacho/arch.h"

enum {
    TACHO_MAX_BOUND_PORTS = 12, /* where the renamer chooses them */
    TACHO_LSD_UNROLL_MAX = 64,
    TACHO_SLOTS_UNLIMITED = 255
};

/** Who chooses among the ports that a µop can use, and how. */
typedef enum tacho_port_policy {
    TACHO_PORTS_6 = 6,   /**< Sandy Bridge, Ivy Bridge */
    TACHO_PORTS_8 = 8,   /**< Haswell to Cascade Lake: uiCA paper, section 4.1.2 */
    TACHO_PORTS_10 = 10, /**< Ice Lake to Rocket Lake */
    TACHO_PORTS_12 = 12, /**< Golden Cove: as 10, but for its rules for certain slots */
    TACHO_PORTS_AT_DISPATCH =
        16, /**< the scheduler, when the µop leaves it: the one that is free first; AMD */
} tacho_port_policy;

struct tacho_arch {
    const char *name;      /**< "SKL" */
    const char *long_name; /**< "Skylake (client)" */
    const char *table;     /**< what the instruction figures are, in words */
    const char *checked;   /**< of a model from a file: how good it is, in its own words; NULL */
    tacho_compared compared;
    bool old_names;               /**< a parameter was set by a name that only this version still reads */
    uint16_t index;               /**< of the instruction table; do not change */
    struct loaded_tables *loaded; /**< NULL, or where it was loaded from, which has that table; loaded.h */
    uint64_t serial;        /**< 0, or which loaded one; later ones may be in the same place in memory */
    uint64_t extensions[2]; /**< of the instruction set: bit n % 64 of [n / 64] for tacho_extension n; see
                                 tacho_arch_has_extension */

    /* The parameters; those of YES_NO are bool, ports are masks. */
#define NUMBER(member, ...) uint16_t member;
#define SLOTS(member, ...)  uint16_t member;
#define POLICY(member, ...) uint16_t member;
#define PORTS(member, ...)  uint16_t member;
#define YES_NO(member, ...) bool member;
#define UNROLL(member, ...) uint8_t member[TACHO_LSD_UNROLL_MAX + 1];
#include "x86/arch/parameter_rows.h"
#undef NUMBER
#undef SLOTS
#undef POLICY
#undef PORTS
#undef YES_NO
#undef UNROLL
};

#endif
