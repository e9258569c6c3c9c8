/* codegen.c - the machine code of a measurement.
 *
 * A run: set all vector, mask and x87 registers (which frees what move elimination had taken), flags and
 * general registers; go through the sled; read the counter between LFENCEs; set the registers that reading
 * changed; 64 NOPs of 15 bytes drain the front end; the block, aligned to 64 bytes; read the counter again.
 * There are no branches in the timed part but the block's and the loop's. After the uiCA paper, section 5.3.
 *
 * Nothing that the block can write is read after it: the first reading, and what the runner needs to go on,
 * stay in a register that the block does not touch; the second is in registers when control goes back, by a
 * direct jump.
 *
 * The sled is 6 KiB of NOPs, 18 in each 32 bytes: as many µops as the DSB keeps of such a window, in three
 * lines of each set after the other. It takes the whole DSB, so that unrolled code comes from the decoders,
 * as the definition of TPU wants it, and leaves most of the instruction cache to the block. Cores of other
 * makers have µop caches that it would take only in part, differently each time. There it is left out, and
 * the copies are repeated as a whole, so that both runs have all of their µops from the µop cache. */
#include <string.h>

#include "machine/measure/codegen.h"
#include "x86/decode/encode.h"
#include "x86/decode/regs.h"

enum {
    PP_66 = 1, /* a VEX prefix's pp: 66 */
    PP_F3 = 2,
    MAP_0F = 1,
    MAP_0F38 = 2,
    MAP_0F3A = 3,
    SLED_WINDOWS = 192,
    DRAIN_NOPS = 64,
    LINE = 64
};

typedef struct emitter {
    uint8_t *code;
    size_t at;
    bool full;
} emitter;

static void put(emitter *e, const void *bytes, size_t size)
{
    if (e->full || size > RUNNER_CODE_BYTES - e->at) {
        e->full = true;
        return;
    }
    memcpy(e->code + e->at, bytes, size);
    e->at += size;
}

#define PUT(e, ...)                                                                                          \
    do {                                                                                                     \
        const uint8_t put_bytes[] = {__VA_ARGS__};                                                           \
        put(e, put_bytes, sizeof put_bytes);                                                                 \
    } while (0)

static uint64_t here(const emitter *e)
{
    return RUNNER_CODE + e->at;
}

/* A 32-bit displacement that makes the instruction which ends with it refer to `target`. */
static void put_relative(emitter *e, uint64_t target)
{
    int32_t displacement = (int32_t)(int64_t)(target - (here(e) + 4));
    put(e, &displacement, sizeof displacement);
}

/* What the runner has mapped. */
#define CONTEXT(member) (RUNNER_PLAN + offsetof(runner_plan, context.member))
#define START(member)   (RUNNER_START + offsetof(runner_start_values, member))

static void align_nops(emitter *e, size_t boundary, size_t remainder)
{
    while (e->at % boundary != remainder && !e->full)
        PUT(e, 0x90);
}

static void put_long_nop(emitter *e, unsigned length)
{
    static const uint8_t nop[15] = {0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x2e, 0x0f,
                                    0x1f, 0x84, 0,    0,    0,    0,    0};
    put(e, nop + 15 - length, length); /* fewer prefixes: still a NOP, from 8 bytes on */
}

static uint64_t put_sled(emitter *e, bool whole)
{
    align_nops(e, LINE, 0);
    uint64_t start = here(e);
    for (int i = 0; i < SLED_WINDOWS && whole; i++) {
        for (int k = 0; k < 17; k++)
            PUT(e, 0x90);
        put_long_nop(e, 15);
    }
    PUT(e, 0xff, 0x25); /* jmp [rip + ...] */
    put_relative(e, START(after_sled));
    return start;
}

/* ---- registers ---- */

static void load_gpr(emitter *e, const codegen_block *b, unsigned number)
{
    PUT(e, (uint8_t)(0x48 | (number >> 3) << 2), 0x8b, (uint8_t)(0x05 | (number & 7) << 3));
    put_relative(e, number == b->counter ? START(iterations) : CONTEXT(gpr) + number * sizeof(uint64_t));
}

/* An instruction on a vector register. */
typedef struct vector_op {
    uint8_t opcode, map, pp;
    bool wide;      /* 64-bit general register */
    bool two;       /* its VEX form has another source: the register itself */
    bool register_; /* the other operand is register `other`, else RIP-relative memory */
    unsigned other;
} vector_op;

static const vector_op movdqu_load = {0x6f, MAP_0F, PP_F3, false, false, false, 0},
                       movq_load = {0x7e, MAP_0F, PP_F3, false, false, false, 0},
                       psubq_load = {0xfb, MAP_0F, PP_66, false, true, false, 0};

/* All of it but a displacement or an immediate. Encoded with VEX where the processor has it, which leaves no
 * half of the register behind. */
static void put_vector_op(emitter *e, const codegen_block *b, vector_op op, unsigned number)
{
    const uint8_t r = number >> 3, x = op.other >> 3;
    const uint8_t rm = op.register_ ? (uint8_t)(0xc0 | (op.other & 7)) : 0x05;
    if (b->vectors != CODEGEN_XMM)
        PUT(e, 0xc4, (uint8_t)(0x40 | !r << 7 | !x << 5 | op.map),
            (uint8_t)(op.wide << 7 | (op.two ? ~number & 15 : 15) << 3 | op.pp));
    else {
        PUT(e, op.pp == PP_66 ? 0x66 : 0xf3, (uint8_t)(0x40 | op.wide << 3 | r << 2 | x), 0x0f);
        if (op.map != MAP_0F)
            PUT(e, op.map == MAP_0F38 ? 0x38 : 0x3a);
    }
    PUT(e, op.opcode, (uint8_t)(rm | (number & 7) << 3));
}

static void load_vector(emitter *e, codegen_vectors kind, unsigned number)
{
    uint8_t modrm = (uint8_t)(0x05 | (number & 7) << 3), r = (number >> 3) & 1, r2 = (number >> 4) & 1;
    if (kind == CODEGEN_ZMM)
        PUT(e, 0x62, (uint8_t)(0x61 | !r << 7 | !r2 << 4), 0x7c, 0x48, 0x28, modrm); /* vmovaps zmm */
    else if (kind == CODEGEN_YMM)
        PUT(e, 0xc5, (uint8_t)(0x7c | !r << 7), 0x28, modrm); /* vmovaps ymm */
    else
        PUT(e, (uint8_t)(0x40 | r << 2), 0x0f, 0x28, modrm); /* movaps xmm */
    put_relative(e, CONTEXT(vectors) + number * 64);
}

static void load_vectors(emitter *e, const codegen_block *b)
{
    if (b->vectors != CODEGEN_XMM)
        PUT(e, 0xc5, 0xf8, 0x77); /* vzeroupper */
    for (unsigned i = 0; i < (b->vectors == CODEGEN_ZMM ? 32 : 16); i++)
        load_vector(e, b->vectors, i);
    for (unsigned i = 0; i < 8 && b->vectors == CODEGEN_ZMM; i++) {
        if (b->wide_masks)
            PUT(e, 0xc4, 0xe1, 0xf8, 0x90, (uint8_t)(0x05 | i << 3)); /* kmovq */
        else
            PUT(e, 0xc5, 0xf8, 0x90, (uint8_t)(0x05 | i << 3)); /* kmovw */
        put_relative(e, CONTEXT(masks) + i * sizeof(uint64_t));
    }
    PUT(e, 0xdb, 0xe3); /* fninit */
    for (unsigned i = 0; i < b->x87_depth; i++) {
        PUT(e, 0xdd, 0x05); /* fld qword */
        put_relative(e, CONTEXT(x87_value));
    }
    PUT(e, 0x0f, 0xae, 0x15); /* ldmxcsr */
    put_relative(e, CONTEXT(mxcsr));
}

/* What has to outlast the block. */
static void load_home(emitter *e, const codegen_block *b)
{
    if (b->home == CODEGEN_HOME_MMX) {
        PUT(e, 0x0f, 0x6f, 0x3d); /* movq mm7, [token] */
        put_relative(e, START(home[1]));
        return;
    }
    put_vector_op(e, b, movdqu_load, b->home);
    put_relative(e, START(home));
}

/* A move between home and a general register. */
typedef struct home_move {
    uint8_t mmx[4];
    vector_op op;
    uint8_t half; /* of the vector register */
} home_move;

static const home_move keep_reading = {{0x48, 0x0f, 0x6e, 0xf0}, /* movq mm6, rax */
                                       {0x22, MAP_0F3A, PP_66, true, true, true, RAX},
                                       0},
                       reading_to_rdx = {{0x48, 0x0f, 0x7e, 0xf2}, /* movq rdx, mm6 */
                                         {0x16, MAP_0F3A, PP_66, true, false, true, RDX},
                                         0},
                       token_to_rcx = {{0x48, 0x0f, 0x7e, 0xf9}, /* movq rcx, mm7 */
                                       {0x16, MAP_0F3A, PP_66, true, false, true, RCX},
                                       1};

static void put_home_move(emitter *e, const codegen_block *b, const home_move *m)
{
    if (b->home == CODEGEN_HOME_MMX) {
        put(e, m->mmx, sizeof m->mmx);
        return;
    }
    put_vector_op(e, b, m->op, b->home); /* PINSRQ, PEXTRQ */
    put(e, &m->half, sizeof m->half);
}

/* The stack pointer is last: until then the stack is the runner's. */
static void load_registers(emitter *e, const codegen_block *b)
{
    load_vectors(e, b);
    load_home(e, b);
    if (b->counter >= RUNNER_COUNTER_VECTOR && b->counter != RUNNER_COUNTER_NONE) {
        put_vector_op(e, b, movq_load, b->counter - RUNNER_COUNTER_VECTOR);
        put_relative(e, START(iterations));
    }
    for (unsigned i = 0; i < 16; i++)
        if (i != RSP)
            load_gpr(e, b, i);
    PUT(e, 0xff, 0x35); /* push [flags] */
    put_relative(e, START(flags));
    PUT(e, 0x9d); /* popfq */
    load_gpr(e, b, RSP);
}

/* ---- the block ---- */

static const tacho_operand *rip_operand(const tacho_insn *insn)
{
    for (int i = 0; i < insn->operand_count; i++)
        if ((insn->operands[i].kind == TACHO_OPERAND_MEM || insn->operands[i].kind == TACHO_OPERAND_AGEN) &&
            insn->operands[i].mem.base.class_ == TACHO_REG_RIP)
            return &insn->operands[i];
    return NULL;
}

/* Where an operand points, counted from the block's first byte. */
static int64_t rip_target(const codegen_block *b, size_t i, const tacho_operand *o)
{
    return (int64_t)b->offsets[i] + b->insns[i].length + o->mem.disp;
}

static int64_t lowest_target(const codegen_block *b)
{
    int64_t lowest = INT64_MAX;
    for (size_t i = 0; i < b->count; i++) {
        const tacho_operand *o = rip_operand(&b->insns[i]);
        if (o && rip_target(b, i, o) < lowest)
            lowest = rip_target(b, i, o);
    }
    return lowest;
}

unsigned codegen_data_offset(const codegen_block *b)
{
    int64_t lowest = lowest_target(b);
    unsigned best = 0, best_cost = UINT32_MAX;
    for (unsigned offset = 0; offset < LINE; offset++) {
        unsigned cost = 0;
        for (size_t i = 0; i < b->count; i++) {
            const tacho_operand *o = rip_operand(&b->insns[i]);
            unsigned bytes = o ? o->width_bits / 8u : 0;
            if (bytes && (uint64_t)(rip_target(b, i, o) - lowest + offset) % bytes)
                cost++;
        }
        if (cost < best_cost) {
            best = offset;
            best_cost = cost;
        }
    }
    return best;
}

/* Targets keep their distances, modulo a quarter of a gigabyte. */
static uint64_t new_target(const codegen_block *b, int64_t lowest, size_t i, const tacho_operand *o)
{
    enum {
        WINDOW = 1 << 28
    };
    return b->data_start + (uint64_t)(rip_target(b, i, o) - lowest) % WINDOW;
}

static size_t last_insn(const codegen_block *b)
{
    return b->count - b->drop_last;
}

/* Makes a branch that leaves the block go to the next instruction. */
static void keep_inside(const codegen_block *b, size_t i, uint8_t *bytes)
{
    const tacho_insn *insn = &b->insns[i];
    if (!insn->is_branch || (b->own_branch && i + 1 == b->count))
        return;
    const tacho_operand *o = insn->operands;
    while (o->kind != TACHO_OPERAND_REL)
        o++;
    int64_t target = (int64_t)b->offsets[i] + insn->length + o->imm;
    if (target <= 0 || target > (int64_t)b->offsets[last_insn(b)])
        memset(bytes + insn->opcode_offset + 1, 0, insn->length - insn->opcode_offset - 1u);
}

static void put_copy(emitter *e, const codegen_block *b, int64_t lowest)
{
    for (size_t i = 0; i < last_insn(b); i++) {
        const tacho_insn *insn = &b->insns[i];
        const tacho_operand *o = rip_operand(insn);
        uint8_t bytes[TACHO_MAX_INSN_BYTES];
        memcpy(bytes, insn->bytes, insn->length);
        keep_inside(b, i, bytes);
        if (o) { /* ModRM and, without a SIB byte, the displacement follow the opcode */
            int32_t displacement = (int32_t)(int64_t)(new_target(b, lowest, i, o) - (here(e) + insn->length));
            memcpy(bytes + insn->opcode_offset + 2, &displacement, sizeof displacement);
        }
        put(e, bytes, insn->length);
    }
}

/* Counts, and jumps to `start`. */
static void put_loop_end(emitter *e, const codegen_block *b, uint64_t start)
{
    uint8_t bytes[TACHO_MAX_INSN_BYTES];
    if (b->counter >= RUNNER_COUNTER_VECTOR) {
        const unsigned counter = b->counter - RUNNER_COUNTER_VECTOR;
        const vector_op ptest = {0x17, MAP_0F38, PP_66, false, false, true, counter};
        put_vector_op(e, b, psubq_load, counter);
        put_relative(e, CONTEXT(ones));
        put_vector_op(e, b, ptest, counter);
    } else
        put(e, bytes, tacho_encode_dec(b->counter, bytes));
    put(e, bytes, tacho_encode_jnz_back((uint32_t)(here(e) - start), bytes));
}

static void put_body(emitter *e, const codegen_block *b, uint32_t copies)
{
    uint64_t start = here(e);
    int64_t lowest = lowest_target(b);
    for (uint32_t i = 0; i < copies && !e->full; i++)
        put_copy(e, b, lowest);
    if (b->in_loop && !b->own_branch)
        put_loop_end(e, b, start);
}

/* ---- a run ---- */

/* rax = the counter; changes rdx */
static void read_counter(emitter *e, const codegen_block *b)
{
    PUT(e, 0x0f, 0xae, 0xe8, 0x0f, (uint8_t)(b->rdpmc ? 0x33 : 0x31), 0x0f, 0xae, 0xe8);
    PUT(e, 0x48, 0xc1, 0xe2, 0x20); /* shl rdx, 32 */
    PUT(e, 0x48, 0x09, 0xd0);       /* or rax, rdx */
}

static void put_timed_start(emitter *e, const codegen_block *b)
{
    if (b->rdpmc) {
        PUT(e, 0x8b, 0x0d); /* mov ecx, [counter] */
        put_relative(e, START(counter));
    }
    read_counter(e, b);
    put_home_move(e, b, &keep_reading);
    load_gpr(e, b, RAX);
    load_gpr(e, b, RDX);
    if (b->rdpmc)
        load_gpr(e, b, RCX);
    for (int i = 0; i < DRAIN_NOPS; i++)
        put_long_nop(e, 15);
}

/* Back to the runner: rax = the reading after the block, rdx = the one before, rcx = the token. */
static void put_return(emitter *e, const codegen_block *b)
{
    if (b->rdpmc) {
        put_home_move(e, b, &token_to_rcx);
        PUT(e, 0x48, 0xc1, 0xe9, 0x20); /* shr rcx, 32: which counter */
    }
    read_counter(e, b);
    put_home_move(e, b, &reading_to_rdx);
    put_home_move(e, b, &token_to_rcx);
    PUT(e, 0xe9); /* jmp */
    put_relative(e, b->return_address);
}

/* Again from the same general registers, if there are laps left; behind it comes what follows the last one.
 */
static void put_next_lap(emitter *e, const codegen_block *b, uint64_t start)
{
    uint8_t skip[2 * LINE + 16 * 8];
    emitter lap = {skip, 0, false}; /* to know how long it is */
    for (int writes = 0; writes < 2; writes++) {
        emitter *to = writes ? e : &lap;
        if (writes) {
            PUT(e, 0x48, 0xff, 0x0d); /* dec qword [laps] */
            put_relative(e, START(laps));
            PUT(e, 0x0f, 0x84); /* jz */
            put_relative(e, here(e) + 4 + lap.at);
        }
        if (b->counter >= RUNNER_COUNTER_VECTOR && b->counter != RUNNER_COUNTER_NONE) {
            put_vector_op(to, b, movq_load, b->counter - RUNNER_COUNTER_VECTOR);
            put_relative(to, START(iterations));
        }
        for (unsigned i = 0; i < 16; i++)
            load_gpr(to, b, i);
        PUT(to, 0xe9); /* jmp */
        put_relative(to, start);
    }
}

/* Size of what put_timed_start writes. */
static size_t timed_start_size(const codegen_block *b)
{
    uint8_t scratch[2 * LINE + DRAIN_NOPS * 15];
    emitter e = {scratch, 0, false};
    put_timed_start(&e, b);
    return e.at;
}

/* @return where the block begins */
static uint64_t put_run(emitter *e, const codegen_block *b, uint32_t copies, uint64_t sled, runner_run *out)
{
    out->entry = here(e);
    load_registers(e, b);
    PUT(e, 0xe9); /* jmp sled */
    put_relative(e, sled);
    align_nops(e, LINE, (LINE - timed_start_size(b) % LINE) % LINE);
    out->timed = here(e);
    put_timed_start(e, b);
    uint64_t start = here(e);
    put_body(e, b, copies);
    if (b->laps)
        put_next_lap(e, b, start);
    put_return(e, b);
    return start;
}

/* The block a few times, for single steps: its own loop, or copies. */
static void put_traced(emitter *e, const codegen_block *b, runner_plan *plan)
{
    int64_t lowest = lowest_target(b);
    align_nops(e, LINE, 0);
    plan->trace_entry = here(e);
    load_registers(e, b);
    plan->trace_start = here(e);
    for (int i = 0; i < (b->own_branch ? 1 : CODEGEN_TRACED_COPIES) && !e->full; i++)
        put_copy(e, b, lowest);
    plan->trace_end = here(e);
    put_return(e, b);
}

uint64_t codegen_rip_target(const codegen_block *b, size_t i)
{
    const tacho_operand *o = rip_operand(&b->insns[i]);
    return o ? new_target(b, lowest_target(b), i, o) : 0;
}

int codegen_make(codegen_block *b, runner_plan *plan, uint8_t *code, tacho_error *err)
{
    emitter e = {code, 0, false};
    uint64_t sled = put_sled(&e, b->sled);
    b->start[0] = b->start[1] = put_run(&e, b, b->copies[0], sled, &plan->runs[0]);
    if (b->in_loop) {
        plan->runs[1].entry = plan->runs[0].entry;
        plan->runs[1].timed = plan->runs[0].timed;
    } else
        b->start[1] = put_run(&e, b, b->copies[1], sled, &plan->runs[1]);
    put_traced(&e, b, plan);
    b->trace_start = plan->trace_start;
    if (e.full)
        return tacho_error_set(err, TACHO_ERR_LIMIT,
                               "the block is too long to be measured: its copies take more than %d KiB",
                               RUNNER_CODE_BYTES >> 10);
    return 0;
}
