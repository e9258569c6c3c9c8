/* Blocks that know the runner's source and want a number that was not measured, or another block's spoilt:
 * among honest ones, as one batch. What a hostile block may get is a number that its chain of multiplications
 * allows, or none; what its neighbours get is what they get without it.
 *
 *   test_hostile [ROWS [SEED [exact [PAGES]]]]: of each kind (60; bench/measure hostile: 1000). `exact`: an
 * honest result is compared with the one that it has alone, which needs a quiet machine. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "../../support/support.h"
#include "base/hash.h"
#include "machine/measure/protocol.h"

enum {
    CHAIN = 8, /* multiplications in a row in each block: no core does them faster than that */
    MAX_ROWS = 5000,
    CODE_SIZE = 1024
};

typedef struct row {
    char text[CODE_SIZE];
    test_block block;
    tacho_measure_job job;
    double alone;
} row;

static uint64_t seed = 1, drawn;
static uint32_t pages; /* tacho_measure_options.pages */
static row honest[MAX_ROWS], hostile[MAX_ROWS];

static uint64_t draw(uint64_t below)
{
    return hash_mix(seed * 1000003 + drawn++) % below;
}

/* ---- what to attack ---- */

static uint64_t somewhere(void)
{
    static const struct {
        uint64_t start, size;
    } regions[] = {
        {RUNNER_REPORT, sizeof(runner_report)},
        {RUNNER_REPORT, RUNNER_KEPT_STACK},
        {RUNNER_REPORT + offsetof(runner_report, stage), 64},
        {RUNNER_REPORT + offsetof(runner_report, samples), sizeof(runner_sample) * RUNNER_MAX_SAMPLES},
        {RUNNER_PLAN, RUNNER_CODE_OFFSET},
        {RUNNER_CODE, RUNNER_CODE_BYTES},
        {RUNNER_STACK, RUNNER_STACK_BYTES + RUNNER_SIGNAL_STACK_BYTES},
        {RUNNER_STACK + RUNNER_STACK_BYTES - RUNNER_KEPT_STACK, RUNNER_KEPT_STACK},
        {RUNNER_STACK + 0x1000000, RUNNER_PAGE},
        {RUNNER_START, sizeof(runner_start_values)},
        {RUNNER_BASE, 0xc000}, /* its image */
        {RUNNER_BASE, RUNNER_END - RUNNER_BASE},
        {RUNNER_RIP_DATA, 1 << 20},
        {0x12000000, 1 << 24},
        {0, RUNNER_TOP},
    };
    const size_t i = draw(sizeof regions / sizeof *regions);
    return (regions[i].start + draw(regions[i].size)) & ~(uint64_t)(draw(4) ? 7 : 0);
}

static uint64_t something(void)
{
    const uint64_t values[] = {
        0, 1, 5, UINT64_MAX, RUNNER_CODE, RUNNER_BASE + 0x1000 + draw(0x7000), somewhere(), hash_mix(drawn)};
    return values[draw(sizeof values / sizeof *values)];
}

/* ---- how ---- */

static int put(char *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int put(char *out, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vsnprintf(out, CODE_SIZE / 2, format, list);
    va_end(list);
    return n;
}

#define ADDRESS ((unsigned long long)somewhere())
#define VALUE   ((unsigned long long)something())

static void store(char *out)
{
    static const char *const forms[] = {"mov [rax], rbx",
                                        "mov [rax], ebx",
                                        "mov [rax], bl",
                                        "xchg [rax], rbx",
                                        "lock xadd [rax], rbx",
                                        "movnti [rax], rbx",
                                        "movdqu [rax], xmm0",
                                        "add [rax], rbx",
                                        "lock inc dword ptr [rax]",
                                        "push qword ptr [rax]; pop qword ptr [rax]"};
    put(out, "movabs rax, %llu; movabs rbx, %llu; %s", ADDRESS, VALUE,
        forms[draw(sizeof forms / sizeof *forms)]);
}

static void fill(char *out)
{
    put(out, "movabs rdi, %llu; mov ecx, %u; mov al, %u; rep stosb", ADDRESS, 1 + (unsigned)draw(9000),
        (unsigned)draw(256));
}

static void pivot(char *out)
{
    put(out, "movabs rsp, %llu; movabs rbx, %llu; push rbx; push rbx; mov rcx, [rbx]; pop rdx", ADDRESS,
        VALUE);
}

/* The reading before the block may be in any of these. */
static void forge_reading(char *out)
{
    const unsigned first = (unsigned)draw(16), count = 1 + (unsigned)draw(16);
    int n = put(out, "rdtsc; shl rdx, 32; or rax, rdx; sub rax, %u", (unsigned)draw(100));
    for (unsigned i = 0; i < count; i++)
        n += put(out + n, "; movq xmm%u, rax", (first + i) % 16);
    if (draw(2))
        put(out + n, "; movq mm%u, rax; movq mm%u, rax", (unsigned)draw(8), (unsigned)draw(8));
}

static void forget_all(char *out)
{
    static const char *const forms[] = {"emms",
                                        "fninit",
                                        "std",
                                        "movabs rax, 0x12345640; fxrstor [rax]",
                                        "movabs rax, 0x12345640; frstor [rax]",
                                        "pxor xmm15, xmm15; pxor xmm14, xmm14; pxor xmm0, xmm0",
                                        "push 0; ldmxcsr [rsp]; pop rax; divps xmm0, xmm1",
                                        "mov rsp, 0x12345678"};
    put(out, "%s", forms[draw(sizeof forms / sizeof *forms)]);
}

static void flush(char *out)
{
    static const char *const forms[] = {"clflush [rax]", "prefetchw [rax]", "mov rbx, [rax]", "mfence"};
    put(out, "movabs rax, %llu; %s", ADDRESS, forms[draw(sizeof forms / sizeof *forms)]);
}

/* Line after line of what the runner executes. */
static void flush_runner(char *out)
{
    put(out, "movabs rax, %llu; mov ebx, ecx; and ebx, %u; add rax, rbx; clflush [rax]; add ecx, 64",
        RUNNER_BASE + (unsigned long long)(0x1000 + draw(2) * 0x1000), (2048u << draw(4)) - 64);
}

static void stop_at_times(char *out)
{
    static const char *const ends[] = {"ud2", "hlt", "xor ecx, ecx; div ecx", "mov rbx, [8]"};
    put(out, "rdtsc; imul eax, eax, 0x9e3779b1; shr eax, %u; jnz 2f; %s; 2: nop", (unsigned)(20 + draw(12)),
        ends[draw(sizeof ends / sizeof *ends)]);
}

static void storm(char *out)
{
    put(out, "add rsi, %u; mov [rsi], rax", 4096u << draw(12));
}

static void forbidden(char *out)
{
    static const char *const forms[] = {"syscall", "jmp rax",        "call rax",  "ret",
                                        "int 3",   "hex:0f01c1",     "iretq",     "mov ds, eax",
                                        "popfq",   "hex:eb01b80f05", "rdmsr",     "sysenter",
                                        "vmcall",  "int 0x80",       "jmp [rax]", "retf"};
    put(out, "%s", forms[draw(sizeof forms / sizeof *forms)]);
}

/* The runner's token says which run it is; the turns that the other one has more seem to be for nothing. */
static void slow_in_the_short_run(char *out)
{
    int n = put(out, "movabs rax, %llu; mov eax, [rax]; and eax, 1; jnz 2f",
                (unsigned long long)(RUNNER_START + offsetof(runner_start_values, home[1])));
    for (uint64_t i = 1 + draw(CHAIN); i-- > 0;)
        n += put(out + n, "; imul r14, r14");
    put(out + n, "; 2: nop");
}

static void from_the_issue(char *out)
{
    /* It set RUNNER_FAILED_SYSTEM, and so ended the batch. */
    put(out, "movabs rax, 0x6ff010000fa4; mov dword ptr [rax], 1; mov dword ptr [rax + 4], 0x26");
}

static const struct {
    void (*write)(char *out);
    unsigned weight;
} attacks[] = {{store, 12},
               {fill, 6},
               {pivot, 4},
               {forge_reading, 5},
               {forget_all, 4},
               {flush, 2},
               {stop_at_times, 2},
               {storm, 1},
               {forbidden, 2},
               {from_the_issue, 1},
               {slow_in_the_short_run, 3},
               {flush_runner, 3}};

static void attack(char *out)
{
    unsigned total = 0, i = 0;
    for (size_t k = 0; k < sizeof attacks / sizeof *attacks; k++)
        total += attacks[k].weight;
    uint64_t at = draw(total);
    for (; at >= attacks[i].weight; i++)
        at -= attacks[i].weight;
    attacks[i].write(out);
}

/* Loops that want to run fewer turns than they are asked for. */
static const char *loop_end(void)
{
    static const char *const ends[] = {"dec r15; jnz 1b",
                                       "mov r15d, 1; dec r15; jnz 1b",
                                       "rdtsc; test eax, 1; jz 3f; dec r15; 3: jnz 1b",
                                       "cmp r15, 3; cmovb r15, rbx; dec r15; jnz 1b",
                                       "shr r15, 1; dec r15; jnz 1b",
                                       "add r13, 8; cmp r13, r12; jb 1b",
                                       "xor r12d, r12d; add r13, 8; cmp r13, r12; jb 1b",
                                       "rdtsc; test eax, 7; jz 3f; dec r15; jnz 1b; 3:",
                                       "mov r15b, 1; dec r15; jnz 1b",
                                       "dec ecx; jnz 1b",
                                       "add r15d, 0x10000000; jnz 1b",
                                       "add r13, 0x1000000; cmp r13, r12; jb 1b",
                                       "sub r13d, 0x1000000; jns 1b",
                                       "mov ecx, 1100; rep lodsb; dec r15; jz 1b",
                                       "jmp 1b"};
    return ends[draw(sizeof ends / sizeof *ends)];
}

static void write_chain(char *out)
{
    for (int i = 0; i < CHAIN; i++)
        out += put(out, "imul r14, r14; ");
}

static void write_row(row *r, bool attacks_others)
{
    char body[CODE_SIZE / 2] = "nop", chain[CODE_SIZE / 2];
    const bool loop = draw(3) == 0;
    tacho_error err;
    write_chain(chain);
    if (attacks_others && (!loop || draw(2)))
        attack(body);
    const char *end = !loop ? "" : attacks_others ? loop_end() : "dec r15; jnz 1b";
    snprintf(r->text, sizeof r->text, "%s%s%s; %s", loop ? "1: " : "", chain, body, end);
    const char *hex = strstr(body, "hex:");
    if (test_block_make(&r->block, hex ? hex : r->text, &err)) {
        fprintf(stderr, "%s: %s\n", r->text, err.message);
        exit(1);
    }
    r->job = (tacho_measure_job){.code = r->block.bytes, .code_size = r->block.size};
}

/* ---- what came of it ---- */

/* A number that the block's own chain does not allow. A neighbour that slows down the short run in every pass
 * makes a chain look up to a seventh shorter (estimate.c), of honest blocks, too. */
static bool is_forged(const row *r, double least)
{
    const tacho_measurement *m = &r->job.result;
    return m->status == TACHO_MEASURED_OK && !(m->cycles >= 0.85 * least);
}

static unsigned count_bad(const char *what, const row *rows, int count, double least)
{
    unsigned seen[TACHO_MEASURED_REJECTED + 1] = {0}, bad = 0;
    for (int i = 0; i < count; i++) {
        const tacho_measurement *m = &rows[i].job.result;
        seen[m->status]++;
        if (is_forged(&rows[i], least)) {
            bad++;
            printf("# forged: %s: %.3f cycles, at least %.0f\n", rows[i].text, m->cycles, least);
        }
    }
    printf("%s: %d rows:", what, count);
    for (int s = 0; s <= TACHO_MEASURED_REJECTED; s++)
        printf(" %u %s%s", seen[s], tacho_measure_status_name((tacho_measure_status)s),
               s < TACHO_MEASURED_REJECTED ? "," : "\n");
    return bad;
}

static unsigned count_files(void)
{
    unsigned n = 0;
    DIR *d = opendir("/proc/self/fd");
    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n;
}

static void measure_rows(tacho_measurer *m, row **rows, int count)
{
    tacho_measure_options o = TACHO_MEASURE_OPTIONS_INIT;
    tacho_error err;
    tacho_measure_job *jobs = calloc((size_t)count, sizeof *jobs);
    o.quality = TACHO_QUALITY_QUICK;
    o.seconds = 0.2;
    o.pages = pages;
    for (int i = 0; i < count; i++)
        jobs[i] = rows[i]->job;
    if (tacho_measure_many(m, jobs, (size_t)count, &o, &err)) {
        fprintf(stderr, "the batch was ended: %s\n", err.message);
        exit(1);
    }
    for (int i = 0; i < count; i++)
        rows[i]->job = jobs[i];
    free(jobs);
}

/* Honest rows that differ from what they are alone by more than 1 %. */
static unsigned count_spoilt(int count)
{
    unsigned spoilt = 0, both = 0;
    for (int i = 0; i < count; i++) {
        const tacho_measurement *m = &honest[i].job.result;
        if (m->status != TACHO_MEASURED_OK || isnan(honest[i].alone))
            continue;
        both++;
        if (fabs(m->cycles - honest[i].alone) > 0.01 * honest[i].alone) {
            spoilt++;
            printf("# spoilt: %s: %.3f cycles, alone %.3f\n", honest[i].text, m->cycles, honest[i].alone);
        }
    }
    printf("honest, ok alone and among hostile ones: %u; beyond 1 %%: %u\n", both, spoilt);
    return spoilt;
}

static void measure_alone(tacho_measurer *m, int count)
{
    row *rows[MAX_ROWS];
    for (int i = 0; i < count; i++)
        rows[i] = &honest[i];
    measure_rows(m, rows, count);
    for (int i = 0; i < count; i++)
        honest[i].alone =
            honest[i].job.result.status == TACHO_MEASURED_OK ? honest[i].job.result.cycles : NAN;
}

int main(int argc, char **argv)
{
    static row *rows[2 * MAX_ROWS];
    tacho_error err;
    const int count = argc > 1 ? atoi(argv[1]) : 60;
    const bool exact = argc > 3 && !strcmp(argv[3], "exact");
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    pages = argc > 4 ? (uint32_t)atoi(argv[4]) : 0;
    if (count < 1 || count > MAX_ROWS)
        return 2;
    tacho_measurer *m = tacho_measurer_new(NULL, &err);
    if (!m) {
        printf("skipped: nothing can be measured here: %s\n", err.message);
        return 77;
    }
    const unsigned files = count_files();
    for (int i = 0; i < count; i++) {
        write_row(&honest[i], false);
        write_row(&hostile[i], true);
        rows[2 * i] = &hostile[i];
        rows[2 * i + 1] = &honest[i];
    }
    if (exact)
        measure_alone(m, count);
    measure_rows(m, rows, 2 * count);
    const tacho_measure_clock *clock = tacho_measurer_clock(m);
    const double least = clock->clock == TACHO_CLOCK_TSC ? 0 : (double)CHAIN * clock->imul_latency;
    if (!(least > 0))
        printf("skipped: without core cycles it is not judged which numbers are forged\n");
    unsigned bad = count_bad("hostile", hostile, count, least) + count_bad("honest", honest, count, least);
    bad += exact ? count_spoilt(count) : 0;
    if (waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD) {
        printf("a process was left behind\n");
        bad++;
    }
    if (count_files() != files) {
        printf("descriptors were left open: %u, %u before\n", count_files(), files);
        bad++;
    }
    tacho_measurer_free(m);
    for (int i = 0; i < count; i++) {
        test_block_free(&honest[i].block);
        test_block_free(&hostile[i].block);
    }
    return bad ? 1 : 0;
}
