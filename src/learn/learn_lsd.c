/* learn_lsd.c - loops that are streamed from the µop queue. The cache of µops gives one instruction with an
 * immediate of 64 bits a cycle on the cores that have such a stream, the queue as many as are issued: so the
 * loop that takes longer is the first that the queue does not hold. */

#include "learn/lab.h"
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
static size_t add_moves(lab *l, unsigned count)
{
    enum {
        MOVE = 10,
        END = 8,
        LINE = 32
    };
    size_t loop = lab_loop(l, TACHO_MODE_LOOP);
    unsigned rest = (END + LINE * MOVE * count - MOVE * (count - 2)) % LINE;
    lab_code(l, count - 2, long_move);
    lab_fill(l, rest < 2 ? rest + 2 : rest > 30 ? 30 : rest, 2);
    return loop;
}

static double time_moves(lab *l, unsigned count)
{
    size_t loop = add_moves(l, count);
    lab_time(l);
    return lab_timed(l, loop) / (count - 2);
}

/* The most moves that do not take what many take; 0: there is no such number. */
static unsigned bisect(lab *l, curve *c, double slow)
{
    unsigned fast = 8, high = MOST_QUEUE + 1;
    double first = time_moves(l, fast);
    curve_add(l, c, fast, first);
    if (!(first < 0.75 * slow))
        return 0;
    while (fast + 1 < high && !l->failed) {
        unsigned middle = (fast + high) / 2;
        double each = time_moves(l, middle);
        curve_add(l, c, middle, each);
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

/* What a short loop loses where an issue group ends is hidden by its branch, which takes a cycle: then
 * nothing is taken to be lost, as with as many copies as µops are issued a cycle. */
static const double ONE_BRANCH = 1.02;

/* From the longest loop down: no more copies than it takes, and no fewer than of a longer one. Returns
 * whether there is room for it. */
static bool describe(const curve *c, unsigned queue, double width, char *out, size_t size)
{
    uint8_t copies[MOST_QUEUE + 1] = {0};
    unsigned now = 1;
    for (size_t i = c ? c->count : 0; i--;) {
        unsigned most = now;
        while (most <= MOST_COPIES && !explains(&c->points[i], now, width) &&
               !explains_several(c, i, most, width))
            most++;
        now = most <= MOST_COPIES ? most : now;
        copies[(unsigned)c->points[i].x] = (uint8_t)(c->points[i].cycles < ONE_BRANCH ? width : now);
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
static int learn_unroll(lab *l, unsigned queue)
{
    char text[80];
    l->drawn = l->loop_count;
    for (unsigned uops = 2; uops <= queue; uops++) {
        lab_loop(l, TACHO_MODE_LOOP);
        unsigned bytes = 4 * (uops - 1); /* the branch away from the end of 32 bytes */
        while (bytes % 32 < 4 || bytes % 32 > 20)
            bytes++;
        lab_fill(l, bytes, uops - 1);
    }
    curve *c = lab_draw(l, "NOPs in a loop that the queue streams", "µops", "cycles an iteration",
                        (axis){.from = 2});
    return describe(c, queue, lab_number(l, "issue_width", 4), text, sizeof text)
               ? lab_found(l, "lsd_unroll", NAN, NAN, "%s", text)
               : lab_undecided(l, "lsd_unroll", "the numbers of copies are in no order");
}

static int say_none(lab *l, double slow)
{
    if (slow < 0.6)
        lab_moot(l, "lsd_enabled", "loops of any length take what short ones take");
    else if (isnan(slow))
        lab_undecided(l, "lsd_enabled", "long loops could not be timed");
    else
        lab_yes(l, "lsd_enabled", false);
    lab_undecided(l, "idq_entries",
                  "no loop is streamed from the µop queue, which would show how much it holds");
    return lab_moot(l, "lsd_unroll", "no loop stream detector was seen");
}

int learn_lsd(lab *l)
{
    add_moves(l, MANY);
    add_moves(l, MORE);
    for (unsigned n = GRID; n <= MOST_QUEUE; n += GRID)
        add_moves(l, n);
    lab_time(l);
    double slow = (lab_timed(l, 1) - lab_timed(l, 0)) / (MORE - MANY);
    curve *c = lab_curve(l, "moves of immediates of 64 bits in a loop", "moves", "cycles a move");
    for (unsigned n = GRID; n <= MOST_QUEUE; n += GRID)
        curve_add(l, c, n, lab_timed(l, n / GRID + 1) / (n - 2));
    curve *fine = lab_curve(l, "the same, the numbers between", "moves", "cycles a move");
    unsigned most = slow >= 0.6 ? bisect(l, fine, slow) : 0;
    if (!most || most >= MOST_QUEUE)
        return say_none(l, slow);
    curve_bend(c, most);
    curve_bend(fine, most);
    lab_yes(l, "lsd_enabled", true);
    lab_about(l, "idq_entries", most + 1, 0);
    return learn_unroll(l, most + 1 < TACHO_LSD_UNROLL_MAX ? most + 1 : TACHO_LSD_UNROLL_MAX);
}
