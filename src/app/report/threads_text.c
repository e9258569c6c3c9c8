/* threads_text.c - what threads wait for, for people: the finding in a sentence, then waits, loops that spin,
 * the serial part, and a strip of what each thread does as time goes by. */

#include "app/report/report_hot.h"

enum {
    SHOWN_WAITS = 8,
    SHOWN_SPINS = 3,
    SHOWN_HOLDERS = 2,
    SHOWN_APART = 3
};

/* ---- words ---- */

void report_thread_place(tacho_str *out, const tacho_thread_place *p)
{
    if (!p->object) {
        tacho_str_puts(out, "code that is not known");
        return;
    }
    if (p->function) {
        report_put_plain(out, p->function);
        tacho_str_puts(out, strchr(p->function, '(') ? "" : "()");
    } else {
        tacho_str_printf(out, "0x%" PRIx64 " of ", p->address);
        report_put_plain(out, tacho_base_name(p->object));
    }
    if (p->source_file) {
        tacho_str_puts(out, " (");
        report_put_plain(out, tacho_base_name(p->source_file));
        tacho_str_printf(out, ":%u)", p->source_line);
    }
}

void report_thread_wait_words(tacho_str *out, const tacho_thread_wait *w)
{
    static const char *const what[] = {
        "the lock",       "the lock of malloc",  "the barrier",      "the condition",
        "the semaphore",  "the end of a thread", "the futex",        "a file",
        "data or events", "another process",     "time or a signal", "the system call"};
    tacho_str_puts(out, what[w->kind]);
    if (w->name) {
        tacho_str_puts(out, " ");
        report_put_plain(out, w->name);
        if (w->offset)
            tacho_str_printf(out, "+%" PRIu64, w->offset);
    } else if (w->data) {
        tacho_str_printf(out, " at 0x%" PRIx64, w->data);
    }
    for (size_t i = 0; i < w->maker_count; i++) {
        tacho_str_puts(out, i ? " for " : " that was made in ");
        report_thread_place(out, &w->makers[i]);
    }
    if (w->kind >= TACHO_WAIT_IO && w->call) {
        tacho_str_puts(out, ", ");
        report_put_plain(out, w->call);
    }
}

static void put_holders(tacho_str *out, const tacho_thread_wait *w)
{
    for (size_t i = 0; i < w->holder_count && i < SHOWN_HOLDERS; i++) {
        const tacho_thread_place *p = &w->holders[i];
        if (i && !p->object)
            break;
        if (i && p->seconds < 0.2 * w->seconds)
            break;
        tacho_str_puts(out, i ? ", and in " : "");
        report_thread_place(out, p);
        if (p->call) {
            tacho_str_puts(out, " waiting in ");
            report_put_plain(out, p->call);
        }
    }
}

static void wait_sentence(tacho_str *out, const tacho_thread_wait *w)
{
    tacho_str_printf(out, "%u thread%s wait%s %.2f s for ", w->thread_count, tacho_plural(w->thread_count),
                     w->thread_count == 1 ? "s" : "", w->seconds);
    report_thread_wait_words(out, w);
    if (w->place_count) {
        tacho_str_puts(out, " in ");
        report_thread_place(out, &w->places[0]);
    }
    if (w->calls > 0.1 * w->lost)
        tacho_str_printf(out, ", and spend %.2f s of processors in system calls for it", w->calls);
    if (w->holder_count) {
        tacho_str_puts(out, w->owned ? "; meanwhile it is held in " : "; meanwhile others are in ");
        put_holders(out, w);
    }
}

static const tacho_thread_wait *longest_of(const tacho_hot_threads *t, tacho_wait_kind kind)
{
    const tacho_thread_wait *longest = NULL;
    for (size_t i = 0; i < t->wait_count; i++)
        if (t->waits[i].kind == kind && (!longest || t->waits[i].seconds > longest->seconds))
            longest = &t->waits[i];
    return longest;
}

static void serial_sentence(tacho_str *out, const tacho_hot_threads *t)
{
    tacho_str_printf(out, "for %.2f of %.2f s only one of them has work", t->serial, t->seconds);
    if (t->serial_place_count) {
        tacho_str_puts(out, ", most often in ");
        report_thread_place(out, &t->serial_places[0]);
    }
    const tacho_thread_wait *w = longest_of(t, TACHO_WAIT_CONDITION);
    if (w && w->seconds > 0.3 * t->serial) {
        tacho_str_puts(out, "; others wait for ");
        report_thread_wait_words(out, w);
        if (w->place_count) {
            tacho_str_puts(out, " in ");
            report_thread_place(out, &w->places[0]);
        }
    }
}

static void finding_words(tacho_str *out, const tacho_hot_threads *t)
{
    switch (t->finding) {
    case TACHO_THREADS_WAIT:
        wait_sentence(out, &t->waits[0]);
        return;
    case TACHO_THREADS_SPIN:
        tacho_str_printf(
            out, "%.2f s of a processor go into a loop that only looks whether something has changed, ",
            t->spins[0].place.seconds);
        report_thread_place(out, &t->spins[0].place);
        return;
    case TACHO_THREADS_SERIAL:
        serial_sentence(out, t);
        return;
    case TACHO_THREADS_CROWDED:
        tacho_str_printf(out, "%.1f on average want to run on %u processor%s, and wait %.2f s for one",
                         t->wanted, t->processors, tacho_plural(t->processors), t->ready);
        if (!t->starved)
            return;
        tacho_str_puts(out, ", as other programs have them, too");
        if (t->wait_count && t->waits[0].lost > 0 && t->waits[0].seconds > 0.2 * t->wanted * t->seconds) {
            tacho_str_puts(out, "; beside that, ");
            wait_sentence(out, &t->waits[0]);
        }
        return;
    case TACHO_THREADS_IDLE:
        tacho_str_puts(out,
                       "mostly nothing runs, and what it waits for comes from outside: events, time, other "
                       "processes");
        return;
    case TACHO_THREADS_ONE:
        tacho_str_puts(out, "there is never more than one that has work");
        return;
    default:
        tacho_str_puts(out, "no wait of one for another matters");
        if (t->starved)
            tacho_str_puts(out, " while other programs have the processors");
    }
}

static size_t processes_of(const tacho_hot_threads *t)
{
    size_t count = 0;
    for (size_t i = 0; i < t->thread_count; i++) {
        size_t k = 0;
        while (k < i && t->threads[k].process != t->threads[i].process)
            k++;
        count += k == i;
    }
    return count;
}

void report_threads_finding(tacho_str *out, const tacho_hot_threads *t)
{
    const size_t processes = processes_of(t);
    tacho_str_printf(out, "%zu thread%s", t->thread_count, tacho_plural(t->thread_count));
    if (processes > 1)
        tacho_str_printf(out, " of %zu processes", processes);
    if (t->begun > t->thread_count)
        tacho_str_printf(out, ", of %" PRIu64 " that there were,", t->begun);
    tacho_str_printf(out, " seen, %.2f running on average: ", t->seconds > 0 ? t->running / t->seconds : 0);
    finding_words(out, t);
}

/* ---- all of it ---- */

static void totals_text(tacho_str *out, const tacho_hot_threads *t, bool colour)
{
    tacho_str text = {0};
    tacho_str_printf(&text, "%.2f s; %.2f s of processors used, %.2f s ready without one", t->seconds,
                     t->running, t->ready);
    if (t->starved)
        tacho_str_puts(&text, " (other programs have the processors, too)");
    if (t->spinning > 0.005)
        tacho_str_printf(&text, "; of the used ones %.2f s in loops that only look", t->spinning);
    tacho_str_printf(&text, "; %" PRIu64 " looks at all threads, which took %.1f %% of a processor",
                     t->moments, t->seconds > 0 ? 100 * t->cost / t->seconds : 0);
    report_line_text(out, colour, "time", &text);
}

static void waits_text(tacho_str *out, const tacho_hot_threads *t, bool colour)
{
    size_t shown = 0;
    for (size_t i = 0; i < t->wait_count && shown < SHOWN_WAITS; i++) {
        const tacho_thread_wait *w = &t->waits[i];
        tacho_str text = {0};
        if (w->seconds < 0.02 * t->seconds || w->kind == TACHO_WAIT_JOIN)
            continue;
        wait_sentence(&text, w);
        if (w->lost >= 0.005)
            tacho_str_printf(&text, "; processors not used because of it: %.2f s", w->lost);
        report_line_text(out, colour, shown++ ? "" : "waits", &text);
    }
}

static void spins_text(tacho_str *out, const tacho_hot_threads *t, bool colour)
{
    for (size_t i = 0; i < t->spin_count && i < SHOWN_SPINS; i++) {
        tacho_str text = {0};
        tacho_str_printf(&text, "%.2f s in ", t->spins[i].place.seconds);
        report_thread_place(&text, &t->spins[i].place);
        report_line_text(out, colour, i ? "" : "spins", &text);
    }
}

static void serial_text(tacho_str *out, const tacho_hot_threads *t, bool colour)
{
    tacho_str text = {0};
    if (!(t->limit < 20)) /* less than 5 % */
        return;
    serial_sentence(&text, t);
    tacho_str_printf(
        &text,
        ": %.0f %% of the work, so that any number of processors is at most %.1f times as fast as "
        "one (Amdahl)",
        100 / t->limit, t->limit);
    report_line_text(out, colour, "serial", &text);
}

static void put_thread(tacho_str *out, const tacho_hot_thread *t)
{
    tacho_str_printf(out, "%" PRIu64 " ", t->thread);
    report_put_plain(out, t->name);
}

static void apart_text(tacho_str *out, const tacho_hot_threads *t, bool colour)
{
    for (size_t i = 0; i < t->apart_count && i < SHOWN_APART; i++) {
        const tacho_threads_apart *a = &t->apart[i];
        tacho_str text = {0};
        put_thread(&text, &t->threads[a->one]);
        tacho_str_puts(&text, " and ");
        put_thread(&text, &t->threads[a->other]);
        tacho_str_printf(&text, " have work at the same time for %.2f s; by chance it were %.2f s",
                         a->together, a->by_chance);
        report_line_text(out, colour, i ? "" : "apart", &text);
    }
    if (t->apart_count > SHOWN_APART)
        report_line(out, colour, "", "and %zu more pairs", t->apart_count - SHOWN_APART);
}

/* Whether a cause before this one says the same of the place. */
static bool is_said(const report_hot_place *p, size_t number)
{
    for (size_t i = 0; i < number; i++)
        if (p->causes[i].kind == p->causes[number].kind && p->causes[i].variable &&
            p->causes[number].variable && !strcmp(p->causes[i].variable, p->causes[number].variable))
            return true;
    return false;
}

void report_threads_sharing(tacho_str *out, const report_hot *h, const report_hot_place *p)
{
    for (size_t i = 0; h->threads && i < p->told; i++) {
        const tacho_hot_cause *c = &p->causes[i];
        char name[200];
        if ((c->kind != TACHO_HOT_FALSE_SHARING && c->kind != TACHO_HOT_TRUE_SHARING) || is_said(p, i))
            continue;
        report_hot_name(p->place->loop, name, sizeof name);
        tacho_str_printf(out, "%s%s [%zu], %.1f %% of the samples: ", out->length ? "; " : "", name,
                         p->number, 100 * p->place->share);
        tacho_str_printf(out,
                         c->one_way ? "one thread writes a line of %s, another one only reads it, %s"
                                    : "two threads write a line of %s in turn, %s",
                         c->variable ? c->variable : "memory",
                         c->kind == TACHO_HOT_TRUE_SHARING ? "the same bytes"
                         : c->one_way                      ? "other bytes"
                                                           : "each its own bytes");
    }
}

void report_threads_text(tacho_str *out, const tacho_hot_threads *t, const tacho_str *sharing, bool colour)
{
    tacho_str text = {0};
    report_threads_finding(&text, t);
    if (t->finding == TACHO_THREADS_FINE && sharing->length)
        tacho_str_puts(&text, ", but lines of memory go from one to another: below, sharing");
    tacho_str_putc(&text, '.');
    report_wrapped_text(out, &text, 0);
    tacho_str_putc(out, '\n');
    totals_text(out, t, colour);
    waits_text(out, t, colour);
    spins_text(out, t, colour);
    if (sharing->length)
        report_line(out, colour, "sharing", "%s", sharing->data);
    serial_text(out, t, colour);
    apart_text(out, t, colour);
    report_threads_strip(out, t, colour);
    tacho_str_putc(out, '\n');
}
