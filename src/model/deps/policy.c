/* policy.c - which way a branch goes if its flags are unknown. A loop is what lies between a place and the
 * last jump back to it: compilers lay loops out in one piece, and rare paths apart. */
#include "model/deps/policy.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/search.h"

enum {
    HURRIED_ITERATIONS = 40,
    RARELY = 8 /* one in so many, for what random numbers never do */
};

/* Iterations of loops with unknown bounds, for each pass. In all passes but the first, the loops of one pass
 * have different numbers. */
static const uint32_t iterations[POLICY_PASSES] = {20, 12, 5, 100, 40, 7, 3, 30};

typedef struct span {
    uint32_t first, last; /* instructions of a loop */
} span;

/* ---- loops ---- */

static uint32_t insn_at(const uint32_t *starts, uint32_t count, int64_t offset)
{
    size_t at;
    COUNT_BEFORE(at, count, (int64_t)starts[at] < offset);
    return at < count && (int64_t)starts[at] == offset ? (uint32_t)at : POLICY_OUTSIDE;
}

static bool names_target(const tacho_insn *insn)
{
    return insn->is_branch && insn->operands[0].kind == TACHO_OPERAND_REL;
}

/* Sets the targets. `starts` are the instructions' offsets. @return how many jumps go backwards */
static uint32_t find_targets(policy *p, const tacho_insn *insns, uint32_t *starts)
{
    uint32_t loops = 0, at = 0;
    for (uint32_t i = 0; i < p->count; at += insns[i++].length)
        starts[i] = at;
    for (uint32_t i = 0; i < p->count; i++) {
        p->branches[i] = (branch){.target = POLICY_OUTSIDE, .leaves = -1};
        if (names_target(&insns[i]))
            p->branches[i].target =
                insn_at(starts, p->count, (int64_t)starts[i] + insns[i].length + insns[i].operands[0].imm);
        loops += p->branches[i].target <= i;
    }
    return loops;
}

static bool within(const span *s, uint32_t insn)
{
    return s->first <= insn && insn <= s->last;
}

/* The way is chosen by the smallest loop that one way stays in and the other leaves; a branch back stays in
 * its loop. */
static void judge(branch *b, uint32_t insn, const span *loops, uint32_t count)
{
    uint32_t smallest = UINT32_MAX;
    b->skips = b->target == POLICY_OUTSIDE;
    for (uint32_t i = 0; i < count; i++) {
        const span *l = &loops[i];
        bool stays = within(l, insn + 1), goes_on = within(l, b->target);
        if (within(l, insn) && stays != goes_on && l->last - l->first < smallest) {
            smallest = l->last - l->first;
            b->leaves = stays;
        }
        b->skips |= insn < l->first && l->last < b->target && b->target != POLICY_OUTSIDE;
    }
    if (b->target <= insn)
        b->leaves = 0;
}

/* Several jumps to one place are one loop. */
static void add_loop(span *loops, uint32_t *count, uint32_t first, uint32_t last)
{
    for (uint32_t i = 0; i < *count; i++)
        if (loops[i].first == first) {
            loops[i].last = last;
            return;
        }
    loops[(*count)++] = (span){first, last};
}

int policy_make(policy *p, const tacho_insn *insns, uint32_t count)
{
    uint32_t *starts = tacho_mem_zalloc(count, sizeof *starts), loop_count = 0;
    *p = (policy){.branches = tacho_mem_zalloc(count, sizeof *p->branches), .count = count};
    uint32_t most = starts && p->branches ? find_targets(p, insns, starts) : 0;
    span *loops = tacho_mem_zalloc(most + 1, sizeof *loops);
    bool good = starts && p->branches && loops;
    for (uint32_t i = 0; good && i < count; i++)
        if (p->branches[i].target <= i)
            add_loop(loops, &loop_count, p->branches[i].target, i);
    for (uint32_t i = 0; good && i < count; i++)
        if (insns[i].is_conditional)
            judge(&p->branches[i], i, loops, loop_count);
    tacho_mem_free(starts);
    tacho_mem_free(loops);
    if (!good)
        policy_free(p);
    return good ? 0 : -1;
}

void policy_free(policy *p)
{
    tacho_mem_free(p->branches);
    *p = (policy){0};
}

void policy_start(policy *p, uint32_t pass, bool hurried)
{
    p->pass = pass;
    p->most_stays = hurried ? HURRIED_ITERATIONS : 0;
    for (uint32_t i = 0; i < p->count; i++)
        p->branches[i].stayed = p->branches[i].times = 0;
}

/* ---- choices ---- */

/* Leaves the loop after so many iterations. @return whether the branch is taken */
static bool leave_after(branch *b, uint32_t limit)
{
    bool leaves = ++b->stayed >= limit;
    if (leaves)
        b->stayed = 0;
    return leaves == (b->leaves > 0);
}

bool policy_known(policy *p, uint32_t insn, bool taken)
{
    branch *b = &p->branches[insn];
    if (b->leaves < 0 || !p->most_stays)
        return taken;
    if (taken == (b->leaves > 0)) {
        b->stayed = 0;
        return taken;
    }
    return leave_after(b, p->most_stays);
}

/* In two of eight passes, one with an even and one with an odd number. */
static bool is_pass_to_skip(const policy *p, uint32_t insn)
{
    uint64_t first = hash_mix((uint64_t)insn << 32 | p->pass / POLICY_PASSES);
    return (first + 3 * p->pass) % POLICY_PASSES < 2;
}

bool policy_choose(policy *p, uint32_t insn, int likely)
{
    branch *b = &p->branches[insn];
    uint64_t number = hash_mix((uint64_t)insn << 32 | (uint64_t)(p->pass / POLICY_PASSES) << 24 | b->times++);
    bool rarely = (number + p->pass) % RARELY == 0;
    if (b->leaves >= 0)
        return leave_after(b, iterations[(p->pass ? p->pass + hash_mix(insn) : 0) % POLICY_PASSES]);
    if (b->skips)
        return is_pass_to_skip(p, insn);
    if (likely >= 0)
        return rarely ? !likely : likely;
    return (number + p->pass) & 1;
}
