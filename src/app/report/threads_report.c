/* threads_report.c - what each thread does as time goes by: a line of letters, or of colours in a picture
 * (SVG); all that is known of them as JSON. Threads of one name that come one after the other share a line.
 */
#include "app/report/report_hot.h"

enum {
    STRIP_LINES = 16,
    STRIP_COLUMNS = 60
};

static char letter_of(const tacho_thread_lane *l, int column)
{
    const int each = TACHO_THREAD_BINS / STRIP_COLUMNS;
    float shares[5] = {0};
    for (int i = column * each; i < (column + 1) * each; i++) {
        shares[0] += l->bins[i].running;
        shares[1] += l->bins[i].spinning;
        shares[2] += l->bins[i].ready;
        shares[3] += l->bins[i].lock;
        shares[4] += l->bins[i].waiting;
    }
    size_t most = 0;
    for (size_t i = 1; i < sizeof shares / sizeof *shares; i++)
        most = shares[i] > shares[most] ? i : most;
    return shares[most] > 0 ? "#~-L."[most] : ' ';
}

static void lane_text(tacho_str *out, const tacho_hot_threads *t, const tacho_thread_lane *l)
{
    char head[64], name[64];
    snprintf(name, sizeof name, "%s", t->threads[l->first].name);
    for (char *c = name; *c; c++)
        *c = *c >= ' ' && *c <= '~' ? *c : '?';
    if (l->thread_count > 1)
        snprintf(head, sizeof head, "%u threads", l->thread_count);
    else
        snprintf(head, sizeof head, "%" PRIu64, t->threads[l->first].thread);
    tacho_str_printf(out, "  %-11.11s %-15.15s ", head, name);
    for (int c = 0; c < STRIP_COLUMNS; c++)
        tacho_str_putc(out, letter_of(l, c));
    tacho_str_putc(out, '\n');
}

void report_threads_strip(tacho_str *out, const tacho_hot_threads *t, bool colour)
{
    size_t left = t->without_lane;
    if (t->thread_count < 2)
        return;
    report_label(out, colour, "strip");
    tacho_str_puts(out, "# runs  ~ only looks  - ready, no processor  L lock or barrier  . other waits\n");
    for (size_t i = 0; i < t->lane_count; i++)
        if (i < STRIP_LINES)
            lane_text(out, t, &t->lanes[i]);
        else
            left += t->lanes[i].thread_count;
    if (left)
        tacho_str_printf(out, "  and %zu more threads\n", left);
}

/* ---- the picture ---- */

enum {
    LEFT = 190,
    BIN = 6, /* points wide */
    LINE = 14,
    GAP = 3
};
static const struct {
    const char *colour, *what;
} states[5] = {{"#2c6bd1", "runs"},
               {"#b03fc4", "only looks (spins)"},
               {"#c9a227", "ready, without a processor"},
               {"#d0342c", "waits for a lock or barrier"},
               {"#9aa0a6", "other waits"}};

static void put_bin(tacho_str *out, const tacho_thread_bin *b, int column, int top)
{
    const float shares[5] = {b->running, b->spinning, b->ready, b->lock, b->waiting};
    double at = top;
    for (int i = 0; i < 5; i++) {
        const double height = LINE * (shares[i] < 1 ? shares[i] : 1);
        if (height >= 0.3)
            tacho_str_printf(out, "<rect x='%d' y='%.1f' width='%d' height='%.1f' fill='%s'/>",
                             LEFT + column * BIN, at, BIN, height, states[i].colour);
        at += height;
    }
}

static void put_lane(tacho_str *out, const tacho_hot_threads *t, const tacho_thread_lane *l, int top)
{
    tacho_str_printf(out, "<text x='%d' y='%d' text-anchor='end'>", LEFT - 6, top + LINE - 3);
    report_svg_put(out, t->threads[l->first].name);
    if (l->thread_count > 1)
        tacho_str_printf(out, " (%u threads)</text>", l->thread_count);
    else
        tacho_str_printf(out, " %" PRIu64 "</text>", t->threads[l->first].thread);
    for (int i = 0; i < TACHO_THREAD_BINS; i++)
        put_bin(out, &l->bins[i], i, top);
}

void report_threads_svg(tacho_str *out, const tacho_hot_threads *t)
{
    const int width = LEFT + TACHO_THREAD_BINS * BIN + 10, height = 44 + (int)t->lane_count * (LINE + GAP);
    tacho_str_printf(
        out,
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' role='img' "
        "aria-label='Threads by time' font-family='sans-serif' font-size='11' fill='currentColor'>",
        width, height);
    for (int i = 0, x = LEFT; i < 5; x += 24 + 7 * (int)strlen(states[i].what), i++)
        tacho_str_printf(out,
                         "<rect x='%d' y='4' width='10' height='10' fill='%s'/><text x='%d' y='13'>%s</text>",
                         x, states[i].colour, x + 14, states[i].what);
    for (size_t i = 0; i < t->lane_count; i++)
        put_lane(out, t, &t->lanes[i], 22 + (int)i * (LINE + GAP));
    tacho_str_printf(
        out, "<text x='%d' y='%d'>0 s</text><text x='%d' y='%d' text-anchor='end'>%.2f s</text></svg>", LEFT,
        height - 8, width - 10, height - 8, t->seconds);
}

/* ---- what threads wait for, as JSON ---- */

#define RECORD tacho_thread_place
#define PLACE                                                                                                \
    {MEMBER(object, "the file", .none = REPORT_NO_TEXT)}, {MEMBER(address, "in it")},                        \
        {MEMBER(function, NULL, .none = REPORT_NO_TEXT)},                                                    \
        {MEMBER(source_file, NULL, .none = REPORT_NO_TEXT)},                                                 \
    {                                                                                                        \
        MEMBER(source_line, "null: not known", .none = REPORT_ZERO)                                          \
    }
static const report_field makers[] = {PLACE};
static const report_field places[] = {
    PLACE,
    {MEMBER(seconds, "there")},
    {MEMBER(call, "of a holder that waits itself: the function or system call", .none = REPORT_NO_TEXT)},
};
#undef RECORD

#define RECORD tacho_thread_wait
TEXT_BY(wait_words, report_thread_wait_words)
static const report_field waits[] = {
    {WORD("kind", kind, tacho_wait_kind_name,
          "lock, allocator, barrier, condition, semaphore, join, futex, io, peer, child, sleep, other")},
    {MADE(TEXT, "text", wait_words, "what is waited for, in words")},
    {MEMBER(call, "the function, or system call, that waits", .none = REPORT_NO_TEXT)},
    {MEMBER(name, NULL, .none = REPORT_NO_TEXT)},
    {MEMBER(offset, "the variable, and where in it; null: it has no name")},
    MEMBERS2(process, data, "whose it is, and its address there; 0: none"),
    {RECORDS(
        "makers", makers, maker_count, ROWS(makers),
        "of a lock (condition, barrier) without a name: the call that initialised it, and the call of that "
        "function; empty: not known")},
    {MEMBER(seconds, "of all threads' waiting; with the time from being woken to having a processor")},
    {MEMBER(lost, "processor seconds that were not used because of it")},
    {MEMBER(calls,
            "of those, in system calls to wait for it, or to wake who does; null: not known, as samples "
            "in the kernel are not allowed")},
    {MEMBER(longest, "seconds of the thread that waits longest")},
    {NAMED("threads", thread_count, "that wait for it")},
    {RECORDS("places", places, place_count, ROWS(places), "where they wait; longest first")},
    {RECORDS("holders", holders, holder_count, ROWS(places),
             "where those were that had it (where that is not known: those that ran), longest first")},
    {MEMBER(owned, "it is known who had it")},
};
#undef RECORD

#define RECORD tacho_thread_spin
static const report_field spins[] = {
    {PART_IN(place, ROWS(places))},
    {MEMBER(lost, "processor seconds that were not used while it went round")},
};
#undef RECORD

#define RECORD tacho_hot_thread
OBJECT_OF(waits_by_kind, TACHO_WAIT_KINDS, tacho_wait_kind_name((tacho_wait_kind)i),
          report_json_real(r->waits[i]))
static const report_field threads[] = {
    MEMBERS2(process, thread, "its number"),
    {MEMBER(name, NULL)},
    {MEMBER(start, "the function that it began in; null: not known, or a first thread",
            .none = REPORT_NO_TEXT)},
    MEMBERS2(from, to, "seconds since sampling began"),
    {MEMBER(running, "seconds: had a processor")},
    {MEMBER(ready, "wanted one")},
    {MEMBER(spinning, "of those running: only looked whether something has changed")},
    {MADE(OBJECT, "waits", waits_by_kind, "seconds by kind")},
};
#undef RECORD

#define SHARE(name)                                                                                          \
    LIST_OF(name##_bins, TACHO_THREAD_BINS, true, report_json_real(round(1000.0 * r->bins[i].name) / 1000.0))
#define RECORD tacho_thread_lane
SHARE(running)
SHARE(spinning)
SHARE(ready)
SHARE(lock)
SHARE(waiting)
static const report_field lanes[] = {
    {NAMED("first", first, NULL)},
    {NAMED("threads", thread_count, "number of the first one in `threads`; how many they are")},
    {MADE(LIST, "running", running_bins, NULL)},
    {MADE(LIST, "spinning", spinning_bins, NULL)},
    {MADE(LIST, "ready", ready_bins, NULL)},
    {MADE(LIST, "lock", lock_bins, NULL)},
    {MADE(
        LIST, "waiting", waiting_bins,
        "shares of each 120th of the time: lock is what another thread holds up (lock, allocator, barrier)")},
};
#undef RECORD

#define RECORD tacho_threads_apart
static const report_field apart[] = {
    MEMBERS2(one, other, "numbers in `threads`"),
    MEMBERS2(together, by_chance, "seconds in which both had work; what it were by chance"),
};
#undef RECORD

#define RECORD tacho_hot_threads
TEXT_BY(sentence, report_threads_finding)
static const report_field all[] = {
    {WORD(
        "finding", finding, tacho_threads_finding_name,
        "fine, one-thread, idle, wait (the first of `waits`), spin (the first of `spins`), serial, crowded")},
    {MADE(TEXT, "text", sentence, "the same as a sentence")},
    MEMBERS2(seconds, processors, "sampled; that the program may use"),
    MEMBERS2(moments, cost, "at which all threads were looked at; processor seconds that this took"),
    MEMBERS3(running, ready, spinning, "seconds of all threads, as below"),
    {MEMBER(lost, "processor seconds that were not used, for all reasons")},
    {MEMBER(wanted, "mean number of threads that ran or were ready")},
    {MEMBER(starved, "others have processors that it wants: waits are by length, not by what is lost")},
    {MEMBER(crowded, "seconds in which more wanted to run than there are processors")},
    {RECORDS("waits", waits, wait_count, ROWS(waits), "by what is waited for; most lost first")},
    {RECORDS("spins", spins, spin_count, ROWS(spins), "loops that only look; most lost first")},
    MEMBERS2(serial, serial_lost,
             "seconds in which one thread alone had work; processor seconds not used then"),
    MEMBERS2(serial_work, parallel_work, "processor seconds of that time, and of all others"),
    {MEMBER(limit, "how many times as fast as on one processor it can be (Amdahl); null: not known")},
    {RECORDS("serial_places", serial_places, serial_place_count, ROWS(places), "where that one was")},
    {RECORDS("apart", apart, apart_count, ROWS(apart), "pairs that never have work at the same time")},
    {MEMBER(begun, "threads that there were, seen or not; null: not known", .none = REPORT_ZERO)},
    {RECORDS("threads", threads, thread_count, ROWS(threads), "in the order of their appearance")},
    {RECORDS("strip", lanes, lane_count, ROWS(lanes),
             "what threads did as time went by; those of one name that came one after the other together; 64 "
             "at most")},
};
#undef RECORD
TABLE(report_threads_table, all, NULL);
