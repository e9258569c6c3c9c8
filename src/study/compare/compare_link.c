/* compare_link.c - the programs of a comparison, linked so that their code lies elsewhere in each layout. */
#include <math.h>

#include "base/seconds.h"
#include "study/compare/compare_run.h"

static int tell_linked(uint32_t done, uint32_t all, void *payload)
{
    comparing *c = payload;
    const tacho_compare_options *o = c->options;
    tacho_compare_progress p = {.warm_up = true,
                                .seconds = seconds_now() - c->started,
                                .ratio = NAN,
                                .half_width = NAN,
                                .linked = done,
                                .links = all};
    return o->progress ? o->progress(&p, o->payload) : 0;
}

/* Of several threads: it changes nothing. */
static bool asks_to_stop(void *payload)
{
    const comparing *c = payload;
    return c->options->stop && c->options->stop(c->options->payload);
}

int compare_check_links(const comparing *c, tacho_error *err)
{
    const tacho_compare_options *o = c->options;
    if (!o->links)
        return 0;
    for (uint32_t side = 0; side < 2; side++) {
        const tacho_compare_link *l = &o->links[side];
        if (!l->link || !l->objects || !l->object_count || l->object_count > TACHO_COMPARE_MAX_OBJECTS)
            return tacho_error_set(err, TACHO_ERR_USAGE,
                                   "%c needs a link command and 1 to %d object files for it", "AB"[side],
                                   TACHO_COMPARE_MAX_OBJECTS);
    }
    return o->layouts
               ? 0
               : tacho_error_set(err, TACHO_ERR_USAGE, "programs are linked for layouts; there are none");
}

int compare_link_all(comparing *c, tacho_error *err)
{
    const tacho_compare_options *o = c->options;
    const code_layouts_options wanted = {.commands = c->commands,
                                         .links = o->links,
                                         .layouts = o->layouts,
                                         .seed = o->judge.seed,
                                         .stop = asks_to_stop,
                                         .tell = tell_linked,
                                         .payload = c};
    int rc = code_layouts_make(&c->code, &wanted, c->out->code, &c->stopped, err);
    c->out->link_seconds = seconds_now() - c->started;
    c->started = seconds_now();
    return rc;
}
