/* model_tool_write.c - a block as other tools read it: assembly, hex, bytes, an object file. */

#include "base/mem.h"
#include "base/names.h"
#include "binary/input/elf_writer.h"
#include "study/models/models_internal.h"
#include "x86/decode/assembly.h"

/* What IACA looks for: mov ebx, 111 (222); fs addr32 nop. */
static const char iaca_start[] = "\xbb\x6f\x00\x00\x00\x64\x67\x90",
                  iaca_end[] = "\xbb\xde\x00\x00\x00\x64\x67\x90";
enum {
    MARKER_BYTES = 8
};

NAMES_OF(tool_input_name, tool_input, "", "asm-att", "asm-intel", "hex", "raw", "object")

bool tool_ends_in_branch(const tacho_model_block *block)
{
    bool branch = false;
    for (size_t at = 0; at < block->size;) {
        tacho_insn insn;
        if (tacho_decode(&insn, block->code + at, block->size - at, NULL))
            break;
        branch = insn.is_branch;
        at += insn.length;
    }
    return branch;
}

/* ---- assembly ---- */

/* Where a relative branch that ends at `end` goes to; -1 for other instructions. */
static int64_t target_of(const tacho_insn *insn, size_t end)
{
    if ((insn->is_branch || insn->is_call) && insn->operands[0].kind == TACHO_OPERAND_REL)
        return (int64_t)end + insn->operands[0].imm;
    return -1;
}

enum {
    START = 1, /* an instruction starts at this byte */
    LABEL = 2  /* and a branch of the block goes there */
};

/* The next instruction, from *at on. @return 0; TACHO_ERR_INPUT: there is none */
static int next_insn(tacho_insn *insn, const tacho_model_block *block, size_t *at, tacho_error *err)
{
    int rc = tacho_decode(insn, block->code + *at, block->size - *at, err);
    if (rc)
        return tacho_error_set(err, rc, "offset 0x%zx is no instruction", *at);
    *at += insn->length;
    return 0;
}

static bool is_place(const tacho_model_block *block, int64_t place)
{
    return place >= 0 && (uint64_t)place < block->size;
}

static int find_labels(uint8_t *places, const tacho_model_block *block, tacho_error *err)
{
    tacho_insn insn;
    for (size_t at = 0; at < block->size;) {
        places[at] = START;
        int rc = next_insn(&insn, block, &at, err);
        if (rc)
            return rc;
    }
    for (size_t at = 0; at < block->size;) {
        int rc = next_insn(&insn, block, &at, err);
        int64_t target = target_of(&insn, at);
        if (!rc && is_place(block, target) && places[target] & START)
            places[target] |= LABEL;
    }
    return 0;
}

static int write_lines(tacho_str *out, tacho_syntax syntax, const tacho_model_block *block,
                       const uint8_t *places, tacho_error *err)
{
    for (size_t at = 0; at < block->size;) {
        tacho_insn insn;
        char text[256], label[40];
        size_t start = at;
        int rc = next_insn(&insn, block, &at, err);
        if (rc)
            return rc;
        int64_t target = target_of(&insn, at);
        if (is_place(block, target) && places[target] & LABEL)
            snprintf(label, sizeof label, ".L%llx", (unsigned long long)target);
        else /* no label has this name: some other place */
            snprintf(label, sizeof label, "elsewhere");
        if (tacho_insn_assembly(&insn, syntax, label, text, sizeof text))
            return tacho_error_set(err, TACHO_ERR_INPUT, "the instruction at offset 0x%zx cannot be written",
                                   start);
        if (places[start] & LABEL)
            tacho_str_printf(out, ".L%zx:\n", start);
        tacho_str_printf(out, "\t%s\n", text);
    }
    return 0;
}

static int write_assembly(tacho_str *out, tacho_syntax syntax, const tacho_model_block *block,
                          tacho_error *err)
{
    TACHO_MEM_FREED uint8_t *places = tacho_mem_zalloc(block->size + 1, 1);
    if (!places)
        return tacho_no_memory(err);
    return find_labels(places, block, err) ?: write_lines(out, syntax, block, places, err);
}

/* ---- bytes ---- */

static void write_bytes(tacho_str *out, bool markers, const tacho_model_block *block)
{
    if (markers)
        tacho_str_append(out, iaca_start, MARKER_BYTES);
    tacho_str_append(out, (const char *)block->code, block->size);
    if (markers)
        tacho_str_append(out, iaca_end, MARKER_BYTES);
}

static void write_object(tacho_str *out, bool markers, const tacho_model_block *block)
{
    elf_writer w = {0};
    elf_part *code = elf_writer_add(&w, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR);
    TACHO_MEM_FREED char *file = NULL;
    size_t size;
    if (!w.failed)
        write_bytes(&code->text, markers, block);
    if (elf_writer_finish(&w, ET_REL, &file, &size)) {
        out->failed = true;
        return;
    }
    tacho_str_append(out, file, size);
}

int tool_write(tacho_str *out, const tool_description *tool, const tacho_model_block *block, tacho_error *err)
{
    bool intel = tool->input == TOOL_ASM_INTEL;
    int rc = 0;
    tacho_str_clear(out);
    switch (tool->input) {
    case TOOL_HEX:
        tacho_str_hex(out, block->code, block->size);
        tacho_str_putc(out, '\n');
        break;
    case TOOL_RAW:
        write_bytes(out, tool->iaca_markers, block);
        break;
    case TOOL_OBJECT:
        write_object(out, tool->iaca_markers, block);
        break;
    default:
        if (intel)
            tacho_str_puts(out, "\t.intel_syntax noprefix\n");
        tacho_str_puts(out, tool->before ? tool->before : "");
        rc = write_assembly(out, intel ? TACHO_SYNTAX_INTEL : TACHO_SYNTAX_ATT, block, err);
        tacho_str_puts(out, tool->after ? tool->after : "");
    }
    return out->failed ? tacho_no_memory(err) : rc;
}
