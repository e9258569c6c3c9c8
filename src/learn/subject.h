/* subject.h - the processor that is learnt: how long it takes for code. It is this machine, or a modelled
 * core in the simulator, so that what learning finds can be compared with what is known to be true.
 *
 * Everything that learning knows of a processor comes through subject_time (and subject_characterise, which
 * uses it): what it has answered once it answers again at once, also to a later process if there is a
 * journal. Learning is interrupted at any place, and resumed by running it again. */
#ifndef TACHO_LEARN_SUBJECT_H
#define TACHO_LEARN_SUBJECT_H

#include "base/hash_index.h"
#include "base/str.h"
#include "tacho/arch.h"
#include "tacho/characterise.h"
#include "tacho/extension.h"
#include "tacho/measure.h"
#include "tacho/predict.h"

/* ---- what this machine's processor says of itself: who it is, and which extensions it has ---- */

enum {
    HOST_NAME_SIZE = 160
};

/** "AuthenticAMD family 0x1A model 0x11 stepping 0, microcode 0x1000065 (AMD EPYC)": what answers of this
 *  processor hold for. `root` stands before /proc; "" for the machine itself. */
void host_identity(char out[HOST_NAME_SIZE], const char *root);
/** The rows cpuid_family and cpuid_models of a model of the processor with this identity, "AMD:0x1A" and
 *  "0x11". @return false: such rows know only Intel's and AMD's */
bool host_models(const char *identity, char family[32], char models[16]);
/** Whether programs can use it here: the processor has it, and the system keeps its registers. */
bool host_has(tacho_extension extension);

/* What the processor that is learnt has answered, and its journal: a file that a later process
 * goes on with.
 *
 * The journal is text: a head that says whose answers these are, and a line for each answer, which ends in a
 * dot. A line without it was cut off and does not count; of several about the same code the last one does. */

/** What a loop is known by: two hashes of its code, mode and values. */
typedef struct answer {
    uint64_t key[2];
    double cycles, uncertainty;
    tacho_measure_status status;
    bool recorded; /* from a record and not asked for yet */
} answer;

/** Start with {0}; answers_free. */
typedef struct answers {
    answer *items;
    size_t count, capacity;
    hash_index index;
    FILE *journal; /* NULL: none */
    char path[512];
} answers;

const answer *answers_find(const answers *a, const uint64_t key[2]);
/** Adds or replaces it, and writes nothing. @return 0; TACHO_ERR_MEMORY */
int answers_add(answers *a, const answer *item, tacho_error *err);
/** Where the journal begins in the text, which may be a model that was submitted; then `who` is whose, in a
 * line. NULL: nowhere. */
char *answers_head(char *text, char *who, size_t size);
/** Takes over what the text of a journal holds, which is changed; `name` for messages. @return as above */
int answers_parse(answers *a, char *text, const char *who, const char *name, tacho_error *err);
void answers_free(answers *a);

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

/** What answers: this machine, a core in the simulator, or a record (subject_machine.c). Who asks may read
 * all members, and set those of the first part. */
typedef struct subject {
    bool (*stop)(
        void *payload); /* asked while loops are timed: true ends that with TACHO_ERR_CANCELLED; NULL */
    void (*tick)(void *payload); /* after each loop; NULL */
    void *payload;
    const struct subject *other; /* what has no answer there has none here; NULL: all have */
    bool keeping;                /* loops that are answered are kept, short ones, each once */
    /* subject_time answers what is known, and puts the rest in a queue: then it returns SUBJECT_DEFERRED,
     * with nothing filled in. Who asked ends with that, others ask what they need, and after subject_answer
     * all begin again: so that loops of many are timed together, which is faster. */
    bool deferring;

    char identity[256];            /* the processor with its microcode, or the modelled core, in words */
    const struct tacho_arch *core; /* that is simulated, or that a record is of, as far as it says; NULL */
    tacho_predictor *predictor;    /* NULL: nothing is simulated */
    size_t timed;                  /* loops by this process; what a journal answered does not count */
    size_t answered;               /* of the record's answers, those that were asked for */
    loop_list open;                /* questions that the record left open */
    loop_list blocks;              /* of programs, in the record */
    loop_list kept;                /* also those of a record that are no blocks, from the beginning */
    loop_list records;             /* since subject_record */

    /* fills in what is not known, and keeps it */
    int (*ask)(struct subject *s, subject_loop **loops, size_t count, tacho_error *err);
    tacho_measurer *measurer; /* NULL: nothing is timed, or it is to be renewed */
    tacho_measurer_options measuring;
    size_t measured; /* loops by this measurer */
    tacho_quality quality;
    answers known;
    bool only_record, recording;
    loop_list queue;
    hash_index in_queue, in_kept;
} subject;

/** This machine. `measurer` may be NULL. */
subject *subject_of_machine(const tacho_measurer_options *measurer, tacho_quality quality, tacho_error *err);
/** A core in the simulator, which must live as long. */
subject *subject_of_core(const struct tacho_arch *arch, tacho_error *err);
/** Measurements made elsewhere: journals and CSV files. Nothing is timed: what these files
 * do not answer is left open. @return NULL: TACHO_ERR_INPUT (not readable; journals of two processors),
 *  TACHO_ERR_MEMORY */
subject *subject_of_record(const char *const *paths, size_t count, tacho_error *err);
/** The same answer another subject, before it is asked itself; a journal must be that processor's. Before
 *  subject_journal. @return 0; as above */
int subject_take_record(subject *s, const char *const *paths, size_t count, tacho_error *err);
void subject_free(subject *s);
/** Keeps answers in a file, from which they come when learning is resumed. Before anything is
 *  timed. @return 0; TACHO_ERR_INPUT (it is another processor's, no journal; without `resume`, not empty),
 *  TACHO_ERR_SYSTEM, TACHO_ERR_MEMORY */
int subject_journal(subject *s, const char *path, bool resume, tacho_error *err);
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
enum {
    SUBJECT_DEFERRED = -1000 /* beside tacho_status */
};
/** Times all that is in the queue. @return as subject_time */
int subject_answer(subject *s, tacho_error *err);

/** Forgets what was recorded; from now on, if `record`, all loops that are answered are. */
void subject_record(subject *s, bool record);
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

/* ---- for what answers ---- */

/** NULL: no memory. */
subject *subject_new(tacho_error *err);
/** What an answer is known by. */
void subject_key(const subject_loop *loop, uint64_t key[2]);
/** @return 0 or an error, as all below */
int subject_keep_answer(subject *s, const subject_loop *loop, tacho_error *err);
/** As loop_list_add, unless it is there; `index` has their keys. */
int loop_list_add_once(loop_list *list, hash_index *index, const subject_loop *loop, tacho_error *err);
/** TACHO_ERR_CANCELLED where that was asked for. */
int subject_check_stop(const subject *s, tacho_error *err);

/* Measurements that were made elsewhere, from which learning has its answers: journals of learning, and CSV
 * files of loops. */

/** Rows of a CSV file: columns `hex`, `mode` (U: copies one behind the other; L: a loop, with its counter or
 *  without; no column: as the file's name ends, "_U.csv" or "_L.csv"), `cycles` an iteration (of a copy), and
 *  perhaps `flags` (what is not clean is passed over), `registers` (what they hold at first, "rbx=1f00;r8=0",
 *  in hexadecimal) and `app` (the row is a block of a program). */
typedef struct record_row {
    subject_loop loop; /* without the counter */
    bool block;        /* of a program */
} record_row;

/** The file's rows that can be used; `measured`: those without a number of cycles cannot. End with
 *  record_free_rows. @return 0; TACHO_ERR_INPUT, TACHO_ERR_MEMORY */
int record_read_rows(const char *path, bool measured, record_row **out, size_t *count, tacho_error *err);
void record_free_rows(record_row *rows, size_t count);
/** Such a file with what is asked for, without cycles; `out` has its text. */
void record_put_questions(tacho_str *out, const subject_loop *loops, size_t count);

/** The core that the processor is, where `identity` (as subject_identity) says so; else NULL. */
const tacho_arch *record_core(const char *identity);

#endif
