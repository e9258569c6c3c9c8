/* learn_loads.c - latencies of loads, and what lengthens or shortens them. */

#include "learn/lab.h"

/* What a load has its address from must not be a load, or the shorter latency of pointers shows. */
int learn_load_latency(lab *l)
{
    enum {
        ADD,
        LOAD_ADD,
        CHASE,
        BASE,
        SCALED,
        COUNT
    };
    static const chain_code chains[COUNT] = {
        {"an addition", "lea rax, [rax+rdx-0x12340000]"},
        {"a load and that addition", "mov rax, [rax]; lea rax, [rax+rdx-0x12340000]"},
        {"a load from where a load says", "mov rax, [rax]"},
        {"the same by index", "mov rax, [rbx+rax]"},
        {"the same by index times 8", "mov rax, [rbx+rax*8]"},
    };
    double t[COUNT];
    lab_chains(l, chains, COUNT, t);
    double latency = t[LOAD_ADD] - t[ADD];
    lab_cycles(l, "load_latency_cycles", latency, 0.3);
    lab_cycles(l, "scaled_index_cycles", t[SCALED] - t[BASE], 0.3);
    return lab_less(l, "fast_pointer_chasing", t[CHASE], latency - 0.5);
}

int learn_split_accesses(lab *l)
{
    enum {
        LOAD,
        SPLIT_LOAD,
        STORE,
        SPLIT_STORE,
        COUNT
    };
    static const chain_code chains[COUNT] = {
        {"loads", "mov rcx, [rsi]"},
        {"loads that cross a line", "mov rcx, [rsi+60]"},
        /* to two lines in turn: those to one may go together */
        {"stores", "mov [rsi], rcx; mov [rsi+256], rcx"},
        {"stores that cross a line", "mov [rsi+60], rcx; mov [rsi+316], rcx"},
    };
    double t[COUNT];
    lab_chains(l, chains, COUNT, t);
    double loads = t[SPLIT_LOAD] / t[LOAD], stores = t[SPLIT_STORE] / t[STORE];
    if (isnan(loads + stores))
        return lab_untimed(l, "split_access_cycles");
    /* stores may have more ports than go to the cache: then a port that is kept does not show */
    if (stores > loads + 0.3)
        return lab_undecided(l, "split_access_cycles",
                             "crossing a line, loads take %.2f times as long, stores %.2f times", loads,
                             stores);
    return lab_found(l, "split_access_cycles", fmin(loads, stores), fmax(loads, stores), "%.0f",
                     fmin(2, fmax(1, round(loads))));
}

int learn_wide_accesses(lab *l)
{
    enum {
        LOAD,
        WIDE_LOAD,
        STORE,
        WIDE_STORE,
        COUNT
    };
    static const chain_code chains[COUNT] = {
        {"loads of 16 bytes", "movups xmm1, [rsi]"},
        {"loads of 32 bytes", "vmovups ymm1, [rsi]"},
        {"stores of 16 bytes", "movups [rsi], xmm1"},
        {"stores of 32 bytes", "vmovups [rsi], ymm1"},
    };
    double t[COUNT];
    lab_chains(l, chains, COUNT, t);
    if (isnan(t[WIDE_LOAD] + t[WIDE_STORE]))
        return lab_moot(l, "mem256_two_cycles", "there are no vectors of 256 bits");
    if (isnan(t[LOAD] + t[STORE]))
        return lab_untimed(l, "mem256_two_cycles");
    return lab_yes(l, "mem256_two_cycles", t[WIDE_LOAD] > 1.7 * t[LOAD] && t[WIDE_STORE] > 1.7 * t[STORE]);
}

/* ---- floating-point additions ---- */

int learn_early_sums(lab *l)
{
    enum {
        WIDTHS = 3,
        SUM = 0,
        PRODUCT,
        BOTH,
        COUNT
    };
    static const char *const names[WIDTHS] = {"128", "256", "512"};
    static const chain_code chains[WIDTHS * COUNT] = {
        {"additions of 128 bits", "addpd xmm0, xmm1"},
        {"multiplications of 128 bits", "mulpd xmm0, xmm1"},
        {"both in turn, of 128 bits", "addpd xmm0, xmm1; mulpd xmm0, xmm1"},
        {"additions of 256 bits", "vaddpd ymm0, ymm0, ymm1"},
        {"multiplications of 256 bits", "vmulpd ymm0, ymm0, ymm1"},
        {"both in turn, of 256 bits", "vaddpd ymm0, ymm0, ymm1; vmulpd ymm0, ymm0, ymm1"},
        {"additions of 512 bits", "vaddpd zmm0, zmm0, zmm1"},
        {"multiplications of 512 bits", "vmulpd zmm0, zmm0, zmm1"},
        {"both in turn, of 512 bits", "vaddpd zmm0, zmm0, zmm1; vmulpd zmm0, zmm0, zmm1"},
    };
    double t[WIDTHS * COUNT];
    unsigned widest = 0;
    lab_chains(l, chains, WIDTHS * COUNT, t);
    double early = t[BOTH] - t[PRODUCT] - t[SUM];
    lab_cycles(l, "fp_add_forward_cycles", early, 0.3);
    if (!(early > 0.5))
        return lab_moot(l, "fp_add_forward_bits", "no sum comes earlier to another addition");
    for (unsigned w = 0; w < WIDTHS; w++) {
        const double *own = t + (size_t)w * COUNT;
        widest = own[BOTH] - own[PRODUCT] - own[SUM] > 0.5 ? w : widest;
    }
    return lab_found(l, "fp_add_forward_bits", NAN, NAN, "%s", names[widest]);
}

/* Vector µops of one cycle between floating-point arithmetic. Which ports' µops that concerns would need to
 * be found by pairs of all forms. */
int learn_bypass(lab *l)
{
    enum {
        INTEGER,
        SUM,
        PRODUCT,
        SUM_PRODUCT,
        SUM_INTEGER,
        COUNT
    };
    static const chain_code chains[COUNT] = {
        {"integer additions", "paddd xmm0, xmm1"},
        {"floating-point additions", "addps xmm0, xmm1"},
        {"multiplications", "mulps xmm0, xmm1"},
        {"additions and multiplications in turn", "addps xmm0, xmm1; mulps xmm0, xmm1"},
        {"additions of integers and of floating-point numbers in turn", "paddd xmm0, xmm1; addps xmm0, xmm1"},
    };
    double t[COUNT];
    lab_chains(l, chains, COUNT, t);
    double late = t[SUM_INTEGER] - t[INTEGER] - (t[SUM_PRODUCT] - t[PRODUCT]);
    if (isnan(late))
        return lab_untimed(l, "bypass_ports");
    if (late > 0.5) {
        lab_undecided(l, "bypass_ports",
                      "a result takes %.2f cycles more between the two kinds of vector units; which "
                      "ports' µops have that was not found",
                      late);
        return lab_cycles(l, "bypass_fp_cycles", t[SUM], 0.3);
    }
    lab_found(l, "bypass_ports", NAN, NAN, "-");
    return lab_about(l, "bypass_fp_cycles", 0, 0);
}

/* ---- how the data of a store come to a load, and where stores go ---- */

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
    LOAD_SUM,
    FOUR_LOADS,
    OTHER_LOADS,
    COUNT
};

static const chain_code chains[COUNT] = {
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
    {"a store and a sum with what it stored", "mov [rsi], rax; add rax, [rsi]"},
    {"a store and four loads of what it stored",
     "mov [rsi], rax; mov rcx, [rsi]; mov rdx, [rsi]; mov rdi, [rsi]; mov r8, [rsi]"},
    {"a store and four other loads",
     "mov [rsi], rax; mov rcx, [rsi+256]; mov rdx, [rsi+256]; mov rdi, [rsi+256]; mov r8, [rsi+256]"},
};

/* A store's data are a cycle on their way. */
static const double STORE_DATA = 1;
/* From when a blocked load's store has been executed until it has reached the cache. */
static const double COMMIT = 4;
/* Slower than any core that has a value from the register that was stored, faster than any other. */
static const double RENAMED = 2.5;

/* Cycles of a link of a store, a load and two multiplications, with so many NOPs between pairs that no
 * further pair is in flight that matters. */
static double few_in_flight(lab *l)
{
    enum {
        MOST = 64,
        EVERY = 8
    };
    lab_clear(l);
    for (unsigned n = 0; n <= MOST; n += EVERY) {
        lab_loop(l, TACHO_MODE_LOOP);
        lab_addresses(l, IN_RSI);
        for (unsigned k = 0; k < 4; k++) {
            lab_code(l, 1, "mov [rsi], rax; mov rax, [rsi]; imul rax, rax, 1; imul rax, rax, 1");
            lab_nops(l, 4, n / 4);
        }
    }
    curve *c = lab_draw(l, "a store, a load, and two multiplications, among NOPs", "NOPs for each four",
                        "cycles a link", (axis){.step = EVERY, .per = 4});
    double least = INFINITY;
    for (size_t i = 0; i <= MOST / EVERY; i++)
        least = fmin(least, curve_at(c, i));
    return least;
}

int learn_forwarding(lab *l)
{
    double t[COUNT];
    lab_chains(l, chains, COUNT, t);
    double plain = t[PLAIN] < RENAMED ? t[MIDDLE] : t[PLAIN], missed = 0;
    /* With many loads in flight some find no place where the data come to: then few have to be. */
    if (t[PLAIN] > RENAMED && fabs(plain - t[MIDDLE]) > 0.3) {
        plain = few_in_flight(l) - 2 * lab_time_code(l, 64, "imul rax, rax, 1", 0);
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
        lab_about(l, "forward_waiting_loads", 0, 0);
    return lab_cycles(l, "blocked_load_cycles",
                      t[BLOCKED] - COMMIT - lab_number(l, "load_latency_cycles", NAN), 0.3);
}

int learn_memory_renaming(lab *l)
{
    double t[COUNT];
    lab_chains(l, chains, COUNT, t);
    const size_t copies = lab_loop(l, TACHO_MODE_UNROLL); /* in code that is no loop */
    lab_addresses(l, IN_RSI);
    lab_code(l, 1, "%s", chains[PLAIN].code);
    lab_time(l);
    const double unrolled = lab_timed(l, copies);
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
        {"renames_plain_load_ops", t[LOAD_SUM], t[LOAD_SUM] < RENAMED},
    };
    if (isnan(t[PLAIN]))
        return lab_untimed(l, "renames_memory");
    lab_yes(l, "renames_memory", memory);
    lab_less(l, "renames_stack", t[STACK], RENAMED);
    for (unsigned k = 0; k < sizeof of_memory / sizeof *of_memory; k++)
        !memory                      ? lab_moot(l, of_memory[k].name, "memory is not renamed")
        : isnan(of_memory[k].cycles) ? lab_untimed(l, of_memory[k].name)
                                     : lab_yes(l, of_memory[k].name, of_memory[k].is);
    if (!memory)
        return lab_moot(l, "renames_a_cycle", "memory is not renamed");
    if (isnan(t[FOUR_LOADS] + t[OTHER_LOADS]))
        return lab_untimed(l, "renames_a_cycle");
    return lab_about(l, "renames_a_cycle",
                     t[FOUR_LOADS] < 1.2 * t[OTHER_LOADS] ? 0 : round(4 / t[FOUR_LOADS]), 0);
}

/* ---- where stores go ---- */

int learn_store_lines(lab *l)
{
    enum {
        MOST = 20,
        STORES = 60 /* about */
    };
    for (unsigned lines = 1; lines <= MOST; lines++) {
        lab_loop(l, TACHO_MODE_LOOP);
        lab_addresses(l, IN_RSI);
        for (unsigned k = 0; k < STORES / lines * lines; k++)
            lab_code(l, 1, "mov [rsi+%u], rcx", 64 * (k % lines));
    }
    lab_time(l);
    curve *c = lab_curve(l, "stores that go round lines", "lines", "cycles a store");
    for (unsigned lines = 1; lines <= MOST; lines++)
        curve_add(l, c, lines, lab_timed(l, lines - 1) / (STORES / lines * lines));
    const double one = curve_at(c, 0);
    unsigned most = 0;
    bool slow = false;
    for (unsigned lines = 1; lines <= MOST; lines++) {
        slow |= curve_at(c, lines - 1) > 1.3 * one;
        most = !slow && curve_at(c, lines - 1) <= 1.3 * one ? lines : most;
    }
    if (isnan(one))
        return lab_untimed(l, "store_gather_lines");
    const bool paired = one <= 0.8 && slow;
    if (paired)
        curve_bend(c, most);
    lab_yes(l, "paired_stores_same_line", paired);
    return lab_about(l, "store_gather_lines", paired && most > 1 ? most : 0, 0);
}

/* In code that is no loop, a store of a register, and one of a large immediate: if the last of m of these
 * takes its port twice, m take m + 1 times what half of m take. The same to the stack, as
 * a core may have it there alone. */
int learn_made_stores(lab *l)
{
    static const char name[] = "stores_made_most";
    static const char *const stores[] = {"mov qword ptr [rsi], rax", "mov qword ptr [rsi], 0x12345678",
                                         "mov dword ptr [rsp+8], eax", "mov dword ptr [rsp+8], 0x12345678"};
    for (unsigned k = 0; k < 4; k++) {
        lab_loop(l, TACHO_MODE_UNROLL);
        lab_code(l, 1, "%s", stores[k]);
    }
    curve *c = lab_draw(l, "stores of a register (0), of an immediate (1), to the stack (2, 3)", "which",
                        "cycles a store", (axis){0});
    const double elsewhere = curve_at(c, 1) / curve_at(c, 0) - 1,
                 more = fmax(elsewhere, curve_at(c, 3) / curve_at(c, 2) - 1), most = 1 / more;
    if (isnan(more))
        return lab_untimed(l, name);
    if (more < 0.03) {
        lab_moot(l, "stores_made_anywhere", "stores of immediates take what those of registers take");
        return lab_about(l, name, 0, 0);
    }
    if (curve_at(c, 0) > 0.7 || !near_to(most, round(most), 0.04))
        return lab_undecided(l, name, "stores of immediates take %.3f times what those of registers take",
                             1 + more);
    lab_less(l, "stores_made_anywhere", 0.03, elsewhere);
    return lab_about(l, name, round(most), 0);
}
