/* experiment_rows.h - the experiments in their order, each after those whose findings it uses:
 * EXPERIMENT(what runs it, part, name, parameters that it finds, what it needs, method). There is no guard.
 */

EXPERIMENT(learn_issue_width, "front-end", "issue-width", "issue_width fuses_nops", NEEDS_NOTHING,
           "Loops of NOPs of several lengths, of zero idioms and of moves grow by a cycle for each "
           "issue_width of them (the slope counts, as the loop's counter takes slots, too). Two kinds must "
           "agree. Where NOPs are twice as fast as all else, two of them behind a zero idiom tell whether "
           "NOPs are joined with what is before them; then zero idioms fill slots in all that follows.")
EXPERIMENT(learn_retire_width, "front-end", "retire-width", "retire_width", NEEDS_NOTHING,
           "A chain of multiplications, NOPs, and LFENCE: the NOPs are issued while the chain runs, and "
           "retire behind it before the fence is done. Each retire_width of them take a cycle more.")
EXPERIMENT(learn_reorder_buffer, "queues", "reorder-buffer", "rob_entries", NEEDS_NOTHING,
           "A chain of square roots (or multiplications), which begins anew in each iteration, and NOPs or "
           "zero idioms behind it, which must agree: chains overlap until these and a link fill the reorder "
           "buffer (H. Wong's method, without cache misses). Within 1.5 of a multiple of eight it is that.")
EXPERIMENT(learn_general_registers, "queues", "general-registers", "free_general_registers", NEEDS_NOTHING,
           "The same with moves of a constant instead of NOPs: each takes a register until it retires. None "
           "are lacking where the bend is that of the reorder buffer.")
EXPERIMENT(learn_schedulers, "queues", "schedulers",
           "rs_entries rs_address_entries rs_alu_entries shared_scheduler_entries alu_scheduler_entries "
           "address_scheduler_entries "
           "vector_scheduler_entries vector_second_ports vector_queue_entries",
           NEEDS_NOTHING,
           "A chain of multiplications, and others that wait for its end: additions, loads, both in turn, "
           "loads of what "
           "it stores, vector additions. The next chain begins as long as they have room where they wait. "
           "If it is the same number for all, they wait in one scheduler.")
EXPERIMENT(learn_by_model, "queues", "early-picks", "alu_scheduler_parts", NEEDS_NOTHING,
           "Loops of additions that are used at once, and of chains of additions in parallel, take longer "
           "where ALUs have parts of the scheduler that pick µops before their operands are there. When all "
           "forms are known the model predicts these loops with each number of parts; the nearest counts.")
EXPERIMENT(
    learn_by_model, "queues", "bound-loads",
    "shared_scheduler_entries shared_scheduler_uops address_release_cycles", NEEDS_NOTHING,
    "Unrolled loads, alone, with an operation, and by what others have loaded or not, of which schedulers "
    "that are bound to a load port, and keep entries for a while, take fewer a cycle: by predictions, "
    "too.")
EXPERIMENT(learn_store_buffer, "queues", "store-buffer", "store_buffer_entries", NEEDS_NOTHING,
           "A chain of multiplications, and stores that have all they need, but cannot retire before the "
           "chain: the next one begins as long as they fit into the store buffer.")
EXPERIMENT(learn_load_latency, "memory", "load-latency",
           "load_latency_cycles scaled_index_cycles fast_pointer_chasing", NEEDS_NOTHING,
           "Chains of loads whose address is a load's result, or a sum of it, by base, by index and by "
           "scaled index. A chain through a sum, less the sum's own latency, is the plain latency.")
EXPERIMENT(learn_split_accesses, "memory", "split-accesses", "split_access_cycles", NEEDS_NOTHING,
           "Loads and stores that cross a line beside those that do not.")
EXPERIMENT(learn_wide_accesses, "memory", "wide-accesses", "mem256_two_cycles", NEEDS_NOTHING,
           "Loads and stores of 32 bytes beside those of 16.")
EXPERIMENT(learn_forwarding, "memory", "forwarding",
           "store_forward_cycles store_forward_vector_cycles forward_waiting_loads forward_missed_cycles "
           "blocked_load_cycles",
           NEEDS_NOTHING,
           "Chains through memory: a store, and a load of all, of a part, or of more than it wrote. Where "
           "memory is renamed a load from the middle of a store shows what forwarding takes.")
EXPERIMENT(learn_memory_renaming, "memory", "memory-renaming",
           "renames_memory renames_stack renames_zero_extended renames_words renames_bytes "
           "renames_across_lines renames_as_measured renames_any_base "
           "renames_plain_load_ops renames_a_cycle",
           NEEDS_NOTHING,
           "The same chains, and one that is unrolled: they take hardly more than a cycle where the load "
           "has its value from the register that was stored.")
EXPERIMENT(learn_store_lines, "memory", "store-lines", "paired_stores_same_line store_gather_lines",
           NEEDS_NOTHING, "Stores that go round 1 to 20 lines: up to how many they go two a cycle.")
EXPERIMENT(learn_made_stores, "memory", "made-stores", "stores_made_most stores_made_anywhere", NEEDS_NOTHING,
           "Unrolled stores of a register, and of a large immediate, to the stack and elsewhere: these take "
           "as much more as the last of so many, which takes its port twice.")
EXPERIMENT(learn_early_sums, "latencies", "early-sums", "fp_add_forward_cycles fp_add_forward_bits",
           NEEDS_NOTHING,
           "Chains of floating-point additions, of multiplications, and of both in turn, by width: "
           "additions alone take less where a sum comes earlier to another addition.")
EXPERIMENT(learn_bypass, "latencies", "bypass", "bypass_ports bypass_fp_cycles", NEEDS_NOTHING,
           "Chains of vector additions of integers and of floating-point numbers, alone and in turn.")
EXPERIMENT(learn_by_model, "latencies", "vector-domains", "vector_domains", NEEDS_NOTHING,
           "Chains of vector µops of integers and of floating-point numbers, in turn and apart, by "
           "predictions: what crosses comes late, in both directions.")
EXPERIMENT(learn_mispredictions, "branches", "mispredictions", "mispredict_cycles", NEEDS_NOTHING,
           "Branches by bits of a random number (RDRAND): half of them are mispredicted, so that each adds "
           "half of what that costs.")
EXPERIMENT(learn_copies, "front-end", "copies", "dsb_holds_copies", NEEDS_NOTHING,
           "NOPs of 8 to 13 bytes in loops, and unrolled: copies that take longer come from the decoders.")
EXPERIMENT(learn_fetch, "front-end", "fetch", "predecode_block_bytes", NEEDS_DECODERS,
           "Unrolled NOPs of 7 to 15 bytes: the most bytes that come a cycle, where fewer NOPs come than "
           "are issued.")
EXPERIMENT(learn_decoders, "front-end", "decoders", "decoders", NEEDS_DECODERS,
           "Unrolled, an instruction of two µops, which needs the first decoder, and NOPs: another cycle "
           "begins when the NOPs behind it are as many as the decoders.")
EXPERIMENT(learn_predecode_width, "front-end", "predecode-width", "predecode_width", NEEDS_DECODERS,
           "Unrolled blocks of code that NOPs of several lengths fill: more of them than the predecoder "
           "takes cost another cycle for the block.")
EXPERIMENT(learn_taken_block, "front-end", "block-behind-branch", "predecode_taken_cycles", NEEDS_DECODERS,
           "Loops of NOPs of a byte, which are too dense for the cache of µops: what they take beyond the "
           "NOPs and the loop's own branch.")
EXPERIMENT(learn_length_changing, "front-end", "length-changing-prefixes", "lcp_penalty_cycles",
           NEEDS_DECODERS,
           "Unrolled blocks of four instructions of 4 bytes, NOPs or moves of 16-bit immediates: what each "
           "of these adds.")
EXPERIMENT(learn_by_model, "front-end", "instruction-queue", "iq_entries", NEEDS_NOTHING,
           "Unrolled dense code, which the predecoder takes at once. When all forms are known the model "
           "predicts it with several sizes of the queue behind the predecoder; the nearest counts, if it "
           "comes much nearer than the start's.")
EXPERIMENT(learn_fusible_on_last, "front-end", "last-decoder", "fusible_on_last_decoder", NEEDS_DECODERS,
           "Unrolled NOPs and comparisons, which a branch could be fused with, beside NOPs and "
           "disjunctions: comparisons take longer where the last decoder is closed to them.")
EXPERIMENT(learn_pop_rsp, "front-end", "pop-r12", "pop_rsp_complex pop_rsp_ends_decode", NEEDS_DECODERS,
           "Unrolled POPs of r12 beside those of r13, with one NOP and with two behind each: what r12 takes "
           "more.")
EXPERIMENT(learn_lsd, "front-end", "loop-stream", "lsd_enabled idq_entries lsd_unroll", NEEDS_NOTHING,
           "Loops of moves of 64-bit immediates, of which the cache of µops gives one a cycle: those that "
           "the µop queue holds and streams take less. Then NOPs in such loops, whose cycles are whole for "
           "so many copies as are streamed together.")
EXPERIMENT(learn_immediates, "front-end", "large-immediates", "dsb_extra_slots dsb_extra_slot_ends_cycle",
           NEEDS_NOTHING,
           "Loops of moves of 64-bit immediates with NOPs behind each: whether one takes a cycle, and "
           "whether another cycle begins at once when the NOPs fill it.")
EXPERIMENT(learn_microcode, "front-end", "microcode",
           "dsb_width ms_width dsb_ms_stall_cycles dsb_ms_long_cycles", NEEDS_NOTHING,
           "Loops of microcode and NOPs: while the sequencer is at work the cache of µops is not, so that "
           "the NOPs take what their delivery takes, also where it is faster than issue.")
EXPERIMENT(learn_code_rows, "front-end", "rows",
           "dsb_rows dsb_line_uops dsb_again_cycles dsb_width dsb_block_bytes", NEEDS_NOTHING,
           "Loops of lines of 64 bytes that more and more NOPs fill. Where rows of µops leave, a line that "
           "fills more of them is read again: it takes the same until all of these are full.")
EXPERIMENT(learn_row_constants, "front-end", "row-constants", "dsb_row_constants", NEEDS_NOTHING,
           "The same with comparisons of memory with immediates: from how many on the line is read again.")
EXPERIMENT(learn_issue_constants, "front-end", "issue-constants", "issue_constants", NEEDS_NOTHING,
           "Loops of one to five comparisons of memory with immediates, with a displacement each and "
           "without: those with have twice the constants, and take longer where that is too many.")
EXPERIMENT(learn_dsb, "front-end", "code-blocks",
           "dsb_block_bytes dsb_line_uops dsb_lines_per_block dsb_needs_both_halves branch_ends_dsb_block",
           NEEDS_NOTHING,
           "Loops of 64 bytes that begin with length-changing prefixes, which cost nothing where the cache "
           "of µops holds the code: more and more NOPs in one half or the other, a large immediate in each "
           "place of a full block, a branch at the end of the first half.")
EXPERIMENT(learn_by_model, "front-end", "lines", "dsb_line_uops dsb_line_places", NEEDS_NOTHING,
           "Loops of more and more zero idioms, and of additions with and without constants, by predictions: "
           "what does not fit into a line of the cache of µops takes another one, and constants may take "
           "places of it.")
EXPERIMENT(learn_by_model, "rename", "issue-limits",
           "issue_alu_uops memory_alu_ports splits_indexed stored_immediates_use_alu", NEEDS_NOTHING,
           "Loops of µops of ALUs, alone and with others behind them, of comparisons with memory, of "
           "operations with an index, and of stores of constants among additions, each by predictions with "
           "the limit and without.")
EXPERIMENT(learn_by_model, "rename", "port-rules", "port_policy port_margin port_counts_age_cycles",
           NEEDS_NOTHING,
           "Loops of chains, and of what depends on them or not, for ports that are in some sets together, "
           "by predictions with each rule by which ports are chosen.")
EXPERIMENT(learn_move_slots, "rename", "move-elimination",
           "move_elim_slots_gpr move_elim_slots_simd move_elim_all_aliases", NEEDS_NOTHING,
           "A chain of multiplications with a move in each link, while other moves hold registers that "
           "share a value: from as many as there are places on, the moves of the chain are executed.")
EXPERIMENT(learn_move_except, "rename", "move-slot", "move_elim_except_slot", NEEDS_NOTHING,
           "Groups of as many µops as are issued a cycle, with a move in a chain in one of the slots: a "
           "slot where moves are executed makes the chain twice as slow.")
EXPERIMENT(learn_move_bytes, "rename", "move-bytes", "movzx_high8_alias_eliminated", NEEDS_NOTHING,
           "A chain of additions and zero extensions of CL, and the same of SIL.")
EXPERIMENT(learn_move_joins, "rename", "move-and-operation", "fuses_moves", NEEDS_NOTHING,
           "Moves, additions to the same registers, and NOPs, issued three or four slots' worth a cycle: "
           "moves that join the additions take none.")
EXPERIMENT(
    learn_stack_pointer, "rename", "stack-pointer", "stack_sync_always eliminates_stack_pointer",
    NEEDS_NOTHING,
    "Tests of RSP beside those of RBX: each takes a cycle where the stack engine applies its offset "
    "for it. Moves from RSP beside those from RBX, which end at the renamer, among additions that they "
    "compete with where they are executed.")
EXPERIMENT(learn_immediate_sums, "rename", "immediate-sums", "immediate_sum_bits", NEEDS_NOTHING,
           "Chains of additions of 1, 2, 4, ...: less than a cycle each where the renamer adds them; a "
           "cycle from the first constant on that is too large.")
EXPERIMENT(learn_high_bytes, "rename", "high-bytes", "high8_renamed_apart high8_extract_cycles",
           NEEDS_NOTHING,
           "Additions to CH and CL in turn: one chain or two. Moves of CH to ECX: what they take beyond a "
           "cycle.")
EXPERIMENT(learn_line_start, "rename", "fusion-at-line-start", "fuses_at_line_start", NEEDS_NOTHING,
           "Fused pairs among NOPs, with the branch at the start of each line of 64 bytes, or elsewhere: a "
           "pair that is not fused takes a slot more.")
EXPERIMENT(learn_taken, "front-end", "taken-branches", "taken_branch_width", NEEDS_NOTHING,
           "Loops of jumps over some bytes: what each adds.")
EXPERIMENT(learn_resources, "resources", "port-sets",
           "ports load_ports store_address_ports store_data_ports store_data_alu_ports alu_ports dividers",
           NEEDS_NOTHING,
           "Instructions of one µop alone, and in pairs: two that compete take longer than either. The "
           "smallest number of ports that explains all pairs is taken; from scratch they have no names, "
           "else those of the core that learning starts from.")
