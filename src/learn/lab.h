/* lab.h - experiments: loops that bend at a parameter's value, and what came of them.
 *
 * An experiment is a row of a table (learn_experiments.c has all of them in their order): it times loops on
 * the subject of the lab, draws its curves and says what it found. It knows nothing but the answers of the
 * subject and what earlier experiments of the same lab found; so the same experiments run on this machine and
 * on a core in the simulator, and where both give the same, that core's value holds here. */
#ifndef TACHO_LEARN_LAB_H
#define TACHO_LEARN_LAB_H

#include "learn/subject.h"

/** A point of a curve. */
typedef struct curve_point {
    double x, cycles; /* NaN where it could not be timed */
} curve_point;

/** What was measured against what. */
typedef struct curve {
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
    finding *findings;
    size_t finding_count, finding_capacity;
    curve **curves; /* each of its own, so that they stay where they are; by experiment in `curve_owners` */
    const struct experiment **curve_owners;
    size_t curve_count, curve_capacity, owner_capacity;
    const struct experiment *running;
    struct resources *resources; /* NULL until they are found */
    int failed;                  /* the first failure: from then on all that takes a lab does nothing */
    tacho_error *err;            /* its message */
} lab;

typedef struct experiment {
    const char *part; /* for --only: "front-end", "resources", "rename", "queues", "memory", "branches" */
    const char *name; /* for --explain: "reorder-buffer" */
    const char *parameters; /* rows of params.txt that it finds, separated by spaces; "" none */
    const char *method;     /* how, in a sentence or two: what is timed, and where the curve bends */
    int (*run)(lab *l);     /* @return l->failed */
} experiment;

/** All experiments, in an order in which each finds what it needs; ends with part NULL. */
extern const experiment learn_experiments[];

/** Ends with all of them zero again. */
void lab_free(lab *l);
/** The text as in params.txt. @return l->failed, as all of these */
int lab_found(lab *l, const char *name, double low, double high, const char *format, ...) TACHO_PRINTF(5, 6);
int lab_yes(lab *l, const char *name, bool yes);
/** A number, by so much more or less. */
int lab_about(lab *l, const char *name, double value, double error);
/** A number of cycles, which must be whole but for `most`; else undecided. */
int lab_cycles(lab *l, const char *name, double cycles, double most);
int lab_undecided(lab *l, const char *name, const char *format, ...) TACHO_PRINTF(3, 4);
/** The same of a number that is at least `least`: the model has no smaller one. */
int lab_at_least(lab *l, const char *name, double least, const char *format, ...) TACHO_PRINTF(4, 5);
int lab_moot(lab *l, const char *name, const char *format, ...) TACHO_PRINTF(3, 4);
/** Whether "yes" was found. */
bool lab_is(const lab *l, const char *name);
/** NULL: nothing was said of it. */
const finding *lab_finding(const lab *l, const char *name);
/** The number that was measured, or `otherwise`. */
double lab_number(const lab *l, const char *name, double otherwise);
/** A new curve of the running experiment; NULL: it failed. */
curve *lab_curve(lab *l, const char *title, const char *x_name, const char *y_name);
void curve_add(lab *l, curve *c, double x, double cycles);

#endif
