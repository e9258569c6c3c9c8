/* job.c - one block: what its runs look like, what becomes of them. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "decode/danger.h"
#include "measure/clock.h"
#include "measure/job.h"

enum {
    RUN_INSTRUCTIONS = 1000,     /* of the short run, when unrolled; the long run has twice as many */
    RUN_CODE_BYTES = 10 << 10,   /* at most, of the long run: it has to stay in the instruction cache */
    CACHE_CODE_BYTES = 24 << 10, /* of the long run: above, it surely does not */
    LOOP_CYCLES = 4000,          /* of the short run, when looped */
    SCOUT_INSTRUCTIONS = 50,
    SCOUT_ITERATIONS = 200,
    SCOUT_SAMPLES = 5,
    MIN_ITERATIONS = 20,
    MAX_ITERATIONS = 200000,
    FEW_PAGES = 8,
    MIN_TURNS = 8,  /* of copies that are repeated, in the short run */
    TLB_PAGES = 64, /* first-level data TLB of Intel's cores since Nehalem */
    WARM_UPS = 4,
    ATTEMPTS = 40 /* for each sample that is wanted */
};
#define MAX_RUN_SECONDS 30e-6 /* of the short run: longer ones are disturbed too often */

/* ---- preparing ---- */

/* A status without a number: also when an earlier pass had one. */
static void set_status(job *j, tacho_measure_status status, int64_t offset)
{
    j->out->cycles = j->out->uncertainty = j->out->low = j->out->high = NAN;
    j->out->status = status;
    j->out->offset = offset;
    j->done = true;
}

/* Depth of the x87 stack before the block so that it neither under- nor overflows. */
static void plan_x87(job *j)
{
    int depth = 0, lowest = 0, highest = 0;
    unsigned need;
    for (size_t i = 0; i < j->block.count; i++) {
        int change = decode_x87_change(&j->block.insns[i], &need);
        if (depth - (int)need < lowest)
            lowest = depth - (int)need;
        depth += change;
        if (depth > highest)
            highest = depth;
    }
    j->code.x87_depth = j->block.uses_mmx ? 0 : -lowest > 8 ? 8 : (unsigned)-lowest;
    if (depth || highest - lowest > 8)
        j->block.notes |= TACHO_MEASURE_X87_UNBALANCED;
}

static uint8_t free_register(const measure_block *b)
{
    static const uint8_t order[] = {15, 14, 13, 12, 11, 10, 9, 8, 3, 5, 1, 2, 6, 7, 0};
    for (size_t i = 0; i < sizeof order; i++)
        if (!(b->gprs_used >> order[i] & 1))
            return order[i];
    return RUNNER_COUNTER_MEMORY;
}

/* A counter of our own, instead of the block's last branch if it has one. */
static void add_counter(job *j)
{
    codegen_block *c = &j->code;
    c->own_branch = false;
    c->drop_last = j->block.ends_in_branch;
    j->own.counted = false;
    c->counter = free_register(&j->block);
    if (c->drop_last)
        j->block.notes |= TACHO_MEASURE_BRANCH_REPLACED;
    if (c->counter == RUNNER_COUNTER_MEMORY)
        j->block.notes |= TACHO_MEASURE_COUNTER_IN_MEMORY;
}

static void plan_loop(job *j, const tacho_measure_options *options)
{
    uint64_t gpr[16];
    codegen_block *c = &j->code;
    c->in_loop = true;
    measure_initial_registers(gpr, options);
    j->own.counted = false;
    if (measure_block_is_loop(&j->block))
        j->own = measure_own_loop(&j->block, gpr);
    /* A register that the user set is not ours to choose. */
    if (j->own.counted && !(options->known_mask >> j->own.reg & 1)) {
        c->own_branch = true;
        c->counter = j->own.reg;
    } else
        add_counter(j);
}

/* Without the sled the copies are repeated, so that the state of the µop cache is the same in both runs. */
static void plan_unrolled(const tacho_measurer *m, job *j)
{
    if (j->block.ends_in_branch)
        j->block.notes |= TACHO_MEASURE_BRANCH_KEPT_INSIDE;
    j->code.sled = m->is_intel;
    j->code.in_loop = !m->is_intel;
    if (j->code.in_loop)
        j->code.counter = RUNNER_COUNTER_MEMORY;
}

static bool is_looped(const job *j)
{
    return j->out->mode == TACHO_MODE_LOOP;
}

static void note_accesses(job *j)
{
    bool loads = false, stores = false;
    for (size_t i = 0; i < j->block.count; i++)
        for (int k = 0; k < j->block.insns[i].operand_count; k++) {
            const tacho_operand *o = &j->block.insns[i].operands[k];
            loads |= o->kind == TACHO_OPERAND_MEM && (o->access & TACHO_READ);
            stores |= o->kind == TACHO_OPERAND_MEM && (o->access & TACHO_WRITE);
        }
    j->accesses = loads && stores;
}

int job_prepare(const tacho_measurer *m, job *j, const uint8_t *code, size_t size,
                const tacho_measure_options *options, tacho_error *err)
{
    tacho_measurement *out = j->out;
    *out = (tacho_measurement){.status = TACHO_MEASURED_OK,
                               .cycles = NAN,
                               .uncertainty = NAN,
                               .low = NAN,
                               .high = NAN,
                               .clock = m->clock.clock,
                               .offset = -1,
                               .core_clock = NAN};
    int failed = measure_block_make(&j->block, code, size, out, err);
    if (failed)
        return failed;
    const measure_block *b = &j->block;
    out->mode = options->mode != TACHO_MODE_AUTO ? options->mode
                : b->ends_in_branch              ? TACHO_MODE_LOOP
                                                 : TACHO_MODE_UNROLL;
    if (out->status != TACHO_MEASURED_OK) {
        j->done = true;
        return 0;
    }
    if (b->uses_zmm && !m->has_avx512) {
        set_status(j, TACHO_MEASURED_UNSUPPORTED, -1);
        snprintf(out->message, sizeof out->message,
                 "the block needs AVX-512, which this processor does not have");
        return 0;
    }
    j->code = (codegen_block){.insns = b->insns,
                              .offsets = b->offsets,
                              .count = b->count,
                              .counter = RUNNER_COUNTER_NONE,
                              .rdpmc = m->clock.clock == TACHO_CLOCK_PERF,
                              .wide_masks = m->has_wide_masks,
                              .vectors = b->uses_zmm   ? CODEGEN_ZMM
                                         : b->uses_ymm ? CODEGEN_YMM
                                         : m->has_avx  ? CODEGEN_XMM_VEX
                                                       : CODEGEN_XMM};
    j->code.data_start = RUNNER_RIP_DATA + codegen_data_offset(&j->code);
    plan_x87(j);
    if (out->mode == TACHO_MODE_LOOP)
        plan_loop(j, options);
    else
        plan_unrolled(m, j);
    if (j->code.drop_last && b->count == 1) {
        set_status(j, TACHO_MEASURED_REJECTED, 0);
        snprintf(out->message, sizeof out->message,
                 "the loop has nothing but a branch that cannot be counted");
    }
    note_accesses(j);
    return 0;
}

void job_free(job *j)
{
    measure_block_free(&j->block);
}

/* ---- running ---- */

static uint64_t counter_value(const job *j, uint64_t iterations)
{
    if (!j->own.counted)
        return iterations;
    uint64_t value = j->own.base - (uint64_t)j->own.step * iterations;
    return j->own.bits == 32 ? (uint32_t)value : value;
}

/* The plan for runs of so many iterations. */
static int make_plan(tacho_measurer *m, job *j, const tacho_measure_options *options, bool traced,
                     tacho_error *err)
{
    runner_control *plan = m->host.control;
    memset(plan, 0, offsetof(runner_control, faults));
    measure_initial_state(plan, options);
    plan->max_faults = options->max_pages;
    plan->data_pages = options->pages;
    plan->counter = j->code.in_loop ? j->code.counter : RUNNER_COUNTER_NONE;
    plan->event_count = m->counters.count;
    memcpy(plan->events, m->counters.attributes, sizeof plan->events);
    plan->warm_ups = WARM_UPS;
    plan->trace_iterations = counter_value(j, CODEGEN_TRACED_COPIES);
    for (int i = 0; i < 2; i++)
        plan->runs[i].iterations = counter_value(j, j->turns[i]);
    int failed = codegen_make(&j->code, plan, child_next_place(&m->host), err);
    if (!traced)
        plan->trace_entry = 0;
    return failed;
}

/* Offset in the block of an address in one of its copies; -1 when it is in none. */
static int64_t offset_of(const job *j, uint64_t rip)
{
    const codegen_block *c = &j->code;
    const uint64_t size = c->offsets[c->count - c->drop_last];
    const uint64_t copies[] = {c->copies[0], c->copies[1], c->own_branch ? 1 : CODEGEN_TRACED_COPIES};
    const uint64_t starts[] = {c->start[0], c->start[1], c->trace_start};
    for (int i = 0; i < 3; i++)
        if (rip >= starts[i] && rip < starts[i] + size * copies[i])
            return (int64_t)((rip - starts[i]) % size);
    return -1;
}

static const tacho_insn *insn_at(const job *j, int64_t offset)
{
    for (size_t i = 0; i < j->block.count; i++)
        if (j->block.offsets[i] == offset)
            return &j->block.insns[i];
    return NULL;
}

static bool is_undefined(const tacho_insn *insn)
{
    return !strncmp(tacho_mnemonic_name(insn->mnemonic), "UD", 2);
}

static const char *signal_words(const runner_control *c, bool undefined)
{
    enum {
        FROM_KERNEL = 0x80
    };
    switch (c->detail) {
    case SIGILL:
        return undefined ? "is undefined by intent (SIGILL)" : "is not known to this processor (SIGILL)";
    case SIGFPE:
        return "divides by zero, or the quotient is too large (SIGFPE); --init chooses other values";
    case SIGSEGV:
        return c->code == FROM_KERNEL ? "accesses an address that is not canonical, or one that has to be "
                                        "aligned and is not (SIGSEGV)"
                                      : "accesses an address that cannot be mapped (SIGSEGV)";
    case SIGBUS:
        return "accesses memory that does not exist (SIGBUS)";
    case SIGTRAP:
        return "is a breakpoint (SIGTRAP)";
    default:
        return "was stopped by a signal";
    }
}

static void crashed_by_signal(job *j, const runner_control *c)
{
    char text[96] = "the block";
    int64_t offset = offset_of(j, c->rip);
    const tacho_insn *insn = offset >= 0 ? insn_at(j, offset) : NULL;
    if (insn)
        tacho_insn_format(insn, (uint64_t)offset, 1, text, sizeof text);
    bool unknown = c->detail == SIGILL && insn && !is_undefined(insn);
    set_status(j, unknown ? TACHO_MEASURED_UNSUPPORTED : TACHO_MEASURED_CRASHED, offset);
    size_t n = (size_t)snprintf(j->out->message, sizeof j->out->message, "'%s' %s", text,
                                signal_words(c, insn && is_undefined(insn)));
    if (c->detail == SIGSEGV && c->address && n < sizeof j->out->message)
        snprintf(j->out->message + n, sizeof j->out->message - n, ": 0x%llx", (unsigned long long)c->address);
}

static const char *call_name(uint64_t which)
{
    static const char *const names[] = {
        "", "mmap", "munmap", "sigaction", "arch_prctl", "perf_event_open", "seccomp"};
    return which < sizeof names / sizeof *names ? names[which] : "";
}

/* What became of a child that did not finish. @return 0, or an error where it is ours */
static int explain_end(job *j, const runner_control *c, child_end end, int signal, tacho_error *err)
{
    char *message = j->out->message;
    const size_t size = sizeof j->out->message;
    if (end == CHILD_TIMEOUT) {
        set_status(j, TACHO_MEASURED_TIMEOUT, -1);
        snprintf(message, size, "did not end in time: an endless loop, or --timeout is too short");
    } else if (end == CHILD_KILLED) {
        set_status(
            j, signal == SIGXCPU || signal == SIGKILL ? TACHO_MEASURED_TIMEOUT : TACHO_MEASURED_CRASHED, -1);
        snprintf(message, size,
                 signal == SIGSYS ? "made a system call, and was killed (SIGSYS)"
                                  : "was killed by signal %d, which the sandbox could not handle",
                 signal);
    } else if (c->failure == RUNNER_FAILED_SYSTEM)
        return tacho_error_set(err, TACHO_ERR_SYSTEM, "the sandbox cannot be set up: %s: %s",
                               call_name(c->address), strerror((int)c->detail));
    else if (c->failure == RUNNER_FAILED_SIGNAL)
        crashed_by_signal(j, c);
    else if (c->failure == RUNNER_FAILED_FAULTS) {
        set_status(j, TACHO_MEASURED_CRASHED, -1);
        snprintf(message, size, "touches more than %u pages; --max-pages allows more", c->max_faults);
    } else if (c->failure == RUNNER_FAILED_FETCH) {
        set_status(j, TACHO_MEASURED_CRASHED, -1);
        snprintf(message, size, "went to 0x%llx, where there is no code", (unsigned long long)c->address);
    } else {
        set_status(j, TACHO_MEASURED_CRASHED, -1);
        snprintf(message, size, "ended by itself");
    }
    return 0;
}

/* Runs the plan. Afterwards j->done is set if it did not finish. */
static int run_plan(tacho_measurer *m, job *j, const tacho_measure_options *options, tacho_error *err)
{
    child_end end;
    int signal;
    int failed = child_run(&m->host, options->seconds, &end, &signal, err);
    if (failed)
        return failed;
    const runner_control *c = m->host.control;
    if (end != CHILD_EXITED || c->stage != RUNNER_STAGE_DONE || c->failure != RUNNER_OK)
        return explain_end(j, c, end, signal, err);
    return 0;
}

/* ---- scouting ---- */

/* The middle of a few samples' differences: only an order of magnitude is wanted. */
static double rough_ticks(const runner_control *c, double iterations)
{
    double ticks[SCOUT_SAMPLES];
    for (int i = 0; i < SCOUT_SAMPLES; i++) {
        double t = (double)c->samples[i].run[1] - c->samples[i].run[0];
        int k = i;
        for (; k > 0 && ticks[k - 1] > t; k--)
            ticks[k] = ticks[k - 1];
        ticks[k] = t;
    }
    return fmax(ticks[SCOUT_SAMPLES / 2] / iterations, 0.05);
}

/* So many copies, as straight code for the short run and twice as many for the long one, or repeated by a
 * loop. */
static void set_repetitions(job *j, uint64_t copies, uint64_t turns)
{
    const bool in_loop = j->code.in_loop;
    for (int i = 0; i < 2; i++) {
        const uint64_t times = i ? 2 : 1;
        j->turns[i] = in_loop ? turns * times : 1;
        j->code.copies[i] = (uint32_t)(in_loop ? copies : copies * times);
        j->iterations[i] = j->turns[i] * j->code.copies[i];
    }
}

/* Copies in a row, of the short run: what the instruction cache holds. */
static uint64_t copies_for(job *j)
{
    const uint64_t bytes = j->block.offsets[j->block.count], code = j->code.in_loop ? bytes : 2 * bytes;
    uint64_t r = (RUN_INSTRUCTIONS + j->block.count - 1) / j->block.count;
    if (r * code > RUN_CODE_BYTES)
        r = RUN_CODE_BYTES / code > 2 ? RUN_CODE_BYTES / code : 2;
    if (r * code > CACHE_CODE_BYTES)
        r = 1;
    if (r * code > CACHE_CODE_BYTES)
        j->block.notes |= TACHO_MEASURE_LONG_CODE;
    return r;
}

/* How often the block is repeated. */
static void plan_iterations(const tacho_measurer *m, job *j)
{
    const double time = MAX_RUN_SECONDS * m->profile.tsc_hz / j->ticks;
    const double pages = j->pages_each > 0 ? TLB_PAGES / 2 / j->pages_each : time;
    const double most = fmax(fmin(time, pages), 1);
    const double wanted = fmin(LOOP_CYCLES / (j->ticks * m->profile.core_clock), MAX_ITERATIONS);
    if (is_looped(j)) {
        set_repetitions(j, 1, (uint64_t)fmin(fmax(wanted, MIN_ITERATIONS), most));
        return;
    }
    const double copies = fmin((double)copies_for(j), most);
    set_repetitions(j, (uint64_t)copies,
                    (uint64_t)fmax(fmin(fmax(wanted / copies, MIN_TURNS), most / copies), 1));
}

/* Whether other initial values change which loads meet which stores. */
static int compare_states(tacho_measurer *m, job *j, const tacho_measure_options *options, tacho_error *err)
{
    tacho_measure_options other = *options;
    tacho_measurement unchanged = *j->out;
    uint64_t pattern;
    other.init = options->init == TACHO_INIT_SAME ? TACHO_INIT_DISTINCT : TACHO_INIT_SAME;
    int failed = make_plan(m, j, &other, true, err);
    m->host.control->sample_count = 0;
    m->host.control->warm_ups = 0;
    if (!failed)
        failed = run_plan(m, j, &other, err);
    if (failed)
        return failed;
    bool ran = !j->done;
    j->done = false; /* that it stops from another state says nothing about this one */
    *j->out = unchanged;
    measure_access_notes(&j->code, m->host.control, other.pages, &pattern);
    if (ran && pattern != j->pattern)
        j->block.notes |= TACHO_MEASURE_STATE_DEPENDENT;
    return 0;
}

static int scout_once(tacho_measurer *m, job *j, const tacho_measure_options *options, tacho_error *err)
{
    if (is_looped(j))
        set_repetitions(j, 1, SCOUT_ITERATIONS);
    else
        set_repetitions(j, (SCOUT_INSTRUCTIONS + j->block.count - 1) / j->block.count, 1);
    int failed = make_plan(m, j, options, true, err);
    m->host.control->sample_count = m->host.control->attempts = SCOUT_SAMPLES;
    return failed ? failed : run_plan(m, j, options, err);
}

/* The own loop's counter does what was thought: it was stepped through. */
static bool own_loop_holds(const job *j, const runner_control *c)
{
    return !j->own.counted ||
           (c->visits + 1 >= CODEGEN_TRACED_COPIES && c->visits <= CODEGEN_TRACED_COPIES + 1) ||
           c->step_count >= RUNNER_MAX_STEPS;
}

int job_scout(tacho_measurer *m, job *j, const tacho_measure_options *options, tacho_error *err)
{
    int failed = scout_once(m, j, options, err);
    if (failed)
        return failed;
    if (j->own.counted &&
        (j->done ? j->out->status == TACHO_MEASURED_TIMEOUT : !own_loop_holds(j, m->host.control))) {
        j->done = false;
        *j->out->message = '\0';
        j->out->status = TACHO_MEASURED_OK;
        add_counter(j);
        failed = scout_once(m, j, options, err);
    }
    if (failed || j->done)
        return failed;
    const runner_control *c = m->host.control;
    j->ticks = rough_ticks(c, (double)(j->iterations[1] - j->iterations[0]));
    /* A few pages say nothing yet: what the block touches in any case, and the two ends of a walk through
     * memory. */
    j->pages_each =
        c->fault_count > FEW_PAGES ? (double)(c->fault_count - FEW_PAGES) / (double)j->iterations[1] : 0;
    j->block.notes |= measure_access_notes(&j->code, c, options->pages, &j->pattern);
    if (j->accesses)
        failed = compare_states(m, j, options, err);
    plan_iterations(m, j);
    return failed;
}

/* ---- passes ---- */

static void add_events(const tacho_measurer *m, job *j, const runner_control *c, uint32_t samples)
{
    double iterations = (double)(j->iterations[1] - j->iterations[0]) * samples;
    for (uint32_t i = 1; i < m->counters.count && iterations > 0; i++)
        j->event_sums[i] += ((double)c->event_long[i] - (double)c->event_short[i]) / iterations;
}

int job_pass(tacho_measurer *m, job *j, const tacho_measure_options *options, const quality_plan *quality,
             bool disturbed, tacho_error *err)
{
    static const estimate_unit units[] = {[TACHO_CLOCK_PERF] = ESTIMATE_CYCLES,
                                          [TACHO_CLOCK_TSC_CALIBRATED] = ESTIMATE_CALIBRATED,
                                          [TACHO_CLOCK_TSC] = ESTIMATE_TICKS};
    clock_profile profile = m->profile;
    if (disturbed)
        memset(profile.canary, 0, sizeof profile.canary);
    int failed = make_plan(m, j, options, false, err);
    if (failed)
        return failed;
    runner_control *c = m->host.control;
    c->sample_count = quality->samples;
    c->attempts = quality->samples * ATTEMPTS;
    estimate_limits(&profile, c->limits, &c->slack);
    failed = run_plan(m, j, options, err);
    if (failed || j->done)
        return failed;
    uint32_t taken = c->samples_taken < quality->samples ? c->samples_taken : quality->samples;
    j->out->pages = c->fault_count <= RUNNER_MAX_FAULTS ? c->fault_count : RUNNER_MAX_FAULTS;
    estimate_pass(&profile, c->samples, taken, units[m->clock.clock], j->code.in_loop,
                  (double)(j->iterations[1] - j->iterations[0]), m->scratch, &j->passes[j->pass_count]);
    j->out->samples += c->attempts_made;
    if (!disturbed)
        estimate_learn(&m->profile, j->passes[j->pass_count].canary);
    j->out->accepted += j->passes[j->pass_count].accepted;
    add_events(m, j, c, taken);
    j->pass_count++;
    return 0;
}

static double mean_clock(const job *j)
{
    double sum = 0;
    unsigned n = 0;
    for (uint32_t i = 0; i < j->pass_count; i++)
        if (!isnan(j->passes[i].core_clock)) {
            sum += j->passes[i].core_clock;
            n++;
        }
    return n ? sum / n : NAN;
}

/* Of the mean of passes that agree. */
static double standard_error(const job *j, const passes_estimate *e)
{
    double squares = 0;
    unsigned n = 0;
    for (uint32_t i = 0; i < j->pass_count; i++)
        if (j->passes[i].cycles >= e->low && j->passes[i].cycles <= e->high) {
            squares += j->passes[i].error * j->passes[i].error;
            n++;
        }
    return n ? sqrt(squares) / n : NAN;
}

static void conclude_events(const tacho_measurer *m, job *j)
{
    tacho_measurement *out = j->out;
    out->event_count = 0;
    for (uint32_t i = 1; i < m->counters.count; i++) {
        tacho_measured_event *e = &out->events[out->event_count++];
        memcpy(e->name, m->counters.names[i], sizeof e->name);
        e->per_iteration = j->event_sums[i] / j->pass_count;
    }
    if (out->event_count && out->events[0].per_iteration * (double)j->iterations[0] >= 1)
        j->block.notes |= TACHO_MEASURE_CACHE_MISSES;
}

bool job_conclude(const tacho_measurer *m, job *j, const quality_plan *quality)
{
    double sorted[JOB_MAX_PASSES];
    passes_estimate e;
    tacho_measurement *out = j->out;
    estimate_passes(&m->profile, j->passes, j->pass_count, sorted, &e);
    out->passes = j->pass_count;
    out->repetitions[0] = j->iterations[0];
    out->repetitions[1] = j->iterations[1];
    out->cycles = e.cycles;
    out->low = e.low;
    out->high = e.high;
    out->core_clock = mean_clock(j);
    out->uncertainty = e.cycles > 0 ? fmax((e.high - e.low) / 2, standard_error(j, &e)) / e.cycles : NAN;
    out->status = e.stable ? TACHO_MEASURED_OK : TACHO_MEASURED_UNSTABLE;
    conclude_events(m, j);
    if (out->pages > TLB_PAGES)
        j->block.notes |= TACHO_MEASURE_MANY_PAGES;
    if (out->accepted * 4 < out->samples)
        j->block.notes |= TACHO_MEASURE_NOISY;
    out->notes = j->block.notes;
    *out->message = '\0';
    if (!e.usable)
        snprintf(out->message, sizeof out->message,
                 "all passes were disturbed%s: try again when the machine is quieter",
                 isnan(e.cycles) ? "" : ", and the figure is theirs");
    else if (!e.stable)
        snprintf(out->message, sizeof out->message,
                 "%u of %u undisturbed passes agree; they range from %.3f to %.3f cycles", e.agreeing,
                 e.usable, e.low, e.high);
    /* Where some pass says otherwise, more have to agree. */
    return e.stable && e.usable >= quality->min_passes * (e.agreeing < e.usable ? 2 : 1);
}
