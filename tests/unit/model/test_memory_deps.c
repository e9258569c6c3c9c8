/* test_memory_deps.c - the simulator and tacho_deps_find see the same dependencies through memory: what a
 * trace shows of random blocks is what is found without simulating, and what must be in flight is shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/hash.h"
#include "tacho/tools.h"

enum {
    BLOCKS = 400,
    MOST_INSNS = 12,
    WARM = 24, /* iterations before those that are looked at */
    SEEN = 8,  /* and how many these are */
    NEVER = UINT32_MAX
};

/* Which store a load read from, in each of the iterations. */
typedef struct seen {
    uint32_t source[SEEN][MOST_INSNS], distance[SEEN][MOST_INSNS];
    bool any[SEEN][MOST_INSNS];
} seen;

static int on_uop(const tacho_trace_uop *u, void *payload)
{
    seen *s = payload;
    if (u->iteration < WARM || u->iteration >= WARM + SEEN)
        return 0;
    for (uint32_t k = 0; k < u->edge_count; k++) {
        const tacho_trace_edge *e = &u->edges[k];
        if (e->carrier != TACHO_TRACE_MEMORY)
            continue;
        uint32_t i = u->iteration - WARM;
        s->any[i][u->instruction] = true;
        s->source[i][u->instruction] = e->instruction;
        s->distance[i][u->instruction] = u->iteration - e->iteration;
    }
    return 0;
}

/* ---- random blocks ---- */

typedef struct bytes {
    uint8_t code[256];
    size_t size;
    uint32_t insns;
} bytes;

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = hash_mix(*state);
    return (uint32_t)(*state >> 33) % below;
}

static void put(bytes *b, int count, ...)
{
    va_list args;
    va_start(args, count);
    for (int k = 0; k < count; k++)
        b->code[b->size++] = (uint8_t)va_arg(args, int);
    va_end(args);
    b->insns++;
}

/* Moves between memory and registers of 1 to 8 bytes, and arithmetic on pointers, by register numbers. */
static void add_random(bytes *b, uint64_t *state)
{
    static const uint8_t pointers[] = {3, 6, 7}; /* rbx, rsi, rdi */
    int p = pointers[draw(state, 3)], q = pointers[draw(state, 3)], r = (int)draw(state, 3); /* rax .. rdx */
    int disp = (int)draw(state, 24), at = 0x40 | p;
    switch (draw(state, 12)) {
    case 0:
    case 1:
        put(b, 4, 0x48, 0x89, at | r << 3, disp & 0x18); /* mov [p+disp], r */
        return;
    case 2:
        put(b, 3, 0x89, at | r << 3, disp);
        return;
    case 3:
        put(b, 4, 0x40, 0x88, at | r << 3, disp);
        return;
    case 4:
    case 5:
        put(b, 4, 0x48, 0x8b, at | r << 3, disp & 0x1c); /* mov r, [p+disp] */
        return;
    case 6:
        put(b, 3, 0x8b, at | r << 3, disp);
        return;
    case 7:
        put(b, 4, 0x0f, 0xb6, at | r << 3, disp); /* movzx r, byte [p+disp] */
        return;
    case 8:
        put(b, 4, 0x48, 0x83, 0xc0 | p, 8); /* add p, 8 */
        return;
    case 9:
        if (p != q)
            put(b, 4, 0x48, 0x8d, 0x40 | p | q << 3, disp & 0x18); /* lea q, [p+disp] */
        return;
    case 10:
        put(b, 4, 0x48, 0x89, at | q << 3, disp & 0x18); /* mov [p+disp], q: a pointer */
        return;
    default:
        put(b, 4, 0x48, 0x83, 0xe8 | p, 4 * (int)draw(state, 3)); /* sub p, n */
    }
}

static bytes random_block(uint64_t seed)
{
    bytes b = {.size = 0};
    uint64_t state = hash_mix(seed);
    for (uint32_t k = 4 + draw(&state, MOST_INSNS - 4); k; k--)
        add_random(&b, &state);
    if (!b.insns)
        put(&b, 3, 0x48, 0x89, 0x03);
    return b;
}

/* ---- the comparison ---- */

/* The youngest store that the load overlaps, of those that were found. */
static const tacho_dependency *youngest(const tacho_deps *deps, uint32_t load)
{
    const tacho_dependency *best = NULL;
    for (size_t k = 0; k < deps->count; k++) {
        const tacho_dependency *d = &deps->dependencies[k];
        if (d->kind == TACHO_DEPENDENCY_MEMORY && d->target == load &&
            (!best || d->distance < best->distance ||
             (d->distance == best->distance && d->source > best->source)))
            best = d;
    }
    return best;
}

/* How many of the iterations show this; NEVER if one shows another store. */
static uint32_t shown(const seen *s, uint32_t load, const tacho_dependency *d)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < SEEN; i++) {
        if (!s->any[i][load])
            continue;
        if (!d || s->source[i][load] != d->source || s->distance[i][load] != d->distance)
            return NEVER;
        count++;
    }
    return count;
}

typedef struct tally {
    uint32_t loads, near, near_shown, shown;
} tally;

static void compare(const bytes *b, tacho_predictor *predictor, const tacho_arch *arch, tally *t)
{
    static seen s;
    const tacho_trace_listener listener = {.uop = on_uop, .payload = &s, .max_iterations = WARM + SEEN};
    tacho_deps_options deps_options = TACHO_DEPS_OPTIONS_INIT;
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    tacho_deps *deps;
    const tacho_prediction *p;
    tacho_error err;
    memset(&s, 0, sizeof s);
    o.mode = TACHO_MODE_UNROLL;
    o.trace = &listener;
    deps_options.init = TACHO_INIT_ALIGNED;
    assert_int_equal(tacho_predict(predictor, arch, b->code, b->size, &o, &p, &err), 0);
    assert_int_equal(tacho_deps_find(&deps, b->code, b->size, &deps_options, &err), 0);
    for (uint32_t i = 0; i < b->insns; i++) {
        const tacho_dependency *d = youngest(deps, i);
        uint32_t count = shown(&s, i, d);
        t->loads += d != NULL;
        if (count == NEVER) {
            char hex[2 * sizeof b->code + 1] = "";
            for (size_t k = 0; k < b->size; k++)
                snprintf(hex + 2 * k, 3, "%02x", b->code[k]);
            fail_msg("%s: instruction %u reads from another store than was found", hex, i);
        }
        t->shown += count > 0;
        /* the store before it in the same iteration is in flight, but where the load waits for long */
        t->near += d && !d->distance;
        t->near_shown += d && !d->distance && count == SEEN;
    }
    tacho_deps_free(deps);
}

static void test_memory_deps__random_blocks(void **state)
{
    tacho_predictor *predictor = tacho_predictor_new();
    tacho_error err;
    static const char *const archs[] = {"SKL", "ICX", "ADL"};
    for (int a = 0; a < 3; a++) {
        const tacho_arch *arch = tacho_arch_find(archs[a], &err);
        tally t = {0, 0, 0, 0};
        for (uint64_t k = 0; k < BLOCKS; k++) {
            bytes b = random_block(k + 1);
            compare(&b, predictor, arch, &t);
        }
        assert_true(t.loads > BLOCKS / 2 && t.shown > t.loads / 2);
        assert_true(t.near > BLOCKS / 10 && 100 * t.near_shown >= 90 * t.near);
    }
    tacho_predictor_free(predictor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory_deps__random_blocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
