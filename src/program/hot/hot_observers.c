/* hot_observers.c - who is told of the windows of a run. An observer is a member here; it is added to the
 * windows when they are made, and asked when places are filled in (through hot_windows_observers). It is told
 * in the thread that takes the windows, and asked when that has ended. */
#include "base/mem.h"
#include "program/hot/hot_windows.h"

struct hot_observers {
    const windows *of;
    causes *causes;
};

hot_observers *hot_observers_new(windows *w)
{
    hot_observers *o = tacho_mem_zalloc(1, sizeof *o);
    if (!o)
        return NULL;
    o->of = w;
    o->causes = causes_new();
    const step_observer observer = o->causes ? causes_observer(o->causes) : (step_observer){0};
    if (o->causes && windows_add(w, &observer))
        return o;
    hot_observers_free(o);
    return NULL;
}

void hot_observers_free(hot_observers *o)
{
    if (o)
        causes_free(o->causes);
    tacho_mem_free(o);
}

causes *hot_observers_causes(hot_observers *o)
{
    return o->causes;
}
