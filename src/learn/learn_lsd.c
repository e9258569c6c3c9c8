/* learn_lsd.c - loops that are streamed from the µop queue. The cache of µops gives one instruction with an
 * immediate of 64 bits a cycle on the cores that have such a stream, the queue as many as are issued: so the
 * loop that takes longer is the first that the queue does not hold. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "learn/learn_experiments.h"
#include "learn/loopset.h"
#include "x86/arch/arch_struct.h"

enum {
    MOST_QUEUE = 255, /* µops */
    MANY = 320,
    MORE = 480,
    GRID = 16,
    MOST_COPIES = 12
};

static const char long_move[] = "mov rax, 0x123456789abcdef0";

/* As many instructions, two of them NOPs that end the loop where no branch crosses the end of 32 bytes, or
 * ends there: that would be a reason of its own to be slow. */
static size_t add_moves(loopset *s, unsigned count)
{
    enum {
        MOVE = 10,
        END = 8,
        LINE = 32
    };
    size_t loop = loopset_loop(s, TACHO_MODE_LOOP);
    unsigned rest = (END + LINE * MOVE * count - MOVE * (count - 2)) % LINE;
    loopset_add(s, count - 2, long_move);
    loopset_fill(s, rest < 2 ? rest + 2 : rest > 30 ? 30 : rest, 2);
    return loop;
}

static double time_moves(loopset *s, unsigned count)
{
    size_t loop = add_moves(s, count);
    loopset_time(s);
    return loopset_cycles(s, loop) / (count - 2);
}

/* The most moves that do not take what many take; 0: there is no such number. */
static unsigned bisect(loopset *s, curve *c, double slow)
{
    unsigned fast = 8, high = MOST_QUEUE + 1;
    double first = time_moves(s, fast);
    loopset_point(s, c, fast, first);
    if (!(first < 0.75 * slow))
        return 0;
    while (fast + 1 < high && !s->l->failed) {
        unsigned middle = (fast + high) / 2;
        double each = time_moves(s, middle);
        loopset_point(s, c, middle, each);
        if (each < 0.75 * slow)
            fast = middle;
        else
            high = middle;
    }
    return fast;
}

/* What an iteration of so many µops takes if it is unrolled so often, and ends an issue group then. */
static double streamed(unsigned uops, unsigned copies, double width)
{
    return ceil(uops * copies / width) / copies;
}

static bool explains(const curve_point *p, unsigned copies, double width)
{
    return near_to(streamed((unsigned)p->x, copies, width), p->cycles, 0.015);
}

/* So many copies explain the loop, and one beside it: a single time may be off. */
static bool explains_several(const curve *c, size_t at, unsigned copies, double width)
{
    const curve_point *p = &c->points[at];
    return explains(p, copies, width) &&
           (at < 2 || explains(p - 1, copies, width) || explains(p - 2, copies, width) ||
            (at + 1 < c->count && explains(p + 1, copies, width)));
}

/* From the longest loop down: no more copies than it takes, and no fewer than of a longer one. Returns
 * whether there is room for it. */
static bool describe(const curve *c, unsigned queue, double width, char *out, size_t size)
{
    uint8_t copies[MOST_QUEUE + 1] = {0};
    unsigned now = 1;
    for (size_t i = c->count; i--;) {
        unsigned most = now;
        while (most <= MOST_COPIES && !explains(&c->points[i], now, width) &&
               !explains_several(c, i, most, width))
            most++;
        now = most <= MOST_COPIES ? most : now;
        copies[(unsigned)c->points[i].x] = (uint8_t)now;
    }
    copies[1] = copies[2];
    size_t used = 0;
    snprintf(out, size, "-");
    for (unsigned n = 1, end; n <= queue; n = end + 1) {
        for (end = n; end < queue && copies[end + 1] == copies[n];)
            end++;
        if (copies[n] > 1 && used < size)
            used += (size_t)(n == end
                                 ? snprintf(out + used, size - used, "%s%u:%u", used ? " " : "", n, copies[n])
                                 : snprintf(out + used, size - used, "%s%u-%u:%u", used ? " " : "", n, end,
                                            copies[n]));
    }
    return used < size;
}

/* The counter of the loop is one fused µop. */
static void learn_unroll(loopset *s, unsigned queue)
{
    char text[80];
    double width = lab_number(s->l, "issue_width", 4);
    size_t first = s->count;
    for (unsigned uops = 2; uops <= queue; uops++) {
        loopset_loop(s, TACHO_MODE_LOOP);
        unsigned bytes = 4 * (uops - 1); /* the branch away from the end of 32 bytes */
        while (bytes % 32 < 4 || bytes % 32 > 20)
            bytes++;
        loopset_fill(s, bytes, uops - 1);
    }
    curve *c = loopset_draw(s, &(sweep){.first = first, .from = 2, .count = queue - 2 + 1},
                            "NOPs in a loop that the queue streams", "µops", "cycles an iteration");
    if (s->l->failed)
        return;
    if (describe(c, queue, width, text, sizeof text))
        lab_found(s->l, "lsd_unroll", NAN, NAN, "%s", text);
    else
        lab_undecided(s->l, "lsd_unroll", "the numbers of copies are in no order");
}

static void say_none(loopset *s, double slow)
{
    lab *l = s->l;
    bool hidden = slow < 0.6;
    if (hidden)
        lab_moot(l, "lsd_enabled", "loops of any length take what short ones take");
    else if (!(slow >= 0.6))
        lab_undecided(l, "lsd_enabled", "long loops could not be timed");
    else
        lab_yes(l, "lsd_enabled", false);
    lab_undecided(l, "idq_entries",
                  "no loop is streamed from the µop queue, which would show how much "
                  "it holds");
    lab_moot(l, "lsd_unroll", "no loop stream detector was seen");
}

int learn_lsd(lab *l)
{
    loopset s = loopset_of(l);
    add_moves(&s, MANY);
    add_moves(&s, MORE);
    for (unsigned n = GRID; n <= MOST_QUEUE; n += GRID)
        add_moves(&s, n);
    loopset_time(&s);
    double slow = (loopset_cycles(&s, 1) - loopset_cycles(&s, 0)) / (MORE - MANY);
    curve *c = loopset_curve(&s, "moves of immediates of 64 bits in a loop", "moves", "cycles a move");
    for (unsigned n = GRID; n <= MOST_QUEUE; n += GRID)
        loopset_point(&s, c, n, loopset_cycles(&s, n / GRID + 1) / (n - 2));
    curve *fine = loopset_curve(&s, "the same, the numbers between", "moves", "cycles a move");
    unsigned most = l->failed || !(slow >= 0.6) ? 0 : bisect(&s, fine, slow);
    if (l->failed)
        return loopset_end(&s);
    if (!most || most >= MOST_QUEUE) {
        say_none(&s, slow);
        return loopset_end(&s);
    }
    c->bend = fine->bend = most;
    lab_yes(l, "lsd_enabled", true);
    lab_found(l, "idq_entries", most + 1, most + 1, "%u", most + 1);
    learn_unroll(&s, most + 1 < TACHO_LSD_UNROLL_MAX ? most + 1 : TACHO_LSD_UNROLL_MAX);
    return loopset_end(&s);
}
