/* hot_observers.c - who is told of the windows of a run. An observer is a member here; it is added to the
 * windows when they are made, and asked when places are filled in (through hot_windows_observers). It is told
 * in the thread that takes the windows, and asked when that has ended. */
#include "base/mem.h"
#include "study/hot/hot_windows.h"

struct hot_observers {
    const windows *of;
};

hot_observers *hot_observers_new(windows *w)
{
    hot_observers *o = tacho_mem_zalloc(1, sizeof *o);
    if (o)
        o->of = w;
    return o;
}

void hot_observers_free(hot_observers *o)
{
    tacho_mem_free(o);
}
