/* arch_struct.h - what is in a tacho_arch: the parameters of a microarchitecture. parameters.c has their
 * names, units and ranges, doc/rooms/model.md their part in the model. Other programs see them by
 * tacho/arch.h only. */
#ifndef TACHO_ARCH_STRUCT_H
#define TACHO_ARCH_STRUCT_H

#include "tacho/arch.h"

enum {
    TACHO_MAX_BOUND_PORTS = 12, /* where the renamer chooses them */
    TACHO_LSD_UNROLL_MAX = 64,
    TACHO_SLOTS_UNLIMITED = 255
};

/** Who chooses among the ports that a µop can use, and how. */
typedef enum tacho_port_policy {
    TACHO_PORTS_6 = 6,   /**< Sandy Bridge, Ivy Bridge */
    TACHO_PORTS_8 = 8,   /**< Haswell to Cascade Lake: uiCA paper, section 4.1.2 */
    TACHO_PORTS_10 = 10, /**< Ice Lake to Rocket Lake */
    TACHO_PORTS_12 = 12, /**< Golden Cove: as 10, but for its rules for certain slots */
    TACHO_PORTS_AT_DISPATCH =
        16, /**< the scheduler, when the µop leaves it: the one that is free first; AMD */
} tacho_port_policy;

/** What its parameters mean, and their units, stands in parameters.c. */
struct tacho_arch {
    const char *name;      /**< "SKL" */
    const char *long_name; /**< "Skylake (client)" */
    const char *table;     /**< what the instruction figures are, in words */
    tacho_compared compared;
    uint16_t index;               /**< of the instruction table; do not change */
    struct loaded_tables *loaded; /**< NULL, or where it was loaded from, which has that table; loaded.h */
    uint64_t serial;        /**< 0, or which loaded one; later ones may be in the same place in memory */
    uint64_t extensions[2]; /**< of the instruction set: bit n % 64 of [n / 64] for tacho_extension n; see
                                 tacho_arch_has_extension */

    /* front end */
    uint16_t iq_width;
    uint16_t decoders;
    uint16_t predecode_width;
    uint16_t predecode_block_bytes;
    uint16_t predecode_taken_cycles;
    uint16_t taken_branch_width;
    uint16_t idq_width;
    uint16_t dsb_width;
    uint16_t dsb_block_bytes;
    uint16_t dsb_lines_per_block;
    uint16_t dsb_line_uops;
    uint16_t dsb_line_places;
    uint16_t dsb_rows;
    uint16_t dsb_again_cycles;
    uint16_t dsb_row_constants;
    uint16_t ms_width;
    uint16_t dsb_ms_stall_cycles;
    uint16_t dsb_ms_long_cycles;
    uint16_t decoders_ms_long_cycles;
    uint16_t lcp_penalty_cycles;
    uint16_t decode_latency_cycles;
    bool dsb_needs_both_halves;
    bool dsb_one_line;
    bool dsb_by_last_byte;
    bool dsb_second_line_fits;
    bool dsb_near_targets;
    bool dsb_extra_slots;
    bool dsb_extra_slot_displacements;
    bool dsb_extra_slot_ends_cycle;
    bool branch_ends_dsb_block;
    bool dsb_holds_copies;
    bool lsd_enabled;
    bool pop_rsp_complex;
    bool pop_rsp_ends_decode;
    bool fusible_on_last_decoder;
    bool fuses_at_line_start;
    bool fuses_moves;
    bool fuses_nops;
    uint8_t lsd_unroll[TACHO_LSD_UNROLL_MAX + 1];

    /* renamer */
    uint16_t issue_width;
    uint16_t issue_constants;
    uint16_t unlaminated_entries;
    bool issues_pairs_whole;
    uint16_t move_elim_slots_gpr;
    uint16_t move_elim_slots_simd;
    uint16_t move_elim_pipeline_cycles;
    uint16_t move_elim_except_slot;
    bool move_elim_all_aliases;
    bool movzx_high8_alias_eliminated;
    uint16_t immediate_sum_bits;
    bool high8_renamed_apart;
    uint16_t stack_offset_most;
    bool stack_sync_when_moved;
    bool stack_sync_with_next;
    bool stack_sync_for_registers;
    uint16_t high8_extract_cycles;
    uint16_t port_policy;
    uint16_t ports;
    uint16_t port_margin;
    uint16_t port_counts_age_cycles;
    uint16_t load_ports, store_address_ports, store_data_ports, simd_disabled_with_zmm_ports,
        not_taken_branch_ports;
    uint16_t store_data_alu_ports;
    uint16_t load_ports_512, store_data_ports_512;
    uint16_t alu_ports;

    /* back end */
    uint16_t rob_width;
    uint16_t rs_width;
    uint16_t rs_address_width;
    uint16_t rs_alu_width;
    uint16_t free_general_registers;
    uint16_t alu_scheduler_width;
    uint16_t alu_scheduler_parts;
    uint16_t address_scheduler_width;
    uint16_t vector_scheduler_width;
    uint16_t vector_second_ports;
    uint16_t vector_release_cycles;
    uint16_t vector_store_scheduler_width;
    uint16_t vector_queue_width;
    uint16_t vector_quick_places;
    uint16_t retire_width;
    uint16_t issue_to_dispatch_cycles;
    uint16_t load_latency_cycles;
    uint16_t scaled_index_cycles;
    uint16_t wide_load_cycles;
    uint16_t store_forward_cycles;
    uint16_t store_forward_vector_cycles;
    uint16_t forward_waiting_loads;
    uint16_t forward_missed_cycles;
    uint16_t forward_link_cycles;
    bool renames_memory;
    bool renames_stack;
    bool renames_words;
    bool renames_bytes;
    bool renames_zero_extended;
    bool renames_across_lines;
    bool renames_as_measured;
    bool vector_domains;
    bool renames_any_base;
    bool renames_plain_load_ops;
    uint16_t renames_a_cycle;
    uint16_t split_access_cycles;
    uint16_t blocked_load_cycles;
    uint16_t alias_4k_cycles;
    uint16_t store_buffer_width;
    bool store_buffer_by_group;
    bool averages_after_filling;
    bool vector_loads_as_measured;
    uint16_t fp_add_forward_cycles;
    uint16_t fp_add_forward_bits;
    uint16_t bypass_ports;
    uint16_t bypass_fp_cycles;
    bool fast_pointer_chasing;
    bool mem256_two_cycles;
    uint16_t zmm_two_cycle_ports;
    uint16_t dividers;
    bool paired_stores_same_line;
    uint16_t mispredict_cycles;
    uint16_t branch_history;
    uint16_t branch_entries;
    uint16_t store_gather_lines;
    uint16_t store_write_bytes;
    bool load_bank_conflicts;
};

#endif
