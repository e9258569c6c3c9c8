/* block.c - the order of the stages (block.h), and what they have to do with each other: which instructions
 * count, where they lie, which pairs the decoders fuse. */

#include "base/search.h"
#include "base/hash.h"
#include "base/mem.h"
#include "model/block/cache.h"
#include "model/block/registers.h"

/* Which instructions of the block the processor takes for one: copies in an unrolled block or
 * in a window of a trace. In a trace they are told apart by their addresses, in unrolled code by their bytes.
 * These are the bytes of the code, as an instruction from the cache may have the numbers of another one. */

static bool is_same(const block *b, uint32_t i, uint32_t k)
{
    const block_insn *x = &b->insns[i], *y = &b->insns[k];
    return b->in_pieces
               ? x->address == y->address
               : x->length == y->length && !memcmp(b->bytes + x->offset, b->bytes + y->offset, x->length);
}

/* block.c. @return 0, TACHO_ERR_MEMORY */
static int block_find_same_code(block *b, arena *a)
{
    if ((!b->arch->renames_memory && !b->arch->renames_stack) || !b->has_load || !b->has_store)
        return 0;
    uint32_t size = 16;
    while (size < 2 * b->insn_count)
        size *= 2;
    uint16_t *table = arena_alloc(a, size * sizeof *table); /* number and one; 0 none */
    b->same_code = arena_alloc(a, b->insn_count * sizeof *b->same_code);
    if (!table || !b->same_code)
        return TACHO_ERR_MEMORY;
    for (uint32_t i = 0; i < b->insn_count; i++) {
        const block_insn *bi = &b->insns[i];
        uint64_t h = b->in_pieces ? hash_mix(bi->address) : hash_bytes(b->bytes + bi->offset, bi->length);
        while (table[h & (size - 1)] && !is_same(b, table[h & (size - 1)] - 1u, i))
            h++;
        uint16_t *at = &table[h & (size - 1)];
        *at = *at ? *at : (uint16_t)(i + 1);
        b->same_code[i] = (uint16_t)(*at - 1);
    }
    return 0;
}

/* Code between markers inside a loop whose increment is elsewhere. Repeated as it stands,
 * each iteration would read what the one before wrote. Here registers move on after each iteration, as that
 * increment would move them: by as many bytes as the code accesses. */

/* The stack stays where it is, and so does what is changed anyway. */
static uint16_t registers_that_stay(const block *b)
{
    uint16_t stay = 1u << UNIT_RSP;
    for (uint32_t i = 0; i < b->insn_count; i++)
        stay |= b->insns[i].written_gprs;
    return stay;
}

/* The register that moves on: the base, or the index where the base stays (RSP); none if the code changes one
 * of the two. */
static uint16_t mover_of(const mem_access *m, uint16_t stay)
{
    uint16_t all = registers_of_address(m), base = m->base < 16 ? (uint16_t)(1u << m->base) : 0;
    if (m->unknown_address || (all & stay & ~(1u << UNIT_RSP)))
        return 0;
    return base & ~stay ? base : all & (uint16_t)~stay;
}

/* block.c: which registers move on after each iteration, if they are to, and how far. */
static void block_find_advance(block *b)
{
    uint16_t stay = registers_that_stay(b);
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (uint32_t i = 0; i < b->insn_count; i++)
        for (int k = 0; k < b->insns[i].mem_count; k++) {
            const mem_access *m = &b->insns[i].mem[k];
            uint16_t mover = mover_of(m, stay);
            if (!mover)
                continue;
            int64_t end = m->disp + registers_access_bytes(m);
            b->advancing |= mover;
            low = m->disp < low ? m->disp : low;
            high = end > high ? end : high;
        }
    uint64_t bytes = b->advancing ? ((uint64_t)high - (uint64_t)low + 7) & ~(uint64_t)7 : 0;
    b->advance_bytes = bytes <= INT32_MAX ? (uint32_t)bytes : INT32_MAX;
}

/* Where the instructions of a block lie: one after the other from `alignment` on, or, for
 * the path of a loop through several parts of a program, in pieces. The front end sees addresses only through
 * this. */

/* Pieces may lie before the first one; addresses stay positive, and the same modulo any fetch block. */
static const uint64_t pieces_base = (uint64_t)1 << 40;

static int wrong_pieces(tacho_error *err)
{
    return tacho_error_set(
        err, TACHO_ERR_USAGE,
        "pieces begin at code offset 0, go up by whole instructions and lie near each other");
}

static int check_pieces(const block *b, const tacho_predict_options *o, tacho_error *err)
{
    if (b->mode != TACHO_MODE_LOOP)
        return tacho_error_set(err, TACHO_ERR_USAGE, "code in pieces is a loop; it cannot be unrolled");
    for (size_t k = 0; k < o->piece_count; k++) {
        int64_t distance = (int64_t)(o->pieces[k].address - o->pieces[0].address);
        if ((k ? o->pieces[k].code_offset <= o->pieces[k - 1].code_offset : o->pieces[0].code_offset != 0) ||
            distance >= TACHO_MAX_PIECE_DISTANCE || distance <= -TACHO_MAX_PIECE_DISTANCE)
            return wrong_pieces(err);
    }
    uint32_t offset = 0;
    size_t k = 0;
    for (uint32_t i = 0; i < b->decoded_count && k < o->piece_count; i++) {
        k += o->pieces[k].code_offset == offset;
        offset += b->decoded[i]->length;
    }
    return k == o->piece_count ? 0 : wrong_pieces(err);
}

/* Where each instruction lies, and after which ones the code goes on elsewhere. */
static int block_place(block *b, const tacho_predict_options *o, tacho_error *err)
{
    size_t count = o->pieces ? o->piece_count : 0, k = 0;
    const uint64_t base = o->once && count ? o->pieces[0].address : pieces_base + b->alignment;
    int rc = count ? check_pieces(b, o, err) : 0;
    if (rc)
        return rc;
    for (uint32_t i = 0; i < b->insn_count; i++) {
        block_insn *bi = &b->insns[i];
        bi->address = b->alignment + bi->offset;
        bool begins = false;
        while (k + 1 < count && o->pieces[k + 1].code_offset <= bi->offset) {
            k++;
            begins = true;
        }
        if (i && begins)
            b->insns[i - 1].jumps = true;
        if (count)
            bi->address = base + (o->pieces[k].address - o->pieces[0].address) +
                          (bi->offset - o->pieces[k].code_offset);
    }
    b->in_pieces = count > 0;
    b->insns[b->insn_count - 1].jumps = b->mode == TACHO_MODE_LOOP;
    return 0;
}

/* Instructions that the microarchitecture cannot execute. */

/* block.c: the error for an instruction at `offset` that the core cannot execute. @return its code */
static int block_refuse(const block *b, uint32_t number, uint32_t offset, tacho_error *err)
{
    char text[120];
    tacho_insn insn; /* decoded again: the block's may have another one's numbers */
    int rc = tacho_decode(&insn, b->bytes + offset, b->size - offset, err);
    if (rc)
        return rc;
    tacho_listing_write(b->listing, &insn, offset, text, sizeof text);
    tacho_error_set(err, TACHO_ERR_UNSUPPORTED, "%s has no %s: %s (instruction %u)", b->arch->name,
                    tacho_extension_name(tacho_arch_lacks(b->arch, &insn)), text, number);
    if (err)
        err->offset = offset;
    return TACHO_ERR_UNSUPPORTED;
}

/* What the instruction means for the block. */
static void add_to_block(block *b, uint32_t index)
{
    block_insn *bi = &b->insns[index];
    bi->throttle_owner = index;
    for (uint32_t k = 0; bi->tp_cycles && k < index; k++)
        if (b->insns[k].has_form && b->insns[k].facts->form.id == bi->facts->form.id) {
            bi->throttle_owner = k;
            break;
        }
    b->has_zmm |= bi->has_zmm;
    b->has_stack |= bi->stack_delta != 0 || bi->always_syncs;
    b->has_high8_write |= bi->writes_high8 != 0;
    b->has_microcode |= bi->uops_ms > 0;
}

static bool can_take_move(const block_insn *bi)
{
    const uint8_t op = bi->insn->operation;
    return (IS_ONE_OF(op, OP_INC, OP_DEC, OP_NOT) && bi->insn->visible_count == 1) ||
           (IS_ONE_OF(op, OP_ADD, OP_SUB, OP_AND, OP_OR, OP_XOR, OP_SHL, OP_SHR, OP_SAR, OP_ADC, OP_SBB) &&
            bi->insn->visible_count == 2);
}

static bool is_register(const block *b, const tacho_operand *op, uint8_t unit)
{
    return op->kind == TACHO_OPERAND_REG && block_unit(b->arch, op->reg) == unit;
}

/* A move joins an instruction that changes what it has moved, if that is of the same width and reads neither
 * memory nor the register once more. Measured on Zen 5 (mov_fusion in bench/zen5-experiments.csv.gz): AND,
 * OR, XOR, ADD, ADC, SUB, INC, DEC, NOT, SHL, SHR, SAR are joined, NEG, ROL, BSWAP, IMUL, LEA and others are
 * not.
 */
static bool joins(const block *b, const block_insn *bi, const block_insn *next)
{
    if (!bi->eliminable || !bi->move_gpr || bi->insn->operation != OP_MOVE || !next->has_form ||
        !can_take_move(next) || next->fused_with_next || next->address != bi->address + bi->length)
        return false;
    const tacho_operand *ops = next->insn->operands;
    return is_register(b, &ops[0], bi->move_target) && next->insn->operand_size == bi->insn->operand_size &&
           (next->insn->visible_count < 2 ||
            (ops[1].kind != TACHO_OPERAND_MEM && !is_register(b, &ops[1], bi->move_target)));
}

static void join_moves(block *b)
{
    for (uint32_t i = 0; b->arch->fuses_moves && i + 1 < b->insn_count; i++)
        b->insns[i].joined = !b->insns[i].jumps && joins(b, &b->insns[i], &b->insns[i + 1]);
}

/* Whether it is a NOP that can join the instruction before it; of the first one that is the last. */
static bool may_join(const block *b, uint32_t i)
{
    enum {
        LONGEST = 15 /* of both */
    };
    const block_insn *bi = &b->insns[i], *before = &b->insns[(i ? i : b->insn_count) - 1];
    return bi->insn->is_nop && bi->length + before->length <= LONGEST && !before->is_branch &&
           !before->fused_into_previous && (!i || bi->address == before->address + before->length);
}

static void join_nop(block *b, uint32_t i, bool joins)
{
    block_insn *bi = &b->insns[i];
    bi->fused_into_previous |= joins;
    bi->notes |= joins ? TACHO_NOTE_FUSED_INTO_PREV : 0;
}

/* NOPs that join the instruction before them have no part of their own from the decoders on. Measured on Zen
 * 4: 10 NOPs of 1 to 4 bytes and a branch take a cycle, of 8, 9 or 15 bytes two; unrolled, those of 5 and 7
 * bytes come as fast as 64 bytes a cycle. `cmp` and three NOPs take a third of a cycle, two `test` and two
 * NOPs half of one; a NOP of 10 bytes joins a move of 3.
 *
 * In unrolled code a NOP at the beginning joins the last instruction of the copy before, where neither that
 * nor what follows is another NOP (`nop; nop; nop; tzcnt` takes three slots). */
static void join_nops(block *b)
{
    const uint32_t n = b->insn_count;
    if (!b->arch->fuses_nops || !n)
        return;
    join_nop(b, 0,
             b->mode == TACHO_MODE_UNROLL && n > 1 && !b->insns[n - 1].insn->is_nop &&
                 !b->insns[1].insn->is_nop && may_join(b, 0));
    for (uint32_t i = 1; i < n; i++)
        join_nop(b, i, may_join(b, i));
}

/* Macro-fusion: the branch joins the instruction before it, unless (on most cores) it starts at a 64-byte
 * boundary. In unrolled code the address changes from copy to copy; the alignment of the first copy decides.
 */
static void fuse_pairs(block *b)
{
    for (uint32_t i = 0; i < b->insn_count; i++) {
        block_insn *bi = &b->insns[i];
        bi->fusible = bi->has_form && bi->facts->figures.fusion_group != 0 &&
                      !(b->variants & TACHO_VARIANT_NO_MACRO_FUSION);
        if (!bi->fusible || i + 1 == b->insn_count)
            continue;
        block_insn *next = &b->insns[i + 1];
        if (next->is_branch && tacho_fusion_allowed(b->arch, bi->facts->figures.fusion_group, next->insn) &&
            next->address == bi->address + bi->length &&
            (next->address % 64 != 0 || b->arch->fuses_at_line_start)) {
            bi->fused_with_next = next->fused_into_previous = true;
            bi->eliminable &= !bi->adds_constant;
            bi->notes |= TACHO_NOTE_MACRO_FUSED;
            next->notes |= TACHO_NOTE_FUSED_INTO_PREV;
        }
    }
}

/* Room for so many instructions. @return 0 or TACHO_ERR_MEMORY */
static int reserve(block *b, arena *a, uint32_t capacity)
{
    uint32_t count = b->decoded_count;
    b->decoded = arena_grow(a, b->decoded, count * sizeof *b->decoded, capacity * sizeof *b->decoded);
    b->insns = arena_grow(a, b->insns, count * sizeof *b->insns, capacity * sizeof *b->insns);
    return b->decoded && b->insns ? 0 : TACHO_ERR_MEMORY;
}

/* Decodes, matches and describes the instructions, each alone. */
static int describe_all(block *b, arena *a, insn_cache *cache, tacho_error *err)
{
    uint32_t capacity = 0;
    for (uint32_t offset = 0; offset < b->size; b->decoded_count++) {
        if (b->decoded_count == TACHO_MAX_BLOCK_INSNS)
            return tacho_error_set(err, TACHO_ERR_LIMIT,
                                   "the block has more than %d instructions; analyse a smaller region",
                                   TACHO_MAX_BLOCK_INSNS);
        if (b->decoded_count == capacity) {
            capacity = capacity ? 2 * capacity : b->size / 3 + 4;
            if (reserve(b, a, capacity))
                return tacho_no_memory(err);
        }
        block_insn *bi = &b->insns[b->decoded_count];
        int rc = insn_cache_describe(cache, bi, b, a, offset, err);
        if (rc) {
            if (err)
                err->offset = offset;
            return rc;
        }
        b->decoded[b->decoded_count] = bi->insn;
        offset += bi->length;
    }
    return 0;
}

static int check_size(size_t size, tacho_error *err)
{
    if (size == 0)
        return tacho_error_set(err, TACHO_ERR_INPUT, "the block is empty: there is nothing to analyse");
    if (size > TACHO_MAX_BLOCK_BYTES)
        return tacho_error_set(err, TACHO_ERR_LIMIT,
                               "the block has %zu bytes, the limit is %d; select a smaller region", size,
                               TACHO_MAX_BLOCK_BYTES);
    return 0;
}

/* Of the code's instruction `number`; *next: of the mispredicted ones, the next. */
static int note_misprediction(block_insn *bi, uint32_t number, const tacho_predict_options *o, size_t *next,
                              tacho_error *err)
{
    bi->mispredicted = *next < o->mispredicted_count && o->mispredicted[*next] == number;
    *next += bi->mispredicted;
    return !bi->mispredicted || bi->is_branch || bi->is_transfer
               ? 0
               : tacho_error_set(err, TACHO_ERR_USAGE,
                                 "instruction %u is no branch, which could be mispredicted", number);
}

/* Leaves out what is to be left out. */
static int choose_insns(block *b, const tacho_predict_options *o, tacho_error *err)
{
    size_t mispredicted = 0;
    for (uint32_t i = 0; i < b->decoded_count; i++) {
        block_insn *bi = &b->insns[b->insn_count];
        if (i != b->insn_count)
            *bi = b->insns[i];
        if (bi->lacks && !o->ignore_isa)
            return block_refuse(b, i, bi->offset, err);
        b->lacking_count += bi->lacks != 0;
        int rc = note_misprediction(bi, i, o, &mispredicted, err);
        if (rc)
            return rc;
        int skips = bi->has_form ? 0 : block_skips(b, bi, err);
        if (skips < 0)
            return skips;
        if (!skips)
            add_to_block(b, b->insn_count++);
    }
    if (mispredicted < o->mispredicted_count)
        return tacho_error_set(
            err, TACHO_ERR_USAGE,
            "mispredicted branches: %u is beyond the code's %u instructions, or out of order",
            o->mispredicted[mispredicted], b->decoded_count);
    return b->insn_count ? 0
                         : tacho_error_set(err, TACHO_ERR_UNSUPPORTED,
                                           "no instruction of the block is in the %s table, and unknown ones "
                                           "are left out: nothing remains",
                                           b->arch->name);
}

/* A conditional branch (or a pair that it ends) inside a loop: it is not taken. */
static bool falls_through(const block *b, const block_insn *branch)
{
    return b->mode == TACHO_MODE_LOOP && branch->is_conditional && !branch->jumps;
}

/* What the lowering of the instruction sees of the block. */
static lower_context context_of(const block *b, const block_insn *bi)
{
    const block_insn *branch = bi + bi->fused_with_next;
    lower_context context = falls_through(b, branch) ? LOWER_NOT_TAKEN : 0;
    if (bi->fused_with_next && branch->has_form && branch->variant->group_count)
        context |= LOWER_WITH_BRANCH | branch->variant->groups[0].ports;
    return b->has_zmm && b->arch->simd_disabled_with_zmm_ports ? context | LOWER_BESIDE_ZMM : context;
}

static int lower_all(block *b, arena *a, insn_cache *cache)
{
    for (uint32_t i = 0; i < b->insn_count; i++) {
        const block_insn *bi = &b->insns[i];
        int rc = insn_cache_lower(cache, b, a, i, context_of(b, bi));
        if (rc)
            return rc;
        b->issue_slots += bi->joined ? 0u : bi->fused_count;
        for (int m = 0; m < bi->mem_count; m++) {
            b->has_load |= bi->mem[m].read;
            b->has_store |= bi->mem[m].write;
        }
    }
    return 0;
}

int tacho_block_build(block *b, arena *a, insn_cache *cache, const tacho_arch *arch, const uint8_t *bytes,
                      size_t size, const tacho_predict_options *options, tacho_error *err)
{
    *b = (block){.arch = arch,
                 .bytes = bytes,
                 .size = (uint32_t)size,
                 .alignment = options->alignment & 63,
                 .whole_insns = options->details || options->trace || options->unknown == TACHO_UNKNOWN_ERROR,
                 .unknown = options->unknown,
                 .unknown_latency = options->unknown_latency,
                 .listing = options->listing,
                 .variants = options->variants};
    int rc = check_size(size, err);
    if (rc || (rc = describe_all(b, a, cache, err)) || (rc = choose_insns(b, options, err)))
        return rc;
    b->mode = options->mode;
    if (b->mode == TACHO_MODE_AUTO)
        b->mode = b->decoded[b->decoded_count - 1]->is_branch ? TACHO_MODE_LOOP : TACHO_MODE_UNROLL;
    if ((rc = block_place(b, options, err)))
        return rc;
    fuse_pairs(b);
    join_nops(b);
    join_moves(b);
    if ((rc = lower_all(b, a, cache)))
        return tacho_no_memory(err);
    if (options->advance && !options->piece_count && !b->decoded[b->decoded_count - 1]->is_branch)
        block_find_advance(b);
    block_write_high_bytes(b);
    block_bypass_third_sources(b);
    rc = block_forward_sums(b, a) ?: block_find_same_code(b, a);
    return rc ? tacho_no_memory(err) : 0;
}
