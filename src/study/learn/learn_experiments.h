/* learn_experiments.h - what the rows of learn_experiments.c run; each in the file of its part. */
#ifndef TACHO_LEARN_EXPERIMENTS_H
#define TACHO_LEARN_EXPERIMENTS_H

#include "study/learn/lab.h"

/* ---- learn_width.c ---- */
int learn_issue_width(lab *l, tacho_error *err);
int learn_retire_width(lab *l, tacho_error *err);

/* ---- learn_decode.c ---- */
int learn_copies(lab *l, tacho_error *err);
int learn_fetch(lab *l, tacho_error *err);
int learn_decoders(lab *l, tacho_error *err);
int learn_predecode_width(lab *l, tacho_error *err);
int learn_taken_block(lab *l, tacho_error *err);
int learn_length_changing(lab *l, tacho_error *err);

/* ---- learn_decode_rules.c ---- */
int learn_fusible_on_last(lab *l, tacho_error *err);
int learn_pop_rsp(lab *l, tacho_error *err);

/* ---- learn_lsd.c, learn_immediates.c, learn_microcode.c ---- */
int learn_lsd(lab *l, tacho_error *err);
int learn_immediates(lab *l, tacho_error *err);
int learn_microcode(lab *l, tacho_error *err);

/* ---- learn_queues.c ---- */
int learn_reorder_buffer(lab *l, tacho_error *err);
int learn_general_registers(lab *l, tacho_error *err);
int learn_store_buffer(lab *l, tacho_error *err);

/* ---- learn_fit.c ---- */
int learn_early_picks(lab *l, tacho_error *err);
int learn_instruction_queue(lab *l, tacho_error *err);

/* ---- learn_schedulers.c ---- */
int learn_schedulers(lab *l, tacho_error *err);

/* ---- learn_taken.c ---- */
int learn_taken(lab *l, tacho_error *err);
int learn_line_start(lab *l, tacho_error *err);

/* ---- learn_dsb.c ---- */
int learn_dsb(lab *l, tacho_error *err);

/* ---- learn_code_rows.c ---- */
int learn_code_rows(lab *l, tacho_error *err);
int learn_row_constants(lab *l, tacho_error *err);
int learn_issue_constants(lab *l, tacho_error *err);

/* ---- learn_moves.c, learn_rename.c ---- */
int learn_move_slots(lab *l, tacho_error *err);
int learn_move_except(lab *l, tacho_error *err);
int learn_move_bytes(lab *l, tacho_error *err);
int learn_move_joins(lab *l, tacho_error *err);
int learn_immediate_sums(lab *l, tacho_error *err);
int learn_high_bytes(lab *l, tacho_error *err);

/* ---- learn_loads.c ---- */
int learn_load_latency(lab *l, tacho_error *err);
int learn_split_accesses(lab *l, tacho_error *err);
int learn_wide_accesses(lab *l, tacho_error *err);
int learn_early_sums(lab *l, tacho_error *err);
int learn_bypass(lab *l, tacho_error *err);

/* ---- learn_forwarding.c ---- */
int learn_forwarding(lab *l, tacho_error *err);
int learn_memory_renaming(lab *l, tacho_error *err);
int learn_store_lines(lab *l, tacho_error *err);

/* ---- learn_branches.c ---- */
int learn_mispredictions(lab *l, tacho_error *err);

#endif
