/* standard.c - divisions of the blocks by what can be seen in them: their length, their instructions. */

#include "base/mem.h"
#include "study/eval/eval_internal.h"
#include "x86/decode/insn_struct.h"
#include "x86/decode/ops.h"

/* ---- length ---- */

/* Instructions: from the one before (excluded) to this many. Narrow where most blocks are. */
static const struct {
    size_t most;
    const char *name;
} lengths[] = {{1, "1"},   {2, "2"},      {3, "3"},      {4, "4"},      {6, "5-6"},
               {9, "7-9"}, {14, "10-14"}, {24, "15-24"}, {49, "25-49"}, {SIZE_MAX, "50 and more"}};
enum {
    LENGTHS = sizeof lengths / sizeof *lengths
};

/* ---- content ---- */

static bool is_vector(const tacho_reg *r)
{
    return r->class_ == TACHO_REG_XMM || r->class_ == TACHO_REG_YMM || r->class_ == TACHO_REG_ZMM ||
           r->class_ == TACHO_REG_MM;
}

static bool any_operand(const tacho_insn *insn, bool (*is)(const tacho_operand *))
{
    for (size_t i = 0; i < insn->operand_count; i++)
        if (is(&insn->operands[i]))
            return true;
    return false;
}

static bool is_loaded(const tacho_operand *o)
{
    return o->kind == TACHO_OPERAND_MEM && o->access & TACHO_READ;
}

static bool is_stored(const tacho_operand *o)
{
    return o->kind == TACHO_OPERAND_MEM && o->access & TACHO_WRITE;
}

static bool is_vector_register(const tacho_operand *o)
{
    return o->kind == TACHO_OPERAND_REG && is_vector(&o->reg);
}

static bool is_x87_register(const tacho_operand *o)
{
    return o->kind == TACHO_OPERAND_REG && o->reg.class_ == TACHO_REG_ST;
}

static bool loads(const tacho_insn *insn)
{
    return any_operand(insn, is_loaded);
}

static bool stores(const tacho_insn *insn)
{
    return any_operand(insn, is_stored);
}

static bool uses_vectors(const tacho_insn *insn)
{
    return any_operand(insn, is_vector_register);
}

static bool uses_x87(const tacho_insn *insn)
{
    return any_operand(insn, is_x87_register);
}

/* MOV, MOVZX, MOVAPS, VMOVDQA ... from one register to another. */
static bool moves_register(const tacho_insn *insn)
{
    return insn_is(insn, INSN_MOVES) && insn->visible_count == 2 &&
           insn->operands[0].kind == TACHO_OPERAND_REG && insn->operands[1].kind == TACHO_OPERAND_REG;
}

static bool divides(const tacho_insn *insn)
{
    return insn_is(insn, INSN_DIVIDES | INSN_RECIPROCAL_ROOT);
}

static bool branches(const tacho_insn *insn)
{
    return insn->is_branch || insn->is_call || insn->is_ret;
}

/* A block is in each group of which it has an instruction. */
static const struct {
    const char *name;
    bool (*has)(const tacho_insn *insn);
} contents[] = {{"loads", loads},          {"stores", stores}, {"register moves", moves_register},
                {"vectors", uses_vectors}, {"x87", uses_x87},  {"divisions and roots", divides},
                {"branches", branches}};
enum {
    CONTENTS = sizeof contents / sizeof *contents
};

/* ---- both ---- */

/* What a block is put into groups by. */
typedef struct traits {
    size_t insns;     /* 0: a byte is no code */
    uint32_t content; /* bits 1 << a place in contents[] */
} traits;

static traits traits_of(const uint8_t *code, size_t size)
{
    traits t = {0};
    tacho_insn insn;
    for (size_t at = 0; at < size; at += insn.length, t.insns++) {
        if (tacho_decode(&insn, code + at, size - at, NULL))
            return (traits){0};
        for (size_t c = 0; c < CONTENTS; c++)
            t.content |= (uint32_t)contents[c].has(&insn) << c;
    }
    return t;
}

/* The groups that blocks are put into: bits 1 << place in lengths[] or contents[]. */
typedef uint32_t (*groups_of)(const traits *t);

static uint32_t length_groups(const traits *t)
{
    uint32_t l = 0;
    while (t->insns > lengths[l].most)
        l++;
    return t->insns ? 1u << l : 0;
}

static uint32_t content_groups(const traits *t)
{
    return t->content;
}

static int put_blocks(tacho_eval *e, int grouping, const uint32_t *of_block, const char *const *names,
                      size_t name_count, tacho_error *err)
{
    uint32_t seen = 0;
    int result = 0;
    for (size_t i = 0; i < e->result.block_count; i++)
        seen |= of_block[i];
    for (size_t g = 0; !result && g < name_count; g++) /* in this order, whoever comes first */
        if (seen >> g & 1)
            result = tacho_eval_add_group(e, grouping, names[g], err);
    for (size_t i = 0; i < e->result.block_count; i++)
        for (size_t g = 0; !result && g < name_count; g++)
            if (of_block[i] >> g & 1)
                result = tacho_eval_put(e, grouping, (int64_t)i, names[g], err);
    return result;
}

/* @return the grouping's number, or an error */
static int group_by(tacho_eval *e, const char *name, groups_of groups, const char *const *names,
                    size_t name_count, tacho_error *err)
{
    eval_code code = {0};
    long size = 0;
    int grouping = tacho_eval_add_grouping(e, name, err);
    if (grouping < 0)
        return grouping;
    TACHO_MEM_FREED uint32_t *of_block = tacho_mem_zalloc(e->result.block_count + 1, sizeof *of_block);
    for (size_t i = 0; of_block && size != -2 && i < e->result.block_count; i++) {
        size = eval_code_of(&e->blocks[i], &code);
        traits t = size > 0 ? traits_of(code.data, (size_t)size) : (traits){0};
        of_block[i] = groups(&t);
    }
    int result = of_block && size != -2 ? put_blocks(e, grouping, of_block, names, name_count, err)
                                        : tacho_no_memory(err);
    tacho_mem_free(code.data);
    return result ? result : grouping;
}

int tacho_eval_group_by_length(tacho_eval *e, tacho_error *err)
{
    const char *names[LENGTHS];
    for (size_t l = 0; l < LENGTHS; l++)
        names[l] = lengths[l].name;
    return group_by(e, "length", length_groups, names, LENGTHS, err);
}

int tacho_eval_group_by_content(tacho_eval *e, tacho_error *err)
{
    const char *names[CONTENTS];
    for (size_t c = 0; c < CONTENTS; c++)
        names[c] = contents[c].name;
    return group_by(e, "content", content_groups, names, CONTENTS, err);
}
