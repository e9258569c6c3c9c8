/* learn_experiments.h - what the rows of learn_experiments.c run; each in the file of its part. */
#ifndef TACHO_LEARN_EXPERIMENTS_H
#define TACHO_LEARN_EXPERIMENTS_H

#include "learn/lab.h"

/* ---- learn_width.c ---- */
int learn_issue_width(lab *l);
int learn_retire_width(lab *l);

/* ---- learn_decode.c ---- */
int learn_copies(lab *l);
int learn_fetch(lab *l);
int learn_decoders(lab *l);
int learn_predecode_width(lab *l);
int learn_taken_block(lab *l);
int learn_length_changing(lab *l);

/* ---- learn_decode_rules.c ---- */
int learn_fusible_on_last(lab *l);
int learn_pop_rsp(lab *l);

/* ---- learn_lsd.c, learn_immediates.c, learn_microcode.c ---- */
int learn_lsd(lab *l);
int learn_immediates(lab *l);
int learn_microcode(lab *l);

/* ---- learn_queues.c ---- */
int learn_reorder_buffer(lab *l);
int learn_general_registers(lab *l);
int learn_store_buffer(lab *l);

/* ---- learn_fit.c ---- */
int learn_early_picks(lab *l);
int learn_instruction_queue(lab *l);

/* ---- learn_schedulers.c ---- */
int learn_schedulers(lab *l);

/* ---- learn_taken.c ---- */
int learn_taken(lab *l);
int learn_line_start(lab *l);

/* ---- learn_dsb.c ---- */
int learn_dsb(lab *l);

/* ---- learn_code_rows.c ---- */
int learn_code_rows(lab *l);
int learn_row_constants(lab *l);
int learn_issue_constants(lab *l);

/* ---- learn_moves.c, learn_rename.c ---- */
int learn_move_slots(lab *l);
int learn_move_except(lab *l);
int learn_move_bytes(lab *l);
int learn_move_joins(lab *l);
int learn_immediate_sums(lab *l);
int learn_high_bytes(lab *l);

/* ---- learn_loads.c ---- */
int learn_load_latency(lab *l);
int learn_split_accesses(lab *l);
int learn_wide_accesses(lab *l);
int learn_early_sums(lab *l);
int learn_bypass(lab *l);

/* ---- learn_forwarding.c ---- */
int learn_forwarding(lab *l);
int learn_memory_renaming(lab *l);
int learn_store_lines(lab *l);
int learn_made_stores(lab *l);

/* ---- learn_branches.c ---- */
int learn_mispredictions(lab *l);

#endif
