/* kernels_branches.c - which branches of a trace the processor mispredicts. An idealised predictor with
 * global history goes through the trace as the processor does, again and again.
 *
 * It is a TAGE predictor (A. Seznec, P. Michaud, "A case for (partially) tagged geometric history length
 * branch predictors", JILP 2006; for targets ITTAGE, Seznec 2011): tables of where a branch went after a
 * certain number of last taken branches, the longest history first. Only taken branches make the history, by
 * their addresses and targets, as in Intel's cores (H. Yavarzadeh et al., "Half&Half", IEEE S&P 2023) and on
 * Zen 5. There the number of rounds after which the end of a loop is mispredicted falls with the number of
 * branches taken in a round, and not with those that are not taken (doc/KERNELS.md).
 *
 * It is ideal in these ways: tags never take one history for another; the history holds whole branches and is
 * not folded; each branch is known before the next one is predicted; the caches of branch targets and the
 * stack of return addresses are large enough. The number of entries is the core's. */

#include "base/hash.h"
#include "base/mem.h"
#include "study/kernels/kernels_internal.h"

enum {
    SHORTEST = 8, /* history of a table; each has half the history of the next, and one has none */
    TABLES = 10,
    WAYS = 4,
    SURE = 3,    /* counters go from 0 to this */
    PASSES = 40, /* through the trace, at most: */
    PATIENCE = 4 /* until this many passes have been no better than those before */
};

/* Where a branch goes. */
typedef struct entry {
    uint64_t tag; /* 0: unused */
    uint64_t next;
    uint8_t sure, useful;
} entry;

typedef struct table {
    uint32_t history;
    uint32_t sets;
    uint64_t power; /* of the hash's base */
    entry *entries;
} table;

typedef struct predictor {
    table tables[TABLES]; /* by history, the first has none */
    uint32_t table_count;
    uint32_t longest;
    uint64_t *hashes; /* of all up to the last `longest` taken branches and to this one, by number */
    uint64_t taken;   /* branches so far */
} predictor;

/* The entries of a branch in all tables. */
typedef struct look_up {
    uint64_t tags[TABLES];
    entry *found[TABLES]; /* NULL: none */
    int provider, other;  /* the longest and the second longest that has one; -1 */
} look_up;

static const uint64_t base = HASH_MULTIPLIER;

static int make_tables(predictor *p, uint32_t history, uint32_t entries)
{
    uint32_t lengths[TABLES];
    size_t count = 0;
    for (uint32_t h = history; count < TABLES - 1 && (!count || h >= SHORTEST); h /= 2)
        lengths[count++] = h;
    p->table_count = (uint32_t)count + 1;
    p->longest = history;
    p->hashes = tacho_mem_zalloc(history + 1u, sizeof *p->hashes);
    for (uint32_t k = 0; k < p->table_count; k++) {
        table *t = &p->tables[k];
        uint32_t own = k ? entries / (uint32_t)count : entries;
        t->history = k ? lengths[count - k] : 0;
        t->sets = own >= WAYS ? own / WAYS : 1;
        t->power = 1;
        for (uint32_t i = 0; i < t->history; i++)
            t->power *= base;
        t->entries = tacho_mem_zalloc((size_t)t->sets * WAYS, sizeof *t->entries);
        if (!t->entries)
            return TACHO_ERR_MEMORY;
    }
    return p->hashes ? 0 : TACHO_ERR_MEMORY;
}

static void free_tables(predictor *p)
{
    for (uint32_t k = 0; k < p->table_count; k++)
        tacho_mem_free(p->tables[k].entries);
    tacho_mem_free(p->hashes);
}

static uint64_t hash_until(const predictor *p, uint64_t taken)
{
    return p->hashes[taken % (p->longest + 1)];
}

/* Of the last taken branches that the table looks at. */
static uint64_t hash_history(const predictor *p, const table *t)
{
    uint64_t newest = hash_until(p, p->taken);
    return p->taken <= t->history ? newest : newest - hash_until(p, p->taken - t->history) * t->power;
}

static void note_taken(predictor *p, const kernels_branch *b)
{
    uint64_t hash = hash_until(p, p->taken) * base + hash_mix(b->address ^ b->next << 20 ^ b->next >> 44);
    p->hashes[++p->taken % (p->longest + 1)] = hash;
}

static entry *set_of(const table *t, uint64_t tag)
{
    return t->entries + (tag >> 1) % t->sets * WAYS; /* the lowest bit is always set */
}

static look_up look(const predictor *p, const kernels_branch *b)
{
    look_up l = {.provider = -1, .other = -1};
    for (uint32_t k = 0; k < p->table_count; k++) {
        const table *t = &p->tables[k];
        l.tags[k] = hash_mix(hash_history(p, t) + hash_mix(b->address)) | 1;
        entry *set = set_of(t, l.tags[k]);
        for (int w = 0; w < WAYS && !l.found[k]; w++)
            l.found[k] = set[w].tag == l.tags[k] ? &set[w] : NULL;
        if (!l.found[k])
            continue;
        l.other = l.provider;
        l.provider = (int)k;
    }
    return l;
}

/* What nothing is known of is not taken, or goes nobody knows where. */
static uint64_t foreseen(const look_up *l, int from, const kernels_branch *b)
{
    if (from >= 0)
        return l->found[from]->next;
    return b->kind == KERNELS_BRANCH_CONDITIONAL ? b->following : 0;
}

/* An entry that has not been right yet is trusted less than one for a shorter history that has. */
static bool is_trusted(const look_up *l)
{
    return l->provider < 0 || l->found[l->provider]->sure || l->other < 0 || !l->found[l->other]->sure;
}

static void learn(entry *e, uint64_t next)
{
    if (e->next == next)
        e->sure = (uint8_t)(e->sure + (e->sure < SURE));
    else if (e->sure)
        e->sure--;
    else
        e->next = next;
}

/* One that is unused, else any that has been of no use; NULL: there is none. */
static entry *find_room(entry set[WAYS], uint64_t tag)
{
    for (int w = 0; w < WAYS; w++)
        if (!set[w].tag)
            return &set[w];
    for (uint64_t w = tag >> 32, end = w + WAYS; w < end; w++)
        if (!set[w % WAYS].useful)
            return &set[w % WAYS];
    return NULL;
}

/* An entry in the next longer table that has room; where none has, they get ready to have some. */
static void add_entry(predictor *p, const look_up *l, uint64_t next)
{
    for (uint32_t k = (uint32_t)(l->provider + 1); k < p->table_count; k++) {
        entry *room = find_room(set_of(&p->tables[k], l->tags[k]), l->tags[k]);
        if (!room)
            continue;
        *room = (entry){.tag = l->tags[k], .next = next};
        return;
    }
    for (uint32_t k = (uint32_t)(l->provider + 1); k < p->table_count; k++)
        for (int w = 0; w < WAYS; w++)
            set_of(&p->tables[k], l->tags[k])[w].useful--;
}

static bool foresee(predictor *p, const kernels_branch *b)
{
    look_up l = look(p, b);
    uint64_t guess = foreseen(&l, l.provider, b), otherwise = foreseen(&l, l.other, b);
    bool right = guess == b->next, foresees = is_trusted(&l) ? right : otherwise == b->next;
    if (l.provider >= 0) {
        entry *e = l.found[l.provider];
        if (guess != otherwise)
            e->useful = (uint8_t)(right ? e->useful + (e->useful < SURE) : e->useful - (e->useful > 0));
        learn(e, b->next);
    }
    if (!right)
        add_entry(p, &l, b->next);
    return foresees;
}

static size_t go_through(predictor *p, kernels_branch *branches, size_t count)
{
    size_t wrong = 0;
    p->taken = 0; /* before a region there is the same each time, and not its end */
    p->hashes[0] = 0;
    for (size_t i = 0; i < count; i++) {
        kernels_branch *b = &branches[i];
        b->mispredicted = b->kind != KERNELS_BRANCH_KNOWN && !foresee(p, b);
        wrong += b->mispredicted;
        if (b->next != b->following)
            note_taken(p, b);
    }
    return wrong;
}

int kernels_predict_branches(kernels_branch *branches, size_t count, uint32_t history, uint32_t entries,
                             tacho_error *err)
{
    predictor p = {.table_count = 0};
    int rc = make_tables(&p, history, entries);
    size_t least = SIZE_MAX;
    for (int pass = 0, idle = 0; !rc && pass < PASSES && idle < PATIENCE && least; pass++) {
        size_t wrong = go_through(&p, branches, count);
        idle = wrong < least ? 0 : idle + 1;
        least = wrong < least ? wrong : least;
    }
    free_tables(&p);
    return rc ? tacho_no_memory(err) : 0;
}
