/* side.c - several runs of one program as one: their samples together, which say where the places are, and
 * then each run's time, divided among these by its own samples. */

#include "base/mem.h"
#include "program/hot/hot_find.h"
#include "tacho/hot_diff.h"

/* A sample of a run, and where it is among those of all. */
typedef struct pooled_sample {
    tacho_hot_sample sample;
    uint32_t run;
} pooled_sample;

typedef struct side_result {
    tacho_hot_side side; /* first: the public pointer is to this */
    tacho_hot_profile profile;
    tacho_hot *hot;
    tacho_hot_object *objects;
    tacho_hot_sample *places;
    tacho_hot_round *rounds;
    hot_pairs pairs; /* only while it is made */
    double *own, *kernel, *of_places, *of_functions;
    tacho_hot_threads **threads;
    size_t threads_count;
    char **warnings;
    arena memory;
    pooled_sample *samples; /* of all runs; only while it is made */
    size_t sample_count;
} side_result;

/* ---- objects ---- */

static bool same_object(const tacho_hot_object *a, const tacho_hot_object *b)
{
    if (a->kind != b->kind || a->process != b->process || strcmp(a->path, b->path) != 0)
        return false;
    if (a->build_id_bytes && b->build_id_bytes)
        return a->build_id_bytes == b->build_id_bytes && !memcmp(a->build_id, b->build_id, a->build_id_bytes);
    return !a->inode || !b->inode || a->inode == b->inode;
}

static int take_object(side_result *s, const tacho_hot_object *o, uint32_t *out)
{
    uint32_t i = 0;
    while (i < s->profile.object_count && !same_object(&s->objects[i], o))
        i++;
    *out = i;
    tacho_hot_object *to = &s->objects[i];
    if (i < s->profile.object_count) {
        to->samples += o->samples;
        to->weight += o->weight;
        return 0;
    }
    *to = *o;
    to->path = arena_text(&s->memory, o->path);
    to->dump = o->dump ? arena_text(&s->memory, o->dump) : NULL;
    if (!to->path || (o->dump && !to->dump))
        return TACHO_ERR_MEMORY;
    to->name = to->path + (o->name - o->path);
    s->profile.object_count++;
    return 0;
}

/* ---- all samples together ---- */

static void add_run(tacho_hot_profile *all, const tacho_hot_profile *one)
{
    all->samples += one->samples;
    all->weight += one->weight;
    all->weight_squares += one->weight_squares;
    all->lost += one->lost;
    all->throttled += one->throttled;
    all->kernel += one->kernel;
    all->process_count += one->process_count;
    all->thread_count += one->thread_count;
    all->seconds += one->seconds;
    all->user_seconds += one->user_seconds;
    all->system_seconds += one->system_seconds;
    all->round_count += one->round_count;
}

static int take_pairs(side_result *s, const tacho_hot_profile *one, const uint32_t *number)
{
    hot_pairs *to = &s->pairs;
    const hot_pairs *from = one->pairs;
    if (!from)
        return 0;
    if (tacho_mem_grow(&to->list, &to->capacity, to->count + from->count, sizeof *to->list))
        return TACHO_ERR_MEMORY;
    to->in_cycles = from->in_cycles;
    to->sample_seconds = from->sample_seconds;
    for (size_t i = 0; i < from->count; i++) {
        to->list[to->count] = from->list[i];
        to->list[to->count++].object = number[from->list[i].object];
    }
    return 0;
}

static int take_run(side_result *s, const tacho_hot_profile *one, uint32_t run, size_t *round)
{
    uint32_t *number = tacho_mem_zalloc(one->object_count + 1, sizeof *number);
    int rc = number ? 0 : TACHO_ERR_MEMORY;
    for (size_t i = 0; i < one->object_count && !rc; i++)
        rc = take_object(s, &one->objects[i], &number[i]);
    for (size_t i = 0; i < one->place_count && !rc; i++) {
        pooled_sample *to = &s->samples[s->sample_count++];
        *to = (pooled_sample){one->places[i], run};
        to->sample.object = number[to->sample.object];
    }
    for (size_t i = 0; i < one->round_count && !rc; i++) {
        s->rounds[*round] = one->rounds[i];
        s->rounds[*round].object = number[one->rounds[i].object];
        ++*round;
    }
    rc = rc ? rc : take_pairs(s, one, number);
    tacho_mem_free(number);
    return rc;
}

ORDER_AS(by_offset, pooled_sample,
         ORDER(a->sample.object, b->sample.object) ?: ORDER(a->sample.offset, b->sample.offset)
             ?: ORDER(a->run, b->run));
ORDER_AS(round_by_target, tacho_hot_round, ORDER(a->object, b->object) ?: ORDER(a->target, b->target));

static void merge_samples(side_result *s)
{
    size_t n = 0;
    tacho_sort(s->samples, s->sample_count, sizeof *s->samples, by_offset);
    for (size_t i = 0; i < s->sample_count; i++) {
        const tacho_hot_sample *from = &s->samples[i].sample;
        if (n && s->places[n - 1].object == from->object && s->places[n - 1].offset == from->offset) {
            s->places[n - 1].samples += from->samples;
            s->places[n - 1].weight += from->weight;
        } else {
            s->places[n++] = *from;
        }
    }
    s->profile.place_count = n;
}

static int copy_warnings(side_result *s, tacho_hot_profile *const *profiles, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        n += profiles[i]->warning_count;
    s->warnings = arena_alloc(&s->memory, (n + 1) * sizeof *s->warnings);
    for (size_t i = 0; s->warnings && i < count; i++)
        for (size_t k = 0; k < profiles[i]->warning_count; k++) {
            const char *text = profiles[i]->warnings[k];
            bool known = false;
            for (size_t w = 0; w < s->profile.warning_count; w++)
                known |= !strcmp(s->warnings[w], text);
            if (!known && !(s->warnings[s->profile.warning_count++] = arena_text(&s->memory, text)))
                return TACHO_ERR_MEMORY;
        }
    s->profile.warnings = s->warnings;
    return s->warnings ? 0 : TACHO_ERR_MEMORY;
}

static int pool(side_result *s, tacho_hot_profile *const *profiles, size_t count,
                const tacho_hot_profile *windowed)
{
    size_t objects = 0, places = 0, rounds = 0, round = 0;
    tacho_hot_profile *p = &s->profile;
    *p = *profiles[0];
    p->event = arena_text(&s->memory, p->event);
    p->missing = arena_text(&s->memory, p->missing);
    p->skid = arena_text(&s->memory, p->skid);
    p->object_count = p->warning_count = 0;
    p->windows = windowed ? windowed->windows : NULL; /* others are of single runs */
    p->window_count = windowed ? windowed->window_count : 0;
    p->threads = NULL;
    p->pairs = NULL;
    p->no_windows = p->no_watch = p->not_saved = "";
    p->seconds_per_weight /= (double)count; /* of one run, on average */
    p->cycles_per_weight /= (double)count;
    for (size_t i = 0; i < count; i++) {
        objects += profiles[i]->object_count;
        places += profiles[i]->place_count;
        rounds += profiles[i]->round_count;
        if (i)
            add_run(p, profiles[i]);
    }
    s->objects = tacho_mem_zalloc(objects + 1, sizeof *s->objects);
    s->places = tacho_mem_zalloc(places + 1, sizeof *s->places);
    s->rounds = tacho_mem_zalloc(rounds + 1, sizeof *s->rounds);
    s->samples = tacho_mem_zalloc(places + 1, sizeof *s->samples);
    if (!p->event || !p->missing || !p->skid || !s->objects || !s->places || !s->rounds || !s->samples)
        return TACHO_ERR_MEMORY;
    int rc = copy_warnings(s, profiles, count);
    for (size_t i = 0; i < count && !rc; i++)
        rc = take_run(s, profiles[i], (uint32_t)i, &round);
    merge_samples(s);
    tacho_sort(s->rounds, rounds, sizeof *s->rounds, round_by_target);
    p->objects = s->objects;
    p->places = s->places;
    p->rounds = s->rounds;
    p->pairs = s->pairs.count ? &s->pairs : NULL;
    return rc;
}

/* ---- the time of each run ---- */

static tacho_hot_unit unit_of(const tacho_hot_profile *p)
{
    if (p->command && p->user_seconds > 0)
        return TACHO_HOT_SECONDS;
    return isfinite(p->seconds_per_weight)  ? TACHO_HOT_SECONDS
           : isfinite(p->cycles_per_weight) ? TACHO_HOT_CORE_CYCLES
                                            : TACHO_HOT_SAMPLES;
}

static void time_run(side_result *s, size_t run, const tacho_hot_profile *p)
{
    const bool known = p->command && p->user_seconds > 0;
    double unit = s->side.unit == TACHO_HOT_SECONDS       ? p->seconds_per_weight
                  : s->side.unit == TACHO_HOT_CORE_CYCLES ? p->cycles_per_weight
                                                          : 1;
    s->own[run] = known ? p->user_seconds : p->weight * unit;
    s->kernel[run] = known ? p->system_seconds : NAN;
}

/* Blocks and functions by the address at which they begin. */
typedef struct range {
    uint64_t start, end;
    uint32_t number;
} range;
typedef struct ranges {
    range *list;
    size_t count, capacity;
} ranges;
ORDER_BY_TWO(by_start, range, start, end);

static int add_range(ranges *r, uint64_t start, uint64_t end, size_t number)
{
    if (tacho_mem_grow(&r->list, &r->capacity, r->count + 1, sizeof *r->list))
        return TACHO_ERR_MEMORY;
    r->list[r->count++] = (range){start, end, (uint32_t)number};
    return 0;
}

static int ranges_of(const tacho_hot *hot, const tacho_hot_object *object, ranges *places, ranges *functions)
{
    int rc = 0;
    places->count = functions->count = 0;
    for (size_t i = 0; i < hot->count && !rc; i++)
        for (size_t k = 0; hot->places[i].object == object && k < hot->places[i].loop->block_count && !rc;
             k++)
            rc = add_range(places, hot->places[i].loop->blocks[k].start, hot->places[i].loop->blocks[k].end,
                           i);
    for (size_t i = 0; i < hot->function_count && !rc; i++)
        if (hot->functions[i].object == object)
            rc = add_range(functions, hot->functions[i].start, hot->functions[i].end, i);
    tacho_sort(places->list, places->count, sizeof *places->list, by_start);
    tacho_sort(functions->list, functions->count, sizeof *functions->list, by_start);
    return rc;
}

static const range *range_at(const ranges *r, uint64_t address)
{
    size_t n = tacho_count_below(r->list, r->count, sizeof *r->list, address + 1);
    return n && address < r->list[n - 1].end ? &r->list[n - 1] : NULL;
}

/* The address of a sample in its object. The search has the same samples of all runs, with both. */
static bool address_of(const hot_file *file, uint64_t offset, uint64_t *out)
{
    const found_sample *s = file->by_offset;
    size_t at;
    COUNT_BEFORE(at, file->sample_count, s[at].offset < offset);
    if (at == file->sample_count || s[at].offset != offset)
        return false;
    *out = s[at].address;
    return true;
}

/* The samples of one object, divided. Of what is no ELF file, offsets are addresses. */
static int divide_object(side_result *s, const hot_file *file, ranges *places, ranges *functions)
{
    const tacho_hot *hot = s->hot;
    int rc = ranges_of(hot, file->object, places, functions);
    pooled_sample *samples = s->samples;
    size_t first;
    COUNT_BEFORE(first, s->sample_count, samples[first].sample.object < file->number);
    for (size_t i = first; i < s->sample_count && samples[i].sample.object == file->number && !rc; i++) {
        const size_t run = samples[i].run;
        uint64_t address = samples[i].sample.offset;
        if (file->sample_count && !address_of(file, address, &address))
            continue;
        const range *p = range_at(places, address), *f = range_at(functions, address);
        if (p)
            s->of_places[run * hot->count + p->number] += samples[i].sample.weight;
        if (f)
            s->of_functions[run * hot->function_count + f->number] += samples[i].sample.weight;
    }
    return rc;
}

/* Weights become times. */
static void scale(double *values, size_t count, double factor)
{
    for (size_t i = 0; i < count; i++)
        values[i] *= factor;
}

static int divide(side_result *s, tacho_hot_profile *const *profiles, size_t runs)
{
    const hot_search *search = (const hot_search *)s->hot;
    const size_t places = s->hot->count, functions = s->hot->function_count;
    ranges of_places = {NULL, 0, 0}, of_functions = {NULL, 0, 0};
    s->own = tacho_mem_zalloc(runs, sizeof *s->own);
    s->kernel = tacho_mem_zalloc(runs, sizeof *s->kernel);
    s->of_places = tacho_mem_zalloc(runs * places + 1, sizeof *s->of_places);
    s->of_functions = tacho_mem_zalloc(runs * functions + 1, sizeof *s->of_functions);
    int rc = s->own && s->kernel && s->of_places && s->of_functions ? 0 : TACHO_ERR_MEMORY;
    for (size_t i = 0; i < search->file_count && !rc; i++)
        rc = divide_object(s, search->files[i], &of_places, &of_functions);
    TACHO_MEM_FREE(of_places.list, of_functions.list);
    for (size_t r = 0; r < runs && !rc; r++) {
        time_run(s, r, profiles[r]);
        double factor = profiles[r]->weight > 0 ? s->own[r] / profiles[r]->weight : 0;
        scale(s->of_places + r * places, places, factor);
        scale(s->of_functions + r * functions, functions, factor);
    }
    return rc;
}

/* ---- the threads of each run ---- */

static int judge_threads(side_result *s, tacho_hot_profile *const *profiles, size_t runs, tacho_error *err)
{
    int rc = 0;
    s->threads = tacho_mem_zalloc(runs, sizeof *s->threads);
    if (!s->threads)
        return tacho_no_memory(err);
    for (; s->threads_count < runs && !rc; s->threads_count++) {
        tacho_hot_threads **one = &s->threads[s->threads_count];
        rc = tacho_hot_threads_find(one, profiles[s->threads_count], s->hot, err);
        if (!rc && !*one)
            return 0;
    }
    s->side.threads = s->threads;
    return rc;
}

/* ---- all of it ---- */

static int make(side_result *s, tacho_hot_profile *const *profiles, size_t count,
                const tacho_hot_find_options *options, tacho_error *err)
{
    if (pool(s, profiles, count, options ? options->windowed : NULL))
        return tacho_no_memory(err);
    int rc = tacho_hot_find(&s->hot, &s->profile, options, err);
    if (rc)
        return rc;
    s->side =
        (tacho_hot_side){.profile = &s->profile, .hot = s->hot, .unit = unit_of(&s->profile), .runs = count};
    if (divide(s, profiles, count))
        return tacho_no_memory(err);
    s->side.own = s->own;
    s->side.kernel = s->kernel;
    s->side.places = s->of_places;
    s->side.functions = s->of_functions;
    TACHO_MEM_FREE(s->samples, s->pairs.list);
    s->samples = NULL;
    s->pairs = (hot_pairs){.list = NULL};
    s->profile.pairs = NULL;
    return judge_threads(s, profiles, count, err);
}

int tacho_hot_side_make(tacho_hot_side **out, tacho_hot_profile *const *profiles, size_t count,
                        const tacho_hot_find_options *options, tacho_error *err)
{
    *out = NULL;
    if (!count)
        return tacho_error_set(err, TACHO_ERR_USAGE, "there are no runs");
    for (size_t i = 1; i < count; i++)
        if (profiles[i]->via != profiles[0]->via)
            return tacho_error_set(err, TACHO_ERR_USAGE, "the runs were not sampled in the same way");
    side_result *s = tacho_mem_zalloc(1, sizeof *s);
    if (!s)
        return tacho_no_memory(err);
    int rc = make(s, profiles, count, options, err);
    if (rc)
        tacho_hot_side_free(&s->side);
    else
        *out = &s->side;
    return rc;
}

void tacho_hot_side_free(tacho_hot_side *side)
{
    side_result *s = (side_result *)side;
    if (!s)
        return;
    for (size_t i = 0; i < s->threads_count; i++)
        tacho_hot_threads_free(s->threads[i]);
    tacho_hot_free(s->hot);
    arena_free(&s->memory);
    TACHO_MEM_FREE(s->objects, s->places, s->rounds, s->own, s->kernel, s->of_places, s->of_functions,
                   s->samples, s->pairs.list, s->threads, s);
}
