/* parameter_rows.h - the parameters of a microarchitecture, each once: NUMBER(member, least, most, unit,
 * meaning), SLOTS (the same, or unlimited), POLICY; YES_NO, PORTS and UNROLL (member, unit, meaning).
 * arch_struct.h makes the members of tacho_arch of them, parameters.c the table of names, units and ranges. A
 * meaning is read behind "name, unit: ". For those who define the macros; there is no guard. */

/* ---- front end ---- */

NUMBER(predecode_block_bytes, 16, 64, "bytes", "code that the predecoder examines per cycle")
NUMBER(predecode_width, 1, 32, "instructions a cycle", "instruction boundaries that it finds in that code")
NUMBER(predecode_taken_cycles, 0, 8, "cycles", "lost before the first block after a taken branch")
NUMBER(taken_branch_width, 1, 8, "branches a cycle",
       "taken branches that the front end follows, for code of which nothing more is known")
NUMBER(iq_entries, 1, 64, "instructions",
       "capacity of the instruction queue, between predecoder and decoders")
NUMBER(lcp_penalty_cycles, 0, 100, "cycles", "that the predecoder stalls for a length-changing prefix")
NUMBER(decoders, 1, 16, "", "number of decoders, of which the first is complex")
NUMBER(decode_latency_cycles, 0, 100, "cycles", "from predecoding to decoding, at least")
YES_NO(fusible_on_last_decoder,
       "the last decoder takes instructions that may be macro-fused with the next one")
YES_NO(fuses_at_line_start, "a branch at the start of a 64-byte line can be macro-fused")
YES_NO(fuses_nops, "a NOP is fused with the instruction before it, if that is no branch and not itself a "
                   "fused NOP, and both have at most 15 bytes together")
YES_NO(fuses_moves, "a move between general registers is fused with an operation that overwrites its target")
YES_NO(pop_rsp_complex, "POP RSP and POP R12 need the complex decoder")
YES_NO(pop_rsp_ends_decode, "nothing else is decoded in the cycle of POP RSP or POP R12")
NUMBER(ms_width, 1, 16, "µops a cycle", "rate of the microcode sequencer")
YES_NO(ms_own_groups,
       "microcode is issued beside no other instruction, and is there as soon as the instruction's first µop")
NUMBER(dsb_ms_stall_cycles, 0, 100, "cycles", "to switch from the DSB to the microcode sequencer and back")
NUMBER(dsb_ms_long_cycles, 0, 8, "cycles",
       "stall after microcode that follows µops of the DSB, if the sequencer takes more than a cycle for it")
NUMBER(decoders_ms_long_cycles, 0, 8, "cycles", "the same stall in code that comes from the decoders")
NUMBER(dsb_width, 2, 16, "fused µops a cycle", "rate of the DSB (AMD: op cache)")
NUMBER(dsb_block_bytes, 32, 64, "bytes", "aligned code whose DSB lines belong together")
NUMBER(dsb_lines_per_block, 1, 16, "", "DSB lines that such a block may occupy, at most")
NUMBER(dsb_line_uops, 4, 16, "µops", "capacity of a DSB line")
NUMBER(dsb_line_places, 0, 64, "halves of a µop",
       "capacity of a DSB line, where a displacement, an immediate or a branch's target takes half of what a "
       "µop does, one of 64 bits as much; 0: µops alone count")
YES_NO(dsb_one_line, "one DSB line is read per cycle; no: two")
YES_NO(dsb_by_last_byte, "an instruction belongs to the block of its last byte; no: of its first")
NUMBER(dsb_rows, 0, 4, "lines of the DSB a cycle",
       "that a block of code fills, however its instructions lie in it; a fuller block is read again; 0: "
       "each block has lines of its own")
NUMBER(
    dsb_row_constants, 4, 32, "displacements and immediates",
    "capacity of those lines: two of one instruction, one of 64 bits, and a branch's count four, others one")
NUMBER(dsb_again_cycles, 1, 8, "cycles", "until a block that is fuller is read again")
YES_NO(dsb_needs_both_halves, "code is in the DSB only if both halves of its 64-byte line fit")
YES_NO(branch_ends_dsb_block,
       "a branch may end a block that the DSB holds; no: the JCC erratum's workaround is active")
YES_NO(dsb_holds_copies, "unrolled code is taken to come from the DSB, which can hold the copies that are "
                         "measured; no: from the decoders")
YES_NO(dsb_second_line_fits, "a cycle that begins inside a DSB line continues with the next line only if all "
                             "of it fits; no: by the rules of cores before Ice Lake")
YES_NO(dsb_near_targets, "the target of a taken branch is delivered in the branch's cycle only within the "
                         "same 64 bytes of code, and within the same 32 bytes only from the same line")
YES_NO(dsb_extra_slots, "a large immediate occupies another place of a DSB line")
YES_NO(dsb_extra_slot_displacements, "so does any immediate beside a displacement of more than 16 bits")
YES_NO(dsb_extra_slot_ends_cycle,
       "a µop with a large immediate is the last of its cycle; no: it takes two places of it, once per cycle")
YES_NO(lsd_enabled, "there is a loop stream detector")
UNROLL(lsd_unroll, "copies, by µops in the loop (else 1)", "that the LSD makes of a loop in the µop queue")

/* ---- renamer ---- */

NUMBER(idq_entries, 1, GEN_MAX_IDQ_ENTRIES, "fused µops",
       "capacity of the µop queue, between front end and renamer")
NUMBER(issue_width, 1, 16, "fused µops a cycle", "rate of the renamer")
NUMBER(issue_constants, 0, 64, "displacements and immediates a cycle",
       "that the renamer takes, counted as for the DSB; 0: without limit")
NUMBER(issue_branch_constants, 1, 4, "displacements and immediates", "that a branch counts as there")
NUMBER(issue_alu_uops, 0, 16, "unfused µops a cycle",
       "for ALUs, but of branches (without alu_balance_uops), that the renamer takes; 0: without limit")
NUMBER(unlaminated_entries, 1, 16, "entries of the µop queue",
       "the first ones, among which an unlaminated pair has to be to be issued")
YES_NO(issues_pairs_whole, "an instruction of two fused µops is issued in one cycle, or not at all")
NUMBER(access_issue_slots, 1, 16, "issue slots a cycle",
       "the first ones, in which what loads, stores or goes from vector to general registers is issued")
YES_NO(eliminates_stack_pointer, "moves from RSP can be eliminated, too")
YES_NO(splits_indexed, "an instruction of general registers that has an address of two registers and more to "
                       "do than to load is two fused µops")
SLOTS(move_elim_slots_gpr, 0, 64, "",
      "eliminated moves between general registers that can be tracked at a time")
SLOTS(move_elim_slots_simd, 0, 64, "",
      "eliminated moves between vector registers that can be tracked at a time")
NUMBER(move_elim_pipeline_cycles, 1, 7, "cycles",
       "age of the count of free slots that the renamer decides by")
NUMBER(
    move_elim_except_slot, 0, 16, "fused µops",
    "issue slot of the cycle, from 1, in which a move is executed although it could be eliminated; 0: none")
YES_NO(move_elim_all_aliases, "a slot is freed when all registers that share the value are overwritten")
YES_NO(movzx_high8_alias_eliminated, "MOVZX from SPL, BPL, SIL, DIL and R12B to R15B is eliminated, too")
NUMBER(immediate_sum_bits, 0, 16, "bits",
       "of the signed sum of immediates (ADD, SUB, INC, DEC, LEA) that the renamer keeps with a 64-bit "
       "register instead of issuing a µop; 0: it keeps none")
YES_NO(high8_renamed_apart, "AH, BH, CH and DH are renamed apart until the whole register is read")
NUMBER(stack_offset_most, 8, 1024, "bytes",
       "offset of RSP that the stack engine tracks, either way, before a µop applies it")
YES_NO(stack_sync_when_moved,
       "that µop is issued where RSP is used, even if pops and pushes have cancelled out")
YES_NO(stack_sync_with_next, "it is issued in the cycle of the first µop that uses RSP")
YES_NO(stack_sync_for_registers, "it is not issued for addresses, nor for MOV and LEA that copy RSP or add "
                                 "to it, but for all else that names RSP")
YES_NO(stack_sync_always, "what of that only reads RSP has it always, moved or not")
NUMBER(high8_extract_cycles, 0, 8, "cycles",
       "extra latency of AH, BH, CH and DH when the whole register was written")

/* ---- ports ---- */

NUMBER(ports, 1, TACHO_MAX_PORTS, "", "number of execution ports")
POLICY(
    port_policy, TACHO_PORTS_6, TACHO_PORTS_AT_DISPATCH, "ports",
    "whose assignment rules hold: those of cores with 6, 8, 10 or 12 ports, at issue; 16: AMD's, at dispatch")
NUMBER(port_margin, 1, 1000, "µops",
       "more that may wait for a port than for the least used one before it is avoided")
NUMBER(port_counts_age_cycles, 0, 1, "cycles",
       "age of the counts of waiting µops that the rules of 10 and 12 ports use")
PORTS(load_ports, "of loads")
PORTS(store_address_ports, "of store addresses")
PORTS(store_data_ports, "of store data")
PORTS(load_ports_512, "of 512-bit loads, where these cannot use all of load_ports; -: they can")
PORTS(store_data_ports_512,
      "of the data of 512-bit stores, where these cannot use all of store_data_ports; -: they can")
PORTS(simd_disabled_with_zmm_ports, "closed to vector µops while 512-bit µops are in the scheduler")
PORTS(memory_alu_ports,
      "of the ALUs that compute with what their own instruction loads, or change it; -: any")
PORTS(alus_by_waiting,
      "that µops which can take all of these and no other are bound to as they are renamed: that one where "
      "fewer µops wait; -: none, the scheduler chooses a port as µops leave")
PORTS(to_general_closes,
      "of ALUs: in a cycle in which a vector µop goes to a general register, no µop that could take one of "
      "these makes a general register, or what is stored, in one cycle; -: none")
PORTS(high_half_closes,
      "of ALUs: in a cycle in which the second result of a multiplication is sent, no µop of one cycle that "
      "could take one of these leaves; -: none")
PORTS(not_taken_branch_ports, "that a conditional branch can also use when it is not taken; -: none")
PORTS(store_data_alu_ports, "of ALUs that also take the data of integer stores (store_data_ports: of the "
                            "others); -: store_data_ports serve all stores, and nothing else")
PORTS(alu_ports, "of plain additions, and of the stack engine's µops")

/* ---- reorder buffer and schedulers ---- */

NUMBER(rob_entries, 2, 600, "fused µops", "capacity of the reorder buffer")
NUMBER(rs_entries, 2, 400, "µops", "capacity of the scheduler")
NUMBER(rs_address_entries, 2, 400, "µops",
       "share of loads and store addresses in it, where loads wait for the data of stores")
NUMBER(rs_alu_entries, 2, 400, "µops", "share of the other µops in it, in the same case")
NUMBER(free_general_registers, 0, 600, "registers",
       "physical registers for general results of µops in flight; 0: never the limit")
NUMBER(alu_scheduler_entries, 0, 128, "µops",
       "capacity of the scheduler for integer µops and the data of their stores; 0: there is one for all")
NUMBER(alu_scheduler_parts, 0, 8, "partitions",
       "of that scheduler, the n-th of alu_ports being served by partition n modulo their number; µops may "
       "issue speculatively and replay; 0: one, without replays")
NUMBER(address_scheduler_entries, 0, 128, "µops",
       "capacity of the scheduler for loads and store addresses; 0: see above")
NUMBER(
    shared_scheduler_entries, 0, 120, "µops",
    "entries for loads and store addresses in each of several schedulers, one for each load port, to which "
    "they are bound in turn when they are renamed; 0: the port is chosen at dispatch")
NUMBER(shared_scheduler_uops, 0, 8, "µops a cycle",
       "that each of these schedulers takes, those for ALUs among them; an access goes to any of them or to "
       "none, and where one has no entry its whole group waits; 0: as many as come, and a part of the group")
NUMBER(
    alu_balance_uops, 0, 64, "µops",
    "waiting for an ALU count as one step when µops are bound to ALUs as they are renamed: those of a cycle "
    "to one ALU each, first those that not all ALUs take, where the fewest steps wait, then the others from "
    "the last ALU on; branches are among them; 0: the ports are chosen at dispatch")
NUMBER(address_release_cycles, 0, 64, "cycles",
       "from the dispatch of a load or store address until its entry in such a scheduler is free")
NUMBER(vector_scheduler_entries, 0, 128, "µops",
       "capacity of the scheduler for vector arithmetic, which µops enter in order; 0: see above")
PORTS(vector_second_ports, "of a second vector scheduler of the same capacity; -: there is none")
NUMBER(vector_release_cycles, 0, 16, "cycles", "from a vector µop's dispatch until its entry is free")
NUMBER(vector_store_scheduler_entries, 0, 128, "µops",
       "capacity of the scheduler for vector stores and moves to general registers; 0: they share the others")
NUMBER(vector_quick_places, 0, 255, "µops",
       "waiting in the vector schedulers, from which on results of one cycle take two; 0: never")
NUMBER(vector_queue_entries, 0, 127, "µops", "capacity of the queue before the vector schedulers")
NUMBER(retire_width, 1, 64, "fused µops a cycle", "rate of retirement")
NUMBER(issue_to_dispatch_cycles, 1, 64, "cycles", "from issue to dispatch, at least")
NUMBER(dividers, 1, 2, "", "divisions and square roots that can be in progress at a time")
NUMBER(fp_add_forward_cycles, 0, 3, "cycles",
       "by which a floating-point addition gets the sum of another one early")
NUMBER(fp_add_forward_bits, 128, 512, "bits", "of the widest vectors to which that applies")
PORTS(
    third_source_ports,
    "through which a vector instruction of three sources reads the last one, unless a vector instruction of "
    "the same code computes it; -: it is read like the others")
PORTS(bypass_ports,
      "of floating-point arithmetic that gets results of one-cycle vector µops a cycle late; these get its "
      "results late, too, if they use one of these ports themselves; -: there are no such delays")
NUMBER(bypass_fp_cycles, 0, 16, "cycles", "latency of the floating-point µops on those ports")
YES_NO(vector_domains,
       "a result that crosses between floating-point and other vector µops comes a cycle late")
YES_NO(mem256_two_cycles, "a 256-bit store occupies its data port for two cycles, and no other load starts "
                          "in the cycle of a 256-bit load")
PORTS(zmm_two_cycle_ports,
      "that a µop of a 512-bit instruction occupies for two cycles if it can use no other port; -: none")
PORTS(from_general_ports,
      "through which general registers come to vectors, also those of 512 bits in one cycle; -: no such ones "
      "are known")
NUMBER(mispredict_cycles, 1, 100, "cycles",
       "from the dispatch of a mispredicted branch to the first dispatch on the right path")
NUMBER(branch_history, 1, 1000, "taken branches", "that the branch predictor's history holds")
NUMBER(branch_entries, 64, 65535, "branches with a history", "capacity of the branch predictor")

/* ---- loads and stores ---- */

NUMBER(load_latency_cycles, 1, 64, "cycles",
       "latency of a load to a general register from the first-level cache")
NUMBER(scaled_index_cycles, 0, 8, "cycles", "extra latency of a load with a scaled index")
NUMBER(wide_load_cycles, 0, 8, "cycles",
       "extra latency of a load of 32 bytes or more, or to a register that wide")
YES_NO(fast_pointer_chasing,
       "a load whose address is a loaded register and a small displacement takes 4 cycles")
YES_NO(vector_loads_as_measured,
       "the latency of a vector load is that of its row; no: load_latency_cycles (a rule of the simulation)")
NUMBER(store_forward_cycles, 0, 100, "cycles",
       "from a store's address and data to the data of a load that reads them")
NUMBER(store_forward_vector_cycles, 0, 100, "cycles", "the same for loads to vector registers")
NUMBER(forward_waiting_loads, 0, 32, "loads",
       "that can wait for the data of their stores and still get them in store_forward_cycles; 0: all")
NUMBER(forward_missed_cycles, 0, 100, "cycles",
       "extra latency of the other loads, of loads to vectors, and of loads from inside a store's bytes")
NUMBER(forward_link_cycles, 0, 100, "cycles",
       "least distance of two forwardings in a chain with computation between them; one less if the second "
       "load uses a higher port")
YES_NO(renames_memory, "a load to a general register from where a general register was stored gets that "
                       "register by renaming, without waiting for the memory")
YES_NO(renames_stack, "a POP gets what a PUSH stored in that way, even if other memory is not renamed")
YES_NO(renames_zero_extended, "memory renaming covers loads of bytes and words that extend with zeros")
YES_NO(renames_words, "memory renaming covers 16-bit accesses")
YES_NO(renames_bytes, "memory renaming covers 8-bit accesses")
YES_NO(renames_across_lines, "memory renaming covers accesses that cross a line")
YES_NO(renames_as_measured,
       "memory renaming covers only loads whose row gives them less than a load's latency")
YES_NO(renames_any_base, "memory renaming covers straight code with base registers other than RSP, too")
YES_NO(renames_plain_load_ops,
       "memory renaming covers the loads of instructions that also compute, if the address has no index")
NUMBER(renames_a_cycle, 0, 8, "loads", "that can be renamed per cycle; 0: without limit")
NUMBER(split_access_cycles, 1, 2, "cycles",
       "that a load, and without store_gather_lines a store's data, occupies its port when it crosses a line")
NUMBER(blocked_load_cycles, 0, 100, "cycles",
       "from a store's write to the cache to the start of a load that needs its bytes but cannot have them "
       "forwarded")
NUMBER(alias_4k_cycles, 0, 100, "cycles",
       "until a load is repeated that was mistaken to read from an older store with the same low 12 address "
       "bits; 0: it never is")
NUMBER(store_buffer_entries, 16, 200, "stores",
       "capacity of the store buffer, from renaming to the write to the cache")
YES_NO(store_buffer_by_group, "issue stalls when the stores of a full issue group might not fit the store "
                              "buffer; no: each store needs an entry of its own only")
YES_NO(paired_stores_same_line,
       "two stores are written in a cycle only to the same line (64 bytes, or store_write_bytes)")
NUMBER(store_gather_lines, 0, 16, "lines",
       "of 64 bytes, last written to, to each of which two stores per cycle are possible, of a whole line "
       "one; 0: see "
       "paired_stores_same_line")
NUMBER(store_lines_ahead, 0, 64, "stores",
       "in two lines that follow each other: where there are more, the lines that these and the next three "
       "take the places of among store_gather_lines take as long as a store, unless all of them was "
       "written; lines begin half as many cycles ahead; 0: no such limit")
NUMBER(store_write_bytes, 0, 64, "bytes",
       "aligned bytes of the cache that are written per cycle, by consecutive stores together; a store that "
       "spans more takes more cycles; 0: see paired_stores_same_line")
YES_NO(stored_immediates_use_alu, "an immediate that is stored passes through an ALU")
NUMBER(stores_made_most, 0, 255, "stores in succession",
       "of 32 or 64 bits of an immediate, or of the result of an instruction that also loads it; the last of "
       "so many takes its port twice; 0: none does")
YES_NO(stores_made_anywhere, "stores_made_most counts stores by any address; no: by RSP without an index")
YES_NO(load_bank_conflicts,
       "two loads of different lines cannot read the same cache bank in a cycle (not simulated)")
YES_NO(stores_own_results,
       "what an instruction computes in an ALU and stores takes no port on its way to the store")
YES_NO(
    stores_at_load_unit,
    "the store of an instruction that changes memory takes no port for its address where its load has left "
    "through a port that store addresses can take, too")

/* ---- rules of the simulation ---- */

YES_NO(averages_after_filling,
       "without a steady state, a run continues as long as the scheduler is still filling")
