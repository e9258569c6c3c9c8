/* lower.h - what the parts of the lowering share. */
#ifndef TACHO_LOWER_H
#define TACHO_LOWER_H

#include "model/block/block.h"

enum {
    MAX_INPUTS = 16,
    MAX_OUTPUTS = 12,
    MAX_COMPUTES = 256,
    STORE_ROUND_TRIP = 4,
    STORE_DATA_CYCLES = 1 /* before a store's data can be forwarded */
};

typedef enum input_role {
    INPUT_REGISTER,
    INPUT_ADDRESS_BASE,
    INPUT_ADDRESS_INDEX,
    INPUT_LOADED,
    INPUT_CHAINED /* the result of an earlier µop of the instruction */
} input_role;

typedef struct input {
    uint8_t slot;
    uint8_t operand; /* of the form */
    uint8_t role;
    uint8_t mem; /* INPUT_LOADED */
} input;

typedef struct output {
    uint8_t slot;
    uint8_t operand;
    bool memory;
} output;

typedef struct lowering {
    block *b;
    arena *a;
    block_insn *bi;
    input in[MAX_INPUTS];
    output out[MAX_OUTPUTS];
    int in_count, out_count;
    uint8_t mem_operand[INSN_MAX_MEM]; /* form operand of each access */
    int16_t load_latency[INSN_MAX_MEM];
    int16_t cycles[MAX_INPUTS]
                  [MAX_OUTPUTS]; /* of the computing part, from an input to an output (compute.c) */
    int next_temp;
    bool same_registers;
} lowering;

/* The port sets of an instruction's µops, by what they do. */
typedef struct port_plan {
    uint16_t compute[MAX_COMPUTES], load[64], store_address[32], store_data[32];
    int computes, loads, store_addresses, store_datas;
} port_plan;

/* lower.c */
uop *lower_add_uop(lowering *l, uop_kind kind, uint16_t ports);
void lower_add_in(uop *u, uint8_t slot);
void lower_add_out(uop *u, uint8_t slot, int latency);
uint8_t lower_new_temp(lowering *l);

/* operands.c */
void lower_push_input(lowering *l, uint8_t slot, int operand, input_role role, int mem);
void lower_push_output(lowering *l, uint8_t slot, int operand, bool memory);
/* Flags that are read and written; the registers of an address that is only computed. */
void lower_push_flags(lowering *l, uint8_t read, uint8_t written, int operand);
void lower_push_address(lowering *l, const tacho_mem *m, int operand);
void lower_collect_operands(lowering *l);
/* An explicit or suppressed memory access as the decoder gives it, operand `index`. */
void lower_add_access(lowering *l, const tacho_operand *op, int index);

/* block_unknown.c: the same for an instruction without figures that is to have a latency */
void lower_collect_unknown(lowering *l);
int lower_plan_unknown(const lowering *l, port_plan *p);
int lower_compute_unknown(lowering *l, const port_plan *p);

/* compute.c */
/* Cycles from an input to an output, the load included; 0: no dependency; -1 where the figures do not say. */
int lower_path_latency(const lowering *l, const input *in, const output *out);
void lower_find_load_latencies(lowering *l, bool excess_to_computes);
int lower_emit_computes(lowering *l, const port_plan *p);

/* group.c */
int lower_group(lowering *l, uint32_t fused_slots, uint32_t laminated);

#endif
