/* learn_forwarding.c - how the data of a store come to a load. */
#include <math.h>

#include "learn/copies.h"
#include "learn/learn_experiments.h"

enum {
    PLAIN,
    MIDDLE,
    VECTOR,
    STACK,
    BYTE,
    SIGNED_BYTE,
    ACROSS,
    COUNTER,
    WORD_COUNTER,
    BYTE_COUNTER,
    SUM_OF_REGISTER,
    BLOCKED,
    COUNT
};

static const chain chains[COUNT] = {
    {"a store and a load", "mov [rsi], rax; mov rax, [rsi]"},
    {"a load from the middle of a store", "mov [rsi], rax; mov eax, [rsi+4]"},
    {"a store and a load of a vector", "movups [rsi], xmm0; movups xmm0, [rsi]"},
    {"push and pop", "push rax; pop rax"},
    {"a byte, extended by zeros", "mov [rsi], al; movzx eax, byte ptr [rsi]"},
    {"a byte, extended by its sign", "mov [rsi], al; movsx eax, byte ptr [rsi]"},
    {"across a line", "mov [rsi+60], rax; mov rax, [rsi+60]"},
    {"a counter in memory", "add qword ptr [rsi], 1"},
    {"a counter of 16 bits in memory", "add word ptr [rsi], 1"},
    {"a counter of 8 bits in memory", "add byte ptr [rsi], 1"},
    {"a sum in memory", "add qword ptr [rsi], rcx"},
    {"a load of more than a store wrote", "mov [rsi], al; mov rax, [rsi]"},
};

/* A store's data are a cycle on their way. */
static const double STORE_DATA = 1;
/* From when a blocked load's store has been executed until it has reached the cache. */
static const double COMMIT = 4;
/* Slower than any core that has a value from the register that was stored, faster than any other. */
static const double RENAMED = 2.5;

/* NOPs behind a pair, up to where no further pair is in flight that matters. */
static int few_in_flight(lab *l, double *cycles)
{
    enum {
        MOST = 64,
        EVERY = 8
    };
    loopset s = loopset_of(l);
    for (unsigned n = 0; n <= MOST; n += EVERY) {
        loopset_loop(&s, TACHO_MODE_LOOP);
        loopset_value(&s, 6, CHAIN_ADDRESS);
        for (unsigned k = 0; k < 4; k++) {
            loopset_add(&s, 1, "mov [rsi], rax; mov rax, [rsi]; imul rax, rax, 1; imul rax, rax, 1");
            loopset_nops(&s, 4, n / 4);
        }
    }
    loopset_time(&s);
    *cycles = INFINITY;
    curve *c = loopset_curve(&s, "a store, a load, and two multiplications, among NOPs", "NOPs for each four",
                             "cycles a link");
    for (unsigned n = 0; n <= MOST; n += EVERY) {
        double link = loopset_cycles(&s, n / EVERY) / 4;
        loopset_point(&s, c, n, link);
        *cycles = fmin(*cycles, link);
    }
    return loopset_end(&s);
}

int learn_forwarding(lab *l)
{
    double t[COUNT], few;
    if (chains_time(l, chains, COUNT, t))
        return l->failed;
    double plain = t[PLAIN] < RENAMED ? t[MIDDLE] : t[PLAIN], missed = 0;
    /* With many loads in flight some find no place where the data come to: then few have to be. */
    if (t[PLAIN] > RENAMED && fabs(plain - t[MIDDLE]) > 0.3) {
        few_in_flight(l, &few);
        loopset s = loopset_of(l);
        loopset_loop(&s, TACHO_MODE_LOOP);
        loopset_add(&s, 64, "imul rax, rax, 1");
        loopset_time(&s);
        plain = few - 2 * loopset_cycles(&s, 0) / 64;
        loopset_end(&s);
        missed = t[MIDDLE] - plain;
    }
    lab_cycles(l, "store_forward_cycles", plain - STORE_DATA, 0.3);
    lab_cycles(l, "store_forward_vector_cycles", t[VECTOR] - STORE_DATA - missed, 0.3);
    lab_cycles(l, "forward_missed_cycles", missed, 0.3);
    if (missed > 0.5)
        lab_undecided(l, "forward_waiting_loads",
                      "some loads have a store's data %.0f cycles later: how many can wait without "
                      "that was not found",
                      missed);
    else
        lab_found(l, "forward_waiting_loads", 0, 0, "0");
    lab_cycles(l, "blocked_load_cycles", t[BLOCKED] - COMMIT - lab_number(l, "load_latency_cycles", NAN),
               0.3);
    return l->failed;
}

/* Cycles of a store and a load in code that is no loop. */
static int time_unrolled(lab *l, double *cycles)
{
    loopset s = loopset_of(l);
    loopset_loop(&s, TACHO_MODE_UNROLL);
    loopset_value(&s, 6, CHAIN_ADDRESS);
    loopset_add(&s, 1, "%s", chains[PLAIN].code);
    loopset_time(&s);
    *cycles = loopset_cycles(&s, 0);
    return loopset_end(&s);
}

int learn_memory_renaming(lab *l)
{
    double t[COUNT], unrolled = NAN;
    chains_time(l, chains, COUNT, t);
    time_unrolled(l, &unrolled);
    const bool memory = t[PLAIN] < RENAMED;
    const struct {
        const char *name;
        double cycles; /* NaN: not known */
        bool is;
    } of_memory[] = {
        {"renames_zero_extended", t[BYTE], t[BYTE] < RENAMED},
        {"renames_words", t[WORD_COUNTER], t[WORD_COUNTER] < RENAMED},
        {"renames_bytes", t[BYTE_COUNTER], t[BYTE_COUNTER] < RENAMED},
        {"renames_across_lines", t[ACROSS], t[ACROSS] < RENAMED},
        {"renames_as_measured", t[SIGNED_BYTE] + t[SUM_OF_REGISTER],
         t[SIGNED_BYTE] > RENAMED + 1.5 && t[SUM_OF_REGISTER] > RENAMED},
        {"renames_any_base", unrolled, unrolled < RENAMED},
    };
    if (l->failed)
        return l->failed;
    if (isnan(t[PLAIN]))
        return lab_undecided(l, "renames_memory", "the loops could not be timed");
    lab_yes(l, "renames_memory", memory);
    lab_yes(l, "renames_stack", t[STACK] < RENAMED);
    for (unsigned k = 0; k < sizeof of_memory / sizeof *of_memory; k++)
        !memory                      ? lab_moot(l, of_memory[k].name, "memory is not renamed")
        : isnan(of_memory[k].cycles) ? lab_undecided(l, of_memory[k].name, "the loops could not be timed")
                                     : lab_yes(l, of_memory[k].name, of_memory[k].is);
    return l->failed;
}

/* ---- where stores go ---- */

int learn_store_lines(lab *l)
{
    enum {
        MOST = 20,
        STORES = 60 /* about */
    };
    loopset s = loopset_of(l);
    for (unsigned lines = 1; lines <= MOST; lines++) {
        loopset_loop(&s, TACHO_MODE_LOOP);
        loopset_value(&s, 6, CHAIN_ADDRESS);
        for (unsigned k = 0; k < STORES / lines * lines; k++)
            loopset_add(&s, 1, "mov [rsi+%u], rcx", 64 * (k % lines));
    }
    loopset_time(&s);
    curve *c = loopset_curve(&s, "stores that go round lines", "lines", "cycles a store");
    double one = NAN;
    unsigned most = 0;
    bool slow = false;
    for (unsigned lines = 1; lines <= MOST; lines++) {
        double cycles = loopset_cycles(&s, lines - 1) / (STORES / lines * lines);
        loopset_point(&s, c, lines, cycles);
        one = lines == 1 ? cycles : one;
        slow |= cycles > 1.3 * one;
        most = !slow && cycles <= 1.3 * one ? lines : most;
    }
    if (isnan(one))
        lab_undecided(l, "store_gather_lines", "the loops could not be timed");
    else if (one > 0.8 || !slow) {
        lab_yes(l, "paired_stores_same_line", false);
        lab_found(l, "store_gather_lines", 0, 0, "0");
    } else {
        if (c)
            c->bend = most;
        lab_yes(l, "paired_stores_same_line", true);
        most = most == 1 ? 0 : most;
        lab_found(l, "store_gather_lines", most, most, "%u", most);
    }
    return loopset_end(&s);
}

/* In code that is no loop, a store of a register, and one of a large immediate: if the last of m of these
 * takes its port twice, m take m + 1 times what half of m take. The same to the stack, as
 * a core may have it there alone. */
int learn_made_stores(lab *l)
{
    static const char name[] = "stores_made_most";
    static const char *const places[] = {"qword ptr [rsi]", "dword ptr [rsp+8]"};
    loopset s = loopset_of(l);
    for (unsigned k = 0; k < 2; k++) {
        loopset_loop(&s, TACHO_MODE_UNROLL);
        loopset_add(&s, 1, "mov %s, %s", places[k], k ? "eax" : "rax");
        loopset_loop(&s, TACHO_MODE_UNROLL);
        loopset_add(&s, 1, "mov %s, 0x12345678", places[k]);
    }
    loopset_draw(&s, &(sweep){.count = 4},
                 "stores of a register (0), of an immediate (1), to the stack (2, 3)", "which",
                 "cycles a store");
    const double elsewhere = loopset_cycles(&s, 1) / loopset_cycles(&s, 0) - 1,
                 more = fmax(elsewhere, loopset_cycles(&s, 3) / loopset_cycles(&s, 2) - 1), most = 1 / more;
    if (isnan(more))
        lab_undecided(l, name, "the stores could not be timed");
    else if (more < 0.03) {
        lab_about(l, name, 0, 0);
        lab_moot(l, "stores_made_anywhere", "stores of immediates take what those of registers take");
    } else if (loopset_cycles(&s, 0) > 0.7 || !near_to(most, round(most), 0.04))
        lab_undecided(l, name, "stores of immediates take %.3f times what those of registers take", 1 + more);
    else {
        lab_about(l, name, round(most), 0);
        lab_yes(l, "stores_made_anywhere", elsewhere >= 0.03);
    }
    return loopset_end(&s);
}
