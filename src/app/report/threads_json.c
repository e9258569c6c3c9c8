/* threads_json.c - what threads wait for, as JSON. */

#include "app/report/report_hot.h"

#define RECORD tacho_thread_place
static const report_field places[] = {
    {MEMBER(object, "the file", .none = REPORT_NO_TEXT)},
    {MEMBER(address, "in it")},
    {MEMBER(function, NULL, .none = REPORT_NO_TEXT)},
    {MEMBER(source_file, NULL, .none = REPORT_NO_TEXT)},
    {MEMBER(source_line, "null: not known", .none = REPORT_ZERO)},
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
    {MEMBER(seconds, "of all threads' waiting; with the time from being woken to having a processor")},
    {MEMBER(lost, "processor seconds that were not used because of it")},
    {MEMBER(calls, "of those, in system calls to wait for it, or to wake who does; 0 where samples in the "
                   "kernel are not allowed")},
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
    {RECORDS("threads", threads, thread_count, ROWS(threads), "in the order of their appearance")},
    {RECORDS("strip", lanes, lane_count, ROWS(lanes),
             "what threads did as time went by; those of one name that came one after the other together; 64 "
             "at most")},
};
#undef RECORD
TABLE(report_threads_table, all, NULL);

json_t *report_threads_json(const tacho_hot_threads *t)
{
    return report_record_json(&report_threads_table, t, NULL);
}
