/* learn_loads.c - latencies of loads, and what lengthens or shortens them. */
#include <math.h>

#include "learn/experiments.h"

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
