/* step_accesses.c - the memory that an instruction is about to access, by its operands and the registers. */
#include "binary/extract/branch.h"
#include "study/windows/windows.h"
#include "x86/decode/insn_struct.h"

enum {
    MOST_ACCESS_BYTES = 4096 /* what is larger (XSAVE) is not looked at by bytes */
};

size_t windows_accesses(const tacho_insn *insn, const struct user_regs_struct *registers,
                        step_access out[STEP_MAX_ACCESSES])
{
    const address_registers known = branch_registers(registers, registers->rip + insn->length);
    size_t n = 0;
    for (int store = 0; store < 2 && !insn->is_nop; store++)
        for (unsigned i = 0; i < insn->operand_count; i++) {
            const tacho_operand *o = &insn->operands[i];
            uint32_t bytes = o->width_bits / 8u;
            if (o->kind == TACHO_OPERAND_MEM && (o->access & (store ? TACHO_WRITE : TACHO_READ)) &&
                !o->mem.vsib && bytes && bytes <= MOST_ACCESS_BYTES && n < STEP_MAX_ACCESSES)
                out[n++] = (step_access){tacho_operand_address(o, &known), bytes, store};
        }
    return n;
}
