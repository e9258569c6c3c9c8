/* lab.c - keeps what experiments find, and their curves. */
#include "study/learn/lab.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "study/learn/resources.h"

void lab_free(lab *l)
{
    for (size_t i = 0; i < l->curve_count; i++) {
        tacho_mem_free(l->curves[i]->points);
        tacho_mem_free(l->curves[i]);
    }
    resources_free(l->resources);
    TACHO_MEM_FREE(l->curves, l->curve_owners, l->findings);
    *l = (lab){0};
}

const finding *lab_finding(const lab *l, const char *name)
{
    for (size_t i = 0; i < l->finding_count; i++)
        if (!strcmp(l->findings[i].name, name))
            return &l->findings[i];
    return NULL;
}

double lab_number(const lab *l, const char *name, double otherwise)
{
    const finding *f = lab_finding(l, name);
    char *end;
    double value = f && f->state == FINDING_MEASURED ? strtod(f->value, &end) : NAN;
    return isnan(value) || end == f->value ? otherwise : value;
}

/* The finding of that name, new or to be replaced; NULL: no memory. */
static finding *renew(lab *l, const char *name, finding_state state, tacho_error *err)
{
    finding *f = (finding *)(uintptr_t)lab_finding(l, name);
    if (!f) {
        if (tacho_mem_grow(&l->findings, &l->finding_capacity, l->finding_count + 1, sizeof *f)) {
            tacho_no_memory(err);
            return NULL;
        }
        f = &l->findings[l->finding_count++];
    }
    *f = (finding){.name = name, .state = state, .low = NAN, .high = NAN, .by = l->running};
    return f;
}

int lab_found(lab *l, const char *name, double low, double high, tacho_error *err, const char *format, ...)
{
    finding *f = renew(l, name, FINDING_MEASURED, err);
    va_list args;
    if (!f)
        return TACHO_ERR_MEMORY;
    f->low = low;
    f->high = high;
    va_start(args, format);
    vsnprintf(f->value, sizeof f->value, format, args);
    va_end(args);
    return 0;
}

__attribute__((format(printf, 5, 0))) static int say_why(lab *l, const char *name, finding_state state,
                                                         tacho_error *err, const char *format, va_list args)
{
    finding *f = renew(l, name, state, err);
    if (!f)
        return TACHO_ERR_MEMORY;
    vsnprintf(f->why, sizeof f->why, format, args);
    return 0;
}

int lab_undecided(lab *l, const char *name, tacho_error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int failed = say_why(l, name, FINDING_UNDECIDED, err, format, args);
    va_end(args);
    return failed;
}

int lab_at_least(lab *l, const char *name, double least, tacho_error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int failed = say_why(l, name, FINDING_UNDECIDED, err, format, args);
    va_end(args);
    if (!failed)
        ((finding *)(uintptr_t)lab_finding(l, name))->low = least;
    return failed;
}

int lab_moot(lab *l, const char *name, tacho_error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int failed = say_why(l, name, FINDING_MOOT, err, format, args);
    va_end(args);
    return failed;
}

curve *lab_curve(lab *l, const char *title, const char *x_name, const char *y_name)
{
    curve *c = tacho_mem_zalloc(1, sizeof *c);
    if (!c || tacho_mem_grow(&l->curves, &l->curve_capacity, l->curve_count + 1, sizeof(curve *)) ||
        tacho_mem_grow(&l->curve_owners, &l->owner_capacity, l->curve_count + 1, sizeof *l->curve_owners)) {
        tacho_mem_free(c);
        return NULL;
    }
    *c = (curve){.title = title, .x_name = x_name, .y_name = y_name, .bend = NAN};
    l->curve_owners[l->curve_count] = l->running;
    l->curves[l->curve_count++] = c;
    return c;
}

int curve_add(curve *c, double x, double cycles, tacho_error *err)
{
    if (tacho_mem_grow(&c->points, &c->capacity, c->count + 1, sizeof *c->points))
        return tacho_no_memory(err);
    c->points[c->count++] = (curve_point){x, cycles};
    return 0;
}
