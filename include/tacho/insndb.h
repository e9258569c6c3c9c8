/* insndb.h - instruction forms and their figures per microarchitecture.
 *
 * A form is a mnemonic with operand kinds and widths and what of the encoding matters ("ADD (R64, M64)").
 * Its figures on a microarchitecture are how many µops it has, where they can execute and how long they take.
 * All pointers returned are to static, read-only storage, but for those of a microarchitecture that was
 * loaded at run time (tacho_arch_load), which live as long as it or a copy of it.
 *
 * Core: stable within a major version. */
#ifndef TACHO_INSNDB_H
#define TACHO_INSNDB_H

#include "decode.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tacho_arch;

/** One operand of a form. Visible operands (explicit, implicit) come first and in the order of tacho_insn's;
 *  suppressed ones follow: registers and memory fixed by the opcode, and the flags. */
typedef struct tacho_form_operand {
    uint8_t kind;       /**< a tacho_operand_kind */
    uint8_t access;     /**< TACHO_READ | TACHO_WRITE | TACHO_CONDITIONAL */
    uint8_t visibility; /**< a tacho_visibility */
    uint8_t flags_read; /**< FLAGS only: tacho_flag_group bits */
    uint8_t flags_written;
    uint16_t width_bits; /**< 0 unknown */
    tacho_reg reg;       /**< suppressed or implicit REG: which; else class NONE */
    tacho_reg base;      /**< suppressed MEM: its base register (RSP, RSI, RDI, RBP, RBX) */
    tacho_reg index;     /**< suppressed MEM: its index register (AL in XLAT), class NONE if none */
} tacho_form_operand;

enum {
    TACHO_NO_LATENCY = -1
};

/** Latency in cycles from one operand of the form to another; TACHO_NO_LATENCY where not measured. */
typedef struct tacho_latency {
    uint8_t source, target; /**< indices into the form's operands */
    int16_t cycles;         /**< from a register or the flags */
    int16_t address;        /**< from the address base register of a memory (or AGEN) operand */
    int16_t address_index;  /**< from its index register */
    int16_t memory;         /**< from the data in memory (store-to-load round trip included) */
    int16_t same_register;  /**< when both operands are one register */
} tacho_latency;

typedef struct tacho_port_group {
    uint16_t ports; /**< bit p: port p */
    uint16_t count; /**< how many µops */
} tacho_port_group;

/** Cost of a form in one variant of its operands. */
typedef struct tacho_variant {
    uint16_t uops;                  /**< µops executed (unfused); 0: eliminated, zero idiom, NOP */
    uint16_t retire_slots;          /**< fused µops at issue and retirement, at least 1 */
    uint16_t uops_mite;             /**< µops from the decoders, at least 1 */
    uint16_t uops_ms;               /**< µops from the microcode sequencer */
    uint8_t complex_decoder;        /**< only the complex decoder takes it */
    uint8_t simple_decoders;        /**< simple decoders still usable in the same cycle */
    uint16_t div_cycles;            /**< cycles the divider is blocked */
    uint16_t tp_cycles;             /**< least cycles between two instances; 0 none known */
    const tacho_port_group *groups; /**< in the order in which µops are formed from them */
    uint8_t group_count;
} tacho_variant;

/** Everything known of a form on one microarchitecture. */
typedef struct tacho_figures {
    tacho_variant base;
    tacho_variant indexed; /**< with an index register in the memory operand; == base if no difference */
    tacho_variant same_register; /**< all register operands equal; for eliminable moves the cost when the
                                      elimination does not happen */
    bool has_indexed, has_same_register;
    bool locked; /**< a locked read-modify-write */
    const tacho_latency *latencies;
    uint16_t latency_count;
    uint8_t fusion_group; /**< macro-fusion group as first of a pair, 0 none; see tacho_fusion_allowed */
    uint16_t source;      /**< see tacho_arch_source_text */
} tacho_figures;

typedef struct tacho_form {
    uint32_t id;       /**< stable within a library build: 0 .. tacho_form_count()-1 */
    uint16_t mnemonic; /**< tacho_mnemonic_name */
    const tacho_form_operand *operands;
    uint8_t operand_count;
    uint8_t visible_count;
} tacho_form;

/** The form of a decoded instruction and its figures on `arch`.
 *  @return 0 with *form and *figures set; TACHO_ERR_UNSUPPORTED when no form of this microarchitecture fits
 *  (then *form is NULL or the form that other microarchitectures have). Does not allocate; thread-safe. */
TACHO_API int tacho_insndb_match(const struct tacho_arch *arch, const tacho_insn *insn, tacho_form *form,
                                 tacho_figures *figures);

/** Whether `branch` can be macro-fused with an instruction whose figures have `fusion_group`. */
TACHO_API bool tacho_fusion_allowed(const struct tacho_arch *arch, uint8_t fusion_group,
                                    const tacho_insn *branch);

/** What the form of a decoded instruction is or would be called, also where no table has it: "FLD (M64)".
 *  @return length as snprintf. */
TACHO_API int tacho_insn_form_name(const tacho_insn *insn, char *out, size_t size);

TACHO_API uint32_t tacho_form_count(void);
TACHO_API int tacho_form_get(uint32_t id, tacho_form *out);
/** The form's name, for instance "ADD (R64, M64)". @return length as snprintf. */
TACHO_API int tacho_form_name(uint32_t id, char *out, size_t size);
/** Figures of form `id` on `arch`; TACHO_ERR_UNSUPPORTED when it has none. */
TACHO_API int tacho_form_figures(const struct tacho_arch *arch, uint32_t id, tacho_figures *out);
/** The form of that name. uops.info's names are understood too ("MOVSD_XMM (XMM, M64)"); where a suffix is
 *  missing that tells encodings apart, the first form that fits ("ADD (R64, R64)": ADD_01).
 *  @return 0, or TACHO_ERR_INPUT with a message that says what is wrong with the name. */
TACHO_API int tacho_form_find(const char *name, uint32_t *id, tacho_error *err);

/** Cycles from the first of the operands to the last result, when the instruction is alone: the largest of
 *  its latencies from a register, the flags or an address to a register or the flags. Loads are counted with
 *  the first-level cache; results that go to memory are not counted. `v` is one of the variants of `f`.
 *  @return NaN where no such latency is known: stores, branches, NOPs */
TACHO_API double tacho_form_latency(const tacho_form *form, const tacho_figures *f, const tacho_variant *v);
/** Reciprocal throughput: cycles between independent copies of the instruction, by the busiest of its ports,
 *  the divider, the least interval between two of them, and its slots at issue. The front end is not looked
 *  at. `v` is one of the variants of `form`, whose width decides where a core takes two cycles for 512 bits;
 *  NULL: of no more than 256. @return NaN where the µops have too many different sets of ports (none of the
 *  tables do) */
TACHO_API double tacho_form_throughput(const struct tacho_arch *arch, const tacho_form *form,
                                       const tacho_variant *v);
/** The same without a form: too low for 512 bits on some cores. */
TACHO_API double tacho_variant_throughput(const struct tacho_arch *arch, const tacho_variant *v);

/** The figures of a form by where they come from. */
typedef enum tacho_figure_field {
    TACHO_FIELD_PORTS = 0, /**< ports, uops, retire_slots */
    TACHO_FIELD_FRONT_END, /**< uops_mite, uops_ms, decoders */
    TACHO_FIELD_INDEXED,   /**< the indexed variant */
    TACHO_FIELD_SAME_REGISTER,
    TACHO_FIELD_LATENCY,
    TACHO_FIELD_DIVIDER,
    TACHO_FIELD_THROUGHPUT, /**< tp_cycles */
    TACHO_FIELD_FUSION,
    TACHO_FIELD_COUNT
} tacho_figure_field;

/** How near to the microarchitecture a figure was measured, nearest first. */
typedef enum tacho_origin {
    TACHO_ORIGIN_ABSENT = 0, /**< there is no such figure */
    TACHO_ORIGIN_MEASURED,   /**< on this very core */
    TACHO_ORIGIN_SAME_CORE,  /**< on another product with the same core (ICL client for ICX) */
    TACHO_ORIGIN_OTHER_CORE, /**< carried over from another core, perhaps adjusted */
    TACHO_ORIGIN_ESTIMATED,  /**< by rule or by analogy */
} tacho_origin;

/** Of figures of `arch`: where they come from, in words, with the name of the source. */
TACHO_API const char *tacho_arch_source_text(const struct tacho_arch *arch, uint16_t source);
TACHO_API tacho_origin tacho_arch_source_origin(const struct tacho_arch *arch, uint16_t source,
                                                tacho_figure_field field);
/** Bit f set: the figures of tacho_figure_field f are of origin `at_least` or farther. Not 0 for
 *  TACHO_ORIGIN_SAME_CORE: some were not measured on this core. */
TACHO_API unsigned tacho_arch_source_fields(const struct tacho_arch *arch, uint16_t source,
                                            tacho_origin at_least);

#ifdef __cplusplus
}
#endif
#endif
