/* learn_fit.c - parameters that no curve shows alone: whether ALUs have their µops in parts of a scheduler,
 * which pick them before their operands are there (src/model/sim/schedulers.c), and how much the queue
 * behind the predecoder holds. Loops in which that shows are timed; when all forms are known, the model
 * predicts them with each number, and the number counts that comes nearest, if it comes much nearer than the
 * start's. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/learn/learn_experiments.h"
#include "study/learn/learn_internal.h"
#include "study/learn/loopset.h"
#include "x86/arch/arch_struct.h"

enum {
    USES = 3,   /* at most, of an addition's result */
    CHAINS = 8, /* at most, in parallel */
    COPIES = 16,
    MOST_PARTS = 6
};

/* Without parts, predictions that are so near need none; with some, they must come so much nearer. */
static const double NEAR = 0.03, MUCH_NEARER = 0.6;

static const char parts_name[] = "alu_scheduler_parts";

static void add_loops(loopset *s)
{
    static const char *const chains[CHAINS] = {"add rax, rbp", "add rcx, rbp", "add rdx, rbp",
                                               "add rsi, rbp", "add rdi, rbp", "add r8, rbp",
                                               "add r9, rbp",  "add r10, rbp"};
    for (unsigned uses = 1; uses <= USES; uses++) {
        loopset_loop(s, TACHO_MODE_LOOP);
        for (unsigned i = 0; i < COPIES; i++) {
            loopset_add(s, 1, "lea rbx, [rdi+8]");
            loopset_add(s, uses, "cmp rsi, rbx");
        }
    }
    for (unsigned n = 1; n <= CHAINS; n++) {
        loopset_loop(s, TACHO_MODE_LOOP);
        loopset_add_in_turn(s, COPIES * n, chains, n);
    }
}

int learn_early_picks(lab *l, tacho_error *err)
{
    const finding *parts = lab_finding(l, parts_name);
    if (parts &&
        parts->state == FINDING_MEASURED) /* the schedulers' experiment has found that there are none */
        return 0;
    loopset s = loopset_of(l, err);
    add_loops(&s);
    loopset_time(&s);
    curve *used = loopset_curve(&s, "an addition that is used", "comparisons with its result", "cycles"),
          *chains = loopset_curve(&s, "chains of additions", "chains in parallel", "cycles a link");
    for (unsigned uses = 1; uses <= USES; uses++)
        loopset_point(&s, used, uses, loopset_cycles(&s, uses - 1) / COPIES);
    for (unsigned n = 1; n <= CHAINS; n++)
        loopset_point(&s, chains, n, loopset_cycles(&s, USES + n - 1) / COPIES);
    loopset_said(&s, lab_undecided(l, parts_name, err,
                                   "told by predictions of these loops, when all forms are known"));
    return loopset_end(&s);
}

/* ---- the queue of instructions ---- */

static const char queue_name[] = "iq_width";
static const unsigned queue_widths[] = {20, 25, 30, 36, 48, 70};

/* Dense code of several lengths, which the predecoder takes at once and the decoders do not. */
static void add_dense(loopset *s)
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
        loopset_loop(s, TACHO_MODE_UNROLL);
        loopset_add(s, 1, "%s", codes[i]);
    }
}

int learn_instruction_queue(lab *l, tacho_error *err)
{
    const finding *copies = lab_finding(l, "dsb_holds_copies");
    if (copies && !strcmp(copies->value, "yes"))
        return lab_moot(l, queue_name, err, "copies of code come from a cache of µops, and so do loops");
    loopset s = loopset_of(l, err);
    add_dense(&s);
    loopset_time(&s);
    loopset_said(&s, lab_undecided(l, queue_name, err,
                                   "told by predictions of these loops, when all forms are known"));
    return loopset_end(&s);
}

/* ---- by predictions ---- */

/* The mean error of the model with this value; NaN where it cannot have it. */
static int error_with(const loopset *s, const tacho_arch *model, const char *name, unsigned value,
                      double *error, tacho_error *err)
{
    char text[12];
    tacho_error refused;
    double sum = 0;
    size_t count = 0;
    tacho_predictor *predictor = tacho_predictor_new();
    tacho_arch *with = tacho_arch_copy(model);
    int failed = predictor && with ? 0 : tacho_error_set(err, TACHO_ERR_MEMORY, "out of memory");
    snprintf(text, sizeof text, "%u", value);
    *error = NAN;
    bool valid =
        !failed && !tacho_arch_parameter_set(with, name, text, &refused) && !tacho_arch_check(with, &refused);
    for (size_t i = 0; i < s->count && valid && !failed; i++) {
        double predicted, timed = loopset_cycles(s, i);
        failed = subject_predict(predictor, with, &s->loops[i], false, &predicted, err);
        if (failed || isnan(predicted) || isnan(timed))
            continue;
        sum += fabs(predicted - timed) / timed;
        count++;
    }
    if (count)
        *error = sum / (double)count;
    tacho_arch_free(with);
    tacho_predictor_free(predictor);
    return failed;
}

static int conclude(learning *l, const double errors[MOST_PARTS + 1], tacho_error *err)
{
    unsigned best = 0;
    for (unsigned n = 1; n <= MOST_PARTS; n++)
        if (!isnan(errors[n]) && (isnan(errors[best]) || errors[n] < errors[best]))
            best = n;
    if (isnan(errors[0]))
        return lab_undecided(&l->lab, parts_name, err, "the model does not predict the loops");
    if (errors[0] <= NEAR || !best)
        return lab_found(&l->lab, parts_name, 0, 0, err, "0");
    if (errors[best] > MUCH_NEARER * errors[0])
        return lab_undecided(&l->lab, parts_name, err,
                             "predictions are off by %.0f %% without parts, by %.0f %% with %u",
                             100 * errors[0], 100 * errors[best], best);
    return lab_found(&l->lab, parts_name, best, best, err, "%u", best);
}

static int fit_queue(learning *l, const tacho_arch *model, bool *found, tacho_error *err)
{
    enum {
        COUNT = sizeof queue_widths / sizeof *queue_widths
    };
    const finding *queue = lab_finding(&l->lab, queue_name);
    double errors[COUNT], now;
    unsigned best = 0;
    if (!queue || queue->state != FINDING_UNDECIDED)
        return 0;
    l->lab.running = l->other.running = queue->by;
    loopset s = loopset_of(&l->lab, err);
    add_dense(&s);
    loopset_time(&s);
    if (!s.failed)
        loopset_said(&s, error_with(&s, model, queue_name, model->iq_width, &now, err));
    for (unsigned k = 0; k < COUNT && !s.failed; k++) {
        loopset_said(&s, error_with(&s, model, queue_name, queue_widths[k], &errors[k], err));
        best = errors[k] < errors[best] - 0.001 ? k : best; /* the smallest that does */
    }
    if (!s.failed && now > NEAR && errors[best] <= MUCH_NEARER * now) {
        loopset_said(&s, lab_found(&l->lab, queue_name, queue_widths[best], queue_widths[best], err, "%u",
                                   queue_widths[best]));
        if (l->from && !s.failed) /* of a core in the simulator it is known */
            loopset_said(&s, lab_found(&l->other, queue_name, NAN, NAN, err, "%u", l->from->iq_width));
        *found = true;
    }
    return loopset_end(&s);
}

static int fit_parts(learning *l, const tacho_arch *model, bool *found, tacho_error *err)
{
    const finding *parts = lab_finding(&l->lab, parts_name);
    double errors[MOST_PARTS + 1];
    if (!parts || parts->state != FINDING_UNDECIDED)
        return 0;
    l->lab.running = l->other.running = parts->by;
    loopset s = loopset_of(&l->lab, err);
    add_loops(&s);
    loopset_time(&s);
    for (unsigned n = 0; n <= MOST_PARTS && !s.failed; n++)
        loopset_said(&s, error_with(&s, model, parts_name, n, &errors[n], err));
    if (!s.failed)
        loopset_said(&s, conclude(l, errors, err));
    if (!s.failed && l->from) /* of a core in the simulator it is known */
        loopset_said(&s, lab_found(&l->other, parts_name, NAN, NAN, err, "%u", l->from->alu_scheduler_parts));
    *found = true;
    return loopset_end(&s);
}

int learning_fit(learning *l, const tacho_arch *model, bool *found, tacho_error *err)
{
    *found = false;
    int failed = model ? fit_parts(l, model, found, err) : 0;
    return failed || !model ? failed : fit_queue(l, model, found, err);
}
