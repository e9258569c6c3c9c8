/* hot_find.c - from a profile to its hot places. */

#include "base/mem.h"
#include "base/options_take.h"
#include "program/hot/hot_find.h"

int search_warn(hot_search *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int rc = warnings_add(&s->warnings, HOT_MAX_WARNINGS, format, args);
    va_end(args);
    s->hot.warnings = s->warnings.list;
    s->hot.warning_count = s->warnings.count;
    return rc;
}

ORDER_AS(hottest_first, tacho_hot_place,
         ORDER(b->weight, a->weight) ?: strcmp(a->object->path, b->object->path)
             ?: ORDER(a->loop->start, b->loop->start));

ORDER_AS(largest_first, tacho_hot_function,
         ORDER(b->weight, a->weight) ?: strcmp(a->object->path, b->object->path)
             ?: ORDER(a->start, b->start));

static int search(hot_search *s)
{
    int rc = 0;
    for (size_t i = 0; i < s->profile->object_count && !rc; i++)
        if (s->profile->objects[i].weight >= search_threshold(s))
            rc = file_search(s, (uint32_t)i);
    tacho_sort(s->places, s->hot.count, sizeof *s->places, hottest_first);
    tacho_sort(s->functions, s->hot.function_count, sizeof *s->functions, largest_first);
    rc = rc ? rc : reuse_add(s);
    for (size_t i = 0; i < s->hot.count; i++)
        s->hot.covered += s->places[i].share;
    s->hot.elsewhere = s->profile->weight > 0 ? s->hot.elsewhere / s->profile->weight : 0;
    s->hot.places = s->places;
    s->hot.functions = s->functions;
    return rc;
}

OPTIONS_DEFINE(hot_find, TACHO_HOT_FIND_OPTIONS_INIT)

int tacho_hot_find(tacho_hot **out, const tacho_hot_profile *profile, const tacho_hot_find_options *options,
                   tacho_error *err)
{
    tacho_hot_find_options o;
    *out = NULL;
    int rc = OPTIONS_TAKE(hot_find, &o, options, err);
    if (rc)
        return rc;
    if (!(o.min_share >= 0 && o.min_share <= 1))
        return tacho_error_set(err, TACHO_ERR_USAGE, "a share is between 0 and 1, not %g", o.min_share);
    hot_search *s = tacho_mem_zalloc(1, sizeof *s);
    if (!s)
        return tacho_no_memory(err);
    s->profile = profile;
    s->options = o;
    if (search(s)) {
        tacho_hot_free(&s->hot);
        return tacho_no_memory(err);
    }
    *out = &s->hot;
    return 0;
}

void tacho_hot_free(tacho_hot *hot)
{
    hot_search *s = (hot_search *)hot;
    if (!s)
        return;
    for (size_t i = 0; i < s->file_count; i++)
        file_free(s->files[i]);
    warnings_free(&s->warnings);
    TACHO_MEM_FREE(s->files, s->places, s->functions);
    arena_free(&s->memory);
    tacho_mem_free(s);
}
