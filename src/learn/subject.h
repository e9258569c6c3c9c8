/* subject.h - the processor that is learnt: how long it takes for code. It is this machine, or a modelled
 * core in the simulator, so that what learning finds can be compared with what is known to be true.
 *
 * Everything that learning knows of a processor comes through subject_time (and subject_characterise, which
 * uses it): what it has answered once it answers again at once, also to a later process if there is a
 * journal. Learning is interrupted at any place, and resumed by running it again. */
#ifndef TACHO_LEARN_SUBJECT_H
#define TACHO_LEARN_SUBJECT_H

#include "tacho/arch.h"
#include "tacho/characterise.h"
#include "tacho/extension.h"
#include "tacho/predict.h"

typedef struct subject subject;

enum {
    LOOP_BYTES = 15 << 10, /* most code of a loop */
    KEPT_BYTES = 300       /* of loops that are kept to decide questions by */
};

/** Code, and how long an iteration takes. Start with {0}; subject_loop_free. */
typedef struct subject_loop {
    uint8_t *code;
    size_t size, capacity;
    tacho_mode mode; /* TACHO_MODE_LOOP: with a counter and a taken branch behind it, which take two slots or,
                        fused, one; TACHO_MODE_UNROLL: copies one behind the other */
    uint64_t values[16]; /* what general register n holds at first, where bit n of `known` is set */
    uint16_t known;
    double cycles;      /* NaN: not stable, or it cannot be executed */
    double uncertainty; /* relative */
    tacho_measure_status status;
} subject_loop;

/** Start with {0}; loop_list_free. */
typedef struct loop_list {
    subject_loop *items;
    size_t count, capacity;
} loop_list;
void loop_list_free(loop_list *list);
/** Adds a copy. @return 0 or an error */
int loop_list_add(loop_list *list, const subject_loop *loop, tacho_error *err);

/** This machine. `measurer` may be NULL. */
subject *subject_of_machine(const tacho_measurer_options *measurer, tacho_quality quality, tacho_error *err);
/** A core in the simulator, which must live as long. */
subject *subject_of_core(const struct tacho_arch *arch, tacho_error *err);
/** Measurements made elsewhere: journals and CSV files (learn_record.h). Nothing is timed: what these files
 * do not answer is left open. @return NULL: TACHO_ERR_INPUT (not readable; journals of two processors),
 *  TACHO_ERR_MEMORY */
subject *subject_of_record(const char *const *paths, size_t count, tacho_error *err);
/** The same answer another subject, before it is asked itself; a journal must be that processor's. Before
 *  subject_journal. @return 0; as above */
int subject_take_record(subject *s, const char *const *paths, size_t count, tacho_error *err);
/** From now on, what has no answer there has none here: so that experiments that lack something lack it on
 *  both. */
void subject_answer_no_more_than(subject *s, const subject *other);
void subject_free(subject *s);
/** Keeps answers in a file (answers.h), from which they come when learning is resumed. Before anything is
 *  timed. @return 0; TACHO_ERR_INPUT (it is another processor's, no journal; without `resume`, not empty),
 *  TACHO_ERR_SYSTEM, TACHO_ERR_MEMORY */
int subject_journal(subject *s, const char *path, bool resume, tacho_error *err);
/** `stop` is asked while loops are timed: true ends that with TACHO_ERR_CANCELLED; `tick` is called after
 *  each one. Both may be NULL. */
void subject_watch(subject *s, bool (*stop)(void *payload), void (*tick)(void *payload), void *payload);
/** Loops that this process has timed; what a journal answered does not count. */
size_t subject_timed(const subject *s);
/** Questions that the record has answered. */
size_t subject_answered(const subject *s);
/** Questions that it left open. */
const loop_list *subject_open(const subject *s);
/** Blocks of programs in the record, with their cycles. */
const loop_list *subject_blocks(const subject *s);
/** Who it is, in words: the processor with its microcode, or the modelled core. */
const char *subject_identity(const subject *s);

/** Adds `count` copies of the instructions in `text` (Intel syntax, separated by ';' or lines) to the loop.
 *  @return 0; TACHO_ERR_INPUT, TACHO_ERR_LIMIT (LOOP_BYTES), TACHO_ERR_MEMORY */
int subject_add(subject_loop *loop, const char *text, unsigned count, tacho_error *err);
int subject_add_bytes(subject_loop *loop, const uint8_t *bytes, size_t size, unsigned count,
                      tacho_error *err);
void subject_loop_free(subject_loop *loop);

/** Fills in cycles, uncertainty and status of all. What is not stable is tried again, some times; a loop
 *  without code has none.
 *  @return 0; TACHO_ERR_SYSTEM, TACHO_ERR_MEMORY, TACHO_ERR_CANCELLED */
int subject_time(subject *s, subject_loop *loops, size_t count, tacho_error *err);
/** From now on subject_time answers what is known, and puts the rest in a queue: then it returns
 *  SUBJECT_DEFERRED, with nothing filled in. Who asked ends with that, others ask what they need, and after
 *  subject_answer all begin again: so that loops of many are timed together, which is faster. */
void subject_defer(subject *s, bool defer);
enum {
    SUBJECT_DEFERRED = -1000 /* beside tacho_status */
};
/** Times all that is in the queue. @return as subject_time */
int subject_answer(subject *s, tacho_error *err);

/** Forgets what was recorded; from now on, if `record`, all loops that are answered are. */
void subject_record(subject *s, bool record);
const loop_list *subject_recorded(const subject *s);
/** From now on, if `keep`, loops that are answered are kept, short ones, each once; and those of a record
 * that are no blocks are from the beginning. */
void subject_keep(subject *s, bool keep);
const loop_list *subject_kept(const subject *s);
/** A remark of a line for the journal. @return 0; TACHO_ERR_SYSTEM */
int subject_note(subject *s, const char *text, tacho_error *err);

/** What the simulator, or the bounds alone, say of a loop: as a subject of that core answers. NaN: it cannot
 *  be executed, it does not end, or an instruction has no timing. @return 0; TACHO_ERR_MEMORY,
 * TACHO_ERR_USAGE ... */
int subject_predict(tacho_predictor *predictor, const struct tacho_arch *arch, const subject_loop *loop,
                    bool bounds, double *cycles, tacho_error *err);
/** Latencies and throughput of a form: tacho_characterise_by with this subject. */
int subject_characterise(subject *s, uint32_t form, tacho_characterisation *out, tacho_error *err);
/** Whether it has the extension of the instruction set; of a record, whether its core has, where that is
 *  known. */
bool subject_has(const subject *s, tacho_extension extension);

/** The core that is simulated; NULL: it is this machine, or a record. */
const struct tacho_arch *subject_core(const subject *s);
/** The core that the processor of a record is, as far as it says; or NULL. */
const struct tacho_arch *subject_recorded_core(const subject *s);

#endif
