/* diff_match.c - which places of two versions of a program are the same: by the names of their functions (the
 * inlined one, where a loop was inlined as a whole), by source lines, and by their code. The best pair first;
 * what is left over joins a pair that it was made with: compilers make several loops of one. */

#include "base/mem.h"
#include "base/search.h"
#include "base/str.h"
#include "program/hot/diff.h"

/* Likenesses from which on code alone makes a pair, with at least so many instructions. */
#define LIKE_BESIDE_NAME   0.3 /* loops of functions of one name */
#define LIKE_BESIDE_SOURCE 0.2 /* loops of the same lines */
#define LIKE_BLOCKS        0.6 /* blocks outside of loops, of functions of one name */
#define LIKE_UNNAMED       0.8 /* loops, where a name is missing */
#define LIKE_RENAMED       0.9 /* loops of functions of different names; blocks where a name is missing */
#define LIKE_JOINING       0.6
#define SAME_LINES         0.5 /* lines in common, of all that one of them has */
enum {
    MIN_UNNAMED = 4,
    MIN_RENAMED = 8
};

typedef struct matched_place {
    const tacho_hot_place *place;
    const char *name, *outer; /* plain; NULL unknown. `name`: of the innermost function */
    diff_code code;
    diff_group *group; /* NULL: none yet */
} matched_place;

typedef struct candidate {
    double score, likeness;
    uint32_t a, b;
    tacho_hot_match by;
} candidate;

typedef struct matcher {
    arena *memory;
    matched_place *a, *b;
    size_t a_count, b_count;
    diff_groups *groups;
} matcher;

const char *diff_plain_name(arena *memory, const char *name)
{
    static const char *const ends[] = {".constprop.", ".isra.", ".part.",  ".cold",
                                       ".lto_priv.",  ".llvm.", " [clone "};
    const char *end = name ? name + strlen(name) : NULL;
    for (size_t i = 0; name && i < sizeof ends / sizeof *ends; i++) {
        const char *at = strstr(name, ends[i]);
        end = at && at > name && at < end ? at : end;
    }
    return name ? arena_text_n(memory, name, (size_t)(end - name)) : NULL;
}

static int read_places(matcher *m, const tacho_hot *hot, matched_place **out)
{
    *out = arena_alloc(m->memory, (hot->count + 1) * sizeof **out);
    int rc = *out ? 0 : TACHO_ERR_MEMORY;
    for (size_t i = 0; i < hot->count && !rc; i++) {
        matched_place *p = &(*out)[i];
        const tacho_loop *loop = hot->places[i].loop;
        p->place = &hot->places[i];
        p->outer = diff_plain_name(m->memory, loop->function);
        p->name = loop->inlined ? diff_plain_name(m->memory, loop->inlined) : p->outer;
        rc = (loop->function && !p->outer) || (loop->inlined && !p->name)
                 ? TACHO_ERR_MEMORY
                 : diff_read_code(&p->code, m->memory, p->place);
    }
    return rc;
}

/* ---- how well two go together ---- */

static bool same_name(const char *a, const char *b)
{
    return a && b && !strcmp(a, b);
}

/* Lines that both have, of all that one of them has; 0 also where they are not known. */
static double common_lines(const tacho_loop *a, const tacho_loop *b)
{
    if (!a->source_file || !b->source_file || !a->source_first || !b->source_first ||
        strcmp(tacho_base_name(a->source_file), tacho_base_name(b->source_file)) != 0)
        return 0;
    double low = fmax(a->source_first, b->source_first), high = fmin(a->source_last, b->source_last);
    double first = fmin(a->source_first, b->source_first), last = fmax(a->source_last, b->source_last);
    return high >= low ? (high - low + 1) / (last - first + 1) : 0;
}

bool diff_same_file(const tacho_hot_object *a, const tacho_hot_object *b)
{
    if (a->kind != TACHO_HOT_OBJECT_FILE || b->kind != a->kind)
        return false;
    if (a->build_id_bytes && b->build_id_bytes)
        return a->build_id_bytes == b->build_id_bytes && !memcmp(a->build_id, b->build_id, a->build_id_bytes);
    return a->inode && a->inode == b->inode && !strcmp(a->path, b->path);
}

/* A program and itself. */
static bool is_same_place(const matched_place *a, const matched_place *b)
{
    return a->place->is_loop == b->place->is_loop && a->place->loop->start == b->place->loop->start &&
           diff_same_file(a->place->object, b->place->object);
}

/* The least likeness that makes a pair of them; above 1: none does. */
static double likeness_needed(const matched_place *a, const matched_place *b, double lines)
{
    const size_t fewer = a->code.count < b->code.count ? a->code.count : b->code.count;
    const bool unknown = !a->name || !b->name;
    if (is_same_place(a, b))
        return 0;
    if (a->place->is_loop != b->place->is_loop)
        return 2;
    if (!a->place->is_loop)
        return same_name(a->name, b->name)       ? (lines >= SAME_LINES ? LIKE_BESIDE_NAME : LIKE_BLOCKS)
               : unknown && fewer >= MIN_RENAMED ? LIKE_RENAMED
                                                 : 2;
    if (same_name(a->name, b->name))
        return lines >= SAME_LINES ? 0 : LIKE_BESIDE_NAME;
    if (lines >= SAME_LINES)
        return LIKE_BESIDE_SOURCE;
    if (unknown)
        return fewer >= MIN_UNNAMED ? LIKE_UNNAMED : 2;
    return fewer >= MIN_RENAMED ? LIKE_RENAMED : 2;
}

/* @return whether they may be a pair; below 0: TACHO_ERR_MEMORY */
static int judge_pair(const matcher *m, candidate *c)
{
    const matched_place *a = &m->a[c->a], *b = &m->b[c->b];
    const double lines = common_lines(a->place->loop, b->place->loop), needed = likeness_needed(a, b, lines);
    const double x = (double)a->code.count, y = (double)b->code.count;
    if (needed > 1 || fmin(x, y) < needed * fmax(x, y))
        return 0; /* cannot be that alike */
    if (diff_align(&a->code, &b->code, &c->likeness, NULL, NULL))
        return TACHO_ERR_MEMORY;
    const bool name = same_name(a->name, b->name), outer = same_name(a->outer, b->outer);
    c->by = name ? TACHO_HOT_BY_NAME : lines >= SAME_LINES ? TACHO_HOT_BY_SOURCE : TACHO_HOT_BY_CODE;
    c->score = 16 * is_same_place(a, b) + 4 * name + outer + 2 * lines + 4 * c->likeness +
               0.5 * !strcmp(a->place->object->name, b->place->object->name);
    return c->likeness >= needed;
}

/* ---- pairs ---- */

static int make_group(matcher *m, const candidate *c)
{
    diff_group *g = &m->groups->list[m->groups->count];
    *g = (diff_group){.matched = c->by, .likeness = c->likeness};
    g->a = arena_alloc(m->memory, (m->a_count + 1) * sizeof *g->a);
    g->b = arena_alloc(m->memory, (m->b_count + 1) * sizeof *g->b);
    if (!g->a || !g->b)
        return TACHO_ERR_MEMORY;
    m->groups->count++;
    if (c->a < m->a_count) {
        g->a[g->a_count++] = c->a;
        m->a[c->a].group = g;
    }
    if (c->b < m->b_count) {
        g->b[g->b_count++] = c->b;
        m->b[c->b].group = g;
    }
    return 0;
}

ORDER_AS(best_first, candidate, ORDER(b->score, a->score) ?: ORDER(a->a, b->a) ?: ORDER(a->b, b->b));

static int pair_places(matcher *m)
{
    candidate *list = NULL;
    size_t count = 0, capacity = 0;
    int rc = 0;
    for (uint32_t i = 0; i < m->a_count && !rc; i++)
        for (uint32_t k = 0; k < m->b_count && !rc; k++) {
            candidate c = {.a = i, .b = k};
            int fits = judge_pair(m, &c);
            if (fits < 0 || (fits && tacho_mem_grow(&list, &capacity, count + 1, sizeof *list)))
                rc = TACHO_ERR_MEMORY;
            else if (fits)
                list[count++] = c;
        }
    tacho_sort(list, count, sizeof *list, best_first);
    for (size_t i = 0; i < count && !rc; i++)
        if (!m->a[list[i].a].group && !m->b[list[i].b].group)
            rc = make_group(m, &list[i]);
    tacho_mem_free(list);
    return rc;
}

/* The only loop of a function's name that is left over; count: none. */
static uint32_t only_one(const matched_place *places, size_t count, const char *name)
{
    uint32_t found = (uint32_t)count;
    for (uint32_t i = 0; i < count; i++) {
        if (places[i].group || !places[i].place->is_loop || !same_name(places[i].name, name))
            continue;
        if (found < count)
            return (uint32_t)count;
        found = i;
    }
    return found;
}

/* The last loops of a function on both sides are a pair, whatever their code. */
static int pair_the_last(matcher *m)
{
    int rc = 0;
    for (uint32_t i = 0; i < m->a_count && !rc; i++) {
        candidate c = {.a = i, .by = TACHO_HOT_BY_NAME};
        if (m->a[i].group || only_one(m->a, m->a_count, m->a[i].name) != i)
            continue;
        c.b = only_one(m->b, m->b_count, m->a[i].name);
        if (c.b == m->b_count)
            continue;
        rc = diff_align(&m->a[i].code, &m->b[c.b].code, &c.likeness, NULL, NULL);
        rc = rc ? rc : make_group(m, &c);
    }
    return rc;
}

/* ---- what is left over ---- */

/* How well a loop goes with one of the other side that has a counterpart already; 0: not at all; below 0:
 * memory ran out. */
static double joins(const matched_place *loop, const matched_place *other)
{
    double likeness = 0;
    if (!other->group || !other->place->is_loop || !same_name(loop->name, other->name))
        return 0;
    double lines = common_lines(loop->place->loop, other->place->loop);
    if (diff_align(&loop->code, &other->code, &likeness, NULL, NULL))
        return -1;
    return lines >= SAME_LINES || likeness >= LIKE_JOINING ? 1 + lines + likeness : 0;
}

/* @return whether it goes with one of these; below 0: TACHO_ERR_MEMORY */
static int join_one(matched_place *loop, uint32_t number, const matched_place *others, size_t count,
                    bool is_a)
{
    double best = 0;
    diff_group *group = NULL;
    for (size_t i = 0; i < count; i++) {
        double fits = joins(loop, &others[i]);
        if (fits < 0)
            return TACHO_ERR_MEMORY;
        if (fits > best) {
            best = fits;
            group = others[i].group;
        }
    }
    if (!group)
        return 0;
    loop->group = group;
    if (is_a)
        group->a[group->a_count++] = number;
    else
        group->b[group->b_count++] = number;
    return 1;
}

/* A loop or block of one side alone is a group of its own. */
static int place_rest(matcher *m, bool is_a)
{
    matched_place *mine = is_a ? m->a : m->b, *others = is_a ? m->b : m->a;
    const size_t count = is_a ? m->a_count : m->b_count, other_count = is_a ? m->b_count : m->a_count;
    int rc = 0;
    for (uint32_t i = 0; i < count && !rc; i++) {
        candidate alone = {
            .a = is_a ? i : (uint32_t)m->a_count, .b = is_a ? (uint32_t)m->b_count : i, .likeness = NAN};
        if (mine[i].group)
            continue;
        int joined = mine[i].place->is_loop ? join_one(&mine[i], i, others, other_count, is_a) : 0;
        rc = joined < 0 ? joined : joined ? 0 : make_group(m, &alone);
    }
    return rc;
}

ORDER_NUMBERS(by_number, uint32_t);

int diff_match(diff_groups *out, arena *memory, const tacho_hot *a, const tacho_hot *b)
{
    matcher m = {.memory = memory, .a_count = a->count, .b_count = b->count, .groups = out};
    *out = (diff_groups){.list = arena_alloc(memory, (a->count + b->count + 1) * sizeof *out->list)};
    int rc = out->list ? read_places(&m, a, &m.a) : TACHO_ERR_MEMORY;
    rc = rc ? rc : read_places(&m, b, &m.b);
    rc = rc ? rc : pair_places(&m);
    rc = rc ? rc : pair_the_last(&m);
    rc = rc ? rc : place_rest(&m, true);
    rc = rc ? rc : place_rest(&m, false);
    for (size_t i = 0; i < out->count; i++) {
        tacho_sort(out->list[i].a, out->list[i].a_count, sizeof(uint32_t), by_number);
        tacho_sort(out->list[i].b, out->list[i].b_count, sizeof(uint32_t), by_number);
    }
    return rc;
}
