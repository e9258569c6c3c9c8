/* fuzz_assemble.c - assembly text for the library's own assembler: a byte of options, then the text. What it
 * makes of an instruction must decode to as many bytes; statements, symbols and fixups must lie in their
 * sections; problems must stand in the text. */
#include "fuzz.h"
#include "given.h"
#include "tacho/tacho.h"

static void check(int ok)
{
    if (!ok)
        abort();
}

/* Instructions that were prefixes alone are not decoded: what follows them decides. */
static int is_prefix(uint8_t byte)
{
    return (byte & 0xf0) == 0x40 || byte == 0x66 || byte == 0x67 || byte == 0xf0 || byte == 0xf2 ||
           byte == 0xf3 || byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x26 || byte == 0x64 ||
           byte == 0x65;
}

static void check_instruction(const uint8_t *bytes, size_t length)
{
    static tacho_insn *insn;
    tacho_error err;
    if (!insn)
        insn = tacho_insn_new();
    check(insn != NULL);
    if (!length || is_prefix(bytes[length - 1]) || bytes[0] == 0x9b)
        return;
    /* what the modelled cores lack is no mistake of the assembler */
    if (!tacho_decode(insn, bytes, length, &err))
        check(tacho_insn_length(insn) == length || is_prefix(bytes[0]));
}

static void check_statement(const tacho_assembly *a, const tacho_statement *s, const char *text, size_t size)
{
    check(s->section < a->section_count && s->line > 0 && s->column > 0 && s->text_length <= size);
    check(s->offset <= a->sections[s->section].byte_count);
    check(s->length <= a->sections[s->section].byte_count - s->offset);
    if (s->kind == TACHO_STATEMENT_INSTRUCTION)
        check_instruction(a->sections[s->section].bytes + s->offset, s->length);
    (void)text;
}

static void check_parts(const tacho_assembly *a, const char *text, size_t text_size)
{
    tacho_parts *found;
    tacho_error err = {.message = ""};
    if (tacho_assembly_parts(&found, a, text, text_size, &err)) {
        check(err.message[0]);
        return;
    }
    check(found->count > 0);
    for (size_t i = 0; i < found->count; i++) {
        const tacho_part *p = &found->parts[i];
        check(p->section < a->section_count && p->start <= p->end &&
              p->end <= a->sections[p->section].byte_count);
        check(p->line_first <= p->line_last && p->name);
        char note[300];
        tacho_parts_note(found, i, note, sizeof note);
    }
    tacho_parts_free(found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_assemble_options o = TACHO_ASSEMBLE_OPTIONS_INIT;
    given in = given_start(data, size);
    uint8_t how = given_byte(&in);
    size_t text_size;
    char *text = given_rest(&in, &text_size);
    tacho_assembly *a;
    tacho_error err = {.message = ""};
    o.syntax = (tacho_syntax)((how & 3) % 3);
    o.dialect = (tacho_dialect)(how >> 2 & 3);
    int result = tacho_assemble(&a, text, text_size, &o, &err);
    if (result) {
        check(err.message[0] && (!a || a->problem_count));
        for (size_t i = 0; a && i < a->problem_count; i++)
            check(a->problems[i].message[0] && a->problems[i].line && a->problems[i].column &&
                  a->problems[i].length);
    } else {
        check(a->section_count > 0 && !a->problem_count);
        for (size_t i = 0; i < a->statement_count; i++)
            check_statement(a, &a->statements[i], text, text_size);
        for (size_t i = 0; i < a->symbol_count; i++)
            check(a->symbols[i].name && (a->symbols[i].section < a->section_count ||
                                         a->symbols[i].section >= TACHO_SECTION_ABSOLUTE));
        for (size_t i = 0; i < a->fixup_count; i++) {
            const tacho_assembled_fixup *f = &a->fixups[i];
            check(f->section < a->section_count &&
                  (f->symbol < a->symbol_count || f->symbol == TACHO_SECTION_ABSOLUTE));
            check(f->offset + f->size <= a->sections[f->section].byte_count);
        }
        check_parts(a, text, text_size);
    }
    tacho_assembly_free(a);
    tacho_mem_free(text);
    return 0;
}
