/* tables.h - the form of the generated tables (gen/tables.c writes them, insndb.c and arch.c read them). */
#ifndef TACHO_ARCH_TABLES_H
#define TACHO_ARCH_TABLES_H

#include "tacho/extension.h"
#include "tacho/insndb.h"
#include "x86/arch/arch_struct.h"

enum {
    GEN_NONE = 0xFFFF,
    GEN_MAX_FUSION_GROUPS = 16,
    GEN_MAX_DECODED = 144,     /* fused µops that the decoders deliver in a cycle */
    GEN_MAX_IDQ_ENTRIES = 192, /* of the µop queue, which is made for so many and one delivery */
    GEN_PAGE_FORMS = 16
};

/* What a mnemonic's forms make use of, so that a match tries no more keys than it must. */
enum {
    GEN_USES_OPCODE = 1,
    GEN_USES_RM = 2,
    GEN_USES_WORD = 4, /* W or O64 */
    GEN_USES_EVEX = 8,
    GEN_USES_FIXED = 16,
    GEN_USES_ZERO = 32,
    GEN_USES_REP = 64,
};

typedef struct gen_form {
    uint16_t operands; /* first in tacho_gen_operands */
    uint8_t operand_count;
    uint8_t visible_encoding; /* visible operands | tacho_encoding << 4 */
} gen_form;

typedef struct gen_variant {
    uint16_t uops, slots, mite, ms, div, tp, groups;
    uint8_t group_count, complex_decoder, simple;
} gen_variant;

typedef struct gen_figures {
    uint16_t base, indexed, same; /* in tacho_gen_variants; GEN_NONE where as base */
    uint16_t latencies;
    uint16_t source; /* in gen_arch.sources */
    uint8_t latency_count, fusion_group, locked;
} gen_figures;

typedef struct gen_source {
    uint32_t text;
    uint32_t origins; /* four bits a tacho_figure_field: a tacho_origin */
} gen_source;

typedef struct gen_parameter {
    const char *name, *source;
} gen_parameter;

typedef enum gen_vendor {
    GEN_INTEL,
    GEN_AMD
} gen_vendor;

/* Models of the CPUID family; GEN_NONE ends a list. */
typedef struct gen_model {
    uint16_t first, last;
    uint8_t first_stepping, last_stepping;
} gen_model;

typedef struct gen_arch {
    tacho_arch arch;
    const char *const *aliases;           /* NULL-terminated */
    const char *const *cores;             /* its own first, then others that are the same; NULL-terminated */
    const gen_parameter *parameters;      /* NULL-terminated */
    const char *const *extension_sources; /* by tacho_extension; NULL: it has not that one */
    const gen_model *models;              /* terminated by GEN_NONE */
    uint16_t vendor, family;              /* CPUID's: a gen_vendor, and the family with its extension */
    const uint16_t *pages;                /* by form / GEN_PAGE_FORMS: page in tacho_gen_pages */
    const uint16_t *sources;              /* by gen_figures.source: in tacho_gen_sources */
    uint16_t fusion[GEN_MAX_FUSION_GROUPS]; /* by group: bit c: condition code c may follow */
} gen_arch;

extern const uint32_t tacho_gen_form_count;
extern const uint32_t tacho_gen_hash_mask;
extern const uint16_t tacho_gen_hash[];
extern const uint64_t tacho_gen_keys[];
extern const gen_form tacho_gen_forms[];
extern const uint8_t tacho_gen_mnemonic_uses[];
extern const tacho_form_operand tacho_gen_operands[];
extern const tacho_port_group tacho_gen_groups[];
extern const gen_variant tacho_gen_variants[];
extern const tacho_latency tacho_gen_latencies[];
extern const uint16_t tacho_gen_pages[]; /* GEN_PAGE_FORMS each: in gen_figures, or GEN_NONE */
extern const gen_figures tacho_gen_figures[];
extern const uint16_t tacho_gen_source_count;
extern const gen_source tacho_gen_sources[];
extern const char tacho_gen_source_text[];
extern const uint32_t tacho_gen_arch_count;
extern const gen_arch tacho_gen_archs[];

/* A form's figures on a built-in core; NULL: it has none. */
static inline const gen_figures *gen_figures_of(const gen_arch *tables, uint32_t form)
{
    const uint16_t index =
        tacho_gen_pages[tables->pages[form / GEN_PAGE_FORMS] * GEN_PAGE_FORMS + form % GEN_PAGE_FORMS];
    return index == GEN_NONE ? NULL : &tacho_gen_figures[index];
}

#endif
