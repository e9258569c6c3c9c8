/* hot_watch.c - hardware watchpoints (perf_event_open(2), PERF_TYPE_BREAKPOINT), which need no counters: on a
 * word that a thread has just touched, until it is touched again. An event that has happened as often as was
 * asked for is off, and what it then says of the time that it was on is the time that the thread had a
 * processor. The four registers all watch the same word, for its first, second, third and fifth touch: a walk
 * may touch it several times when it comes by, and then not for long; and a thread that was stopped has to
 * fetch anew what its caches have lost to others, so that short times are right from the first touch on. Q.
 * Wang et al. (RDX, HPCA 2019) arm registers in the thread itself, and count accesses. */
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/seconds.h"
#include "program/hot/hot_watch.h"
#include "x86/decode/insn_struct.h"
#include "x86/decode/regs.h"

enum {
    REGISTERS = WATCH_GAPS,
    WORD = 8,
    TRIALS = 9,
    MOST_LINES = 1 << 12 /* kept: some of all, by chance */
};
static const int touches[REGISTERS] = {1, 2, 3, 5};
static const double at_once = 4e-6; /* seconds: less cannot be told from what the interrupts take */

struct hot_watch {
    watched_line *list;
    size_t count, capacity;
    uint32_t seen;
    watched_line chosen;
    uint64_t word, random;
    bool any;    /* is chosen */
    bool enough; /* of this look */
    pid_t thread;
    int event[REGISTERS]; /* -1: none */
    int error;
    double cost[WATCH_GAPS]; /* seconds that touches take: what gaps have between those that follow at once */
};

/* ---- events ---- */

static void forget(hot_watch *w)
{
    for (int i = 0; i < REGISTERS; i++) {
        if (w->event[i] >= 0)
            close(w->event[i]);
        w->event[i] = -1;
    }
}

/* @return 0, or an errno */
static int watch_word(hot_watch *w, pid_t thread, uint64_t word)
{
    struct perf_event_attr a = {.type = PERF_TYPE_BREAKPOINT,
                                .size = sizeof a,
                                .sample_period = 1,
                                .disabled = 1,
                                .exclude_kernel = 1,
                                .exclude_hv = 1,
                                .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
                                .bp_type = HW_BREAKPOINT_RW,
                                .bp_addr = word,
                                .bp_len = WORD};
    for (int i = 0; i < REGISTERS; i++) {
        w->event[i] = (int)syscall(SYS_perf_event_open, &a, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
        if (w->event[i] < 0)
            return errno;
    }
    /* the last first: who counts more touches must not begin behind one */
    for (int i = REGISTERS - 1; i >= 0; i--)
        if (ioctl(w->event[i], PERF_EVENT_IOC_REFRESH, touches[i]))
            return errno;
    return 0;
}

/* Takes leave of them. @return whether they could be read */
static bool read_events(hot_watch *w, double at[REGISTERS], bool touched[REGISTERS])
{
    bool ok = true;
    for (int i = 0; i < REGISTERS; i++) {
        uint64_t seen[2] = {0};
        ok &= read(w->event[i], seen, sizeof seen) == (ssize_t)sizeof seen;
        touched[i] = seen[0] >= (uint64_t)touches[i];
        at[i] = (double)seen[1] * 1e-9;
    }
    forget(w);
    return ok;
}

/* What touches take, found with a word of one's own. */
static void time_touches(hot_watch *w)
{
    static _Alignas(WORD) volatile uint64_t word;
    double at[REGISTERS];
    bool touched[REGISTERS];
    for (int n = 0; n < TRIALS && !w->error; n++) {
        w->error = watch_word(w, 0, (uintptr_t)&word);
        for (int i = 0; i < touches[REGISTERS - 1]; i++)
            word = 1;
        if (w->error || !read_events(w, at, touched))
            continue;
        for (int i = 0; i < WATCH_GAPS; i++)
            w->cost[i] = fmin(n ? w->cost[i] : INFINITY, at[i] - (i ? at[i - 1] : 0));
    }
    forget(w);
}

hot_watch *hot_watch_new(void)
{
    hot_watch *w = tacho_mem_zalloc(1, sizeof *w);
    if (!w)
        return NULL;
    for (int i = 0; i < REGISTERS; i++)
        w->event[i] = -1;
    w->random = (uint64_t)(seconds_now() * 1e9);
    time_touches(w);
    return w;
}

void hot_watch_free(hot_watch *w)
{
    if (!w)
        return;
    forget(w);
    TACHO_MEM_FREE(w->list, w);
}

GIVES(int, hot_watch_error, hot_watch, error)

double hot_watch_cost(const hot_watch *w)
{
    return w->cost[0] + w->cost[1] + w->cost[2] + w->cost[3];
}

const watched_line *hot_watch_lines(const hot_watch *w, size_t *count)
{
    *count = w->count;
    return w->list;
}

/* ---- a look ---- */

/* The access to data: not to the stack, nor to one place for ever, nor by instructions that have others. */
static const step_access *data_of(const step *s)
{
    size_t in_memory = 0;
    if (!s->insn || s->insn->is_nop || s->insn->rep || s->insn->repne || !s->access_count)
        return NULL;
    for (const tacho_operand *o = s->insn->operands; o < s->insn->operands + s->insn->operand_count; o++) {
        if (o->kind != TACHO_OPERAND_MEM)
            continue;
        in_memory++;
        if (o->visibility == TACHO_SUPPRESSED || o->mem.vsib || o->mem.base.class_ == TACHO_REG_RIP ||
            (reg_is_general(o->mem.base) && o->mem.base.number == RSP))
            return NULL;
    }
    return in_memory == 1 ? &s->accesses[0] : NULL;
}

static void on_begin(void *payload, uint64_t process, uint64_t thread, double seconds)
{
    hot_watch *w = payload;
    (void)process, (void)seconds;
    w->thread = (pid_t)thread;
    w->any = w->enough = false;
}

/* The first, or by chance a later one. */
static void on_step(void *payload, const step *s)
{
    hot_watch *w = payload;
    const step_access *a = data_of(s);
    if (!a)
        return;
    w->chosen = (watched_line){.offset = s->offset, .object = s->object, .store = a->store};
    w->word = a->address / WORD * WORD;
    w->any = true;
    w->enough = hash_draw(&w->random, 2);
}

/* The thread stands still. */
static void on_end(void *payload, double taken)
{
    hot_watch *w = payload;
    (void)taken;
    if (!w->any || w->error)
        return;
    const int error = watch_word(w, w->thread, w->word);
    if (!error)
        return;
    w->error = error == ESRCH ? 0 : error; /* the thread is gone */
    forget(w);
}

windows_look hot_watch_look(hot_watch *w)
{
    return (windows_look){{.begin = on_begin, .step = on_step, .end = on_end, .payload = w}, &w->enough};
}

/* ---- what has come of it ---- */

void hot_watch_collect(hot_watch *w)
{
    double at[REGISTERS];
    bool touched[REGISTERS];
    if (w->event[0] < 0 || !read_events(w, at, touched) || !(at[0] > 0))
        return;
    const uint32_t place = w->seen < MOST_LINES ? w->seen : hash_draw(&w->random, w->seen + 1);
    w->seen++;
    if (place >= MOST_LINES || tacho_mem_grow(&w->list, &w->capacity, w->count + 1, sizeof *w->list))
        return;
    for (int i = 0; i < WATCH_GAPS; i++) {
        const double time = at[i] - (i ? at[i - 1] : 0) - (touched[i] ? w->cost[i] : 0);
        w->chosen.gaps[i] = (reuse_wait){time < at_once ? 0 : time, touched[i]};
    }
    w->list[place] = w->chosen;
    w->count += place == w->count;
}
