/* learn_microcode.c - microcode, and what it shows of the cache of µops: while the sequencer is at work, that
 * gives nothing, and what is issued waits for it. So the NOPs that are added beside microcode take what their
 * delivery takes, even where they are delivered faster than they are issued. */

#include "learn/lab.h"

enum {
    FEW = 2,
    MANY = 6, /* of the instructions in a loop, each in 32 bytes of its own */
    POINTS = 7,
    STEP = 24, /* NOPs: in lines of 6 or of 8 µops, whole ones */
    CHAIN = 48,
    ROOM = 100 /* µops, that a reorder buffer has beside the chain */
};

/* How many of an instruction retire: few, and, for those of few µops, many. */
static const unsigned retired[] = {0, 4, 12};

/* Instructions that may be microcode, each with its bytes; registers that nobody else needs. */
static const struct {
    const char *text;
    unsigned bytes;
} candidates[] = {
    {"cld", 1},
    {"cmpxchg rcx, rdx", 4},
    {"bt [rsi], ecx", 3},
    {"emms", 2},
    {"vzeroall", 3},
    {"cmpxchg8b [rsi]", 3},
    {"rcl rcx, 7", 4},
    {"pcmpestri xmm0, xmm1, 1", 6},
    {"phaddd xmm0, xmm1", 5},
};

enum {
    CANDIDATES = sizeof candidates / sizeof *candidates,
    DENSITIES = 2, /* NOPs in 12 or 24 of 64 bytes */
    RETIRED = sizeof retired / sizeof *retired,
    LOOPS = DENSITIES * POINTS + 1 + RETIRED /* of a candidate: by NOPs, with few of it, and what retires */
};

static void add_stop(lab *l, unsigned which, unsigned count)
{
    for (; count; count--) {
        unsigned rest = 32 - candidates[which].bytes;
        lab_code(l, 1, "%s", candidates[which].text);
        lab_nops(l, 8, 2);
        lab_fill(l, rest - 16, 2);
    }
}

static void add_candidate(lab *l, unsigned which)
{
    for (unsigned density = 1; density <= DENSITIES; density++)
        for (unsigned k = 0; k < POINTS; k++) {
            lab_loop(l, TACHO_MODE_LOOP);
            add_stop(l, which, MANY);
            for (unsigned nops = 0; nops < k * STEP; nops += 12 * density)
                lab_fill(l, 64, 12 * density);
        }
    lab_loop(l, TACHO_MODE_LOOP);
    add_stop(l, which, FEW);
    for (unsigned k = 0; k < RETIRED; k++) {
        lab_loop(l, TACHO_MODE_LOOP);
        lab_code(l, CHAIN, "imul rdi, rdi");
        lab_code(l, retired[k], "%s", candidates[which].text);
        lab_code(l, 1, "lfence");
    }
}

/* What came of a candidate. */
typedef struct stop {
    double slope;  /* cycles for a NOP more */
    double cycles; /* for one of it and the NOPs beside */
    double uops;   /* that retire */
    bool stops;    /* it is delivery that it stops: each NOP takes its part, from the first on */
} stop;

/* By what they add to a chain that they retire behind. */
static double retiring(const lab *l, size_t first)
{
    double width = lab_number(l, "retire_width", NAN), uops = 0;
    for (unsigned k = 1; k < RETIRED; k++) {
        double all = (lab_timed(l, first + k) - lab_timed(l, first)) * width;
        uops = k == 1 || uops * retired[k] < ROOM ? all / retired[k] : uops;
    }
    return uops;
}

static stop look(lab *l, unsigned which)
{
    const size_t first = (size_t)which * LOOPS, few = first + DENSITIES * POINTS;
    double issue = lab_number(l, "issue_width", 4);
    stop out = {.slope = INFINITY};
    l->drawn = first;
    for (unsigned density = 0; density < DENSITIES; density++) {
        curve *c = lab_draw(l, candidates[which].text,
                            density ? "NOPs behind six of these in the loop, 24 in 64 bytes"
                                    : "NOPs behind six of these in the loop, 12 in 64 bytes",
                            "cycles an iteration", (axis){.step = STEP, .count = POINTS});
        double slope = curve_slope(c, 1), early = (curve_at(c, 2) - curve_at(c, 0)) / (2 * STEP);
        if (near_to(early, slope, 0.3) && slope > 0.03 && slope < out.slope)
            out.slope = slope;
    }
    out.cycles = (lab_timed(l, first) - lab_timed(l, few)) / (MANY - FEW);
    out.uops = retiring(l, few + 1);
    /* it and the NOPs beside it are issued in less */
    out.stops = out.cycles > 1.3 * (4 + fmax(1, out.uops)) / issue && out.slope < 1.03 / issue;
    return out;
}

/* ---- what the cache of µops delivers ---- */

static void say_delivered(lab *l, const stop *stops)
{
    double sum = 0, issue = lab_number(l, "issue_width", 4),
           places = lab_number(l, "places_by_immediates", NAN);
    unsigned n = 0;
    for (unsigned i = 0; i < CANDIDATES; i++)
        if (stops[i].stops && stops[i].slope < 0.93 / issue) {
            sum += 1 / stops[i].slope;
            n++;
        }
    double width = n && !lab_is(l, JOINED_NOPS) ? sum / n : NAN; /* so dense they are NOPs of 1 and 2 bytes */
    if (fabs(width - round(width)) < 0.2)
        lab_about(l, "dsb_width", width, 0);
    else if (!isnan(places))
        lab_about(l, "dsb_width", places, 0);
    else
        lab_undecided(l, "dsb_width",
                      "NOPs beside microcode take no less than they are issued in: "
                      "%.0f or more a cycle",
                      issue);
}

/* ---- what the sequencer delivers ---- */

enum {
    MOST_SEQUENCED = 12
};

/* The cycles of one of them without what its µops take the sequencer, if that gives `width` a cycle. */
static double rest_of(const stop *x, unsigned width)
{
    return x->cycles - ceil(x->uops / width - 0.1);
}

/* For how many that rest is `rest`, or one less, as it is where the first µops come with those before. */
static unsigned count_alike(const stop *stops, unsigned width, double rest)
{
    unsigned n = 0;
    for (unsigned i = 0; i < CANDIDATES; i++) {
        double own = rest_of(&stops[i], width);
        n += stops[i].stops && stops[i].uops > 0.5 && own < rest + 0.3 && own > rest - 1.3;
    }
    return n;
}

/* The most rest of those that have `least` to `most` µops; -1: there are none. */
static double most_rest(const stop *stops, unsigned width, double least, double most)
{
    double out = -1;
    for (unsigned i = 0; i < CANDIDATES; i++)
        if (stops[i].stops && stops[i].uops > least - 0.5 && stops[i].uops < most + 0.5)
            out = fmax(out, rest_of(&stops[i], width));
    return out;
}

/* Microcode has a cycle of its own, as have the NOPs beside it: the rest is for switching to and fro. */
static void say_switching(lab *l, const stop *stops, unsigned width)
{
    enum {
        OWN = 2
    };
    double brief = most_rest(stops, width, 1, width), longer = most_rest(stops, width, 2 * width + 1, 1000);
    if (brief < OWN - 0.3 || fabs(brief - round(brief)) > 0.3)
        lab_undecided(l, "dsb_ms_stall_cycles", "no microcode of one cycle was found");
    else
        lab_found(l, "dsb_ms_stall_cycles", brief - OWN, brief - OWN, "%.0f", round(brief) - OWN);
    if (brief < OWN - 0.3 || longer < brief - 0.3)
        lab_undecided(l, "dsb_ms_long_cycles",
                      "no microcode of one cycle, or none of more, was "
                      "found");
    else
        lab_found(l, "dsb_ms_long_cycles", longer - brief, longer - brief, "%.0f",
                  fabs(round(longer - brief)));
}

static void say_sequenced(lab *l, const stop *stops)
{
    unsigned best = 0, second = 0, width = 0, all = 0;
    for (unsigned w = 1; w <= MOST_SEQUENCED; w++) {
        unsigned n = 0;
        for (unsigned rest = 1; rest <= 12; rest++) {
            unsigned now = count_alike(stops, w, rest);
            n = now > n ? now : n;
        }
        if (n > best) {
            second = best;
            best = n;
            width = w;
        } else if (n > second) {
            second = n;
        }
    }
    for (unsigned i = 0; i < CANDIDATES; i++)
        all += stops[i].stops;
    if (best < 4 || best == second || 2 * best < all) {
        static const char *const names[] = {"ms_width", "dsb_ms_stall_cycles", "dsb_ms_long_cycles"};
        for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
            lab_undecided(l, names[i],
                          best < 4 ? "too little microcode was found that stops delivery"
                                   : "several widths of the sequencer explain what "
                                     "microcode takes");
        return;
    }
    lab_about(l, "ms_width", width, 0);
    say_switching(l, stops, width);
}

int learn_microcode(lab *l)
{
    stop stops[CANDIDATES];
    for (unsigned i = 0; i < CANDIDATES; i++)
        add_candidate(l, i);
    for (unsigned i = 0; i < CANDIDATES; i++)
        stops[i] = look(l, i);
    say_delivered(l, stops);
    say_sequenced(l, stops);
    return l->failed;
}
