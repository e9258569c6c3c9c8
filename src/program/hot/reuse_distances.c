/* reuse_distances.c - stack distances from reuse times (D. Eklov, E. Hagersten, StatStack: Efficient modeling
 * of LRU caches, ISPASS 2010). A touch adds a line to what was touched since a moment unless that line is
 * touched once more until now. So in a time t, streams that touch rate(i) lines in a unit of time, of which
 * the share S(i, s) is not touched again within s, leave the sum of rate(i) * integral of S(i, s) ds from 0
 * to t. Where accesses cannot be counted, any clock will do that they are steady in: here the thread's time.
 *
 * S comes from lines that were watched for a time, not until they were touched: by Kaplan and Meier (1958),
 * as replaced watchpoints say that it took longer, not that it never came. Its interval is Wilson's, of as
 * many lines as the variance of Greenwood is worth (K. Rothman 1978). A line of which a word was watched is
 * touched when any of its words is: if these are independent, S is a power of the word's. */
#include "base/mem.h"
#include "base/number.h"
#include "program/hot/reuse_distances.h"

ORDER_AS(by_time, reuse_wait, ORDER(a->time, b->time) ?: ORDER(b->touched, a->touched));

/* How a stream's lines are left as time goes by. */
typedef struct survival {
    size_t at;              /* waits that are over */
    double share, variance; /* of the share's square: Greenwood's sum */
    double s[REUSE_ENDS];   /* of lines, not yet touched again */
    double sum[REUSE_ENDS]; /* its integral */
} survival;

static void set_ends(survival *v, const reuse_stream *o)
{
    const double left = (double)(o->count - v->at), p = v->share;
    if (o->count < REUSE_FEWEST) { /* not known: until all that there is was touched */
        v->s[REUSE_LOW] = v->s[REUSE_MIDDLE] = v->s[REUSE_HIGH] = 1;
        return;
    }
    const double n = p < 1 && p > 0 ? (1 - p) / (p * v->variance) : fmax(left, p < 1 ? (double)o->count : 1);
    share_interval(p, n, &v->s[REUSE_LOW], &v->s[REUSE_HIGH]);
    v->s[REUSE_MIDDLE] = p;
    for (int end = 0; end < REUSE_ENDS; end++)
        v->s[end] = pow(v->s[end], o->words);
}

/* To the moment. */
static void go_on(survival *v, const reuse_stream *o, double moment)
{
    for (; v->at < o->count && o->waits[v->at].time <= moment; v->at++) {
        const double left = (double)(o->count - v->at);
        if (!o->waits[v->at].touched)
            continue;
        v->share *= (left - 1) / left;
        v->variance += left > 1 ? 1 / (left * (left - 1)) : 0;
    }
    set_ends(v, o);
}

/* What all streams have touched. `sums`: a number a stream. */
static double touched_by_all(const reuse_stream *streams, const survival *v, size_t count, int end,
                             double *sums)
{
    double all = 0;
    memset(sums, 0, count * sizeof *sums);
    for (size_t i = 0; i < count; i++) {
        const reuse_stream *o = &streams[i];
        sums[o->data] += o->rate[end] * v[i].sum[end];
    }
    for (size_t i = 0; i < count; i++)
        all += fmin(sums[i], streams[i].most[end]);
    return all;
}

static double *list_moments(const reuse_stream *streams, size_t count, size_t *n)
{
    size_t all = 1;
    for (size_t i = 0; i < count; i++) {
        tacho_sort(streams[i].waits, streams[i].count, sizeof *streams[i].waits, by_time);
        all += streams[i].count;
    }
    double *out = tacho_mem_zalloc(all, sizeof *out); /* the first: 0 */
    *n = out ? 1 : 0;
    for (size_t i = 0; i < count && out; i++)
        for (size_t k = 0; k < streams[i].count; k++)
            out[(*n)++] = fmax(streams[i].waits[k].time, 0);
    numbers_sort(out, *n);
    return out;
}

/* Parts of which so many were touched by now, and not before. */
static void reach(double *out, size_t *parts, double left, double distance)
{
    while (*parts < TACHO_HOT_REUSE_PARTS && 1 - left >= ((double)*parts + 0.5) / TACHO_HOT_REUSE_PARTS)
        out[(*parts)++] = distance;
}

int reuse_distances(tacho_hot_reuse *out, const reuse_stream *streams, size_t count, size_t number)
{
    size_t moments, parts[REUSE_ENDS] = {0};
    double *at = list_moments(streams, count, &moments), *sums = tacho_mem_zalloc(count, sizeof *sums);
    survival *v = tacho_mem_zalloc(count, sizeof *v);
    double distance[REUSE_ENDS] = {0}, *const lists[REUSE_ENDS] = {out->low, out->lines, out->high};
    const reuse_stream *own = &streams[number];
    const double last = own->count ? own->waits[own->count - 1].time : 0;
    if (!at || !sums || !v) {
        TACHO_MEM_FREE(at, sums, v);
        return TACHO_ERR_MEMORY;
    }
    for (size_t i = 0; i < count; i++)
        v[i].share = 1;
    out->watched = own->count;
    out->touched = 0;
    for (size_t i = 0; i < own->count; i++)
        out->touched += own->waits[i].touched;
    for (size_t k = 0; k < moments && at[k] <= last; k++) {
        for (size_t i = 0; i < count; i++) {
            for (int end = 0; end < REUSE_ENDS && k; end++)
                v[i].sum[end] += v[i].s[end] * (at[k] - at[k - 1]);
            go_on(&v[i], &streams[i], at[k]);
        }
        for (int end = 0; end < REUSE_ENDS; end++) {
            distance[end] = touched_by_all(streams, v, count, end, sums);
            reach(lists[end], &parts[end], v[number].s[end], distance[end]);
        }
    }
    /* what was not seen to come again: further than that */
    for (int end = 0; end < REUSE_ENDS; end++)
        while (parts[end] < TACHO_HOT_REUSE_PARTS)
            lists[end][parts[end]++] = end == REUSE_LOW ? distance[REUSE_LOW] : INFINITY;
    TACHO_MEM_FREE(at, sums, v);
    return 0;
}
