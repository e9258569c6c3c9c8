/* writers.c - dependencies through registers and flags: who wrote each part of a register last.
 *
 * Parts are what instructions can write alone: the lowest byte of a general register, the second one, the
 * rest; of a vector register 128, the next 128 and the upper 256 bits. x87 registers are numbered from the
 * top of their stack. */
#include "model/deps/deps_internal.h"
#include "x86/decode/danger.h"
#include "x86/decode/regs.h"

enum {
    PARTS = 3,
    FIRST_GENERAL = 0,
    FIRST_VECTOR = FIRST_GENERAL + 16 * PARTS,
    FIRST_K = FIRST_VECTOR + VECTOR_REGISTERS * PARTS,
    FIRST_MM = FIRST_K + 8,
    FIRST_ST = FIRST_MM + 8,
    FIRST_BND = FIRST_ST + 8,
    FIRST_TMM = FIRST_BND + 4,
    FIRST_OTHER = FIRST_TMM + 8,
    FIRST_SEG = FIRST_OTHER + TACHO_OTHER_COUNT,
    END_OF_PARTS = FIRST_SEG + 6
};
_Static_assert((int)END_OF_PARTS <= (int)REGISTER_PARTS, "all parts have a place");

/* A register as a range of parts. */
typedef struct parts {
    unsigned first, count;
    tacho_reg whole; /* for people */
} parts;

static parts one(unsigned first, unsigned limit, tacho_reg r)
{
    return (parts){first + r.number % limit, 1, r};
}

static parts general_parts(tacho_reg r)
{
    unsigned first = FIRST_GENERAL + r.number % 16 * PARTS;
    tacho_reg whole = {TACHO_REG_R64, r.number};
    if (r.class_ == TACHO_REG_R8L)
        return (parts){first, 1, whole};
    if (r.class_ == TACHO_REG_R8H)
        return (parts){first + 1, 1, whole};
    return (parts){first, r.class_ == TACHO_REG_R16 ? 2 : 3, whole};
}

static parts parts_of(const writers *w, tacho_reg r)
{
    if (reg_is_general(r))
        return general_parts(r);
    if (reg_is_vector(r))
        return (parts){FIRST_VECTOR + r.number % VECTOR_REGISTERS * PARTS,
                       r.class_ == TACHO_REG_XMM   ? 1
                       : r.class_ == TACHO_REG_YMM ? 2
                                                   : 3,
                       r};
    switch (r.class_) {
    case TACHO_REG_K:
        return one(FIRST_K, 8, r);
    case TACHO_REG_MM:
        return one(FIRST_MM, 8, r);
    case TACHO_REG_ST:
        return (parts){FIRST_ST + (w->x87_top + r.number) % 8, 1, r};
    case TACHO_REG_BND:
        return one(FIRST_BND, 4, r);
    case TACHO_REG_TMM:
        return one(FIRST_TMM, 8, r);
    case TACHO_REG_OTHER:
        return one(FIRST_OTHER, TACHO_OTHER_COUNT, r);
    case TACHO_REG_SEG:
        return one(FIRST_SEG, 6, r);
    default:
        return (parts){0, 0, r};
    }
}

typedef struct place {
    writers *w;
    findings *f;
    const tacho_deps_options *options;
    uint32_t number, iteration;
} place;

/* From what wrote `writer` (less one) in that iteration, to here. */
static uint32_t distance_from(const place *p, uint32_t writer, uint32_t iteration)
{
    return p->w->counts ? p->w->counts[writer - 1] - iteration + (writer - 1 >= p->number)
                        : p->iteration - iteration;
}

static void read_register(const place *p, tacho_reg r)
{
    parts read = parts_of(p->w, r);
    for (unsigned i = 0; i < read.count && !p->options->no_registers; i++) {
        uint32_t writer = p->w->of[read.first + i].insn;
        if (!writer)
            continue;
        tacho_dependency d = {.source = writer - 1,
                              .target = p->number,
                              .distance = distance_from(p, writer, p->w->of[read.first + i].iteration),
                              .back = p->w->time - p->w->of[read.first + i].time,
                              .kind = TACHO_DEPENDENCY_REGISTER,
                              .reg = read.whole};
        findings_note(p->f, &d, p->iteration);
    }
}

static void write_register(const place *p, const tacho_insn *insn, tacho_reg r)
{
    parts written = parts_of(p->w, r);
    if (reg_is_vector(r) && insn->encoding != TACHO_ENC_LEGACY)
        written.count = PARTS; /* what is above is cleared */
    for (unsigned i = 0; i < written.count; i++) {
        p->w->of[written.first + i].insn = p->number + 1;
        p->w->of[written.first + i].iteration = p->iteration;
        p->w->of[written.first + i].time = p->w->time;
    }
}

static void read_operands(const place *p, const tacho_insn *insn, bool only_addresses)
{
    for (const tacho_operand *o = insn->operands; o < insn->operands + insn->operand_count; o++) {
        if (o->kind == TACHO_OPERAND_MEM || o->kind == TACHO_OPERAND_AGEN) {
            read_register(p, o->mem.base);
            read_register(p, o->mem.index);
            read_register(p, o->mem.segment);
        } else if (o->kind == TACHO_OPERAND_REG && o->access & (TACHO_READ | TACHO_CONDITIONAL) &&
                   !only_addresses)
            read_register(p, o->reg);
    }
}

/* Two groups are renamed apart; what reads both of one writer depends on it once. */
static void read_flags(const place *p, const tacho_insn *insn)
{
    uint32_t writers_seen[2] = {0, 0};
    for (int g = 0; g < 2; g++) {
        uint8_t bit = (uint8_t)(1 << g);
        uint32_t writer = insn->flags_read & bit ? p->w->flags[g].insn : 0;
        writers_seen[g] = writer;
        if (!writer || p->options->no_flags)
            continue;
        bool both =
            g == 1 && writers_seen[0] == writer && p->w->flags[0].iteration == p->w->flags[1].iteration;
        if (both)
            continue;
        bool other = g == 0 && insn->flags_read & TACHO_FLAG_SPAZO && p->w->flags[1].insn == writer &&
                     p->w->flags[1].iteration == p->w->flags[0].iteration;
        tacho_dependency d = {.source = writer - 1,
                              .target = p->number,
                              .distance = distance_from(p, writer, p->w->flags[g].iteration),
                              .back = p->w->time - p->w->flags[g].time,
                              .kind = TACHO_DEPENDENCY_FLAGS,
                              .flags = (uint8_t)(bit | (other ? TACHO_FLAG_SPAZO : 0))};
        findings_note(p->f, &d, p->iteration);
    }
}

static void write_flags(const place *p, const tacho_insn *insn)
{
    for (int g = 0; g < 2; g++)
        if (insn->flags_written >> g & 1) {
            p->w->flags[g].insn = p->number + 1;
            p->w->flags[g].iteration = p->iteration;
            p->w->flags[g].time = p->w->time;
        }
}

void writers_note(writers *w, findings *f, const tacho_deps_options *o, const tacho_insn *insn,
                  uint32_t number, uint32_t iteration)
{
    place p = {w, f, o, number, iteration};
    x87_stack depth = {0};
    tacho_x87_stack_step(&depth, insn);
    int x87 = depth.depth; /* of this instruction alone */
    read_operands(&p, insn, insn_waits_for_nothing(insn));
    read_flags(&p, insn);
    if (x87 > 0)
        w->x87_top = (w->x87_top + 8 - (unsigned)x87) % 8;
    for (int i = 0; i < insn->operand_count; i++)
        if (insn->operands[i].kind == TACHO_OPERAND_REG && insn->operands[i].access & TACHO_WRITE)
            write_register(&p, insn, insn->operands[i].reg);
    if (x87 < 0)
        w->x87_top = (w->x87_top + (unsigned)-x87) % 8;
    write_flags(&p, insn);
}
