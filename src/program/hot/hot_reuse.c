/* hot_reuse.c - how much is touched until an operand's lines are touched again: what watched lines say, for
 * operands of places.
 *
 * Accesses cannot be counted, but a place's operands and the cycles of its iteration say how many lines it
 * touches in a time; and of a time behind one place, the samples of the thread shortly after those of that
 * place say what share each place has (reuse_distances.c has the rest). */
#include "base/mem.h"
#include "base/number.h"
#include "program/hot/hot_find.h"
#include "program/hot/hot_watch.h"
#include "program/hot/hot_windows.h"
#include "program/hot/memory_model.h"

enum {
    LINE = TACHO_MEMORY_LINE_BYTES,
    WORD = 8,
    NONE = UINT32_MAX
};

typedef struct operand_at {
    uint32_t place;
    size_t number;
} operand_at;

/* A sample. */
typedef struct reuse_moment {
    uint64_t thread;
    double when;
    uint32_t place; /* NONE: of no place */
} reuse_moment;

typedef struct reuse_search {
    hot_search *s;
    const watched_line *lines;
    size_t line_count;
    reuse_moment *moments;
    size_t moment_count;
    reuse_stream *streams; /* of operands of all places */
    operand_at *operands;  /* beside them */
    size_t count;
    reuse_wait *waits; /* room for all lines */
    size_t wait_count;
    double *shares; /* of places */
} reuse_search;

int reuse_take(const hot_search *s, hot_file *file, const input_image *image)
{
    size_t count;
    const watched_line *lines = hot_windows_watched(s->profile, &count);
    int rc = 0;
    for (size_t i = 0; i < count && !rc; i++)
        rc = causes_add_site(s, file, image, lines[i].object, lines[i].offset, (uint32_t)i, &file->watched);
    causes_sort_sites(&file->watched);
    return rc;
}

/* ---- who was when where ---- */

static const hot_file *file_of(const hot_search *s, const tacho_hot_place *p)
{
    size_t i = 0;
    while (s->files[i]->object != p->object)
        i++;
    return s->files[i];
}

static bool has_address(const tacho_hot_place *p, uint64_t address)
{
    size_t n;
    COUNT_BEFORE(n, p->insn_count, p->insns[n].address <= address);
    return n && p->insns[n - 1].address == address;
}

ORDER_BY_TWO(in_time, reuse_moment, thread, when);

static int list_moments(reuse_search *r)
{
    const hot_pairs *pairs = r->s->profile->pairs;
    r->moment_count = pairs->count;
    r->moments = tacho_mem_zalloc(pairs->count, sizeof *r->moments);
    if (!r->moments)
        return TACHO_ERR_MEMORY;
    for (size_t i = 0; i < pairs->count; i++)
        r->moments[i] = (reuse_moment){pairs->list[i].thread, pairs->list[i].when, NONE};
    for (uint32_t k = 0; k < r->s->hot.count; k++) {
        const tacho_hot_place *p = &r->s->places[k];
        const hot_file *file = file_of(r->s, p);
        for (size_t i = 0; i < file->pair_count; i++)
            if (has_address(p, file->pairs[i].after))
                r->moments[file->pairs[i].pair - pairs->list].place = k;
    }
    tacho_sort(r->moments, r->moment_count, sizeof *r->moments, in_time);
    return 0;
}

/* What shares places have of a time of so many seconds behind the samples of one. @return how many samples
 * tell it */
static double shares_behind(reuse_search *r, uint32_t place, double seconds)
{
    double all = 0;
    memset(r->shares, 0, r->s->hot.count * sizeof *r->shares);
    for (size_t i = 0; i < r->moment_count; i++) {
        const reuse_moment *m = &r->moments[i];
        for (size_t k = i + 1; m->place == place && k < r->moment_count &&
                               r->moments[k].thread == m->thread && r->moments[k].when - m->when <= seconds;
             k++) {
            all++;
            if (r->moments[k].place != NONE)
                r->shares[r->moments[k].place]++;
        }
    }
    for (size_t i = 0; i < r->s->hot.count && all > 0; i++)
        r->shares[i] /= all;
    return all;
}

/* ---- operands ---- */

/* Whether what touches a line does so several times, one soon after the other, and then leaves it. */
static bool comes_by(const tacho_hot_place *p, size_t operand)
{
    const tacho_hot_pattern pattern = p->operands[operand].pattern;
    bool shared = pattern == TACHO_HOT_STRIDE || pattern == TACHO_HOT_SEQUENCE;
    for (size_t i = 0; i < p->operand_count; i++)
        shared |= p->operands[i].shares == (int32_t)operand;
    return shared;
}

/* From leaving the line to coming back. What the thread was stopped for makes the time until the first touch
 * longer; where it is short, that from there to the next one counts. @return false: the line was not left */
static bool wait_of(const watched_line *l, bool skips, reuse_wait *out)
{
    const double disturbed = 2e-3;
    const reuse_wait *first = &l->gaps[0], *g = first + 1;
    *out = *first;
    if (!first->touched || first->time > disturbed)
        return true;
    while (skips && g < l->gaps + WATCH_GAPS && g->touched && !(g->time > 0))
        g++;
    if (g == l->gaps + WATCH_GAPS)
        return false;
    *out = skips || (g->touched && g->time < disturbed) ? *g : *first;
    return true;
}

/* Of rows nothing is known: they come back to the line, but not to the word. */
static void take_waits(reuse_search *r, const hot_file *file, const tacho_hot_place *p, size_t operand,
                       reuse_stream *out)
{
    const tacho_hot_operand *o = &p->operands[operand];
    const bool skips = comes_by(p, operand);
    const bool walks = o->pattern == TACHO_HOT_STRIDE || o->pattern == TACHO_HOT_SEQUENCE;
    const uint64_t address = p->insns[o->insn].address;
    out->words = walks ? 1 : fmax(ceil(o->line_bytes / WORD), 1);
    out->waits = r->waits + r->wait_count;
    if (o->pattern == TACHO_HOT_ROWS || (!walks && isnan(o->line_bytes)))
        return;
    for (size_t i = causes_first_site(&file->watched, address);
         i < file->watched.count && file->watched.list[i].address == address; i++) {
        const watched_line *l = &r->lines[file->watched.list[i].number];
        if (l->store == !o->loads && r->wait_count < r->line_count &&
            wait_of(l, skips, &out->waits[out->count])) {
            out->count++;
            r->wait_count++;
        }
    }
}

static double lines_or(double bytes, double other)
{
    return isfinite(bytes) ? bytes / LINE : other;
}

static const tacho_hot_operand *operand_of(const reuse_search *r, size_t stream)
{
    return &r->s->places[r->operands[stream].place].operands[r->operands[stream].number];
}

static void add_stream(reuse_search *r, const hot_file *file, uint32_t place, size_t number)
{
    const tacho_hot_operand *o = &r->s->places[place].operands[number];
    reuse_stream *new = &r->streams[r->count];
    if (!memory_model_is_lead(o) || o->pattern == TACHO_HOT_ONE_PLACE)
        return;
    r->operands[r->count] = (operand_at){place, number};
    new->most[REUSE_LOW] = lines_or(o->footprint_low, 0);
    new->most[REUSE_MIDDLE] = lines_or(o->footprint, INFINITY);
    new->most[REUSE_HIGH] = lines_or(o->footprint_high, INFINITY);
    new->data = r->count;
    take_waits(r, file, &r->s->places[place], number, new);
    for (size_t i = 0; i < r->count && new->data == r->count; i++)
        if (memory_model_is_same_data(o, operand_of(r, i)))
            new->data = r->streams[i].data;
    r->count++;
}

static int list_streams(reuse_search *r)
{
    size_t most = 1;
    for (uint32_t k = 0; k < r->s->hot.count; k++)
        most += r->s->places[k].operand_count;
    r->streams = tacho_mem_zalloc(most, sizeof *r->streams);
    r->operands = tacho_mem_zalloc(most, sizeof *r->operands);
    if (!r->streams || !r->operands)
        return TACHO_ERR_MEMORY;
    for (uint32_t k = 0; k < r->s->hot.count; k++) {
        const tacho_hot_place *p = &r->s->places[k];
        for (size_t i = 0; i < p->operand_count && p->observed_cycles > 0; i++)
            add_stream(r, file_of(r->s, p), k, i);
    }
    return 0;
}

/* How long a line of the place is left, as a rule; and not less than samples are apart. */
static double usual_wait(const reuse_search *r, uint32_t place)
{
    const double apart = 1.5 / r->s->profile->hz;
    double sum = 0, n = 0;
    for (size_t i = 0; i < r->count; i++)
        for (size_t k = 0; r->operands[i].place == place && k < r->streams[i].count; k++, n++)
            sum += r->streams[i].waits[k].time;
    return fmax(n > 0 ? sum / n : 0, apart);
}

/* Lines a second of each stream, in a time behind the place. @return whether most of that time is known */
static bool set_rates(reuse_search *r, uint32_t place)
{
    const double most_unknown = 0.5, samples = shares_behind(r, place, usual_wait(r, place));
    double known = 0;
    for (size_t i = 0; i < r->s->hot.count; i++)
        known += r->s->places[i].observed_cycles > 0 ? r->shares[i] : 0;
    if (!(samples > 0) || known < most_unknown)
        return false;
    for (size_t i = 0; i < r->count; i++) {
        const tacho_hot_place *p = &r->s->places[r->operands[i].place];
        const double share = r->shares[r->operands[i].place];
        double low, high;
        share_interval(share, samples, &low, &high);
        const double lines = memory_model_lines(operand_of(r, i)) * r->s->options.core_hz;
        const double slow = p->observed_high > 0 ? p->observed_high : p->observed_cycles;
        const double fast = p->observed_low > 0 ? p->observed_low : p->observed_cycles;
        double *rate = r->streams[i].rate;
        rate[REUSE_LOW] = low * lines / slow;
        rate[REUSE_MIDDLE] = share / known * lines / p->observed_cycles;
        rate[REUSE_HIGH] = fmin(high / known, 1) * lines / fast;
    }
    return true;
}

static int add_to_place(reuse_search *r, uint32_t place)
{
    tacho_hot_place *p = &r->s->places[place];
    tacho_hot_reuse *list = NULL;
    for (size_t i = 0; i < r->count; i++) {
        if (r->operands[i].place != place || r->streams[i].count < REUSE_FEWEST)
            continue;
        if (!list && !set_rates(r, place))
            return 0;
        list = list ? list : arena_alloc(&r->s->memory, p->operand_count * sizeof *list);
        if (!list || reuse_distances(&list[r->operands[i].number], r->streams, r->count, i))
            return TACHO_ERR_MEMORY;
    }
    p->reuse = list;
    return 0;
}

int reuse_add(hot_search *s)
{
    reuse_search r = {.s = s};
    r.lines = hot_windows_watched(s->profile, &r.line_count);
    if (!r.line_count || !s->profile->pairs || !s->profile->pairs->count || !s->hot.count ||
        !(s->options.core_hz > 0))
        return 0;
    r.waits = tacho_mem_zalloc(r.line_count, sizeof *r.waits);
    r.shares = tacho_mem_zalloc(s->hot.count, sizeof *r.shares);
    int rc = r.waits && r.shares ? list_moments(&r) : TACHO_ERR_MEMORY;
    rc = rc ? rc : list_streams(&r);
    for (uint32_t k = 0; k < s->hot.count && !rc; k++)
        rc = add_to_place(&r, k);
    TACHO_MEM_FREE(r.waits, r.shares, r.moments, r.streams, r.operands);
    return rc;
}
