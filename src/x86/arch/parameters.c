/* parameters.c - the members of tacho_arch as a table: names, units and ranges, read from and written as
 * text. The table generator reads data/arch/NAME/params.txt with it, the program --set. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "x86/arch/parameters.h"
#include "x86/arch/port_digits.h"
#include "x86/insndb/tables.h"

#define PARAMETER(member, type, low, high, unit, meaning)                                                    \
    {                                                                                                        \
#member, unit, meaning, type, low, high, offsetof(tacho_arch, member)                                \
    }
#define NUMBER(member, low, high, unit, meaning)                                                             \
    PARAMETER(member, TACHO_PARAMETER_NUMBER, low, high, unit, meaning)
#define YES_NO(member, meaning) PARAMETER(member, TACHO_PARAMETER_BOOL, 0, 1, "", meaning)
#define PORTS(member, meaning)  PARAMETER(member, TACHO_PARAMETER_PORTS, 0, 0, "ports", meaning)

static const struct {
    const char *name, *unit, *meaning;
    tacho_parameter_type type;
    uint32_t min, max;
    size_t offset;
} parameters[] = {
    NUMBER(predecode_block_bytes, 16, 64, "bytes", "of code, that the predecoder looks at in a cycle"),
    NUMBER(predecode_width, 1, 32, "instructions a cycle", "of that block, whose ends the predecoder finds"),
    NUMBER(predecode_taken_cycles, 0, 8, "cycles", "lost before the first block behind a taken branch"),
    NUMBER(taken_branch_width, 1, 8, "branches a cycle",
           "that can be taken; for code of which no more is known of the front end"),
    NUMBER(iq_width, 1, 64, "instructions", "that the queue before the decoders holds"),
    NUMBER(lcp_penalty_cycles, 0, 100, "cycles", "that the predecoder loses at a length-changing prefix"),
    NUMBER(decoders, 1, 16, "", "decoders, one of them complex"),
    NUMBER(decode_latency_cycles, 0, 100, "cycles", "from predecoding to decoding at the earliest"),
    YES_NO(fusible_on_last_decoder, "an instruction that can be macro-fused may take the last decoder"),
    YES_NO(fuses_at_line_start, "a branch that begins a line of 64 bytes can be macro-fused, too"),
    YES_NO(fuses_nops, "a NOP joins the instruction before it, if both have at most 15 bytes and that is no "
                       "branch nor a NOP that has joined another one"),
    YES_NO(fuses_moves, "a move between general registers joins an operation that changes what it has moved"),
    YES_NO(pop_rsp_complex, "pop rsp and pop r12 need the complex decoder"),
    YES_NO(pop_rsp_ends_decode, "and nothing else is decoded in their cycle"),
    NUMBER(ms_width, 1, 16, "µops a cycle", "that the microcode sequencer delivers"),
    NUMBER(dsb_ms_stall_cycles, 0, 100, "cycles",
           "for switching from the DSB to the microcode sequencer and back"),
    NUMBER(dsb_ms_long_cycles, 0, 8, "cycles",
           "after microcode behind µops of the DSB, if it takes the sequencer more than one"),
    NUMBER(decoders_ms_long_cycles, 0, 8, "cycles", "the same after microcode, in code from the decoders"),
    NUMBER(dsb_width, 2, 16, "fused µops a cycle", "that the DSB delivers"),
    NUMBER(dsb_block_bytes, 32, 64, "bytes", "of code whose lines in the DSB belong together"),
    NUMBER(dsb_lines_per_block, 1, 16, "", "lines of the DSB that a block of code can have"),
    NUMBER(dsb_line_uops, 4, 16, "µops", "that a line of the DSB holds"),
    NUMBER(dsb_line_places, 0, 64, "µops, displacements and immediates",
           "that it has room for together, one of 64 bits counting twice; 0: as many as its µops have"),
    YES_NO(dsb_one_line, "one line of the DSB is read in a cycle, else two"),
    YES_NO(dsb_by_last_byte, "an instruction lies in the block of code of its last byte, else of its first"),
    NUMBER(dsb_rows, 0, 4, "lines of the DSB a cycle",
           "that a block of code fills, whatever lies where in it; it is read again for more; 0: each block "
           "has lines of its own"),
    NUMBER(dsb_row_constants, 4, 32, "displacements and immediates",
           "that it has room for: two of an instruction, one of 64 bits and a branch count four, others one"),
    NUMBER(dsb_again_cycles, 1, 8, "cycles", "after which a block of code is read again, if it fills more"),
    YES_NO(dsb_needs_both_halves, "both halves of a line of 64 bytes must fit the DSB"),
    YES_NO(branch_ends_dsb_block, "a branch may be last in a block that the DSB holds: no JCC erratum"),
    YES_NO(dsb_holds_copies, "unrolled code comes from the DSB, which is so large that it holds the copies "
                             "that are measured; else from the decoders"),
    YES_NO(lsd_enabled, "there is a loop stream detector"),
    PARAMETER(lsd_unroll, TACHO_PARAMETER_UNROLL, 1, 255, "copies, by µops in the loop (else 1)",
              "that it makes of a loop"),
    NUMBER(idq_width, 1, GEN_MAX_IDQ_WIDTH, "fused µops", "that the queue before the renamer holds"),
    NUMBER(issue_width, 1, 16, "fused µops a cycle", "that the renamer takes from that queue"),
    NUMBER(issue_constants, 0, 64, "displacements and immediates a cycle",
           "that leave that queue, counted as for the DSB; 0: as many as there are"),
    NUMBER(unlaminated_entries, 1, 16, "entries of the µop queue",
           "that leave it first in a cycle, and among which an unlaminated pair must be to be issued"),
    YES_NO(issues_pairs_whole, "both fused µops of an instruction of two are issued in one cycle"),
    PARAMETER(move_elim_slots_gpr, TACHO_PARAMETER_SLOTS, 0, 64, "",
              "moves between general registers that can be eliminated at a time"),
    PARAMETER(move_elim_slots_simd, TACHO_PARAMETER_SLOTS, 0, 64, "",
              "moves between vector registers that can be eliminated at a time"),
    NUMBER(move_elim_pipeline_cycles, 1, 7, "cycles",
           "that the number of free places, by which the renamer goes, is old"),
    NUMBER(move_elim_except_slot, 0, 16, "fused µops",
           "the one of a cycle, counted from 1, that is executed although it is a move that could be "
           "eliminated; 0: there is none"),
    YES_NO(move_elim_all_aliases,
           "all registers that share a value must be overwritten to free the place of a move"),
    YES_NO(movzx_high8_alias_eliminated, "movzx from spl, bpl, sil, dil and r12b to r15b is eliminated, too"),
    NUMBER(immediate_sum_bits, 0, 16, "bits",
           "with its sign, of the sum of immediates that the renamer adds to a 64-bit register without a µop "
           "(ADD, SUB, INC, DEC, LEA); 0: it adds none"),
    YES_NO(high8_renamed_apart, "ah, bh, ch and dh are registers of their own until the whole one is read"),
    NUMBER(stack_offset_most, 8, 1024, "bytes",
           "by which the stack engine lets RSP be off, up or down; beyond it a µop corrects RSP"),
    YES_NO(stack_sync_when_moved,
           "that µop comes where RSP is used, also if pops and pushes have moved it back"),
    YES_NO(stack_sync_with_next, "the µop that adds it where RSP is used is issued with the first one that "
                                 "uses it"),
    YES_NO(stack_sync_for_registers,
           "that µop comes for no address, nor for MOV and LEA that copy RSP or add to it; and for what else "
           "reads RSP, but does not write it, always"),
    NUMBER(high8_extract_cycles, 0, 8, "cycles",
           "that AH, CH, DH and BH are there later than the register, if that was written whole"),
    NUMBER(ports, 1, TACHO_MAX_PORTS, "", "execution ports"),
    PARAMETER(port_policy, TACHO_PARAMETER_POLICY, TACHO_PORTS_6, TACHO_PORTS_AT_DISPATCH, "ports",
              "that a core has whose rules of port assignment hold here; 16: the scheduler chooses"),
    NUMBER(port_margin, 1, 1000, "µops",
           "more that may wait for a port than for the least used one, else it is not taken"),
    NUMBER(port_counts_age_cycles, 0, 1, "cycles",
           "how old the numbers of waiting µops are, with the rules of 10 and 12 ports"),
    PORTS(load_ports, "of loads"),
    PORTS(store_address_ports, "of store addresses"),
    PORTS(store_data_ports, "of store data"),
    PORTS(load_ports_512, "of loads of 512 bits, where they cannot take all of load_ports; -: they can"),
    PORTS(store_data_ports_512,
          "of data of stores of 512 bits, where they cannot take all of store_data_ports; "
          "-: they can"),
    PORTS(simd_disabled_with_zmm_ports, "closed to vectors while 512-bit µops are in the scheduler"),
    PORTS(not_taken_branch_ports, "that a conditional branch can also have when it is not taken; -: none"),
    PORTS(store_data_alu_ports, "that compute, and take the data of integer stores (store_data_ports that of "
                                "the others); -: store_data_ports are for all stores, and for nothing else"),
    PORTS(alu_ports, "of a plain addition, and of the µops of the stack engine"),
    NUMBER(rob_width, 2, 600, "fused µops", "that the reorder buffer holds"),
    NUMBER(rs_width, 2, 400, "µops", "that the scheduler holds"),
    NUMBER(rs_address_width, 2, 400, "µops",
           "of these, loads and store addresses, where loads wait for the data of stores"),
    NUMBER(rs_alu_width, 2, 400, "µops", "the others, there"),
    NUMBER(free_general_registers, 0, 600, "registers",
           "general ones that µops in flight can write; 0: as many as there are µops"),
    NUMBER(alu_scheduler_width, 0, 128, "µops",
           "places in it for µops of general registers, with the data of their stores; 0: they have none of "
           "their own"),
    NUMBER(alu_scheduler_parts, 0, 8, "parts of that",
           "each for every so many-th port; a µop waits in one of them, at random, and is picked when those "
           "that it waits for could have left, in vain where they have not; 0: none of that"),
    NUMBER(address_scheduler_width, 0, 128, "µops",
           "places in it for loads and store addresses; 0: they have none of their own"),
    NUMBER(vector_scheduler_width, 0, 128, "µops",
           "places in it for vector µops that compute, which enter in order; 0: they have none of their own"),
    PORTS(vector_second_ports,
          "that a second scheduler of as many places leads to; -: there is one for all vector µops"),
    NUMBER(vector_release_cycles, 0, 16, "cycles",
           "from the dispatch of a vector µop until its place is free"),
    NUMBER(vector_store_scheduler_width, 0, 128, "µops",
           "places for vector µops that store or go to general registers; 0: they wait with the others"),
    NUMBER(vector_quick_places, 0, 255, "µops",
           "in these schedulers, from which on a result that takes a cycle takes two; 0: it never does"),
    NUMBER(vector_queue_width, 0, 127, "µops", "places of the queue in which vector µops wait for these"),
    NUMBER(retire_width, 1, 64, "fused µops a cycle", "that retire"),
    NUMBER(issue_to_dispatch_cycles, 1, 64, "cycles", "from the renamer to a port at the earliest"),
    NUMBER(load_latency_cycles, 1, 64, "cycles",
           "that a load of a general register from the first-level cache takes"),
    NUMBER(scaled_index_cycles, 0, 8, "cycles", "that a load takes longer when its index is scaled"),
    NUMBER(wide_load_cycles, 0, 8, "cycles",
           "that a load of 32 bytes or more, or of a register that wide, takes longer"),
    NUMBER(store_forward_cycles, 0, 100, "cycles",
           "from the address and the data of a store to the data of a load from there"),
    NUMBER(store_forward_vector_cycles, 0, 100, "cycles", "the same to a vector"),
    NUMBER(forward_waiting_loads, 0, 32, "loads",
           "that can wait for the data of the stores they read from so as to have them in "
           "store_forward_cycles; 0: all"),
    NUMBER(forward_missed_cycles, 0, 100, "cycles",
           "that others, vectors, and what is read from the middle of a store come later"),
    NUMBER(forward_link_cycles, 0, 100, "cycles",
           "that lie at least between two times that a load has the data of a store for which it waits, if "
           "something computes in between; one less where it comes by a higher port than before"),
    YES_NO(renames_memory, "a load to a general register of what a general register was stored from has it "
                           "as soon as that register is there"),
    YES_NO(renames_stack, "what a POP reads of a PUSH it has so, also where memory is not renamed otherwise"),
    YES_NO(renames_zero_extended, "and loads of bytes and words that extend them with zeros"),
    YES_NO(renames_words, "where memory is renamed, that holds for 16 bits, too"),
    YES_NO(renames_bytes, "and for 8 bits"),
    YES_NO(renames_across_lines, "and for accesses that lie in two lines"),
    YES_NO(renames_as_measured,
           "but only for loads whose timing says that their data come sooner than a load takes"),
    YES_NO(renames_any_base, "also where code is no loop and the address's base is not the stack pointer"),
    YES_NO(renames_plain_load_ops,
           "also the loads of instructions that compute with them, where the address has no index"),
    NUMBER(renames_a_cycle, 0, 8, "loads", "that are renamed so in a cycle; 0: all"),
    NUMBER(split_access_cycles, 1, 2, "cycles",
           "that a load, or the data of a store, keeps its port where it is known to cross a line"),
    NUMBER(blocked_load_cycles, 0, 100, "cycles",
           "from when a store reaches the first-level cache to the start of a load that needs its bytes and "
           "cannot have them forwarded"),
    NUMBER(alias_4k_cycles, 0, 100, "cycles",
           "after which a load begins again that was taken to read what an earlier store writes, as the "
           "lower 12 bits of their addresses meet; 0: no such mistake"),
    NUMBER(store_buffer_width, 16, 200, "stores",
           "from their renaming until they reach the first-level cache"),
    YES_NO(store_buffer_by_group, "nothing is issued where the stores of a whole issue group might not have "
                                  "room there; else each store waits for its own place"),
    YES_NO(averages_after_filling, "without a steady state, a run in whose second half the scheduler has "
                                   "filled further goes on for as long again (a rule of the simulation)"),
    YES_NO(vector_loads_as_measured,
           "a vector load takes what its timing says; else load_latency_cycles (a rule of the simulation)"),
    NUMBER(fp_add_forward_cycles, 0, 3, "cycles",
           "that a floating-point addition has the sum of another one earlier than its timing says"),
    NUMBER(fp_add_forward_bits, 128, 512, "bits", "of the widest vectors of which that is so"),
    PORTS(bypass_ports, "of floating-point arithmetic, which has results of vector µops of one cycle a cycle "
                        "later than their timing says, as these have its results if they use one of these "
                        "ports themselves; -: there are no such delays"),
    NUMBER(bypass_fp_cycles, 0, 16, "cycles", "that floating-point µops take there"),
    YES_NO(vector_domains, "results of vector µops for floats come a cycle later for others (of integers, "
                           "and shuffles), and theirs for them"),
    YES_NO(fast_pointer_chasing,
           "a load takes 4 cycles where its address is a loaded register, with a small displacement"),
    YES_NO(mem256_two_cycles, "a 256-bit store keeps its data port for two cycles, and no other load starts "
                              "in the cycle of a 256-bit load"),
    PORTS(zmm_two_cycle_ports,
          "that a µop of an instruction with 512-bit registers holds for two cycles, where it "
          "can go to no others; -: none"),
    NUMBER(dividers, 1, 2, "", "divisions, and roots, that can be under way at a time"),
    YES_NO(dsb_second_line_fits, "a cycle that begins inside a line of the DSB goes on with the next line "
                                 "only if all of it fits; else the rules of cores before Ice Lake hold"),
    YES_NO(dsb_near_targets,
           "the line that a taken branch leads to comes in the branch's cycle only if it is in the same 64 "
           "bytes of code, and from the same 32 bytes only if both are one line"),
    YES_NO(dsb_extra_slots, "an immediate that is large takes a place of its own in a line of the DSB"),
    YES_NO(dsb_extra_slot_displacements,
           "and so does any immediate beside a displacement of more than 16 bits"),
    YES_NO(dsb_extra_slot_ends_cycle, "a µop with a large immediate is the last one of its cycle; else it "
                                      "takes two of its places, once a cycle"),
    YES_NO(paired_stores_same_line,
           "two stores have their data written in a cycle only if both are to one line of 64 bytes, or of "
           "store_write_bytes"),
    NUMBER(mispredict_cycles, 1, 100, "cycles",
           "from when a mispredicted branch leaves for its port to when what follows on the right path can "
           "leave for its own"),
    NUMBER(branch_history, 1, 1000, "taken branches",
           "the last ones, by which the predictor of branches tells places in a program apart"),
    NUMBER(branch_entries, 64, 65535, "branches with a history", "that the predictor remembers"),
    NUMBER(store_gather_lines, 0, 16, "lines",
           "of 64 bytes, the latest ones: two stores a cycle reach the first-level cache if each is to one "
           "of them; 0: see paired_stores_same_line"),
    NUMBER(
        store_write_bytes, 0, 64, "bytes",
        "of the first-level cache, aligned, that stores are written to in a cycle: those to the same ones "
        "that follow each other go together, and one that reaches into others takes a cycle more for each; "
        "0: see paired_stores_same_line"),
    YES_NO(load_bank_conflicts, "two loads from different lines cannot read the same bank of the first-level "
                                "cache in one cycle (not simulated)"),
};

enum {
    PARAMETER_COUNT = sizeof parameters / sizeof *parameters
};

size_t tacho_arch_parameter_count(void)
{
    return PARAMETER_COUNT;
}

int tacho_arch_parameter_get(size_t i, tacho_arch_parameter *out)
{
    if (i >= PARAMETER_COUNT)
        return TACHO_ERR_USAGE;
    *out = (tacho_arch_parameter){parameters[i].name, parameters[i].unit, parameters[i].type,
                                  parameters[i].min, parameters[i].max};
    return 0;
}

const char *tacho_arch_parameter_meaning(size_t i)
{
    return i < PARAMETER_COUNT ? parameters[i].meaning : NULL;
}

static uint16_t number_at(const tacho_arch *arch, size_t i)
{
    const char *at = (const char *)arch + parameters[i].offset;
    return parameters[i].type == TACHO_PARAMETER_BOOL ? *(const bool *)at
                                                      : *(const uint16_t *)(const void *)at;
}

static bool in_range(size_t i, unsigned long value)
{
    switch (parameters[i].type) {
    case TACHO_PARAMETER_PORTS:
        return value < 1ul << TACHO_MAX_PORTS;
    case TACHO_PARAMETER_POLICY:
        return value == TACHO_PORTS_6 || value == TACHO_PORTS_8 || value == TACHO_PORTS_10 ||
               value == TACHO_PORTS_12 || value == TACHO_PORTS_AT_DISPATCH;
    case TACHO_PARAMETER_SLOTS:
        return value <= parameters[i].max || value == TACHO_SLOTS_UNLIMITED;
    default:
        return value >= parameters[i].min && value <= parameters[i].max;
    }
}

int64_t tacho_arch_parameter_number(const tacho_arch *arch, size_t i)
{
    return i >= PARAMETER_COUNT || parameters[i].type == TACHO_PARAMETER_UNROLL ? -1 : number_at(arch, i);
}

bool tacho_arch_parameter_valid(const tacho_arch *arch, size_t i)
{
    return parameters[i].type == TACHO_PARAMETER_UNROLL || in_range(i, number_at(arch, i));
}

/* ---- text ---- */

static void unroll_text(const uint8_t *unroll, char *out, size_t size)
{
    size_t used = 0;
    snprintf(out, size, "-");
    for (unsigned n = 1; n <= TACHO_LSD_UNROLL_MAX;) {
        unsigned end = n;
        while (end < TACHO_LSD_UNROLL_MAX && unroll[end + 1] == unroll[n])
            end++;
        const char *space = used ? " " : "";
        if (unroll[n] > 1 && n == end && used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%u:%u", space, n, unroll[n]);
        else if (unroll[n] > 1 && used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%u-%u:%u", space, n, end, unroll[n]);
        n = end + 1;
    }
}

static void ports_text(unsigned mask, char *out, size_t size)
{
    size_t used = 0;
    for (unsigned p = 0; p < TACHO_MAX_PORTS && used + 2 < size; p++)
        if (mask & 1u << p)
            out[used++] = port_digit(p);
    if (!used)
        out[used++] = '-';
    out[used] = '\0';
}

void tacho_arch_parameter_text(const tacho_arch *arch, size_t i, char *out, size_t size)
{
    unsigned n = parameters[i].type == TACHO_PARAMETER_UNROLL ? 0 : number_at(arch, i);
    switch (parameters[i].type) {
    case TACHO_PARAMETER_UNROLL:
        unroll_text(arch->lsd_unroll, out, size);
        break;
    case TACHO_PARAMETER_PORTS:
        ports_text(n, out, size);
        break;
    case TACHO_PARAMETER_BOOL:
        snprintf(out, size, "%s", n ? "yes" : "no");
        break;
    default:
        if (parameters[i].type == TACHO_PARAMETER_SLOTS && n == TACHO_SLOTS_UNLIMITED)
            snprintf(out, size, "unlimited");
        else
            snprintf(out, size, "%u", n);
    }
}

static bool parse_unroll(const char *text, uint8_t *out)
{
    unsigned low, high, factor;
    int used;
    memset(out, 1, TACHO_LSD_UNROLL_MAX + 1);
    if (strcmp(text, "-") == 0)
        return true;
    while (*text) {
        if (sscanf(text, "%u-%u:%u%n", &low, &high, &factor, &used) != 3) {
            if (sscanf(text, "%u:%u%n", &low, &factor, &used) != 2)
                return false;
            high = low;
        }
        if (low > high || high > TACHO_LSD_UNROLL_MAX || factor < 1 || factor > 255)
            return false;
        for (unsigned i = low; i <= high; i++)
            out[i] = (uint8_t)factor;
        text += used;
        text += strspn(text, " ");
    }
    return true;
}

static bool parse_ports(const char *text, unsigned long *out)
{
    *out = 0;
    if (strcmp(text, "-") == 0)
        return true;
    for (const char *p = text; *p; p++) {
        int port = port_of_digit(*p);
        if (port < 0)
            return false;
        *out |= 1ul << port;
    }
    return *text;
}

static bool parse_number(size_t i, const char *text, unsigned long *out)
{
    char *end;
    if (parameters[i].type == TACHO_PARAMETER_SLOTS && strcmp(text, "unlimited") == 0) {
        *out = TACHO_SLOTS_UNLIMITED;
        return true;
    }
    if (*text < '0' || *text > '9')
        return false;
    *out = strtoul(text, &end, 10);
    return *end == '\0' && *out <= UINT16_MAX;
}

bool tacho_arch_parameter_parse(tacho_arch *arch, size_t i, const char *text)
{
    unsigned long n;
    char *at = (char *)arch + parameters[i].offset;
    switch (parameters[i].type) {
    case TACHO_PARAMETER_UNROLL: {
        uint8_t unroll[TACHO_LSD_UNROLL_MAX + 1];
        if (!parse_unroll(text, unroll))
            return false;
        memcpy(arch->lsd_unroll, unroll, sizeof unroll);
        return true;
    }
    case TACHO_PARAMETER_BOOL:
        if (strcmp(text, "yes") != 0 && strcmp(text, "no") != 0)
            return false;
        *(bool *)at = *text == 'y';
        return true;
    case TACHO_PARAMETER_PORTS:
        if (!parse_ports(text, &n))
            return false;
        break;
    default:
        if (!parse_number(i, text, &n))
            return false;
    }
    if (!in_range(i, n))
        return false;
    *(uint16_t *)(void *)at = (uint16_t)n;
    return true;
}

void tacho_arch_parameter_describe(const tacho_arch_parameter *p, uint32_t low, char *out, size_t size)
{
    switch (p->type) {
    case TACHO_PARAMETER_BOOL:
        snprintf(out, size, "yes or no");
        break;
    case TACHO_PARAMETER_PORTS:
        snprintf(out, size, "the ports' digits (237; 0-9, then a-f), or - for none");
        break;
    case TACHO_PARAMETER_UNROLL:
        snprintf(out, size, "factors by µops in the loop (\"1-4:8 5:6\", up to %d µops), or -",
                 TACHO_LSD_UNROLL_MAX);
        break;
    case TACHO_PARAMETER_POLICY:
        snprintf(out, size, "6, 8, 10, 12 or 16");
        break;
    default:
        snprintf(out, size, "a whole number from %u to %u%s", low, p->max,
                 p->type == TACHO_PARAMETER_SLOTS ? ", or unlimited" : "");
    }
}
