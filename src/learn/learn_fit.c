/* learn_fit.c - parameters that no curve shows alone: whether ALUs have their µops in parts of a scheduler,
 * which pick them before their operands are there (src/model/sim/scheduler_parts.c), and how much the queue
 * behind the predecoder holds. Loops in which that shows are timed; when all forms are known, the model
 * predicts them with each number, and the number counts that comes nearest, if it comes much nearer than the
 * start's. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "learn/lab.h"
#include "learn/learn_internal.h"

enum {
    USES = 3,   /* at most, of an addition's result */
    CHAINS = 8, /* at most, in parallel */
    COPIES = 16
};

/* Predictions that are so near need no other value; another one must come so much nearer. */
static const double NEAR = 0.03, MUCH_NEARER = 0.6;

static const char parts_name[] = "alu_scheduler_parts";

static void add_loops(lab *l)
{
    static const char *const chains[CHAINS] = {"add rax, rbp", "add rcx, rbp", "add rdx, rbp",
                                               "add rsi, rbp", "add rdi, rbp", "add r8, rbp",
                                               "add r9, rbp",  "add r10, rbp"};
    for (unsigned uses = 1; uses <= USES; uses++) {
        lab_loop(l, TACHO_MODE_LOOP);
        for (unsigned i = 0; i < COPIES; i++) {
            lab_code(l, 1, "lea rbx, [rdi+8]");
            lab_code(l, uses, "cmp rsi, rbx");
        }
    }
    for (unsigned n = 1; n <= CHAINS; n++) {
        lab_loop(l, TACHO_MODE_LOOP);
        lab_code_in_turn(l, COPIES * n, chains, n);
    }
}

static int put_off(lab *l, const char *name)
{
    return lab_undecided(l, name, "told by predictions of these loops, when all forms are known");
}

int learn_early_picks(lab *l)
{
    if (is_found(lab_finding(l, parts_name))) /* the schedulers' experiment says that there are none */
        return 0;
    add_loops(l);
    lab_draw(l, "an addition that is used", "comparisons with its result", "cycles",
             (axis){.from = 1, .count = USES, .per = COPIES});
    lab_draw(l, "chains of additions", "chains in parallel", "cycles a link",
             (axis){.from = 1, .count = CHAINS, .per = COPIES});
    return put_off(l, parts_name);
}

/* ---- the queue of instructions ---- */

static const char queue_name[] = "iq_entries";

/* Dense code of several lengths, which the predecoder takes at once and the decoders do not. */
static void add_dense(lab *l)
{
    static const char *const codes[] = {
        "mov rdx, [rsi+0x123]; test rdx, rdx",
        "mov rcx, rdx; mov rdi, rdx; sub rdx, 4",
        "lea rax, [rdi+8]; mov rcx, rdx; cmp rdx, rax",
        "xor r13d, r13d; mov rdi, [rdx+r13*8]; test rdi, rdi",
        "mov esi, ecx; lea rax, [rdx+rcx*8]; test rax, rax",
        "mov rdi, [rsi+0x123]; mov esi, 0x12345",
        "lea rdx, [rsp+0x123]; mov rsi, rbx; mov edi, 1",
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        lab_loop(l, TACHO_MODE_UNROLL);
        lab_code(l, 1, "%s", codes[i]);
    }
}

int learn_instruction_queue(lab *l)
{
    if (lab_is(l, "dsb_holds_copies"))
        return lab_moot(l, queue_name, "copies of code come from a cache of µops, and so do loops");
    add_dense(l);
    lab_time(l);
    return put_off(l, queue_name);
}

/* ---- by predictions ---- */

static const struct fit {
    const char *name;
    void (*add)(lab *l);
    const char *values[8]; /* the smallest that does counts */
} fits[] = {
    {parts_name, add_loops, {"0", "1", "2", "3", "4", "5", "6"}},
    {queue_name, add_dense, {"20", "25", "30", "36", "48", "70"}},
};

/* The mean error of the model with this value; NaN where it cannot have it. */
static double error_with(learning *l, const char *name, const char *value)
{
    double sum = 0;
    size_t count = 0;
    tacho_arch *with = l->failed ? NULL : tacho_arch_copy(l->model);
    if (!l->failed && !with)
        l->failed = tacho_no_memory(l->err);
    const bool valid =
        with && !tacho_arch_parameter_set(with, name, value, NULL) && !tacho_arch_check(with, NULL);
    for (size_t i = 0; i < l->lab.loop_count && valid; i++) {
        const double predicted = learning_cycles(l, with, &l->lab.loops[i]), timed = lab_timed(&l->lab, i);
        if (!isnan(predicted) && !isnan(timed)) {
            sum += learn_error(&l->lab.loops[i], predicted);
            count++;
        }
    }
    tacho_arch_free(with);
    return count ? sum / (double)count : NAN;
}

static bool fit_one(learning *l, const struct fit *fit)
{
    const finding *f = lab_finding(&l->lab, fit->name);
    char own[80], core[80];
    double least = INFINITY;
    const char *best = NULL;
    if (l->failed || !f || f->state != FINDING_UNDECIDED)
        return false;
    l->lab.running = l->other.running = f->by;
    lab_clear(&l->lab);
    fit->add(&l->lab);
    lab_time(&l->lab);
    l->failed = l->lab.failed;
    const size_t parameter = (size_t)parameter_number(fit->name);
    tacho_arch_parameter_text(l->model, parameter, own, sizeof own);
    const double now = error_with(l, fit->name, own);
    for (size_t k = 0; fit->values[k]; k++) {
        const double error = error_with(l, fit->name, fit->values[k]);
        if (error < least - 0.001) {
            least = error;
            best = fit->values[k];
        }
    }
    if (l->failed || !(now > NEAR && least <= MUCH_NEARER * now))
        return false;
    lab_found(&l->lab, fit->name, NAN, NAN, "%s", best);
    if (l->from) { /* of a core in the simulator it is known */
        tacho_arch_parameter_text(l->from, parameter, core, sizeof core);
        lab_found(&l->other, fit->name, NAN, NAN, "%s", core);
    }
    l->failed = l->lab.failed ? l->lab.failed : l->other.failed;
    return true;
}

bool learning_fit(learning *l)
{
    bool found = false;
    for (size_t i = 0; i < sizeof fits / sizeof *fits && l->model; i++)
        found |= fit_one(l, &fits[i]);
    return found;
}
