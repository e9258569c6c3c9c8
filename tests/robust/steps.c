/* steps.c [--seconds N] [--seed N] [--verbose] FILE - executes instructions one by one on this processor,
 * those that may run by tacho_decode_danger, and holds what they did against what the decoder says: their
 * length, where they lead, and that nothing has changed which it does not name. None makes a system call.
 *
 * FILE: blocks in hex at the beginning of its lines; their instructions are tried, too, with changes.
 * Statuses: 0 no mismatch, 1 mismatches, or the program does not notice what it should, 77 not here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/seconds.h"
#include "steps.h"
#include "x86/decode/danger.h"

enum {
    SHOWN = 40,
    NOT_HERE = 77
};

typedef struct counts {
    unsigned long tried, no_instruction, refused, ended[STEPS_LOST + 1], mnemonics, mismatches;
    bool stepped[UINT16_MAX + 1]; /* mnemonics */
} counts;

typedef struct options {
    double seconds;
    unsigned long long seed;
    bool verbose;
    const char *path;
} options;

static void show(const char *what, const steps_case *c)
{
    char text[128];
    tacho_insn_format(&c->insn, 0, 1, text, sizeof text);
    printf("%s: ", what);
    for (int i = 0; i < c->insn.length; i++)
        printf("%02x", c->insn.bytes[i]);
    printf(" %s\n", text);
}

/* ---- the program notices what it should ---- */

typedef enum lie {
    TRUTH,
    SYSTEM_CALL,
    SHORTER,
    CUT_OFF,
    NO_GENERAL,
    NO_FLAGS,
    NO_VECTORS,
    NO_MASKS,
    NO_X87,
    NO_MXCSR,
    NO_BRANCH
} lie;

static const struct {
    const char *bytes;
    uint8_t length;
    lie lie;
} lies[] = {
    {"\x48\x01\xd8", 3, TRUTH},   /* add rax, rbx */
    {"\x0f\x05", 2, SYSTEM_CALL}, /* syscall */
    {"\x48\x01\xd8", 3, SHORTER},
    {"\x48\x01\xd8", 3, CUT_OFF},
    {"\x48\xf7\xd0", 3, NO_GENERAL}, /* not rax */
    {"\x48\xf7\xd0", 3, TRUTH},
    {"\xf5", 1, NO_FLAGS},               /* cmc */
    {"\xfd", 1, TRUTH},                  /* std */
    {"\x66\x0f\x76\xc0", 4, NO_VECTORS}, /* pcmpeqd xmm0, xmm0 */
    {"\x66\x0f\x76\xc0", 4, TRUTH},
    {"\xc5\xfc\x77", 3, NO_VECTORS}, /* vzeroall */
    {"\xc5\xfc\x77", 3, TRUTH},
    {"\xc5\xf8\x77", 3, TRUTH},        /* vzeroupper */
    {"\xc5\xf4\x47\xc9", 4, NO_MASKS}, /* kxorw k1, k1, k1 */
    {"\xc5\xf4\x47\xc9", 4, TRUTH},
    {"\x0f\xef\xc0", 3, NO_X87},   /* pxor mm0, mm0 */
    {"\x0f\x77", 2, NO_X87},       /* emms */
    {"\xd9\xf7", 2, NO_X87},       /* fincstp */
    {"\x0f\xae\x10", 3, NO_MXCSR}, /* ldmxcsr [rax] */
    {"\xeb\x40", 2, NO_BRANCH},    /* jmp */
    {"\xeb\x40", 2, TRUTH},
    {"\xf3\xaa", 2, TRUTH}, /* rep stosb */
};

static void tell(lie what, steps_claim *claim)
{
    switch (what) {
    case SHORTER:
        claim->length--;
        break;
    case NO_GENERAL:
        memset(claim->gpr, 0, sizeof claim->gpr);
        break;
    case NO_FLAGS:
        claim->flags = 0;
        break;
    case NO_VECTORS:
        claim->vectors = 0;
        break;
    case NO_MASKS:
        claim->masks = 0;
        break;
    case NO_X87:
        claim->x87 = false;
        break;
    case NO_MXCSR:
        claim->mxcsr = false;
        break;
    case NO_BRANCH:
        claim->branches = false;
        break;
    default:
        break;
    }
}

/* The state of a case in which its instruction changes something for certain. */
static void make_certain(steps_state *state)
{
    state->x87_status = 0x800;
    state->x87_tags = 0x55;
    state->mxcsr = 0x1f80;
    for (int i = 0; i < 8; i++)
        state->masks[i] = 0x1234;
    for (int i = 0; i < 32; i++)
        memset(state->vectors[i], 0x11, sizeof state->vectors[i]);
    memset(steps_scratch(), 0, STEPS_SCRATCH_BYTES);
}

/* @return 0, 1 where something was not noticed, -1 where nothing can be run here */
static int check_lies(steps_source *source)
{
    enum {
        COUNT = sizeof lies / sizeof *lies
    };
    int missed = 0, stepped = 0;
    for (size_t i = 0; i < COUNT; i++) {
        uint8_t bytes[TACHO_MAX_INSN_BYTES] = {0};
        memcpy(bytes, lies[i].bytes, lies[i].length);
        if (steps_prepare(source, &steps_cases()[i], bytes))
            return 1;
        make_certain(&steps_cases()[i].before);
        if (lies[i].lie == CUT_OFF) { /* as if the decoder did not see the last byte */
            steps_cases()[i].insn.length--;
            steps_cases()[i].before.rip++;
        }
    }
    if (steps_run(COUNT))
        return -1;
    for (size_t i = 0; i < COUNT; i++) {
        const steps_case *c = &steps_cases()[i];
        steps_claim claim;
        steps_claim_make(&claim, &c->insn);
        tell(lies[i].lie, &claim);
        stepped += c->end == STEPS_STEPPED;
        const char *wrong = steps_judge(c, &claim);
        bool right =
            lies[i].lie == SYSTEM_CALL ? c->end == STEPS_SYSTEM_CALL : !wrong == (lies[i].lie == TRUTH);
        if (c->end == STEPS_UNKNOWN || right)
            continue;
        show(wrong ? wrong : "not noticed", c);
        missed = 1;
    }
    return stepped ? missed : -1;
}

/* ---- random instructions ---- */

static bool may_run(const tacho_insn *insn)
{
    return !tacho_decode_danger(insn) && !insn->is_call && !insn->is_ret;
}

static unsigned fill_batch(steps_source *source, counts *n)
{
    unsigned count = 0;
    uint8_t bytes[TACHO_MAX_INSN_BYTES];
    while (count < STEPS_BATCH) {
        steps_generate(source, bytes);
        n->tried++;
        if (steps_prepare(source, &steps_cases()[count], bytes))
            n->no_instruction++;
        else if (!may_run(&steps_cases()[count].insn))
            n->refused++;
        else
            count++;
    }
    return count;
}

/* What memory operands find: zeros, or anything. */
static void fill_scratch(steps_source *source)
{
    uint8_t *middle = steps_scratch() + STEPS_SCRATCH_BYTES / 2;
    bool zero = steps_random(source) % 2;
    for (size_t at = 0; at < STEPS_SCRATCH_BYTES / 8; at += 4) {
        uint32_t word = zero ? 0 : steps_random(source);
        memcpy(middle + at, &word, sizeof word);
    }
}

static void judge_batch(unsigned count, const options *o, counts *n)
{
    for (unsigned i = 0; i < count; i++) {
        const steps_case *c = &steps_cases()[i];
        steps_claim claim;
        steps_claim_make(&claim, &c->insn);
        const char *wrong = steps_judge(c, &claim);
        n->ended[c->end]++;
        if (c->end == STEPS_STEPPED && !n->stepped[c->insn.mnemonic]) {
            n->stepped[c->insn.mnemonic] = true;
            n->mnemonics++;
        }
        if (wrong && n->mismatches++ < SHOWN)
            show(wrong, c);
        if (o->verbose && c->end == STEPS_LOST)
            show("lost", c);
    }
}

static int try_all(steps_source *source, const options *o, counts *n)
{
    for (const double start = seconds_now(); seconds_now() - start < o->seconds;) {
        unsigned count = fill_batch(source, n);
        fill_scratch(source);
        if (steps_run(count))
            return -1;
        judge_batch(count, o, n);
    }
    return 0;
}

static int parse(options *o, int argc, char **argv)
{
    *o = (options){.seconds = 5, .seed = 20261122};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--seconds") && i + 1 < argc)
            o->seconds = strtod(argv[++i], NULL);
        else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
            o->seed = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--verbose"))
            o->verbose = true;
        else
            o->path = argv[i];
    }
    return o->path && o->seed ? 0 : -1;
}

int main(int argc, char **argv)
{
    options o;
    static counts n;
    steps_source source = {0};
    const char *why;
    if (parse(&o, argc, argv)) {
        fprintf(stderr, "usage: steps [--seconds N] [--seed N] [--verbose] FILE\n");
        return 2;
    }
    source.random = o.seed;
    if (steps_read_known(&source, o.path)) {
        fprintf(stderr, "steps: no blocks in %s\n", o.path);
        return 2;
    }
    if (steps_open(&why)) {
        printf("skipped: no single steps here: %s\n", why);
        return NOT_HERE;
    }
    int missed = check_lies(&source);
    if (missed < 0) {
        printf("skipped: no single steps here: no process, no filter of system calls, or no traps\n");
        return NOT_HERE;
    }
    if (!missed && try_all(&source, &o, &n)) {
        printf("no process can be had\n");
        missed = 1;
    }
    printf("seed %llu: %lu tried, of which %lu are no instruction, %lu must not run, %lu are not known here, "
           "%lu faulted, %lu were stepped (%lu mnemonics); %lu lost; %lu mismatches\n",
           o.seed, n.tried, n.no_instruction, n.refused, n.ended[STEPS_UNKNOWN], n.ended[STEPS_FAULTED],
           n.ended[STEPS_STEPPED], n.mnemonics, n.ended[STEPS_LOST], n.mismatches);
    free(source.known);
    return missed || n.mismatches;
}
