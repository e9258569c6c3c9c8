/* subject_record.c - measurements made elsewhere answer; what they do not is left open. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "learn/learn_record.h"
#include "learn/subject.h"

/* What the record does not have. */
static int leave_open(subject *s, subject_loop **loops, size_t count, tacho_error *err)
{
    int failed = subject_check_stop(s, err);
    for (size_t i = 0; i < count && !failed; i++) {
        answer a = {{0}, NAN, NAN, TACHO_MEASURED_UNSTABLE, false};
        subject_key(loops[i], a.key);
        loops[i]->cycles = NAN;
        loops[i]->status = a.status;
        if (answers_find(&s->known, a.key)) /* asked for twice in a batch */
            continue;
        failed = loop_list_add(&s->open, loops[i], err);
        if (!failed)
            failed = answers_add(&s->known, &a, err);
    }
    return failed;
}

static int take_rows(subject *s, const char *path, tacho_error *err)
{
    record_row *rows;
    size_t count;
    int failed = record_read_rows(path, true, &rows, &count, err);
    for (size_t i = 0; i < count; i++) {
        subject_loop *loop = &rows[i].loop;
        answer a = {{0}, loop->cycles, 0, TACHO_MEASURED_OK, true};
        subject_key(loop, a.key);
        if (!failed)
            failed = answers_add(&s->known, &a, err);
        if (!failed && rows[i].block)
            failed = loop_list_add(&s->blocks, loop, err);
        else if (!failed && loop->size <= KEPT_BYTES)
            failed = loop_list_add_once(&s->kept, &s->in_kept, loop, err);
    }
    record_free_rows(rows, count);
    return failed;
}

int subject_take_record(subject *s, const char *const *paths, size_t count, tacho_error *err)
{
    enum {
        MOST_BYTES = 1 << 29
    };
    int failed = 0;
    for (size_t i = 0; i < count && !failed; i++) {
        char *text, who[sizeof s->identity];
        size_t size;
        if (tacho_file_read(paths[i], MOST_BYTES, &text, &size))
            return tacho_error_set(err, TACHO_ERR_INPUT, "%.300s: cannot be read: %s", paths[i],
                                   strerror(errno));
        char *journal = answers_head(text, who, sizeof who);
        if (!journal) {
            failed = take_rows(s, paths[i], err);
        } else {
            if (!*s->identity)
                memcpy(s->identity, who, sizeof who);
            failed = answers_parse(&s->known, journal, s->identity, paths[i], err);
        }
        tacho_mem_free(text);
    }
    for (size_t i = 0; i < s->known.count; i++)
        s->known.items[i].recorded = true;
    return failed;
}

subject *subject_of_record(const char *const *paths, size_t count, tacho_error *err)
{
    subject *s = subject_new(err);
    if (!s)
        return NULL;
    s->ask = leave_open;
    s->only_record = true;
    if (subject_take_record(s, paths, count, err)) {
        subject_free(s);
        return NULL;
    }
    if (!*s->identity)
        snprintf(s->identity, sizeof s->identity, "a processor that the record does not name");
    s->core = record_core(s->identity);
    return s;
}
