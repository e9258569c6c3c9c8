/* random_bytes.c [COUNT [SEED]] - random byte strings through the predictor, in this process: any result but
 * a crash, a hang, a wrong status or a figure that cannot be. A third of the strings are likely instructions:
 * without them, most would end at the first byte. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tacho/tools.h"

static uint64_t state;

static uint32_t next(void)
{
    state ^= state << 13; /* xorshift64 */
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32);
}

static size_t random_code(uint8_t *code)
{
    static const uint8_t openings[][3] = {{0x48, 0x01, 0xc0}, {0x0f, 0x58, 0xc1}, {0x66, 0x0f, 0xef},
                                          {0xc5, 0xfc, 0x58}, {0x62, 0xf1, 0x7c}, {0xf3, 0x0f, 0x7f},
                                          {0x48, 0x8b, 0x04}, {0xc4, 0xe2, 0x7d}, {0x41, 0xff, 0x30}};
    size_t size = next() % 48;
    for (size_t i = 0; i < size; i++)
        code[i] = (uint8_t)next();
    for (size_t i = 0; i + 3 < size && size % 3 == 0; i += 3 + next() % 6)
        memcpy(code + i, openings[next() % (sizeof openings / sizeof *openings)], 3);
    return size;
}

static int wrong(const char *what, const uint8_t *code, size_t size)
{
    fprintf(stderr, "%s: ", what);
    for (size_t i = 0; i < size; i++)
        fprintf(stderr, "%02x", code[i]);
    fputc('\n', stderr);
    return 1;
}

/* Each issue slot has one use or one reason. */
static bool slots_add_up(const tacho_topdown *t)
{
    double sum = t->retiring;
    for (int k = 0; k < TACHO_SLOT_REASON_COUNT; k++) {
        if (!(t->lost[k] >= 0))
            return false;
        sum += t->lost[k];
    }
    return fabs(sum - 1) < 1e-9;
}

/* One in 16 predictions is explained: no failure, and no figure that cannot be. */
static const char *explain(tacho_explainer *explainer, const tacho_prediction *p, const uint8_t *code,
                           size_t size, const tacho_predict_options *o)
{
    const tacho_explanation *e;
    tacho_error err = {.message = ""};
    if (!o->details || next() % 16)
        return NULL;
    if (tacho_explain(explainer, p, code, size, o, &e, &err))
        return "not explained";
    for (size_t i = 0; i < e->what_if_count; i++)
        if (!(e->what_ifs[i].cycles >= 0) || !isfinite(e->what_ifs[i].gain))
            return "a what-if without cycles";
    for (size_t i = 0; i < e->advice_count; i++)
        if (!(e->advice[i].cycles_after < e->advice[i].cycles_before))
            return "advice that does not help";
    return NULL;
}

/* One in 8 predictions is traced: the stages of each µop come one after the other, and it needs earlier ones.
 */
typedef struct tracing {
    tacho_trace_listener listener;
    uint64_t uops;
    bool wrong;
} tracing;

static int check_uop(const tacho_trace_uop *u, void *payload)
{
    tracing *t = payload;
    bool runs = u->kind < TACHO_TRACE_ELIMINATED;
    bool queued = u->queued > u->predecoded || u->source == TACHO_TRACE_FROM_RENAMER;
    bool order = queued && u->issued > u->queued && u->retired > u->issued;
    if (runs)
        order = order && u->ready > u->issued && u->dispatched >= u->ready && u->executed > u->dispatched &&
                u->retired > u->executed && u->port >= 0 && u->ports >> u->port & 1;
    for (uint32_t k = 0; k < u->edge_count; k++)
        order = order && u->edges[k].producer < u->number && u->edges[k].through < (int64_t)u->number &&
                u->edges[k].iteration <= u->iteration;
    t->wrong |= !order || u->number != t->uops++ || u->waited_for >= (int32_t)u->edge_count;
    return 0;
}

static void trace_some(tracing *t, tacho_predict_options *o)
{
    *t = (tracing){.listener = {.uop = check_uop, .payload = t}};
    if (next() % 8 == 0)
        o->trace = &t->listener;
}

int main(int argc, char **argv)
{
    unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000, done = 0;
    state = argc > 2 ? strtoull(argv[2], NULL, 10) : 20240229;
    printf("%lu strings, seed %llu\n", count, (unsigned long long)state);
    tacho_predictor *predictor = tacho_predictor_new();
    tacho_explainer *explainer = tacho_explainer_new();
    int status = predictor && explainer ? 0 : 1;
    for (unsigned long i = 0; i < count && !status; i++) {
        uint8_t bytes[64];
        tacho_error err = {.offset = -1};
        tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
        const tacho_prediction *p = NULL;
        size_t size = random_code(bytes);
        /* An exact copy on the heap, so that a sanitizer sees reads past the end. */
        uint8_t *code = malloc(size ? size : 1);
        memcpy(code, bytes, size);
        o.mode = (tacho_mode)(next() % 3);
        o.init = (tacho_init)(next() % 3);
        o.alignment = next() % 64;
        o.min_cycles = 50;
        o.details = next() % 2;
        o.advance = i % 5 == 0;
        o.ignore_isa = i % 4 != 0; /* no number drawn: the rest is as ever */
        tracing traced;
        trace_some(&traced, &o);
        const tacho_arch *arch = tacho_arch_get(next() % tacho_arch_count());
        int result = tacho_predict(predictor, arch, code, size, &o, &p, &err);
        if (!result && (!isfinite(p->cycles) || p->cycles < 0))
            status = wrong("not a number of cycles", code, size);
        else if (result && (result != err.code || !err.message[0]))
            status = wrong("a failure without a message", code, size);
        else if (result == TACHO_ERR_UNSUPPORTED && o.ignore_isa)
            status = wrong("refused, although the extensions do not matter", code, size);
        else if ((result == TACHO_ERR_INPUT || result == TACHO_ERR_UNSUPPORTED) && size &&
                 (err.offset < 0 || (size_t)err.offset >= size))
            status = wrong("no offset of the bad bytes", code, size);
        else if (result && result != TACHO_ERR_INPUT && result != TACHO_ERR_USAGE &&
                 result != TACHO_ERR_UNSUPPORTED)
            status = wrong(err.message, code, size);
        if (!result && !status && o.details && !slots_add_up(&p->topdown))
            status = wrong("issue slots do not add up", code, size);
        if (traced.wrong)
            status = wrong("a trace that cannot be", code, size);
        const char *unexplained = status || result ? NULL : explain(explainer, p, code, size, &o);
        if (unexplained)
            status = wrong(unexplained, code, size);
        done += !result;
        free(code);
    }
    printf("%lu of them predicted\n", done);
    tacho_explainer_free(explainer);
    tacho_predictor_free(predictor);
    return status;
}
