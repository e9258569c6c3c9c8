/* sim.c - the machine as a whole: set-up, reset, one cycle; and the µop queue with what feeds it. */
#include "model/sim/inner_loop.h"
#include "model/sim/sim_trace.h"

/* Of the issued iterations, those retired before cycle `end`. */
static void count_iterations(sim *s, int32_t end)
{
    while (s->counted_iterations < s->issued_iterations && s->counted_iterations < s->retired_capacity &&
           s->retired[s->counted_iterations].cycle < end)
        s->counted_iterations++;
}

/* What retires in this cycle, for those who watch. */
static void watch_retirement(sim *s)
{
    rob_retire(&s->rob, s->cycle);
    count_iterations(s, s->cycle + 1);
    if (s->trace)
        sim_trace_retired(s);
}

/* What has reached the cache leaves the store buffer. */
static void commit_stores(sim *s)
{
    store_buffer *b = &s->stored;
    while (b->head != b->tail && b->commit[b->head & (SIM_STORE_BUFFER - 1)] <= s->cycle)
        b->head++;
}

uint32_t sim_iterations(sim *s)
{
    count_iterations(s, s->cycle);
    return s->counted_iterations;
}

void sim_tick(sim *s)
{
    s->stamp++;
    reservations_turn(s);
    if (s->track_lines)
        commit_stores(s);
    if (s->queued)
        queues_turn(s);
    if (s->parted)
        parts_turn(s);
    if (s->binds && !s->parts.grouped)
        parts_compare(&s->parts);
    s->full = backend_full(s) || (s->queued && queues_full(s));
    if (s->waits)
        s->full |= waiting_full(s);
    if (sim_is_watched(s))
        watch_retirement(s);
    sim_rename(s);
    front_end_tick(s);
    if (s->trace)
        sim_trace_cycle(s);
    s->cycle++;
}

static bool is_limited(uint16_t slots)
{
    return slots && slots != TACHO_SLOTS_UNLIMITED;
}

/* Whether addresses must be compared, and if not, where they move: where no load meets a store. */
static int find_streams(sim *s, arena *a)
{
    const block *b = s->b;
    s->compares = s->track_memory;
    s->streams = NULL;
    if (s->track_aliases || s->track_splits || !(s->track_memory || s->track_lines))
        return 0;
    s->streams = arena_alloc_raw(a, b->insn_count * sizeof *s->streams);
    if (!s->streams)
        return TACHO_ERR_MEMORY;
    if (!streams_find(s->streams, b, s->options) || (s->track_memory && streams_meet(s->streams, b)))
        s->streams = NULL;
    else
        s->compares = false;
    return 0;
}

int sim_prepare(sim *s, arena *a, const block *b, const dsb_layout *layout,
                const tacho_predict_options *options)
{
    s->b = b;
    s->layout = layout;
    s->arch = b->arch;
    s->options = options;
    s->tally = NULL;
    s->trace = NULL;
    s->ideal_front_end = (options->ideal & TACHO_IDEAL_FRONT_END) && b->laminated_count;
    s->use_lsd = s->ideal_front_end || layout->fits_lsd;
    bool follows = b->has_store && b->has_load && !options->no_memory_deps;
    s->track_aliases = follows && registers_may_alias(b, options);
    s->track_memory = follows && (s->track_aliases || !registers_never_meet(b, options));
    s->stores_unlimited = (options->ideal & TACHO_IDEAL_PORTS) ||
                          (options->ideal_port_set && options->ideal_port_set == b->arch->store_data_ports);
    s->track_lines = b->has_store && b->arch->paired_stores_same_line;
    s->track_splits = block_notices_splits(b, options);
    if (find_streams(s, a))
        return TACHO_ERR_MEMORY;
    s->track_values = s->compares || s->track_splits || (s->track_lines && !s->streams);
    s->waits = s->compares && b->arch->forward_waiting_loads;
    s->counts_ports = s->waits || b->arch->port_policy != TACHO_PORTS_AT_DISPATCH;
    s->gathers = s->track_lines && b->arch->store_gather_lines;
    s->binds = b->arch->shared_scheduler_entries;
    s->parted = s->binds || b->arch->alu_scheduler_parts || b->arch->alus_by_waiting;
    s->queued = b->arch->vector_scheduler_entries || b->arch->alu_scheduler_entries ||
                b->arch->address_scheduler_entries;
    s->any_throttle = s->any_fence = s->any_move = s->limits_moves = s->any_divider = false;
    s->any_mispredicted = options->mispredicted_count > 0;
    s->any_closer = program_has_closer(b);
    s->any_bypass = !(options->variants & TACHO_VARIANT_SIMPLE_MEMORY) && block_has_bypass(b);
    for (uint32_t i = 0; i < b->insn_count; i++) {
        s->any_throttle |= b->insns[i].tp_cycles > 0;
        s->any_fence |= b->insns[i].load_fence || b->insns[i].store_fence;
        s->any_move |= b->insns[i].eliminable;
        s->limits_moves |=
            b->insns[i].eliminable && !b->insns[i].adds_constant &&
            is_limited(b->insns[i].move_gpr ? b->arch->move_elim_slots_gpr : b->arch->move_elim_slots_simd);
        s->any_divider |= b->insns[i].variant->div_cycles > 0;
    }
    uint32_t cycles = b->arch->averages_after_filling ? MOST_RUNS * options->min_cycles : options->min_cycles;
    s->retired_capacity = (b->arch->issue_width + 1u) * cycles + options->min_iterations + 16;
    if (options->trace && options->trace->max_iterations >= s->retired_capacity)
        s->retired_capacity = options->trace->max_iterations + 1;
    if (options->run_iterations >= s->retired_capacity)
        s->retired_capacity = options->run_iterations + 1;
    s->retired = arena_alloc_raw(a, s->retired_capacity * sizeof *s->retired);
    s->any_wide_load = program_has_wide_load(b);
    s->throttles = arena_alloc_raw(a, s->any_throttle ? b->insn_count * sizeof *s->throttles : 1);
    const bool linked = s->compares && b->arch->forward_link_cycles;
    s->links = linked ? arena_alloc_raw(a, b->insn_count * sizeof *s->links) : NULL;
    s->sync_before = arena_alloc(a, b->insn_count + 1u);
    if (!s->retired || !s->throttles || (linked && !s->links) || !s->sync_before || program_build(s, a) ||
        memory_renaming_prepare(s, a))
        return TACHO_ERR_MEMORY;
    return 0;
}

static void reset_renamer(sim *s)
{
    renamer *rn = &s->rn;
    for (int k = 0; k < SLOTS; k++)
        rn->rat[k] = SIM_LONG_AGO * RAT_CYCLE;
    memset(rn->alias, -1, sizeof rn->alias);
    memset(&rn->gpr, 0, sizeof *rn - offsetof(renamer, gpr));
    rn->uses.lane[port_lane(NO_PORT, USE_KEY)] = INT16_MAX;
    for (uint32_t k = 0; k < PORT_TURNS; k++)
        rn->turns[k] = s->prog.in_turn[k];
    rn->load_fence = rn->store_fence = rn->last_load = rn->last_store = SIM_LONG_AGO;
    s->renamed_cycle = SIM_LONG_AGO;
    if (s->track_values)
        store_forward_reset(s);
}

static void reset_front_end(sim *s)
{
    front_end *fe = &s->fe;
    memset(fe, 0, offsetof(front_end, idq));
    dsb_rows_reset(&fe->rows, s->b);
    fe->source = FROM_MITE;
    if (s->use_lsd)
        fe->source = FROM_LSD;
    else if (s->layout->insn_cached[0])
        fe->source = FROM_DSB;
    predecoder_start(s, &fe->pre, 0);
}

void sim_reset(sim *s)
{
    reservations_reset(s);
    s->rob.head = s->rob.tail = 0;
    s->rob.next = 0;
    s->rob.width = s->arch->retire_width;
    s->rob.check = s->arch->free_general_registers ? s->arch->free_general_registers : s->arch->rob_entries;
    store_buffer_reset(s);
    queues_reset(s);
    parts_reset(s);
    s->cycle = 0;
    s->quick = sim_is_watched(s) ? 0 : LAM_SIMPLE;
    s->run++;
    s->next_seq = 0;
    s->forwards = 0;
    s->counted_iterations = s->issued_iterations = 0;
    s->held_up = false;
    s->right_path = s->left = 0;
    s->last_issue = 0;
    if (s->any_throttle)
        memset(s->throttles, 0, s->b->insn_count * sizeof *s->throttles);
    if (s->links)
        waiting_links_reset(s);
    reset_renamer(s);
    reset_front_end(s);
}
