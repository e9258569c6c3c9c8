/* parameters.c - the members of tacho_arch as a table: names, units and ranges, read from and written as
 * text. The table generator reads data/arch/NAME/params.txt with it, the program --set. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "x86/arch/parameters.h"
#include "x86/arch/port_digits.h"
#include "x86/insndb/tables.h"

#define PARAMETER(member, type, low, high, unit)                                                             \
    {                                                                                                        \
#member, unit, type, low, high, offsetof(tacho_arch, member)                                         \
    }
#define NUMBER(member, low, high, unit) PARAMETER(member, TACHO_PARAMETER_NUMBER, low, high, unit)
#define YES_NO(member)                  PARAMETER(member, TACHO_PARAMETER_BOOL, 0, 1, "")
#define PORTS(member)                   PARAMETER(member, TACHO_PARAMETER_PORTS, 0, 0, "ports")

static const struct {
    const char *name, *unit;
    tacho_parameter_type type;
    uint32_t min, max;
    size_t offset;
} parameters[] = {
    NUMBER(predecode_block_bytes, 16, 64, "bytes"),
    NUMBER(predecode_width, 1, 32, "instructions a cycle"),
    NUMBER(predecode_taken_cycles, 0, 8, "cycles"),
    NUMBER(taken_branch_width, 1, 8, "branches a cycle"),
    NUMBER(iq_width, 1, 64, "instructions"),
    NUMBER(lcp_penalty_cycles, 0, 100, "cycles"),
    NUMBER(decoders, 1, 16, ""),
    NUMBER(decode_latency_cycles, 0, 100, "cycles"),
    YES_NO(fusible_on_last_decoder),
    YES_NO(fuses_at_line_start),
    YES_NO(pop_rsp_complex),
    YES_NO(pop_rsp_ends_decode),
    NUMBER(ms_width, 1, 16, "µops a cycle"),
    NUMBER(dsb_ms_stall_cycles, 0, 100, "cycles"),
    NUMBER(dsb_width, 2, 16, "fused µops a cycle"),
    NUMBER(dsb_block_bytes, 32, 64, "bytes"),
    NUMBER(dsb_lines_per_block, 1, 16, ""),
    NUMBER(dsb_line_uops, 4, 16, "µops"),
    YES_NO(dsb_by_entry),
    YES_NO(dsb_needs_both_halves),
    YES_NO(branch_ends_dsb_block),
    YES_NO(dsb_holds_copies),
    YES_NO(lsd_enabled),
    PARAMETER(lsd_unroll, TACHO_PARAMETER_UNROLL, 1, 255, "copies, by µops in the loop (else 1)"),
    NUMBER(idq_width, 1, GEN_MAX_IDQ_WIDTH, "fused µops"),
    NUMBER(issue_width, 1, 16, "fused µops a cycle"),
    NUMBER(unlaminated_entries, 1, 16, "entries of the µop queue"),
    PARAMETER(move_elim_slots_gpr, TACHO_PARAMETER_SLOTS, 0, 64, ""),
    PARAMETER(move_elim_slots_simd, TACHO_PARAMETER_SLOTS, 0, 64, ""),
    NUMBER(move_elim_pipeline_cycles, 1, 7, "cycles"),
    NUMBER(move_elim_except_slot, 0, 16, "fused µops"),
    YES_NO(move_elim_all_aliases),
    YES_NO(movzx_high8_alias_eliminated),
    YES_NO(high8_renamed_apart),
    NUMBER(ports, 1, TACHO_MAX_PORTS, ""),
    PARAMETER(port_policy, TACHO_PARAMETER_POLICY, TACHO_PORTS_6, TACHO_PORTS_AT_DISPATCH,
              "ports (rules of port assignment)"),
    NUMBER(port_margin, 1, 1000, "µops"),
    NUMBER(port_counts_age_cycles, 0, 1, "cycles"),
    PORTS(load_ports),
    PORTS(store_address_ports),
    PORTS(store_data_ports),
    PORTS(simd_disabled_with_zmm_ports),
    PORTS(not_taken_branch_ports),
    PORTS(store_data_alu_ports),
    PORTS(alu_ports),
    NUMBER(rob_width, 2, 600, "fused µops"),
    NUMBER(rs_width, 2, 400, "µops"),
    NUMBER(alu_scheduler_width, 0, 128, "µops"),
    NUMBER(address_scheduler_width, 0, 128, "µops"),
    NUMBER(vector_scheduler_width, 0, 128, "µops"),
    PORTS(vector_second_ports),
    NUMBER(vector_release_cycles, 0, 16, "cycles"),
    NUMBER(vector_store_scheduler_width, 0, 128, "µops"),
    NUMBER(vector_queue_width, 0, 127, "µops"),
    NUMBER(retire_width, 1, 64, "fused µops a cycle"),
    NUMBER(issue_to_dispatch_cycles, 1, 64, "cycles"),
    NUMBER(load_latency_cycles, 1, 64, "cycles"),
    NUMBER(scaled_index_cycles, 0, 8, "cycles"),
    NUMBER(store_forward_cycles, 0, 100, "cycles"),
    NUMBER(store_forward_vector_cycles, 0, 100, "cycles"),
    YES_NO(renames_memory),
    NUMBER(blocked_load_cycles, 0, 100, "cycles"),
    NUMBER(alias_4k_cycles, 0, 100, "cycles"),
    NUMBER(store_buffer_width, 16, 200, "stores"),
    YES_NO(averages_after_filling),
    YES_NO(vector_loads_as_measured),
    NUMBER(fp_add_forward_cycles, 0, 3, "cycles"),
    YES_NO(fast_pointer_chasing),
    YES_NO(mem256_two_cycles),
    YES_NO(dsb_second_line_fits),
    YES_NO(dsb_extra_slots),
    YES_NO(dsb_extra_slot_ends_cycle),
    YES_NO(paired_stores_same_line),
    NUMBER(mispredict_cycles, 1, 100, "cycles"),
    NUMBER(branch_history, 1, 1000, "taken branches"),
    NUMBER(branch_entries, 64, 65535, "branches with a history"),
    NUMBER(store_gather_lines, 0, 16, "lines"),
    YES_NO(load_bank_conflicts),
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
               value == TACHO_PORTS_AT_DISPATCH;
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
