/* threads_saved.c - a log in a file: its lists one after the other, numbers as this machine has them. One
 * function for each thing writes and reads it. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "program/threads/threads_log.h"

static const char magic[8] = "TACHOTH3";

/* Written to, or read from. */
typedef struct stream {
    FILE *out; /* NULL: it is read */
    const uint8_t *at;
    size_t left;
    threads_log *log;
    bool damaged;
} stream;

static void pass(stream *s, void *data, size_t size)
{
    if (s->out) {
        fwrite(data, 1, size, s->out);
    } else if ((s->damaged |= size > s->left)) {
        memset(data, 0, size);
    } else if (size) {
        memcpy(data, s->at, size);
        s->at += size;
        s->left -= size;
    }
}
#define PASS(s, it) pass(s, &(it), sizeof(it))

static void pass_text(stream *s, const char **text)
{
    uint32_t n = s->out && *text ? (uint32_t)strlen(*text) + 1 : 0;
    PASS(s, n);
    if (s->out) {
        fwrite(*text, 1, n, s->out);
        return;
    }
    *text = NULL;
    if (!n || (s->damaged |= n > s->left || s->at[n - 1]))
        return;
    *text = arena_text(&s->log->texts, (const char *)s->at);
    s->log->failed |= !*text;
    s->at += n;
    s->left -= n;
}

/* Of so many items; where it is read there is room for them then. */
static void pass_count(stream *s, void *list, size_t *count, size_t *capacity, size_t size, size_t least_size)
{
    PASS(s, *count);
    if (s->out)
        return;
    if ((s->damaged |= *count > s->left / least_size))
        *count = 0;
    if (tacho_mem_grow(list, capacity, *count, size)) {
        s->log->failed = true;
        *count = 0;
    }
}
#define PASS_COUNT(s, l, list, count, capacity, least_size)                                                  \
    pass_count(s, &(l)->list, &(l)->count, &(l)->capacity, sizeof *(l)->list, least_size)
#define PASS_LIST(s, l, list, count, capacity)                                                               \
    do {                                                                                                     \
        PASS_COUNT(s, l, list, count, capacity, sizeof *(l)->list);                                          \
        if ((l)->count)                                                                                      \
            pass(s, (l)->list, (l)->count * sizeof *(l)->list);                                              \
    } while (0)

static void pass_place(stream *s, log_place *p)
{
    pass_text(s, &p->object);
    pass_text(s, &p->function);
    pass_text(s, &p->source_file);
    PASS(s, p->address);
    PASS(s, p->source_line);
}

static void pass_wait(stream *s, log_wait *w)
{
    PASS(s, w->kind);
    pass_text(s, &w->call);
    pass_text(s, &w->name);
    PASS(s, w->offset);
    PASS(s, w->process);
    PASS(s, w->data);
    PASS(s, w->place);
    PASS(s, w->made);
    PASS(s, w->made_for);
}

static void pass_log(stream *s, threads_log *l)
{
    enum {
        LEAST_PLACE = 24, /* bytes */
        LEAST_WAIT = 48
    };
    PASS(s, l->processors);
    PASS(s, l->cost);
    PASS(s, l->begun);
    PASS(s, l->in_kernel);
    PASS_LIST(s, l, threads, thread_count, thread_capacity);
    PASS_COUNT(s, l, places, place_count, place_capacity, LEAST_PLACE);
    for (size_t i = 0; i < l->place_count; i++)
        pass_place(s, &l->places[i]);
    PASS_COUNT(s, l, waits, wait_count, wait_capacity, LEAST_WAIT);
    for (size_t i = 0; i < l->wait_count; i++)
        pass_wait(s, &l->waits[i]);
    PASS_LIST(s, l, spans, span_count, span_capacity);
    PASS_LIST(s, l, samples, sample_count, sample_capacity);
    PASS_LIST(s, l, moments, moment_count, moment_capacity);
}

bool log_save(const threads_log *l, FILE *f)
{
    stream s = {.out = f};
    threads_log copy = *l; /* which is written, not changed */
    fwrite(magic, 1, sizeof magic, f);
    pass_log(&s, &copy);
    return !ferror(f);
}

/* ---- what was read ---- */

static bool is_in(uint32_t number, size_t count)
{
    return number < count || number == LOG_NONE;
}

static bool is_time(double seconds)
{
    return seconds >= 0 && seconds < 1e12;
}

static bool threads_are_sound(const threads_log *l)
{
    for (size_t i = 0; i < l->thread_count; i++) {
        const log_thread *t = &l->threads[i];
        if (!memchr(t->name, 0, sizeof t->name) || !is_in(t->start, l->place_count) || !is_time(t->running) ||
            !is_time(t->ready))
            return false;
    }
    return is_time(l->cost);
}

static bool waits_are_sound(const threads_log *l)
{
    for (size_t i = 0; i < l->wait_count; i++)
        if (!l->waits[i].call || l->waits[i].kind >= TACHO_WAIT_KINDS ||
            !is_in(l->waits[i].place, l->place_count) || !is_in(l->waits[i].made, l->place_count) ||
            !is_in(l->waits[i].made_for, l->place_count))
            return false;
    return true;
}

static bool spans_are_sound(const threads_log *l)
{
    for (size_t i = 0; i < l->span_count; i++) {
        const log_span *s = &l->spans[i];
        if (s->thread >= l->thread_count || !is_in(s->wait, l->wait_count) ||
            !is_in(s->holder, l->thread_count) || s->first >= s->end || s->end > l->moment_count ||
            !is_time(s->running) || !is_time(s->ready) || !is_time(fabs(s->slept)))
            return false;
    }
    return true;
}

static bool times_are_sound(const threads_log *l)
{
    for (size_t i = 0; i < l->moment_count; i++)
        if (!is_time(l->moments[i]) || (i && l->moments[i] < l->moments[i - 1]))
            return false;
    for (size_t i = 0; i < l->sample_count; i++)
        if (l->samples[i].thread >= l->thread_count || !is_in(l->samples[i].place, l->place_count) ||
            !is_in(l->samples[i].wait, l->wait_count) || !is_time(l->samples[i].time))
            return false;
    return true;
}

int log_load(threads_log *l, const uint8_t *bytes, size_t size)
{
    stream s = {.at = bytes + sizeof magic, .left = size - sizeof magic, .log = l};
    *l = (threads_log){0};
    if (size < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0)
        return 1;
    pass_log(&s, l);
    const bool sound =
        !s.damaged && threads_are_sound(l) && waits_are_sound(l) && spans_are_sound(l) && times_are_sound(l);
    return l->failed ? TACHO_ERR_MEMORY : sound ? 0 : TACHO_ERR_INPUT;
}
