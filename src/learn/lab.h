/* lab.h - experiments: loops that bend at a parameter's value, and what came of them.
 *
 * An experiment is a row of a table (experiment_rows.h has all of them in their order): it times loops on
 * the subject of the lab, draws its curves and says what it found. It knows nothing but the answers of the
 * subject and what earlier experiments of the same lab found; so the same experiments run on this machine and
 * on a core in the simulator, and where both give the same, that core's value holds here.
 *
 *     for (unsigned n = 1; n <= 8; n++) {
 *         lab_loop(l, TACHO_MODE_LOOP);
 *         lab_nops(l, 8, n);
 *     }
 *     curve *c = lab_draw(l, "...", "...", "...", (axis){.from = 1});
 *     return lab_about(l, "issue_width", 1 / curve_slope(c, 0), 0);
 *
 * What fails first the lab keeps; from then on all that takes a lab does nothing, and times are NaN. */
#ifndef TACHO_LEARN_LAB_H
#define TACHO_LEARN_LAB_H

#include "learn/subject.h"

/** A point of a curve. */
typedef struct curve_point {
    double x, cycles; /* NaN where it could not be timed */
} curve_point;

/** What was measured against what. */
typedef struct curve {
    const struct experiment *of;
    const char *title, *x_name; /* static */
    const char *y_name;         /* "cycles per iteration" and the like */
    double bend;                /* the x that the value follows from; NaN none */
    curve_point *points;
    size_t count, capacity;
} curve;

typedef enum finding_state {
    FINDING_NONE = 0,  /* no experiment has said anything yet */
    FINDING_MEASURED,  /* `value` */
    FINDING_UNDECIDED, /* the experiment could not tell; `why` */
    FINDING_MOOT,      /* of no account on this core; `why` */
} finding_state;

/** What is known of a parameter of tacho_arch; or of anything else that experiments need of each other, under
 * a name that is no parameter's ("counter_slots"). */
typedef struct finding {
    const char *name; /* static */
    finding_state state;
    char value[80];   /* as in params.txt */
    double low, high; /* the range that the measurements allow, where it is a number; else NaN */
    char why[160];
    const struct experiment *by;
} finding;

typedef struct lab {
    subject *s;
    const tacho_arch *start; /* the core that learning starts from; NULL: none */
    finding *findings;
    size_t finding_count, finding_capacity;
    curve **curves; /* each of its own, so that they stay where they are */
    size_t curve_count, curve_capacity;
    const struct experiment *running;
    struct resources *resources; /* NULL until they are found */
    subject_loop *loops;         /* since lab_clear */
    size_t loop_count, loop_capacity, drawn;
    int failed;       /* the first failure */
    tacho_error *err; /* its message */
} lab;

typedef enum experiment_needs {
    NEEDS_NOTHING,
    NEEDS_DECODERS, /* of no account where unrolled code comes from a cache of µops, as loops do */
} experiment_needs;

typedef struct experiment {
    int (*run)(lab *l);     /* @return l->failed */
    const char *part;       /* for --only: "front-end", "queues", "memory", "latencies", "branches" ... */
    const char *name;       /* for --explain: "reorder-buffer" */
    const char *parameters; /* rows of params.txt that it finds, separated by spaces; "" none */
    experiment_needs needs;
    const char *method; /* how, in a sentence or two: what is timed, and where the curve bends */
} experiment;

/** All experiments, in an order in which each finds what it needs; ends with part NULL. */
extern const experiment learn_experiments[];

/** Runs it. What it cannot do on this processor leaves its parameters undecided, and the others as they are.
 *  @return l->failed */
int lab_run(lab *l, const experiment *e);
/** Whether the experiment finds the parameter. */
bool experiment_finds(const experiment *e, const char *parameter);
/** Ends with all of them zero again. */
void lab_free(lab *l);

/* ---- findings; @return l->failed, as all of these ---- */

/** The text as in params.txt. */
int lab_found(lab *l, const char *name, double low, double high, const char *format, ...) TACHO_PRINTF(5, 6);
int lab_yes(lab *l, const char *name, bool yes);
/** Yes if the one is less than the other; undecided where one could not be timed. */
int lab_less(lab *l, const char *name, double one, double other);
/** A number, by so much more or less. */
int lab_about(lab *l, const char *name, double value, double error);
/** A number of cycles, which must be whole but for `most`; else undecided. */
int lab_cycles(lab *l, const char *name, double cycles, double most);
int lab_undecided(lab *l, const char *name, const char *format, ...) TACHO_PRINTF(3, 4);
/** The same where the loops could not be timed. */
int lab_untimed(lab *l, const char *name);
/** The same of a number that is at least `least`: the model has no smaller one. */
int lab_at_least(lab *l, const char *name, double least, const char *format, ...) TACHO_PRINTF(4, 5);
int lab_moot(lab *l, const char *name, const char *format, ...) TACHO_PRINTF(3, 4);
/** Whether "yes" was found. */
bool lab_is(const lab *l, const char *name);
/** NULL: nothing was said of it. */
const finding *lab_finding(const lab *l, const char *name);
/** The number of a parameter of tacho_arch; -1: it is none. */
int parameter_number(const char *name);
/** Whether a value was found; NULL is allowed. */
bool is_found(const finding *f);
/** The number that was measured; if none was the start's, and without a start `otherwise`. */
double lab_number(const lab *l, const char *name, double otherwise);

/* ---- loops ---- */

/** Drops the loops that there are. */
void lab_clear(lab *l);
/** A new loop, to which is added from now on. @return its number: 0 behind lab_clear, then one more each */
size_t lab_loop(lab *l, tacho_mode mode);
/** `count` times the code (Intel syntax, instructions separated by ';'). */
void lab_code(lab *l, unsigned count, const char *format, ...) TACHO_PRINTF(3, 4);
void lab_bytes(lab *l, const uint8_t *bytes, size_t size, unsigned count);
/** `count` instructions, one from each of `texts` in turn. */
void lab_code_in_turn(lab *l, unsigned count, const char *const *texts, unsigned text_count);
/** What general register `reg` (0 RAX .. 15 R15, as they are encoded) of the newest loop holds at first. */
void lab_value(lab *l, unsigned reg, uint64_t value);
/** ... and several of them (bit n: register n), an address in the middle of a line's first bytes. */
enum {
    IN_RAX = 1 << 0,
    IN_RBX = 1 << 3,
    IN_RSI = 1 << 6,
    IN_ALL = 0x7fef /* but RSP and R15, the counter */
};
void lab_addresses(lab *l, unsigned registers);
/** The finding, also a parameter, that NOPs join the instruction before them: then they fill no slots. */
#define JOINED_NOPS "fuses_nops"
/** What takes a slot, no port and no general register: a NOP of 1 to 15 bytes; where these are joined, from 3
 *  bytes on, a zero idiom of XMM15 or XMM7 as long. */
void lab_filler(const lab *l, unsigned bytes, uint8_t code[15]);
/** Fillers of 1 to 15 bytes; before it is known whether NOPs are joined, NOPs. */
void lab_nops(lab *l, unsigned bytes, unsigned count);
/** `count` NOPs that fill `bytes` bytes, of lengths as even as can be. */
void lab_fill(lab *l, unsigned bytes, unsigned count);
/** `count` instructions that fill `bytes` bytes, up to 7 each, as few of them NOPs as can be, and none of
 * more than 2 bytes, which some decoders find hard. */
void lab_fill_plain(lab *l, unsigned bytes, unsigned count);
/** Times the loops that were not timed before. */
void lab_time(lab *l);
/** NaN: unknown. */
double lab_timed(const lab *l, size_t loop);
/** A loop of `count` times the code, with addresses in these registers: cycles of one of them. */
double lab_time_code(lab *l, unsigned count, const char *code, unsigned registers);

/* ---- curves ---- */

/** x grows by `step` (0: 1) from `from` on, and `per` (0: 1) divides the cycles. `count` 0: all that there
 * are. */
typedef struct axis {
    double from, step, per;
    unsigned count;
} axis;
/** Times what was not timed, and draws the loops behind those that were drawn. @return NULL: it failed; what
 *  takes a curve takes that, too */
curve *lab_draw(lab *l, const char *title, const char *x_name, const char *y_name, axis of);
/** A curve to add points to. */
curve *lab_curve(lab *l, const char *title, const char *x_name, const char *y_name);
void curve_add(lab *l, curve *c, double x, double cycles);
void curve_bend(curve *c, double x);
/** The cycles of a point; NaN: unknown. */
double curve_at(const curve *c, size_t i);
/** The median of the slopes of all pairs of points, from the one of number `from` on; NaN for fewer than two.
 */
double curve_slope(const curve *c, size_t from);
/** Whether two durations differ by less than the part `most`; false for NaN. */
bool near_to(double a, double b, double most);

/** Code whose copies depend on each other or compete. */
typedef struct chain_code {
    const char *title, *code; /* one copy */
} chain_code;
/** Cycles of a copy of each in a loop, as the slope of a curve; NaN: not known. @return l->failed */
int lab_chains(lab *l, const chain_code *chains, unsigned count, double *cycles);

/* ---- what the rows of experiment_rows.h run; each in the file of its part ---- */

#define EXPERIMENT(run, ...) int run(lab *l);
#include "learn/experiment_rows.h"
#undef EXPERIMENT

#endif
