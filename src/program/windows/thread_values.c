/* thread_values.c - vector registers and memory of a thread that stands. Registers come in XSAVE's standard
 * form (Intel SDM volume 1, 13.4), whose parts lie where CPUID leaf 13 says. */
#include <cpuid.h>
#include <elf.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

#include "base/proc.h"
#include "binary/extract/branch.h"
#include "program/windows/windows.h"
#include "x86/decode/insn_struct.h"

enum {
    PART_SSE = 1,
    PART_AVX = 2,
    PART_ZMM_HIGH = 6, /* bytes 32..63 of the first 16 */
    PART_ZMM_16 = 7,   /* registers 16..31 */
    MXCSR_AT = 24,
    XMM_AT = 160,
    PARTS_AT = 512 /* which of them are not in their initial state (zeros) */
};

#ifndef NT_X86_XSTATE
#define NT_X86_XSTATE 0x202
#endif

static bool ask(thread_values *v)
{
    if (!v->asked) {
        struct iovec out = {v->state, sizeof v->state};
        v->asked = true;
        v->bytes = ptrace(PTRACE_GETREGSET, v->thread, (void *)NT_X86_XSTATE, &out) ? 0 : out.iov_len;
    }
    return v->bytes >= PARTS_AT + 8;
}

/* Copies bytes of a part that is there and not zeros. */
static void copy_part(thread_values *v, unsigned part, size_t at, void *out, size_t bytes)
{
    uint64_t parts;
    unsigned size, c, d;
    memcpy(&parts, v->state + PARTS_AT, sizeof parts);
    if (!(parts >> part & 1))
        return;
    if (part > PART_SSE && !v->begins[part] && !__get_cpuid_count(13, part, &size, &v->begins[part], &c, &d))
        return;
    if (v->begins[part] + at + bytes <= v->bytes)
        memcpy(out, v->state + v->begins[part] + at, bytes);
}

static bool vector_of(void *payload, unsigned number, uint8_t out[64])
{
    thread_values *v = payload;
    if (!ask(v) || number > 31)
        return false;
    memset(out, 0, 64);
    if (number > 15) {
        copy_part(v, PART_ZMM_16, 64 * (size_t)(number - 16), out, 64);
        return true;
    }
    copy_part(v, PART_SSE, XMM_AT + 16 * (size_t)number, out, 16);
    copy_part(v, PART_AVX, 16 * (size_t)number, out + 16, 16);
    copy_part(v, PART_ZMM_HIGH, 32 * (size_t)number, out + 32, 32);
    return true;
}

static bool mxcsr_of(void *payload, uint32_t *out)
{
    thread_values *v = payload;
    if (!ask(v))
        return false;
    memcpy(out, v->state + MXCSR_AT, sizeof *out);
    return true;
}

static bool memory_of(void *payload, uint64_t address, void *out, size_t bytes)
{
    const thread_values *v = payload;
    return proc_read_memory(v->process, address, out, bytes) == (ssize_t)bytes;
}

void thread_values_start(thread_values *v, pid_t process, pid_t thread, step_values *out)
{
    v->process = process;
    v->thread = thread;
    v->asked = false;
    *out = (step_values){.vector = vector_of, .mxcsr = mxcsr_of, .memory = memory_of, .payload = v};
}

/* the memory that an instruction is about to access, by its operands and the registers. */

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
