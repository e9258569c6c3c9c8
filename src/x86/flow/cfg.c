/* cfg.c - from bytes to a control-flow graph.
 *
 * Code is followed from the entries along branches. What is left over is then swept in order of addresses.
 * Each instruction found there that nothing leads to is a root of its own (landing pads, targets of jumps
 * that are not understood, dead code); padding is no code. A branch into the middle of an instruction, or to
 * bytes that decode to nothing, is taken to leave the graph. Calls are assumed to return, unless the owner of
 * the code knows better. */

#include "tacho/error.h"
#include "x86/decode/ops.h"
#include "x86/flow/code_search.h"

enum {
    INSIDE = UINT32_MAX, /* in cfg.at: not the first byte of an instruction, or no code */
    MAX_CASES = 1 << 20
};

/* Room for one more element of an arena's array. */
static bool reserve(cfg *g, void *array, uint32_t count, uint32_t *capacity, size_t size)
{
    void *old;
    if (count < *capacity)
        return true;
    uint32_t more = *capacity ? 2 * *capacity : 64;
    memcpy(&old, array, sizeof old);
    void *grown = arena_grow(g->memory, old, count * size, more * size);
    if (!grown) {
        g->failed = true;
        return false;
    }
    memcpy(array, &grown, sizeof grown);
    *capacity = more;
    return true;
}

static bool waits(const tacho_insn *insn)
{
    return insn->serializing || insn_is(insn, INSN_WAITS);
}

static bool compares(const tacho_insn *insn)
{
    const tacho_operand *a = &insn->operands[0], *b = &insn->operands[1];
    bool itself = a->kind == TACHO_OPERAND_REG && b->kind == TACHO_OPERAND_REG &&
                  a->reg.class_ == b->reg.class_ && a->reg.number == b->reg.number;
    return insn->operation == OP_CMP || (insn->operation == OP_TEST && itself) ||
           insn_is(insn, INSN_COMPARES_FLOATS);
}

static void follow(cfg *g, uint32_t offset)
{
    if (offset < g->code->size && !g->at[offset] &&
        reserve(g, &g->todo, g->todo_count, &g->todo_capacity, sizeof *g->todo))
        g->todo[g->todo_count++] = offset;
}

static void add_jump(cfg *g, uint32_t offset)
{
    if (reserve(g, &g->jumps, g->jump_count, &g->jump_capacity, sizeof *g->jumps))
        g->jumps[g->jump_count++] = (cfg_jump){.offset = offset};
}

/* Whether an instruction of this length would lie over bytes that belong to others. */
static bool overlaps(const cfg *g, uint32_t offset, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        if (g->at[offset + i])
            return true;
    return false;
}

static uint32_t direct_target(const cfg *g, uint32_t offset, uint32_t length, int64_t distance)
{
    uint32_t target = CFG_NONE;
    if (g->code->resolve && g->code->resolve(offset, length, &target, g->code->payload))
        return target < g->code->size ? target : CFG_NONE;
    int64_t place = (int64_t)offset + length + distance;
    return place >= 0 && place < (int64_t)g->code->size ? (uint32_t)place : CFG_NONE;
}

/* Decodes the instruction at `offset`. Returns where the code goes on in a straight line, CFG_NONE where it
 * does not. */
static uint32_t decode_one(cfg *g, uint32_t offset)
{
    tacho_insn insn;
    int64_t distance;
    if (tacho_decode(&insn, g->code->bytes + offset, g->code->size - offset, NULL)) {
        g->at[offset] = INSIDE;
        return CFG_NONE;
    }
    if (overlaps(g, offset, insn.length) ||
        !reserve(g, &g->insns, g->insn_count, &g->insn_capacity, sizeof *g->insns))
        return CFG_NONE;
    cfg_insn *i = &g->insns[g->insn_count++];
    *i = (cfg_insn){.offset = offset, .target = CFG_NONE, .length = insn.length, .waits = waits(&insn)};
    i->flow = (uint8_t)tacho_insn_flow_of(&insn, &distance);
    i->compares = i->flow == FLOW_NEXT && compares(&insn);
    i->if_equal = insn.operation == OP_IF && insn_condition(&insn) == IF_ZERO;
    i->if_unequal = insn.operation == OP_IF && insn_condition(&insn) == IF_NOT_ZERO;
    for (uint32_t k = 1; k < insn.length; k++)
        g->at[offset + k] = INSIDE;
    g->at[offset] = g->insn_count;
    if (i->flow == FLOW_JUMP || i->flow == FLOW_BRANCH) {
        i->target = direct_target(g, offset, insn.length, distance);
        if (i->target != CFG_NONE)
            follow(g, i->target);
    } else if (i->flow == FLOW_INDIRECT) {
        add_jump(g, offset);
    } else if (i->flow == FLOW_CALL && g->code->returns && !g->code->returns(g, i, g->code->payload)) {
        i->flow = FLOW_STOP;
    }
    return i->flow <= FLOW_CALL || i->flow == FLOW_BRANCH ? offset + insn.length : CFG_NONE;
}

static void decode_reachable(cfg *g)
{
    uint32_t resolved = g->jump_count;
    do {
        while (g->todo_count && !g->failed) {
            uint32_t at = g->todo[--g->todo_count];
            while (at < g->code->size && !g->at[at] && !g->failed)
                at = decode_one(g, at);
        }
        for (; resolved < g->jump_count && !g->todo_count; resolved++) {
            cfg_jump *j = &g->jumps[resolved];
            j->first_case = g->case_count;
            j->resolved = g->code->cases && g->code->cases(g, j->offset, g->code->payload);
            j->case_count = g->case_count - j->first_case;
            for (uint32_t k = j->first_case; k < g->case_count; k++)
                follow(g, g->case_targets[k]);
        }
    } while (g->todo_count && !g->failed);
}

void cfg_add_case(cfg *g, uint32_t offset)
{
    if (offset < g->code->size && g->case_count < MAX_CASES &&
        reserve(g, &g->case_targets, g->case_count, &g->case_capacity, sizeof *g->case_targets))
        g->case_targets[g->case_count++] = offset;
}

uint32_t cfg_previous(const cfg *g, uint32_t offset)
{
    for (uint32_t k = 1; k <= TACHO_MAX_INSN_BYTES && k <= offset; k++) {
        uint32_t n = g->at[offset - k];
        if (!n)
            return CFG_NONE;
        if (n != INSIDE)
            return g->insns[n - 1].offset + g->insns[n - 1].length == offset ? n - 1 : CFG_NONE;
    }
    return CFG_NONE;
}

static void add_root(cfg *g, uint32_t offset)
{
    if (reserve(g, &g->roots, g->root_count, &g->root_capacity, sizeof *g->roots))
        g->roots[g->root_count++] = offset;
    follow(g, offset);
}

/* NOPs and INT3s that nothing leads to: their length, 0 for other instructions. */
static uint32_t padding(const cfg *g, uint32_t offset)
{
    tacho_insn insn;
    if (g->code->bytes[offset] == 0xcc)
        return 1;
    if (tacho_decode(&insn, g->code->bytes + offset, g->code->size - offset, NULL) || !insn.is_nop)
        return 0;
    return overlaps(g, offset, insn.length) ? 0 : insn.length;
}

static void sweep(cfg *g)
{
    for (uint32_t at = 0; at < g->code->size && !g->failed;) {
        if (g->at[at]) {
            at++;
            continue;
        }
        uint32_t skip = padding(g, at);
        for (uint32_t k = 0; k < skip; k++)
            g->at[at++] = INSIDE;
        if (skip)
            continue;
        add_root(g, at);
        decode_reachable(g);
        if (!g->at[at]) /* it would lie over other instructions */
            g->at[at] = INSIDE;
    }
}

ORDER_BY(by_offset, cfg_insn, offset);

static cfg_insn *insn_at(const cfg *g, uint32_t offset)
{
    uint32_t n = offset < g->code->size ? g->at[offset] : 0;
    return n && n != INSIDE ? &g->insns[n - 1] : NULL;
}

static void mark_leader(const cfg *g, bool *leads, uint32_t offset)
{
    const cfg_insn *i = insn_at(g, offset);
    if (i)
        leads[i - g->insns] = true;
}

static void mark_leaders(const cfg *g, bool *leads)
{
    for (uint32_t i = 0; i < g->root_count; i++)
        mark_leader(g, leads, g->roots[i]);
    for (uint32_t i = 0; i < g->case_count; i++)
        mark_leader(g, leads, g->case_targets[i]);
    for (uint32_t i = 0; i < g->insn_count; i++) {
        const cfg_insn *insn = &g->insns[i];
        const cfg_insn *previous = i ? insn - 1 : NULL;
        if (insn->target != CFG_NONE)
            mark_leader(g, leads, insn->target);
        leads[i] |= !previous || previous->offset + previous->length != insn->offset ||
                    (previous->flow != FLOW_NEXT && previous->flow != FLOW_CALL);
    }
}

/* The last block that begins at or before the offset; the first one if none does. */
static uint32_t last_block(const cfg *g, uint32_t offset)
{
    size_t at;
    COUNT_BEFORE(at, g->block_count, g->blocks[at].start <= offset);
    return at ? (uint32_t)at - 1 : 0;
}

uint32_t tacho_cfg_block_at(const cfg *g, uint32_t offset)
{
    uint32_t i = last_block(g, offset);
    return i < g->block_count && g->blocks[i].start == offset ? i : CFG_NONE;
}

uint32_t tacho_cfg_successor(const cfg *g, const cfg_block *b, uint32_t k)
{
    if (b->indirect)
        return k < b->case_count ? g->case_targets[b->first_case + k] : CFG_NONE;
    if (k == 0 && b->next != CFG_NONE)
        return b->next;
    if (k == (b->next != CFG_NONE ? 1u : 0u) && b->taken != b->next)
        return b->taken;
    return CFG_NONE;
}

static void link_block(cfg *g, cfg_block *b)
{
    const cfg_insn *last = &g->insns[b->first + b->count - 1];
    b->next = b->taken = CFG_NONE;
    if (last->flow == FLOW_JUMP || last->flow == FLOW_BRANCH) {
        b->taken = last->target != CFG_NONE ? tacho_cfg_block_at(g, last->target) : CFG_NONE;
        b->into_bad |= last->target != CFG_NONE && b->taken == CFG_NONE;
    }
    if (last->flow <= FLOW_CALL || last->flow == FLOW_BRANCH) {
        b->next = tacho_cfg_block_at(g, b->end);
        b->into_bad |= b->end < g->code->size && b->next == CFG_NONE && last->flow != FLOW_CALL;
    }
    b->indirect = last->flow == FLOW_INDIRECT;
}

static void link_jumps(cfg *g)
{
    for (uint32_t i = 0; i < g->case_count; i++)
        g->case_targets[i] = tacho_cfg_block_at(g, g->case_targets[i]);
    for (uint32_t i = 0; i < g->jump_count; i++) {
        cfg_jump *j = &g->jumps[i];
        const cfg_insn *insn = insn_at(g, j->offset);
        cfg_block *b = &g->blocks[last_block(g, j->offset)];
        if (!insn || !b->indirect)
            continue;
        b->first_case = j->first_case;
        b->unresolved = !j->resolved;
        for (uint32_t k = 0; k < j->case_count; k++) { /* targets that turned out to be no block */
            uint32_t target = g->case_targets[j->first_case + k];
            if (target == CFG_NONE)
                b->unresolved = true;
            else
                g->case_targets[b->first_case + b->case_count++] = target;
        }
    }
}

static int make_blocks(cfg *g)
{
    bool *leads = arena_alloc(g->memory, g->insn_count + 1u);
    if (!leads)
        return TACHO_ERR_MEMORY;
    mark_leaders(g, leads);
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->insn_count; i++)
        count += leads[i];
    g->blocks = arena_alloc(g->memory, (count + 1u) * sizeof *g->blocks);
    if (!g->blocks)
        return TACHO_ERR_MEMORY;
    for (uint32_t i = 0; i < g->insn_count; i++) {
        const cfg_insn *insn = &g->insns[i];
        if (leads[i])
            g->blocks[g->block_count++] = (cfg_block){.first = i, .start = insn->offset};
        cfg_block *b = &g->blocks[g->block_count - 1];
        b->count++;
        b->end = insn->offset + insn->length;
        b->calls += insn->flow == FLOW_CALL;
    }
    for (uint32_t i = 0; i < g->block_count; i++)
        link_block(g, &g->blocks[i]);
    link_jumps(g);
    return 0;
}

int tacho_cfg_build(cfg *g, arena *memory, const cfg_code *code)
{
    *g = (cfg){.memory = memory, .code = code};
    if (code->size > CFG_MAX_BYTES)
        return TACHO_ERR_LIMIT;
    g->at = arena_alloc(memory, (code->size + 1u) * sizeof *g->at);
    if (!g->at)
        return TACHO_ERR_MEMORY;
    for (size_t i = 0; i < code->entry_count; i++) {
        add_root(g, code->entries[i]);
        decode_reachable(g);
    }
    if (!code->reached_only)
        sweep(g);
    if (g->failed)
        return TACHO_ERR_MEMORY;
    tacho_sort(g->insns, g->insn_count, sizeof *g->insns, by_offset);
    for (uint32_t i = 0; i < g->insn_count; i++)
        g->at[g->insns[i].offset] = i + 1;
    return make_blocks(g);
}

/* ---- functions that do not return ---- */

/* Functions that do not return: what follows a call of them is no continuation. Names from the C and C++
 * standard libraries and the runtimes of compilers. */

static const char *const names[] = {
    /* sorted */
    "_Exit",
    "_Unwind_Resume",
    "_ZSt10unexpectedv",
    "_ZSt9terminatev",
    "__assert_fail",
    "__assert_perror_fail",
    "__chk_fail",
    "__cxa_bad_cast",
    "__cxa_bad_typeid",
    "__cxa_call_unexpected",
    "__cxa_pure_virtual",
    "__cxa_rethrow",
    "__cxa_throw",
    "__cxa_throw_bad_array_new_length",
    "__fortify_fail",
    "__libc_start_main",
    "__longjmp_chk",
    "__stack_chk_fail",
    "_exit",
    "_longjmp",
    "abort",
    "err",
    "errx",
    "exit",
    "longjmp",
    "pthread_exit",
    "quick_exit",
    "rust_begin_unwind",
    "siglongjmp",
    "thrd_exit",
    "verr",
    "verrx",
};

static int compare(const void *key, const void *item)
{
    return strcmp(key, *(const char *const *)item);
}

static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n >= m && !strcmp(name + n - m, end);
}

bool tacho_function_returns(const char *name)
{
    if (tacho_find_sorted(name, names, sizeof names / sizeof *names, sizeof *names, compare))
        return false;
    bool throws = !strncmp(name, "_ZSt", 4) && strstr(name, "__throw_"); /* std::__throw_out_of_range ... */
    bool panics = strstr(name, "core9panicking") || strstr(name, "core6option13expect_failed") ||
                  strstr(name, "core6result13unwrap_failed"); /* Rust */
    bool reports = (!strncmp(name, "__asan_report_", 14) && !ends_in(name, "_noabort")) ||
                   (!strncmp(name, "__ubsan_handle_", 15) && ends_in(name, "_abort")); /* sanitizers */
    return !throws && !panics && !reports;
}
