/* branches.c - how far this core's predictor of branches looks back, and what a misprediction costs: the
 * parameters branch_history and mispredict_cycles.
 *
 *   branches history [JUMPS [FIRST LAST]]   nested loops at 12 places; in each round of the inner one so many
 *       branches are taken besides its own. For each number of rounds from FIRST to LAST: cycles that the
 *       inner loop takes, least, median and most of the places. Where its end is no longer foreseen they
 *       step up by what a misprediction costs; its history reaches over rounds times (JUMPS + 1) taken
 *       branches.
 *   branches history -N ...                 the same with N branches in a round that are not taken
 *   branches penalty                        a chain of multiplications, a branch that waits for it and for a
 *       bit of a generator of random numbers: cycles for each misprediction, of which one is an addition's.
 *
 * Cycles are those of additions that depend on each other, timed before and after. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <x86intrin.h>

enum {
    CODE_BYTES = 1 << 16,
    PLACES = 12,
    TIMES = 9, /* of each measurement */
    CHAIN = 100
};

/* Arguments: a count of rounds, and 8 bytes that live on from call to call. */
typedef void (*function)(uint64_t count, uint64_t *state);

typedef struct code {
    uint8_t *start, *end;
} code;

static code new_code(void)
{
    uint8_t *p =
        mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) {
        perror("memory for code");
        exit(1);
    }
    return (code){p, p};
}

static void free_code(code *c)
{
    munmap(c->start, CODE_BYTES);
}

static void put(code *c, const char *bytes, size_t size)
{
    memcpy(c->end, bytes, size);
    c->end += size;
}
#define PUT(c, bytes) put(c, bytes, sizeof(bytes) - 1)

static void put_word(code *c, uint32_t word)
{
    memcpy(c->end, &word, sizeof word);
    c->end += sizeof word;
}

static void put_nops(code *c, uint32_t count)
{
    memset(c->end, 0x90, count);
    c->end += count;
}

static uint32_t up_to(uint32_t most)
{
    return (uint32_t)rand() % (most + 1);
}

/* jnz */
static void put_back(code *c, const uint8_t *to)
{
    PUT(c, "\x0f\x85");
    put_word(c, (uint32_t)(to - (c->end + 4)));
}

static function as_function(uint8_t *p)
{
    function f;
    memcpy(&f, &p, sizeof f);
    return f;
}

static double ticks(function f, uint64_t count, uint64_t *state)
{
    _mm_lfence();
    uint64_t from = __rdtsc();
    _mm_lfence();
    f(count, state);
    _mm_lfence();
    return (double)(__rdtsc() - from);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Cycles for each of `count` rounds, in the median. */
static double cycles(function ruler, function f, uint64_t count)
{
    static uint64_t state = 88172645463325252u;
    double each[TIMES];
    f(count, &state);
    for (int i = 0; i < TIMES; i++) {
        double before = ticks(ruler, 300, &state), own = ticks(f, count, &state),
               after = ticks(ruler, 300, &state);
        each[i] = own / (double)count / ((before + after) / 2 / (300 * CHAIN));
    }
    qsort(each, TIMES, sizeof *each, by_size);
    return each[TIMES / 2];
}

static function make_ruler(code *c)
{
    uint8_t *top = c->end;
    for (int i = 0; i < CHAIN; i++)
        PUT(c, "\x48\x01\xc0"); /* add rax, rax */
    PUT(c, "\x48\xff\xcf");     /* dec rdi */
    put_back(c, top);
    PUT(c, "\xc3");
    return as_function(top);
}

/* jumps < 0: so many conditional branches that are not taken. */
static double time_loops(function ruler, int jumps, uint32_t rounds, unsigned place)
{
    code c = new_code();
    srand(7919 * place + 13);
    put_nops(&c, up_to(4095));
    uint8_t *first = c.end;
    PUT(&c, "\xb9"); /* mov ecx, rounds */
    put_word(&c, rounds);
    put_nops(&c, up_to(40));
    uint8_t *inner = c.end;
    put_nops(&c, up_to(7));
    for (int i = 0; i < abs(jumps); i++) {
        uint32_t over = 1 + up_to(15);
        if (jumps > 0)
            PUT(&c, "\xeb"); /* jmp */
        else
            PUT(&c, "\x85\xc9\x74"); /* test ecx, ecx; jz */
        *c.end++ = (uint8_t)over;
        put_nops(&c, over + up_to(3));
    }
    PUT(&c, "\xff\xc9"); /* dec ecx */
    put_back(&c, inner);
    put_nops(&c, up_to(20));
    PUT(&c, "\x48\xff\xcf"); /* dec rdi */
    put_back(&c, first);
    PUT(&c, "\xc3");
    double result = cycles(ruler, as_function(first), 3000);
    free_code(&c);
    return result;
}

static void show_history(function ruler, int jumps, uint32_t first, uint32_t last)
{
    printf("rounds  least  median   most\n");
    for (uint32_t rounds = first; rounds <= last; rounds++) {
        double each[PLACES];
        for (unsigned i = 0; i < PLACES; i++)
            each[i] = time_loops(ruler, jumps, rounds, i);
        qsort(each, PLACES, sizeof *each, by_size);
        printf("%6u %6.1f %7.1f %6.1f\n", rounds, each[0], (each[PLACES / 2 - 1] + each[PLACES / 2]) / 2,
               each[PLACES - 1]);
    }
}

/* `mask`: what of the generator's number decides, `set`: what is set besides. */
static double time_chain(function ruler, int length, char mask, char set)
{
    code c = new_code();
    PUT(&c, "\x48\x8b\x06\x45\x31\xc0"); /* mov rax, [rsi]; xor r8d, r8d */
    put_nops(&c, 64 - (uint32_t)(c.end - c.start) % 64);
    uint8_t *top = c.end;
    PUT(&c, "\x48\x89\xc2\x48\xc1\xe2\x0d\x48\x31\xd0"); /* xorshift64 (G. Marsaglia, 2003) in rax */
    PUT(&c, "\x48\x89\xc2\x48\xc1\xea\x07\x48\x31\xd0");
    PUT(&c, "\x48\x89\xc2\x48\xc1\xe2\x11\x48\x31\xd0");
    for (int i = 0; i < length; i++)
        PUT(&c, "\x45\x0f\xaf\xc0"); /* imul r8d, r8d: 0 */
    const char bits[] = {'\x89', '\xc1', '\x83', '\xe1',
                         mask,   '\x83', '\xc9', set}; /* mov ecx, eax; and; or */
    put(&c, bits, sizeof bits);
    PUT(&c, "\x44\x01\xc1\x85\xc9\x74\x04\x90\x90\x90\x90\x48\xff\xcf"); /* add ecx, r8d; jz if 0; dec rdi */
    put_back(&c, top);
    PUT(&c, "\x48\x89\x06\xc3"); /* mov [rsi], rax */
    double result = cycles(ruler, as_function(c.start), 4000);
    free_code(&c);
    return result;
}

static void show_penalty(function ruler)
{
    double each[16];
    size_t count = 0;
    for (int length = 6; length <= 30; length += 3) {
        double random = time_chain(ruler, length, 1, 0), taken = time_chain(ruler, length, 0, 0),
               not_taken = time_chain(ruler, length, 0, 1);
        each[count] = 2 * (random - (taken + not_taken) / 2);
        printf("%2d multiplications: %6.2f cycles at random, %6.2f taken, %6.2f not: %5.1f a misprediction\n",
               length, random, taken, not_taken, each[count]);
        count++;
    }
    qsort(each, count, sizeof *each, by_size);
    printf("median %.1f\n", each[count / 2]);
}

int main(int argc, char **argv)
{
    code c = new_code();
    function ruler = make_ruler(&c);
    if (argc == 2 && !strcmp(argv[1], "penalty")) {
        show_penalty(ruler);
    } else if (argc > 1 && !strcmp(argv[1], "history") && (argc < 4 || argc == 5)) {
        show_history(ruler, argc > 2 ? atoi(argv[2]) : 0, argc > 3 ? (uint32_t)atoi(argv[3]) : 130,
                     argc > 3 ? (uint32_t)atoi(argv[4]) : 150);
    } else {
        fprintf(stderr, "usage: branches history [JUMPS [FIRST LAST]] | penalty\n");
        return 2;
    }
    free_code(&c);
    return 0;
}
