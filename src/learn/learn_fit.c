/* learn_fit.c - parameters that no curve shows alone: schedulers that are bound to load ports, or have parts
 * that pick µops before their operands are there, what some instructions take besides, how much the queue
 * behind the predecoder and lines of the cache of µops hold. Loops in which that shows are timed; when all
 * forms are known, the model predicts them with each value, and the value counts that comes nearest, if it
 * comes much nearer than the start's. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "learn/lab.h"
#include "learn/learn_internal.h"

/* Predictions that are so near need no other value; another one must come so much nearer. */
static const double NEAR = 0.015, MUCH_NEARER = 0.6, OFF = 0.05;

/* Loops for one parameter. */
typedef struct fit {
    const char *name, *values;    /* the first that does counts */
    const char *moot_with, *moot; /* where that is found, it is of no account, and why; NULL */
    tacho_mode mode;
    unsigned copies;
    bool named;        /* ports must have the names of a core */
    unsigned controls; /* so many of the first loops must be predicted well with any value */
    const char *codes[12];
} fit;

/* Zero idioms, which take no port. */
#define FILL  "vpxor xmm7, xmm7, xmm7; "
#define FILL3 FILL FILL FILL
/* What any ALU takes. */
#define LEAS4 "lea rax, [rsi+8]; lea rbx, [rsi+8]; lea rcx, [rsi+8]; lea rdx, [rsi+8]; "
#define LEAS2 "lea rdi, [rsi+8]; lea r8, [rsi+8]; "

static const char in_rows[] = "lines of code come in rows";

/* What a line holds comes first, as all loops come in lines, then how many µops for ALUs a group may have. */
static const fit fits[] = {
    {.name = "dsb_line_uops",
     .values = "6 7 8 9 10 12",
     .moot_with = "dsb_rows",
     .moot = in_rows,
     .mode = TACHO_MODE_LOOP,
     .copies = 1,
     .codes = {FILL3 FILL3, FILL3 FILL3 FILL, FILL3 FILL3 FILL FILL, FILL3 FILL3 FILL3,
               FILL3 FILL3 FILL3 FILL, FILL3 FILL3 FILL3 FILL FILL, FILL3 FILL3 FILL3 FILL3,
               FILL3 FILL3 FILL3 FILL3 FILL, FILL3 FILL3 FILL3 FILL3 FILL FILL}},
    {.name = "iq_entries",
     .values = "20 25 30 36 48 70",
     .moot_with = "dsb_holds_copies",
     .moot = "copies of code come from a cache of µops, and so do loops",
     .mode = TACHO_MODE_UNROLL,
     .copies = 1,
     .codes = {"mov rdx, [rsi+0x123]; test rdx, rdx", "mov rcx, rdx; mov rdi, rdx; sub rdx, 4",
               "lea rax, [rdi+8]; mov rcx, rdx; cmp rdx, rax",
               "xor r13d, r13d; mov rdi, [rdx+r13*8]; test rdi, rdi",
               "mov esi, ecx; lea rax, [rdx+rcx*8]; test rax, rax", "mov rdi, [rsi+0x123]; mov esi, 0x12345",
               "lea rdx, [rsp+0x123]; mov rsi, rbx; mov edi, 1"}},
    {.name = "issue_alu_uops",
     .values = "0 3 4 5 6 8",
     .mode = TACHO_MODE_LOOP,
     .copies = 4,
     .codes = {LEAS4 LEAS2 "lea r9, [rsi+8]; lea r10, [rsi+8]",
               LEAS4 LEAS2 "lea r9, [rsi+8]; lea r10, [rsi+8]; " FILL3 FILL3 FILL FILL,
               LEAS4 "lea rdi, [rsi+8]; " FILL3 FILL3}},
    {.name = "alu_scheduler_parts",
     .values = "0 1 2 3 4 5 6",
     .mode = TACHO_MODE_LOOP,
     .copies = 16,
     .codes =
         {"lea rbx, [rdi+8]; cmp rsi, rbx", "lea rbx, [rdi+8]; cmp rsi, rbx; cmp rsi, rbx",
          "lea rbx, [rdi+8]; cmp rsi, rbx; cmp rsi, rbx; cmp rsi, rbx", "add rax, rbp",
          "add rax, rbp; add rcx, rbp", "add rax, rbp; add rcx, rbp; add rdx, rbp",
          "add rax, rbp; add rcx, rbp; add rdx, rbp; add rsi, rbp",
          "add rax, rbp; add rcx, rbp; add rdx, rbp; add rsi, rbp; add rdi, rbp",
          "add rax, rbp; add rcx, rbp; add rdx, rbp; add rsi, rbp; add rdi, rbp; add r8, rbp",
          "add rax, rbp; add rcx, rbp; add rdx, rbp; add rsi, rbp; add rdi, rbp; add r8, rbp; add r9, rbp",
          "add rax, rbp; add rcx, rbp; add rdx, rbp; add rsi, rbp; add rdi, rbp; add r8, rbp; add r9, rbp; "
          "add r10, rbp"}},
#define BY_LOADS(of, with)                                                                                   \
    {                                                                                                        \
        .name = of, .values = with, .mode = TACHO_MODE_UNROLL, .copies = 1, .codes = {                       \
            "mov rax, [rsi]; mov rcx, [rax]",                                                                \
            "mov rax, [rsi]; mov rcx, [rax]; mov rdx, [rax]",                                                \
            "mov rax, [rsi]; mov rcx, [rax]; mov rdx, [rcx]",                                                \
            "mov rax, [rsi]; mov rbx, [rdi]; mov rcx, [rax]; mov rdx, [rcx]",                                \
            "mov rax, [rsi]; mov rbx, [rdi]; mov rcx, [rax]; mov rdx, [rbx]; mov r8, [rax]",                 \
            "lea rax, [rsi+8]; mov rcx, [rsi]; mov rdx, [rcx]"                                               \
        }                                                                                                    \
    }
    BY_LOADS("shared_scheduler_entries", "0"),
    {.name = "shared_scheduler_uops",
     .values = "0 1 2 3 4",
     .mode = TACHO_MODE_UNROLL,
     .copies = 1,
     .codes = {"mov rax, [rsi]; mov rcx, [rdi]; lea rdx, [r9+8]",
               "mov rax, [rsi]; lea rdx, [r9+8]; mov rcx, [rdi]",
               "mov rax, [rsi]; mov rcx, [rdi]; lea rdx, [r9+8]; mov rbx, [rsi+8]; mov r8, [rdi+8]"}},
    BY_LOADS("address_release_cycles", "0 4 8 10 12 13 14 15 16 17 18 19 20 22 24 28"),
    {.name = "memory_alu_ports",
     .values = "-",
     .mode = TACHO_MODE_LOOP,
     .copies = 8,
     .codes = {"cmp rax, [rsi]; cmp rbx, [rsi+8]; cmp rcx, [rsi+16]; cmp rdx, [rsi+24]",
               "cmp rax, [rsi]; cmp rbx, [rsi+8]; shl rcx, 3; shl rdx, 3"}},
    {.name = "splits_indexed",
     .values = "no yes",
     .controls = 1,
     .mode = TACHO_MODE_LOOP,
     .copies = 8,
     .codes = {"cmp rdx, [rsi]; " FILL FILL, "cmp rdx, [rsi+rbx]; " FILL, "cmp rdx, [rsi+rbx]; " FILL FILL,
               "cmp rdx, [rsi+rbx]; " FILL3, "add rdx, [rsi+rbx]; add rcx, [rsi+rbx]; " FILL3 FILL}},
    {.name = "stored_immediates_use_alu",
     .values = "no yes",
     .controls = 1,
     .mode = TACHO_MODE_LOOP,
     .copies = 8,
     .codes = {"mov [rsi], r9; lea rax, [rdi+8]; lea rcx, [rdi+8]; lea rdx, [rdi+8]",
               "mov dword ptr [rsi], 5; lea rax, [rdi+8]; lea rcx, [rdi+8]; lea rdx, [rdi+8]",
               "mov dword ptr [rsi], 5; lea rax, [rdi+8]; lea rcx, [rdi+8]; lea rdx, [rdi+8]; lea rbx, "
               "[rdi+8]; lea "
               "r8, [rdi+8]"}},
/* Chains, and what depends on them or not, for ports that are in some sets together. */
#define BY_PORTS(of, with)                                                                                   \
    {                                                                                                        \
        .name = of, .values = with, .named = true, .mode = TACHO_MODE_LOOP, .copies = 8, .codes = {          \
            "add rax, rbp; cmp rcx, rax",                                                                    \
            "add rax, rbp; cmp rcx, rax; lea rdx, [rax+8]",                                                  \
            "sub rbx, rbp; test rbx, rbx; lea rdx, [rsi+8]",                                                 \
            "add rax, rbp; cmp rcx, rax; lea rdx, [rsi+8]",                                                  \
            "add rax, rbp; lea rcx, [rax+8]; lea rdx, [rax+8]; cmp rcx, rdx",                                \
            "imul rax, rbp; lea rcx, [rsi+8]; lea rdx, [rsi+8]; lea rdi, [rsi+8]",                           \
            "shl rax, 3; lea rcx, [rsi+8]; lea rdx, [rsi+8]; cmp rcx, rdx",                                  \
            "add rax, rbp; add rcx, rbp; cmp rax, rcx; shl rdx, 1",                                          \
            "paddd xmm0, xmm1; pshufd xmm2, xmm3, 0; addps xmm4, xmm5; mulps xmm6, xmm7",                    \
            "pshufd xmm2, xmm3, 0; lea rax, [rsi+8]; lea rcx, [rsi+8]; imul rdx, rsi, 3",                    \
            "mov rax, [rsi]; add rcx, rax; mov [rdi], rcx; lea rdx, [rsi+8]"                                 \
        }                                                                                                    \
    }
    BY_PORTS("port_policy", "6 8 10 12 16"),
    BY_PORTS("port_margin", "3 5"),
    BY_PORTS("port_counts_age_cycles", "0 1"),
    {.name = "vector_domains",
     .values = "no yes",
     .controls = 3,
     .mode = TACHO_MODE_LOOP,
     .copies = 8,
     .codes = {"paddd xmm0, xmm1", "addps xmm0, xmm1", "mulps xmm0, xmm1; addps xmm0, xmm1",
               "paddd xmm0, xmm1; addps xmm0, xmm1", "paddd xmm0, xmm1; mulps xmm0, xmm1",
               "pshufd xmm0, xmm0, 0; mulpd xmm0, xmm1",
               "pxor xmm0, xmm1; addpd xmm0, xmm1; paddd xmm0, xmm1"}},
    {.name = "dsb_line_places",
     .values = "0 16 17 18 19 20 21 22 24",
     .moot_with = "dsb_rows",
     .moot = in_rows,
     .controls = 1,
     .mode = TACHO_MODE_LOOP,
     .copies = 1,
     .codes = {"add rax, rsi; add rbx, rsi; add rcx, rsi; add rdx, rsi; add rdi, rsi; add r8, rsi",
               "add rax, 5; add rbx, rsi; add rcx, rsi; add rdx, rsi; add rdi, rsi; add r8, rsi",
               "add rax, 5; add rbx, 5; add rcx, rsi; add rdx, rsi; add rdi, rsi; add r8, rsi",
               "add rax, 5; add rbx, 5; add rcx, 5; add rdx, rsi; add rdi, rsi; add r8, rsi",
               "add rax, 5; add rbx, 5; add rcx, 5; add rdx, 5; add rdi, rsi; add r8, rsi",
               "add rax, 5; add rbx, 5; add rcx, 5; add rdx, 5; add rdi, 5; add r8, rsi",
               "add rax, 5; add rbx, 5; add rcx, 5; add rdx, 5; add rdi, 5; add r8, 5",
               "add rax, 5; add rbx, 5; add rcx, 5; add rdx, 5; add rdi, 5",
               "add rax, 5; add rbx, 5; add rcx, 5; mov rdx, [rsi+8]; mov rdi, [rsi+8]; mov r8, [rsi+8]",
               "add rax, 5; add rbx, 5; add rcx, 5; add r9, 5; mov rdx, [rsi]; mov rdi, [rsi]; mov r8, [rsi]",
               "add rax, 5; add rbx, 5; add rcx, 5; add r9, 5; mov rdx, [rsi+8]; mov rdi, [rsi+8]; mov r8, "
               "[rsi+8]"}},
};

static const size_t FIT_COUNT = sizeof fits / sizeof *fits;

static void add_loops(lab *l, const fit *f)
{
    for (size_t i = 0; i < sizeof f->codes / sizeof *f->codes && f->codes[i]; i++) {
        lab_loop(l, f->mode);
        lab_addresses(l, IN_ALL);
        lab_code(l, f->copies, "%s", f->codes[i]);
    }
}

/* The loops of the parameters that the running experiment is to find. */
int learn_by_model(lab *l)
{
    for (size_t i = 0; i < FIT_COUNT; i++) {
        const fit *f = &fits[i];
        if (!experiment_finds(l->running, f->name) || is_found(lab_finding(l, f->name)))
            continue; /* the schedulers' experiment may have said that there are none */
        if (f->moot_with && (lab_is(l, f->moot_with) || lab_number(l, f->moot_with, 0) > 0)) {
            lab_moot(l, f->name, "%s", f->moot);
            continue;
        }
        add_loops(l, f);
        lab_draw(l, f->name, "loop", "cycles a copy", (axis){.from = 1, .per = f->copies});
        lab_undecided(l, f->name, "told by predictions of these loops, when all forms are known");
    }
    return l->failed;
}

/* ---- by predictions ---- */

bool learning_fits(const char *name)
{
    for (size_t i = 0; i < FIT_COUNT; i++)
        if (!strcmp(fits[i].name, name))
            return true;
    return false;
}

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

/* What is off there is no matter of the parameter. */
static bool controls_hold(learning *l, const fit *f)
{
    bool hold = true;
    for (unsigned i = 0; i < f->controls; i++)
        hold &= learn_error(&l->lab.loops[i], learning_cycles(l, l->model, &l->lab.loops[i])) < OFF;
    return hold;
}

/* The value with the least error, which is at most `most`. @return false: none */
static bool find_best(learning *l, const fit *f, double most, char best[8])
{
    char value[8];
    for (const char *rest = f->values; *rest && !l->failed; rest += *rest == ' ') {
        const size_t length = strcspn(rest, " ");
        snprintf(value, sizeof value, "%.*s", (int)length, rest);
        const double error = error_with(l, f->name, value);
        if (error < most - 0.001) {
            most = error;
            memcpy(best, value, sizeof value);
        }
        rest += length;
    }
    return !l->failed && *best;
}

static bool fit_one(learning *l, const fit *f)
{
    const finding *told = lab_finding(&l->lab, f->name);
    char own[80], best[8] = "";
    if (l->failed || !told || told->state != FINDING_UNDECIDED ||
        (f->named && (!l->from || l->ports_unnamed)))
        return false;
    l->lab.running = l->other.running = told->by;
    lab_clear(&l->lab);
    add_loops(&l->lab, f);
    lab_time(&l->lab);
    l->failed = l->lab.failed;
    const size_t parameter = (size_t)parameter_number(f->name);
    tacho_arch_parameter_text(l->model, parameter, own, sizeof own);
    const double now = error_with(l, f->name, own);
    if (!(now > NEAR) || !controls_hold(l, f) || !find_best(l, f, MUCH_NEARER * now, best))
        return false;
    lab_found(&l->lab, f->name, NAN, NAN, "%s", best);
    if (l->from) { /* of a core in the simulator it is known */
        tacho_arch_parameter_text(l->from, parameter, own, sizeof own);
        lab_found(&l->other, f->name, NAN, NAN, "%s", own);
    }
    l->failed = l->lab.failed ? l->lab.failed : l->other.failed;
    if (!l->failed)
        l->reload(l);
    return true;
}

bool learning_fit(learning *l)
{
    bool found = false;
    for (size_t i = 0; i < FIT_COUNT && l->model; i++)
        found |= fit_one(l, &fits[i]);
    return found;
}
