/* deps_follow.c - the dependencies of a function. It is executed from its start, on one machine for each seed
 * of random numbers; all machines take the same way. */

#include "base/hash.h"
#include "base/mem.h"
#include "base/number.h"
#include "model/deps/deps_internal.h"
#include "x86/decode/regs.h"

enum {
    POLICY_OUTSIDE = UINT32_MAX, /* a place that is no instruction of the code */
    POLICY_PASSES = 8            /* executions of a function with different choices */
};

/* A jump, conditional or not, to a place that it names. */
typedef struct branch {
    uint32_t target; /* an instruction, or POLICY_OUTSIDE */
    int8_t leaves; /* 1: its target lies outside of a loop around it, 0: what follows it does, -1: neither */
    bool skips;    /* its target lies behind a loop, or outside of the code */
    uint32_t stayed; /* times that it stayed in the loop since it last left it */
    uint32_t times;  /* choices in this pass */
} branch;

typedef struct policy {
    branch *branches; /* by instruction; other instructions' are unused */
    uint32_t count;
    uint32_t pass;
    uint32_t most_stays; /* of loops whose number of iterations is known; 0: no limit */
} policy;

/* @return -1: memory ran out */
void policy_free(policy *p);

/* Which way a branch goes if its flags are unknown. A loop is what lies between a place and the
 * last jump back to it: compilers lay loops out in one piece, and rare paths apart. */

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

static int policy_make(policy *p, const tacho_insn *insns, uint32_t count)
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

/* Begins a pass. */
static void policy_start(policy *p, uint32_t pass, bool hurried)
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

/* Whether a branch is taken, if its flags say so. */
static bool policy_known(policy *p, uint32_t insn, bool taken)
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

/* Whether it is taken, if its flags do not say. `likely`: what its comparison for equality has given with
 * all seeds, by other numbers; -1: nothing. */
static bool policy_choose(policy *p, uint32_t insn, int likely)
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

enum {
    ASK_EVERY = 4096,   /* instructions */
    PASSES = 32,        /* at most: the choices of deps_follow.c four times over, with other numbers */
    PASSES_ANYWAY = 2,  /* with any numbers in memory, and with small ones */
    MOMENTS = 128,      /* of an instruction: one for each seed, and the last for all of them */
    SEEDS_APART = 1000, /* of passes */
    NOWHERE = POLICY_OUTSIDE,
    CALLS = 2, /* of the function in a run: the second finds what the first has written */
    RETURN_ADDRESS_BYTES = 8
};

typedef struct insn_place {
    uint64_t next_address;
    size_t first_access;
    uint8_t flow; /* a insn_flow */
} insn_place;

typedef struct follower {
    const tacho_deps_options *options;
    found_deps *r;
    machine *machines; /* one a seed */
    findings findings;
    writers writers;
    policy policy;
    insn_place *places; /* by instruction */
    uint32_t *counts;   /* executions, by instruction */
    uint32_t time;      /* instructions executed so far */
    bool small_numbers; /* in memory, this time */
    bool cancelled;
} follower;

static bool make(follower *f)
{
    const tacho_deps *deps = &f->r->out;
    uint64_t address = f->options->address;
    size_t access = 0, n = deps->insn_count;
    f->machines = tacho_mem_zalloc(f->options->seeds, sizeof *f->machines);
    f->places = tacho_mem_zalloc(n, sizeof *f->places);
    f->counts = tacho_mem_zalloc(n, sizeof *f->counts);
    f->r->steps = tacho_mem_zalloc(n, sizeof *f->r->steps);
    if (!f->machines || !f->places || !f->counts || !f->r->steps ||
        policy_make(&f->policy, deps->insns, (uint32_t)n))
        return false;
    for (size_t i = 0; i < n; i++) {
        int64_t target;
        while (access < deps->access_count && deps->accesses[access].insn < i)
            access++;
        address += deps->insns[i].length;
        f->places[i] = (insn_place){address, access, (uint8_t)tacho_insn_flow_of(&deps->insns[i], &target)};
    }
    f->findings.followed = true;
    return true;
}

static void unmake(follower *f)
{
    for (uint32_t s = 0; f->machines && s < f->options->seeds; s++)
        machine_free(&f->machines[s]);
    TACHO_MEM_FREE(f->machines, f->places, f->counts);
    policy_free(&f->policy);
    findings_free(&f->findings);
}

/* ---- one instruction ---- */

/* What is noted from now on is shown by all seeds. */
static void mark_all(follower *f)
{
    findings *to = &f->findings;
    uint32_t n = f->options->seeds;
    to->moment = ((uint64_t)f->time + 1) * MOMENTS + MOMENTS - 1;
    to->seeds[0] = lowest_bits(n);
    to->seeds[1] = n > 64 ? lowest_bits(n - 64) : 0;
    to->weight = n;
}

/* Notes from now on that this seed shows it. With small numbers in memory one seed is enough, and stands for
 * all. */
static void mark_one(follower *f, uint32_t seed)
{
    findings *to = &f->findings;
    mark_all(f);
    to->moment += seed + 1 - MOMENTS;
    to->weight = 1;
    if (f->small_numbers)
        return;
    to->seeds[0] = seed < 64 ? (uint64_t)1 << seed : 0;
    to->seeds[1] = seed >= 64 ? (uint64_t)1 << (seed - 64) : 0;
}

static void execute(follower *f, uint32_t number)
{
    const tacho_insn *insn = &f->r->insns[number];
    moment now = {f->options,
                  f->r,
                  &f->findings,
                  number,
                  f->counts[number] + 1,
                  f->counts,
                  f->places[number].first_access};
    mark_all(f);
    f->writers.time = f->time;
    writers_note(&f->writers, &f->findings, f->options, insn, number, now.iteration);
    for (uint32_t s = 0; s < f->options->seeds; s++) {
        machine *m = &f->machines[s];
        addresses a;
        m->next_insn = f->places[number].next_address;
        m->time = f->time;
        mark_one(f, s);
        machine_addresses(m, insn, &a);
        loads_note(&now, m, &a, TACHO_READ);
        machine_execute(m, insn, &a);
        loads_note(&now, m, &a, TACHO_WRITE);
        machine_end_insn(m);
    }
    f->counts[number]++;
    f->time++;
}

/* ---- branches ---- */

/* The branch on one machine: 1 taken, 0 not, -1 unknown; *of is the number that decides. LOOPE and LOOPNE go
 * on as the count and ZF say. */
static int condition(const machine *m, const tacho_insn *insn, uint64_t *of)
{
    enum {
        LOOPNE = 0xe0,
        LOOPE = 0xe1,
        JRCXZ = 0xe3
    };
    *of = m->flags.result;
    if (insn->opcode < LOOPNE || insn->opcode > JRCXZ)
        return flags_condition(&m->flags, insn_condition(insn));
    value count = machine_read_general(m, counting_register(insn));
    int equal =
        insn->opcode > LOOPE ? 1 : flags_condition(&m->flags, insn->opcode == LOOPE ? IF_ZERO : IF_NOT_ZERO);
    *of = count.bits ^ (insn->opcode > LOOPE ? 0 : m->flags.result);
    if (insn->opcode == JRCXZ)
        return count.known ? !count.bits : -1;
    if (!equal || (count.known && !count.bits))
        return 0;
    return count.known ? equal : -1;
}

/* Whether a conditional branch, which was executed, is taken. */
static bool is_taken(follower *f, uint32_t number)
{
    const tacho_insn *insn = &f->r->insns[number];
    uint64_t first, other;
    int taken = condition(&f->machines[0], insn, &first);
    bool same = true, is_equality = insn->opcode < 0xe0 && (insn_condition(insn) | 1) == IF_NOT_ZERO;
    for (uint32_t s = 1; s < f->options->seeds && taken >= 0; s++) {
        if (condition(&f->machines[s], insn, &other) != taken)
            taken = -1;
        same &= other == first;
    }
    if (taken >= 0 && same)
        return policy_known(&f->policy, number, taken);
    f->r->steps[number].undetermined++;
    f->r->out.undetermined++;
    return policy_choose(&f->policy, number, is_equality ? taken : -1);
}

/* The instruction after this one, which was executed; NOWHERE: the execution ends. */
static uint32_t next_of(follower *f, uint32_t number)
{
    uint32_t after = number + 1 < f->r->out.insn_count ? number + 1 : NOWHERE;
    switch (f->places[number].flow) {
    case FLOW_CALL:
        f->r->out.calls++;
        return after;
    case FLOW_NEXT:
        return after;
    case FLOW_JUMP:
        return f->policy.branches[number].target;
    case FLOW_BRANCH:
        return is_taken(f, number) ? f->policy.branches[number].target : after;
    default:
        return NOWHERE;
    }
}

/* ---- executions of the function ---- */

static bool is_over(follower *f)
{
    const tacho_deps_options *o = f->options;
    bool failed = f->findings.failed;
    for (uint32_t s = 0; s < o->seeds; s++)
        failed |= f->machines[s].failed;
    if (o->progress && f->time % ASK_EVERY == 0)
        f->cancelled |= o->progress(o->payload) != 0;
    return failed || f->cancelled;
}

/* Calls again, as the same caller would: what a call may change is new, but memory and the stack pointer are
 * as before. */
static void call_again(follower *f)
{
    for (uint32_t s = 0; s < f->options->seeds; s++) {
        machine_forget_call(&f->machines[s]);
        f->machines[s].general[RSP].bits -= RETURN_ADDRESS_BYTES;
    }
}

static void begin(follower *f, uint32_t pass, bool hurried)
{
    f->small_numbers = pass % 2;
    policy_start(&f->policy, pass, hurried);
    f->writers = (writers){.counts = f->counts};
    for (uint32_t s = 0; s < f->options->seeds; s++) {
        f->machines[s].follows_flags = true;
        f->machines[s].small_numbers = f->small_numbers;
        f->machines[s].most_bytes = DEPS_MAX_BYTES / f->options->seeds;
        machine_start(&f->machines[s], f->options, (uint64_t)pass * SEEDS_APART + s + 1);
    }
}

/* Executes from the start to the end, at most *limit instructions; those executed are subtracted from it.
 * @return how it ended, an insn_flow; FLOW_NEXT: it did not */
static insn_flow execute_function(follower *f, uint64_t *limit)
{
    uint32_t number = 0, last = 0;
    f->r->out.iterations++;
    for (; *limit && number != NOWHERE && !is_over(f); --*limit) {
        last = number;
        execute(f, number);
        number = next_of(f, number);
    }
    if (number != NOWHERE)
        return FLOW_NEXT;
    f->r->out.returned++;
    return f->places[last].flow == FLOW_RETURN ? FLOW_RETURN : FLOW_STOP;
}

/* Half of the budget is for the first pass. The rest is divided equally among the passes with other choices,
 * and what those leave is for the same choices again. */
static bool execute_all(follower *f)
{
    tacho_deps *deps = &f->r->out;
    uint64_t left = f->options->budget;
    bool ended = true;
    for (uint32_t pass = 0; pass < (deps->undetermined ? PASSES : PASSES_ANYWAY); pass++) {
        uint64_t shares = (pass < POLICY_PASSES ? POLICY_PASSES : PASSES) - pass,
                 limit = pass ? left / shares : (left + 1) / 2;
        left -= limit;
        begin(f, pass, !ended);
        insn_flow end = execute_function(f, &limit);
        ended = pass ? ended : end != FLOW_NEXT;
        for (int calls = 1; calls < CALLS && end == FLOW_RETURN && limit; calls++) {
            call_again(f);
            end = execute_function(f, &limit);
        }
        left += limit;
        if (is_over(f))
            return false;
    }
    deps->executed = f->time;
    return true;
}

static bool with_all_seeds(const found *it, const void *all)
{
    return !memcmp(it->seeds, all, sizeof it->seeds);
}

static bool collect(follower *f)
{
    tacho_deps *deps = &f->r->out;
    mark_all(f);
    for (size_t i = 0; i < deps->insn_count; i++)
        f->r->steps[i].count = f->counts[i];
    for (size_t i = 0; i < f->findings.count; i++) {
        found *it = &f->findings.list[i];
        it->d.share = (double)it->times / ((double)f->counts[it->d.target] * f->options->seeds);
    }
    deps->steps = f->r->steps;
    return !deps_result_collect(f->r, &f->findings, with_all_seeds, f->findings.seeds);
}

static int follow(found_deps *r, const tacho_deps_options *o, tacho_error *err)
{
    follower f = {.options = o, .r = r};
    bool good = make(&f) && execute_all(&f) && collect(&f), full = false;
    for (uint32_t s = 0; f.machines && s < o->seeds; s++)
        full |= f.machines[s].full;
    unmake(&f);
    if (f.cancelled)
        return tacho_error_set(err, TACHO_ERR_CANCELLED, "the search was ended");
    if (full)
        return tacho_error_set(err, TACHO_ERR_LIMIT,
                               "what it stores takes more than %d MB to follow, with %u seeds and a budget "
                               "of %llu instructions; fewer of either take less",
                               DEPS_MAX_BYTES >> 20, o->seeds, (unsigned long long)o->budget);
    return good ? 0 : tacho_no_memory(err);
}

int tacho_deps_follow(tacho_deps **out, const uint8_t *code, size_t size, const tacho_deps_options *options,
                      tacho_error *err)
{
    return deps_result_make(out, code, size, options, follow, err);
}
