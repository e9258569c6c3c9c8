/* cache_parts.h - what the cache of instructions is made of, for its two files: cache.c finds instructions,
 * kept.c puts what is known of one into a block. */
#ifndef TACHO_BLOCK_CACHE_PARTS_H
#define TACHO_BLOCK_CACHE_PARTS_H

#include "model/block/cache.h"
#include "x86/decode/shape.h"

enum {
    CACHE_BYTES_MAX =
        24 << 20, /* beyond that nothing more is kept, and all is forgotten before the next block */
    CACHE_ARCHS = 16,
    FACTS_PART = 64,  /* forms */
    CACHE_AHEAD = 32, /* instructions whose places are found before they are decoded */
    NO_OPERAND = 255,
    NO_ACCESS = 255
};

/* The parts of block_insn that are kept: what describing an instruction gives, and what lowering it gives,
 * which ends with its accesses. */
#define DESCRIBED_FROM  offsetof(block_insn, facts)
#define DESCRIBED_BYTES (offsetof(block_insn, notes) - DESCRIBED_FROM)
#define LOWERED_FROM    offsetof(block_insn, uop_count)
#define LOWERED_BYTES   (offsetof(block_insn, mem) - LOWERED_FROM)

/* uop_group, of few µops. */
typedef struct kept_group {
    uint16_t first;
    uint16_t count;
} kept_group;

/* A lowered instruction; its accesses follow, its µops, and its groups, counted from 0. */
typedef struct lowered_insn lowered_insn;
struct lowered_insn {
    lowered_insn *next;
    uint32_t context;
    uint16_t uops;     /* with the one that a move becomes when it is not eliminated */
    uint8_t displaced; /* the access whose displacement the code gives, NO_ACCESS if there is none */
    uint32_t notes;
    unsigned char part[LOWERED_BYTES];
};

typedef struct insn_key {
    uint64_t bytes[2];
} insn_key;

typedef struct insn_template {
    insn_key key;
    lowered_insn *lowered;
    uint8_t arch; /* its place among those of the cache */
    uint8_t disp_operand, imm_operand;
    decode_places places;
    bool imm_is_value, disp_is_value; /* block_insn.value_imm and value_disp are these */
    bool imm_may_be_large;            /* or beside a large displacement: it then takes a DSB slot */
    bool rip_relative;
    uint32_t notes;
    unsigned char description[DESCRIBED_BYTES];
    tacho_insn insn; /* cut off after its last operand */
} insn_template;

/* A slot of the table. The hash of the key avoids looking at templates of other instructions. */
typedef struct cache_slot {
    insn_template *template; /* NULL: free */
    uint64_t hash;
} cache_slot;

/* An instruction of the block that was looked at ahead of decoding. */
typedef struct insn_place {
    uint32_t offset;
    insn_shape shape;
    insn_key key;
    uint64_t hash;
    insn_template *seen; /* with this hash, when looking ahead; NULL if there was none */
} insn_place;

/* Facts of forms that follow each other; NULL until they are looked up. */
typedef struct facts_part {
    insn_facts *of_form[FACTS_PART];
} facts_part;

/* Parameters that instructions were described and lowered with. */
typedef struct cached_arch {
    tacho_arch arch;
    uint32_t variants;
} cached_arch;

struct insn_cache {
    arena memory;
    size_t bytes, count;
    cache_slot *slots;
    uint32_t mask;
    cached_arch archs[CACHE_ARCHS];
    facts_part **facts[CACHE_ARCHS]; /* by form / FACTS_PART; NULL before the first one */
    uint32_t arch_count, arch;       /* the current one's place */
    uint8_t *code, *outline;         /* with bytes after their ends that can be read */
    size_t code_capacity, outline_capacity;
    uint32_t size;
    bool confirmed;
    insn_place ahead[CACHE_AHEAD];
    uint32_t ahead_count, ahead_next;
};

/* cache.c: memory until all is forgotten; NULL when memory runs out. */
void *insn_cache_keep(insn_cache *c, size_t bytes);

/* kept.c */
/* A template of an instruction that the stages have described. NULL where it is not plain which operands have
 * the numbers, or memory runs out. */
insn_template *kept_new(insn_cache *c, const insn_place *p, const decode_places *places,
                        const block_insn *bi);
/* The described instruction at `offset` of the code. @return 0 or TACHO_ERR_MEMORY */
int kept_describe(const insn_cache *c, insn_template *t, block_insn *bi, const block *b, arena *a,
                  uint32_t offset);

#endif
