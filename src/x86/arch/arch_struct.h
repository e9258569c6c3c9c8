/* arch_struct.h - what is in a tacho_arch: the parameters of a microarchitecture. parameters.c has their
 * names, units and ranges, doc/rooms/model.md their part in the model. Other programs see them by
 * tacho/arch.h only. */
#ifndef TACHO_ARCH_STRUCT_H
#define TACHO_ARCH_STRUCT_H

#include "tacho/arch.h"

enum {
    TACHO_MAX_BOUND_PORTS = 10, /* where the renamer chooses them */
    TACHO_LSD_UNROLL_MAX = 64,
    TACHO_SLOTS_UNLIMITED = 255
};

/** Who chooses among the ports that a µop can use, and how. */
typedef enum tacho_port_policy {
    TACHO_PORTS_6 = 6,   /**< Sandy Bridge, Ivy Bridge */
    TACHO_PORTS_8 = 8,   /**< Haswell to Cascade Lake: uiCA paper, section 4.1.2 */
    TACHO_PORTS_10 = 10, /**< Ice Lake to Rocket Lake */
    TACHO_PORTS_AT_DISPATCH =
        16, /**< the scheduler, when the µop leaves it: the one that is free first; AMD */
} tacho_port_policy;

/** Counts unless a unit is named. */
struct tacho_arch {
    const char *name;      /**< "SKL" */
    const char *long_name; /**< "Skylake (client)" */
    const char *table;     /**< what the instruction figures are, in words */
    tacho_compared compared;
    uint16_t index;         /**< of the instruction table; do not change */
    uint64_t extensions[2]; /**< of the instruction set: bit n % 64 of [n / 64] for tacho_extension n; see
                                 tacho_arch_has_extension */

    /* front end */
    uint16_t iq_width;               /**< instruction queue, instructions */
    uint16_t decoders;               /**< one complex, the rest simple */
    uint16_t predecode_width;        /**< instructions per cycle */
    uint16_t predecode_block_bytes;  /**< 16 */
    uint16_t predecode_taken_cycles; /**< lost before the first block behind a taken branch */
    uint16_t taken_branch_width;    /**< branches that are taken, a cycle at most; for code of which only this
                                       is known of the front end */
    uint16_t idq_width;             /**< µop queue, fused µops */
    uint16_t dsb_width;             /**< fused µops per cycle from the DSB */
    uint16_t dsb_block_bytes;       /**< 32 or 64 */
    uint16_t dsb_lines_per_block;   /**< 3 (32 B) or 6 (64 B) */
    uint16_t dsb_line_uops;         /**< 6 */
    uint16_t ms_width;              /**< µops per cycle from the microcode sequencer */
    uint16_t dsb_ms_stall_cycles;   /**< switching from the DSB to the MS and back */
    uint16_t lcp_penalty_cycles;    /**< 3 */
    uint16_t decode_latency_cycles; /**< from predecode to decode at the earliest */
    bool dsb_by_entry; /**< what a block holds is found by where the code enters it: only what follows from
                          there counts, and each block is looked up anew; else the block is held or not as a
                          whole, and the decoders go on to the next branch */
    bool dsb_needs_both_halves; /**< both 32 B halves of a 64 B line must be cacheable */
    bool dsb_second_line_fits;  /**< a cycle that begins inside a line goes on with the next line only if all
                                   of that line fits; else limits observed before Ice Lake apply */
    bool dsb_extra_slots;       /**< an immediate that is large takes a slot of its own in a line */
    bool dsb_extra_slot_ends_cycle; /**< a µop with a large immediate is the last one of its cycle; else it
                                       takes two of the cycle's slots, once a cycle */
    bool branch_ends_dsb_block;     /**< a branch may be last in a cached block: no JCC erratum */
    bool dsb_holds_copies;          /**< unrolled code comes from the DSB, which is so large that it holds the
                                         copies that are measured; else from the decoders */
    bool lsd_enabled;
    bool pop_rsp_complex;         /**< pop rsp / pop r12 need the complex decoder */
    bool pop_rsp_ends_decode;     /**< ... and nothing else is decoded in that cycle */
    bool fusible_on_last_decoder; /**< a macro-fusible instruction may take the last decoder */
    bool fuses_at_line_start;     /**< a branch that begins a line of 64 bytes can be macro-fused, too */
    uint8_t lsd_unroll[TACHO_LSD_UNROLL_MAX + 1]; /**< by µops in the loop; 1 beyond */

    /* renamer */
    uint16_t issue_width;         /**< fused µops per cycle */
    uint16_t unlaminated_entries; /**< an unlaminated pair is issued only as one of the first so many entries
                                     that leave the µop queue in a cycle */
    uint16_t move_elim_slots_gpr; /**< 0: disabled; TACHO_SLOTS_UNLIMITED: no limit */
    uint16_t move_elim_slots_simd;
    uint16_t move_elim_pipeline_cycles;
    uint16_t move_elim_except_slot;    /**< the n-th fused µop of an issue cycle is executed although it is a
                                          move that could be eliminated; 0: none is */
    bool move_elim_all_aliases;        /**< all aliases of a GPR must be overwritten to free a slot */
    bool movzx_high8_alias_eliminated; /**< movzx from spl, bpl, sil, dil, r12b-r15b is eliminated too */
    bool high8_renamed_apart;
    uint16_t port_policy; /**< a tacho_port_policy */
    uint16_t ports;       /**< number of ports */
    uint16_t port_margin; /**< a port with so many more waiting µops than the least used one is not taken */
    uint16_t port_counts_age_cycles; /**< TACHO_PORTS_10: of the numbers of waiting µops; 0: those at the
                                        start of the cycle, 1: of the one before */
    uint16_t load_ports, store_address_ports, store_data_ports, simd_disabled_with_zmm_ports,
        not_taken_branch_ports;    /**< port masks; the last: where a conditional branch that is not taken can
                                        go besides, 0 nowhere */
    uint16_t store_data_alu_ports; /**< computing ports that take the data of integer stores, store_data_ports
                                        those of others only, and other µops; 0: store_data_ports are for all
                                        stores, and for nothing else */
    uint16_t alu_ports;            /**< of a plain addition: where the stack engine's µops go */

    /* back end */
    uint16_t rob_width;                    /**< fused µops */
    uint16_t rs_width;                     /**< unfused µops */
    uint16_t alu_scheduler_width;          /**< of these, places for µops of general registers, data of their
                                              stores included; 0: they have no places of their own */
    uint16_t address_scheduler_width;      /**< the same for loads and store addresses */
    uint16_t vector_scheduler_width;       /**< of these, places for vector µops that compute, which enter
                                              in order; 0: vector µops have no places of their own */
    uint16_t vector_second_ports;          /**< ports of these µops that a second scheduler of as many places
                                              leads to; 0: there is one for all of them */
    uint16_t vector_release_cycles;        /**< from a µop's dispatch until its place is free */
    uint16_t vector_store_scheduler_width; /**< for those that store or go to general registers */
    uint16_t vector_queue_width;           /**< µops that wait before these; at least issue_width */
    uint16_t retire_width;                 /**< fused µops per cycle */
    uint16_t issue_to_dispatch_cycles;     /**< 5 */
    uint16_t load_latency_cycles;          /**< general-purpose load from L1, 5 */
    uint16_t scaled_index_cycles;          /**< that a load takes longer when its index is scaled */
    uint16_t store_forward_cycles; /**< from store address and data ready to the data of a load from there */
    uint16_t store_forward_vector_cycles; /**< the same to a vector, where load_ports tells vector loads */
    bool renames_memory;          /**< a load to a general register of what a general register was stored from
                                     has it as soon as that register is there; needs
                                     store_data_alu_ports */
    uint16_t blocked_load_cycles; /**< from the cycle in which a store reaches the first-level cache to the
                                     start of a load that needs its bytes and cannot have them forwarded */
    uint16_t alias_4k_cycles; /**< after which a load begins again that an earlier store was taken to be for,
                                 as the lower 12 bits of their addresses meet; 0: no such mistake */
    uint16_t store_buffer_width;    /**< stores, from their renaming until they reach the first-level cache */
    bool averages_after_filling;    /**< without a steady state, a run in whose second half the scheduler has
                                       filled further goes on for as long again; else the first min_cycles
                                       count, as uiCA has it */
    bool vector_loads_as_measured;  /**< a vector load takes what the latency figures say; else
                                       load_latency_cycles, as uiCA has it */
    uint16_t fp_add_forward_cycles; /**< a floating-point addition has the sum of another one so many cycles
                                       earlier than the latency figures say */
    bool fast_pointer_chasing;      /**< load latency 4 for simple addresses based on a loaded register */
    bool mem256_two_cycles;         /**< a 256-bit store keeps its data port for two cycles, and no other
                                       load starts in the cycle of a 256-bit load */
    bool paired_stores_same_line;   /**< two store-data µops a cycle only to one 64-byte line */
    uint16_t mispredict_cycles; /**< from the cycle in which a mispredicted branch leaves for its port to that
                                   in which what follows on the right path can leave for its own at the
                                   earliest; more than issue_to_dispatch_cycles */
    uint16_t branch_history;    /**< branches taken, the last so many of which the predictor of branches tells
                                   places in a program apart by */
    uint16_t branch_entries;    /**< pairs of a branch and a history that it remembers */
    uint16_t store_gather_lines; /**< two stores a cycle reach the first-level cache if each is to one of the
                                    latest so many 64-byte lines; another line begins only every cycle. 0: see
                                    paired_stores_same_line, which must be set else */
    bool load_bank_conflicts;    /**< two loads from different lines cannot read the same bank of the
                                    first-level cache in one cycle. Not simulated: see tacho_suite_filter */
};

#endif
