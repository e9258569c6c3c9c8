/* learn_neutral.c - what parameters are taken to be where nothing has decided them: the mechanism is off, but
 * where a row says otherwise. All together are a legal core. */
#include "learn/learn_internal.h"

#include <string.h>

#include "learn/lab.h"

static const learn_neutral rows[] = {
    /* ---- fetch and decode ---- */
    {"predecode_block_bytes", "32",
     "two blocks of 16 bytes: few cores fetch fewer, and few give more than that"},
    {"predecode_width", "32", "as many instructions as a block has: the decoders are the limit"},
    {"predecode_taken_cycles", "0", "no cycle is lost that was not seen"},
    {"taken_branch_width", "1", "one on every core but the latest"},
    {"iq_entries", "64", "never full before the decoders are the limit"},
    {"lcp_penalty_cycles", "0", "no cycle is lost that was not seen"},
    {"decoders", "4", "as most cores have; without an effect where all code comes from a cache of µops"},
    {"decode_latency_cycles", "3",
     "shows only as part of what a mispredicted branch costs, and that is measured as a whole"},
    {"fusible_on_last_decoder", "yes", "the decoders are all alike"},
    {"fuses_at_line_start", "yes", "a pair is fused wherever it lies"},
    {"pop_rsp_complex", "no", "two forms, that compilers do not use in loops"},
    {"pop_rsp_ends_decode", "no", "two forms, that compilers do not use in loops"},
    {"ms_width", "4", "as on all cores of which it is known"},
    {"ms_own_groups", "no", "as on all cores but AMD's"},
    {"dsb_ms_stall_cycles", "0", "no cycle is lost that was not seen"},
    {"dsb_ms_long_cycles", "0", "no cycle is lost that was not seen"},
    {"decoders_ms_long_cycles", "0", "no cycle is lost that was not seen"},
    /* ---- the cache of µops, loop stream detector ---- */
    {"dsb_width", "8", "at least as many as are issued on most cores, so that issue is the limit"},
    {"dsb_block_bytes", "64", "one on most cores that are sold today"},
    {"dsb_lines_per_block", "16", "code of any density is held"},
    {"dsb_line_uops", "8", "with as many lines as there may be: as little as can be lost at their ends"},
    {"dsb_row_constants", "12", "without rows of no account"},
    {"dsb_again_cycles", "2", "without rows of no account"},
    {"branch_ends_dsb_block", "yes", "no erratum"},
    {"dsb_holds_copies", "yes", "the caches of µops of today's cores hold thousands"},
    /* ---- issue ---- */
    {"idq_entries", "64",
     "so long that it hides what delivery is uneven; its length has no other effect, but "
     "where a loop is streamed from it"},
    {"issue_width", "4", "the least of any core since Nehalem"},
    {"unlaminated_entries", "16",
     "mechanism off: pairs may be anywhere in an issue group; which loads are unlaminated has to be known "
     "first, and that is learnt with the forms"},
    {"move_elim_slots_gpr", "0", "mechanism off: moves are executed"},
    {"move_elim_slots_simd", "0", "mechanism off: moves are executed"},
    {"move_elim_pipeline_cycles", "2",
     "of no account without a limited number of places; with one, two or three cycles give the same curves"},
    {"move_elim_all_aliases", "yes", "of no account without a limited number of slots"},
    {"immediate_sum_bits", "0", "mechanism off: immediates are added by executing"},
    {"high8_renamed_apart", "no", "mechanism off: as on all cores of AMD and on Intel's since Ice Lake"},
    {"stack_offset_most", "192",
     "the most that was published: a µop every 16 or 24 pushes is a part of a percent, which noise hides"},
    {"splits_indexed", "no", "mechanism off: at most a slot of a group"},
    {"eliminates_stack_pointer", "yes", "as on all of Intel's cores"},
    {"issues_pairs_whole", "no", "mechanism off: at most a slot of a group"},
    {"access_issue_slots", "16", "mechanism off: at most a slot of a group"},
    {"stack_sync_when_moved", "no",
     "mechanism off: no µop more than needed; it takes code that compilers do not make to see it"},
    {"stack_sync_for_registers", "no", "mechanism off: no experiment looks for it"},
    {"stack_sync_with_next", "no", "mechanism off: no slot waits for another; at most a slot of a group"},
    {"high8_extract_cycles", "0", "no cycle is lost that was not seen"},
    /* ---- ports ---- */
    {"ports", "16", "what resources the throughputs show, of which the model has as many ports"},
    {"port_policy", "16", "the scheduler takes what is free; no published rule is asked"},
    {"port_margin", "5", "a rule of cores that choose ports at issue: with port_policy 16 of no account"},
    {"port_counts_age_cycles", "0",
     "a rule of cores that choose ports at issue: with port_policy 16 of no account"},
    {"load_ports", "89", "what resources loads show"},
    {"store_address_ports", "89", "what resources stores show"},
    {"store_data_ports", "7", "what resources stores show"},
    {"load_ports_512", "-", "no limit beyond that of all loads"},
    {"store_data_ports_512", "-", "no limit beyond that of all stores"},
    {"memory_alu_ports", "-", "any ALU does: the experiment asks only whether it does"},
    {"not_taken_branch_ports", "-", "no port beyond those of taken ones"},
    {"store_data_alu_ports", "-", "store data are for all stores alike"},
    {"alu_ports", "0123", "what resources additions show"},
    /* ---- what waits ---- */
    {"rob_entries", "224", "of the size of a core of the middle of the last decade"},
    {"rs_entries", "97", "of the size of a core of the middle of the last decade"},
    {"rs_address_entries", "97", "no limit beyond that of all µops"},
    {"rs_alu_entries", "97", "no limit beyond that of all µops"},
    {"free_general_registers", "0", "no limit beyond the reorder buffer"},
    {"alu_scheduler_entries", "0", "one scheduler for all"},
    {"address_scheduler_entries", "0", "one scheduler for all"},
    {"vector_scheduler_entries", "0", "one scheduler for all"},
    {"vector_second_ports", "-", "one scheduler for all: two of half the places each look the same"},
    {"vector_release_cycles", "0",
     "mechanism off: it shows only in how far chains of several latencies overlap"},
    {"vector_store_scheduler_entries", "0",
     "vector stores wait with the others: of a scheduler of their own only the stores' port is seen"},
    {"vector_quick_places", "0",
     "mechanism off: it was seen on one core only, and makes some chains of one cycle take two"},
    {"vector_queue_entries", "0", "one scheduler for all"},
    {"retire_width", "8", "not less than is issued: no limit in a steady state"},
    {"issue_to_dispatch_cycles", "5",
     "shows only as part of what a mispredicted branch costs, and that is "
     "measured as a whole"},
    /* ---- memory ---- */
    {"load_latency_cycles", "5", "as on most cores"},
    {"wide_load_cycles", "0", "each form's own latency has it, as vector_loads_as_measured says"},
    {"store_forward_cycles", "4", "as on most cores"},
    {"store_forward_vector_cycles", "4", "as on most cores"},
    {"forward_waiting_loads", "0",
     "mechanism off: that loads come late is seen, how many can wait without it is not"},
    {"renames_zero_extended", "yes", "of no account where memory is not renamed"},
    {"renames_words", "yes", "of no account where memory is not renamed"},
    {"renames_bytes", "yes", "of no account where memory is not renamed"},
    {"renames_across_lines", "yes", "of no account where memory is not renamed"},
    {"renames_as_measured", "no", "of no account where memory is not renamed"},
    {"renames_any_base", "yes", "of no account where memory is not renamed"},
    {"renames_plain_load_ops", "yes", "of no account where memory is not renamed"},
    {"split_access_cycles", "1", "mechanism off"},
    {"blocked_load_cycles", "9", "as on most cores"},
    {"alias_4k_cycles", "0", "mechanism off: no experiment looks for it"},
    {"store_buffer_by_group", "no", "each store waits for its own place"},
    {"store_buffer_entries", "56", "of the size of a core of the middle of the last decade"},
    {"averages_after_filling", "no", "a rule of the simulation: no processor has it"},
    {"vector_loads_as_measured", "yes", "a rule of the simulation: loads take what was measured of them"},
    {"fp_add_forward_bits", "512", "of no account without such forwarding"},
    {"bypass_ports", "-",
     "mechanism off: that results come late is seen, which ports' µops have them so is not"},
    {"vector_domains", "no", "mechanism off: no result that crosses was seen to be late"},
    {"zmm_two_cycle_ports", "-", "mechanism off: forms of 512 bits have what was measured of them"},
    {"from_general_ports", "-", "of no account where forms of 512 bits have what was measured of them"},
    {"alus_by_waiting", "-", "the scheduler chooses as µops leave: no experiment looks for it"},
    {"to_general_closes", "-", "mechanism off: no experiment looks for it"},
    {"high_half_closes", "-", "mechanism off: no experiment looks for it"},
    {"issue_branch_constants", "1", "of no account without issue_constants"},
    {"dividers", "1", "as on most cores"},
    {"dsb_line_places", "0", "no limit beyond that of the µops"},
    {"dsb_one_line", "no", "no limit beyond that of the width"},
    {"dsb_by_last_byte", "no", "as on most cores"},
    {"dsb_second_line_fits", "yes",
     "of no account but where six µops come in a cycle; then as on the latest core that does so, for the "
     "rules are more than one loop can show"},
    {"dsb_near_targets", "no", "mechanism off: seen in few loops of large immediates only"},
    {"dsb_extra_slot_displacements", "no", "no experiment looks for it"},
    {"paired_stores_same_line", "no", "no limit beyond that of the ports"},
    {"mispredict_cycles", "16", "as on most cores"},
    {"branch_history", "93",
     "the shortest that was published: measured loops come again, and are learnt by heart"},
    {"branch_entries", "4096",
     "fewer than was published of any core: a measured loop is too short to fill them"},
    {"stores_made_anywhere", "yes", "of no account where no such store takes its port twice"},
    {"load_bank_conflicts", "no", "not simulated"},
    {"stores_own_results", "no",
     "mechanism off: each store of a general register takes an ALU, where it takes one"},
    {"stores_at_load_unit", "no", "mechanism off: each load and each store takes a port for its address"},
    {0},
};

/* By a parameter's type. */
static const learn_neutral off[] = {
    [TACHO_PARAMETER_NUMBER] = {NULL, "0", "mechanism off"},
    [TACHO_PARAMETER_BOOL] = {NULL, "no", "mechanism off"},
    [TACHO_PARAMETER_PORTS] = {NULL, "-", "mechanism off"},
    [TACHO_PARAMETER_UNROLL] = {NULL, "-", "mechanism off"},
};

const learn_neutral *learn_neutral_of(const char *name)
{
    tacho_arch_parameter p;
    const int i = parameter_number(name);
    for (const learn_neutral *n = rows; n->name; n++)
        if (!strcmp(n->name, name))
            return n;
    if (i < 0 || tacho_arch_parameter_get((size_t)i, &p) || (size_t)p.type >= sizeof off / sizeof *off)
        return NULL;
    return off[p.type].value ? &off[p.type] : NULL;
}
