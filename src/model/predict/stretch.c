/* stretch.c - a stretch of a longer run, executed once. Its first instructions fill the machine, and their
 * time does not count. Retirement is in order, so what follows the stretch has no part in when its last
 * instruction retires, and the stretch may be simulated as the first iterations of a loop. */
#include "base/mem.h"
#include "model/predict/predictor.h"

/* Runs until so many iterations have retired; the end of the warm-up counts as the end of one (end_warm_up in
 * program.c). @return the cycle in which the first µop retires */
static int32_t retire_iterations(sim *s, uint32_t count)
{
    int32_t first = -1;
    while (sim_iterations(s) < count && !predictor_is_stuck(s)) {
        sim_tick(s);
        if (first < 0 && s->rob.tail > 0 && s->rob.retire[0] < (uint32_t)s->cycle * s->rob.width)
            first = s->cycle - 1;
    }
    return first;
}

int predictor_run_once(tacho_predictor *p, tacho_error *err)
{
    sim *s = p->machine;
    tacho_prediction *r = &p->result;
    const uint32_t warm_up = p->options.warm_up, ends = warm_up ? 2 : 1;
    if (warm_up >= p->code.insn_count)
        return tacho_error_set(err, TACHO_ERR_USAGE,
                               "the code's %u instructions are not more than its warm-up of %u",
                               p->code.insn_count, warm_up);
    if (sim_prepare(s, &p->memory, &p->code, &p->layout, &p->options))
        return tacho_no_memory(err);
    sim_reset(s);
    int32_t first = retire_iterations(s, ends);
    if (sim_iterations(s) < ends)
        return tacho_error_set(err, TACHO_ERR_LIMIT, "the code did not end in %d cycles", (int)s->cycle);
    r->simulated_cycles = (uint32_t)s->cycle;
    r->simulated_iterations = 1;
    r->cycles = s->retired[ends - 1].cycle - (warm_up ? s->retired[0].cycle : first);
    predictor_warn(p);
    return 0;
}
