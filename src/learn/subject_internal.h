/* subject_internal.h - what answers in a subject's place: the machine (subject_machine.c), a core in the
 * simulator (subject_core.c), a record (subject_record.c). */
#ifndef TACHO_LEARN_SUBJECT_INTERNAL_H
#define TACHO_LEARN_SUBJECT_INTERNAL_H

#include "base/hash_index.h"
#include "learn/answers.h"
#include "learn/subject.h"

struct subject {
    /* fills in what is not known, and keeps it */
    int (*ask)(subject *s, subject_loop **loops, size_t count, tacho_error *err);
    tacho_measurer *measurer; /* NULL: `core` is simulated, nothing is timed, or it is to be renewed */
    tacho_measurer_options measuring;
    size_t measured; /* loops by this measurer */
    tacho_quality quality;
    const struct tacho_arch *core;
    tacho_predictor *predictor;
    answers known;
    char identity[256];
    bool only_record;
    size_t answered;        /* of the record's answers, those that were asked for */
    loop_list open, blocks; /* left open by the record; in it */
    const subject *other;   /* this answers no more than that; NULL: all */
    bool recording, deferring, keeping;
    loop_list records, queue, kept;
    hash_index in_queue, in_kept;
    size_t timed; /* loops that this process timed */
    bool (*stop)(void *payload);
    void (*tick)(void *payload);
    void *payload;
};

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

#endif
