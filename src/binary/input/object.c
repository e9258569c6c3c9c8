/* object.c - an object file, in memory, of what the library assembled: sections, symbols, relocations, and
 * the lines of its code as DWARF has them (versions 2 to 4, the parts that line tables need). So what reads
 * object files reads assembled text, too, whoever assembled it. */
#include <dwarf.h>

#include "base/mem.h"
#include "binary/input/elf_writer.h"
#include "binary/input/input.h"

typedef struct writer {
    const tacho_assembly *a;
    elf_writer elf;
    uint32_t *symbols;      /* of the assembly's: number in the object file, 0: the section's */
    uint32_t *first, *next; /* a list of statements for each section; numbers, plus 1 */
} writer;

static void put_leb(tacho_str *s, uint64_t value)
{
    do {
        unsigned char byte = value & 0x7f;
        value >>= 7;
        tacho_str_putc(s, (char)(byte | (value ? 0x80 : 0)));
    } while (value);
}

static void put_signed_leb(tacho_str *s, int64_t value)
{
    for (bool more = true; more;) {
        unsigned char byte = value & 0x7f;
        value >>= 7;
        more = !((value == 0 && !(byte & 0x40)) || (value == -1 && (byte & 0x40)));
        tacho_str_putc(s, (char)(byte | (more ? 0x80 : 0)));
    }
}

/* ---- sections and symbols ---- */

static void add_sections(writer *w)
{
    for (size_t i = 0; i < w->a->section_count; i++) {
        const tacho_assembled_section *s = &w->a->sections[i];
        uint64_t flags = SHF_ALLOC | (s->executable ? SHF_EXECINSTR : 0) | (s->writable ? SHF_WRITE : 0);
        elf_part *p = elf_writer_add(&w->elf, s->name, s->zeros ? SHT_NOBITS : SHT_PROGBITS, flags);
        p->bytes = s->bytes;
        p->size = s->byte_count;
        p->header.sh_addralign = s->alignment;
    }
}

static void add_symbol(writer *w, tacho_str *table, tacho_str *names, size_t i)
{
    const tacho_assembled_symbol *y = &w->a->symbols[i];
    unsigned binding = y->weak ? STB_WEAK : y->global ? STB_GLOBAL : STB_LOCAL;
    unsigned type = y->function ? STT_FUNC : y->object ? STT_OBJECT : STT_NOTYPE;
    w->symbols[i] = (uint32_t)(table->length / sizeof(Elf64_Sym));
    elf_put(table, names->length, 4);
    elf_put(table, ELF64_ST_INFO(binding, type), 1);
    elf_put(table, 0, 1);
    elf_put(table,
            y->section == TACHO_SECTION_NONE       ? SHN_UNDEF
            : y->section == TACHO_SECTION_ABSOLUTE ? SHN_ABS
                                                   : y->section + 1,
            2);
    elf_put(table, y->value, 8);
    elf_put(table, y->size, 8);
    tacho_str_append(names, y->name, strlen(y->name) + 1);
}

/* The sections' own symbols first, then local ones, then the others. @return the first of those */
static uint32_t add_symbols(writer *w, tacho_str *table, tacho_str *names)
{
    tacho_str_append(names, "", 1);
    for (unsigned i = 0; i < sizeof(Elf64_Sym); i++)
        tacho_str_putc(table, 0);
    for (size_t i = 0; i < w->a->section_count; i++) {
        elf_put(table, 0, 4);
        elf_put(table, ELF64_ST_INFO(STB_LOCAL, STT_SECTION), 2);
        elf_put(table, i + 1, 2);
        elf_put(table, 0, 8);
        elf_put(table, 0, 8);
    }
    uint32_t first = 0;
    for (int outer = 0; outer < 2; outer++) {
        if (outer)
            first = (uint32_t)(table->length / sizeof(Elf64_Sym));
        for (size_t i = 0; i < w->a->symbol_count; i++) {
            const tacho_assembled_symbol *y = &w->a->symbols[i];
            if ((y->global || y->weak) == outer && symbol_is_kept(y))
                add_symbol(w, table, names, i);
        }
    }
    return first;
}

/* ---- relocations ---- */

static void add_relocations(writer *w, size_t symbol_table)
{
    elf_part *p = NULL;
    for (size_t i = 0; i < w->a->fixup_count && !w->elf.failed; i++) {
        const tacho_assembled_fixup *f = &w->a->fixups[i];
        if (!i || f->section != w->a->fixups[i - 1].section) {
            p = elf_writer_add(&w->elf, NULL, SHT_RELA, SHF_INFO_LINK);
            tacho_format_fit(p->own_name, sizeof p->own_name, ".rela%s", w->a->sections[f->section].name);
            p->header.sh_link = (uint32_t)symbol_table;
            p->header.sh_info = f->section + 1;
            p->header.sh_entsize = sizeof(Elf64_Rela);
        }
        uint32_t symbol = 0;
        int64_t addend = f->addend;
        if (f->symbol < w->a->symbol_count) {
            const tacho_assembled_symbol *y = &w->a->symbols[f->symbol];
            symbol = w->symbols[f->symbol];
            if (!symbol && y->section < w->a->section_count) {
                symbol = y->section + 1;
                addend += (int64_t)y->value;
            }
        }
        elf_put(&p->text, f->offset, 8);
        elf_put(&p->text, ELF64_R_INFO((uint64_t)symbol, f->elf_type), 8);
        elf_put(&p->text, (uint64_t)addend, 8);
    }
}

/* ---- lines ---- */

static void relocate(tacho_str *rela, size_t offset, size_t section)
{
    elf_put(rela, offset, 8);
    elf_put(rela, ELF64_R_INFO((uint64_t)section + 1, R_X86_64_64), 8);
    elf_put(rela, 0, 8);
}

static void line_of(const tacho_statement *s, bool of_text, uint32_t *file, uint64_t *line)
{
    *file = of_text ? 1 : s->source_file;
    *line = of_text ? s->line : s->source_line;
}

/* One sequence: the lines of a section's instructions. */
static void put_sequence(const writer *w, tacho_str *out, tacho_str *rela, size_t section, bool of_text)
{
    uint64_t at = 0, line = 1;
    uint32_t file = 1;
    bool begun = false;
    for (uint32_t i = w->first[section]; i; i = w->next[i - 1]) {
        const tacho_statement *s = &w->a->statements[i - 1];
        uint64_t its;
        uint32_t its_file;
        if (s->kind != TACHO_STATEMENT_INSTRUCTION || (begun && s->offset < at))
            continue;
        line_of(s, of_text, &its_file, &its);
        if (!its || !its_file || (begun && its == line && its_file == file))
            continue;
        if (!begun) {
            const char set[] = {0, 9, DW_LNE_set_address};
            tacho_str_append(out, set, sizeof set);
            relocate(rela, out->length, section);
            elf_put(out, 0, 8);
            begun = true;
        }
        if (its_file != file) {
            tacho_str_putc(out, DW_LNS_set_file);
            put_leb(out, its_file);
            file = its_file;
        }
        tacho_str_putc(out, DW_LNS_advance_pc);
        put_leb(out, s->offset - at);
        tacho_str_putc(out, DW_LNS_advance_line);
        put_signed_leb(out, (int64_t)(its - line));
        tacho_str_putc(out, DW_LNS_copy);
        at = s->offset;
        line = its;
    }
    if (!begun)
        return;
    tacho_str_putc(out, DW_LNS_advance_pc);
    put_leb(out, w->a->sections[section].byte_count - at);
    const char end[] = {0, 1, DW_LNE_end_sequence};
    tacho_str_append(out, end, sizeof end);
}

static void put_line_header(const writer *w, tacho_str *out, bool of_text)
{
    static const char lengths[] = {0, 1, 1, 1, 1, 0, 0, 0, 1};
    elf_put(out, 0, 4); /* the length, later */
    elf_put(out, 2, 2);
    elf_put(out, 0, 4); /* of the rest of the header, later */
    size_t start = out->length;
    elf_put(out, 1, 1); /* bytes of the shortest instruction */
    elf_put(out, 1, 1); /* a line begins a statement */
    elf_put(out, 1, 1); /* line base, range: no special opcodes are used */
    elf_put(out, 1, 1);
    elf_put(out, 10, 1); /* the first of them */
    tacho_str_append(out, lengths, sizeof lengths);
    tacho_str_putc(out, 0); /* directories */
    size_t files = of_text ? 1 : w->a->source_file_count > 1 ? w->a->source_file_count - 1 : 0;
    for (size_t i = 1; i <= files; i++) {
        const char *name = of_text ? "{standard input}" : w->a->source_files[i];
        name = name && *name ? name : "?";
        tacho_str_append(out, name, strlen(name) + 1);
        tacho_str_append(out, "\0\0", 3); /* directory, time, length */
    }
    tacho_str_putc(out, 0);
    if (out->failed)
        return;
    uint64_t length = out->length - start;
    for (int i = 0; i < 4; i++)
        out->data[start - 4 + (size_t)i] = (char)(length >> 8 * i);
}

static bool has_lines(const writer *w, size_t section, bool of_text)
{
    for (uint32_t i = w->first[section]; i; i = w->next[i - 1]) {
        const tacho_statement *s = &w->a->statements[i - 1];
        if (s->kind == TACHO_STATEMENT_INSTRUCTION && (of_text || (s->source_line && s->source_file)))
            return true;
    }
    return false;
}

static void list_statements(writer *w)
{
    w->first = tacho_mem_zalloc(w->a->section_count + 1, sizeof *w->first);
    w->next = tacho_mem_zalloc(w->a->statement_count + 1, sizeof *w->next);
    w->elf.failed |= !w->first || !w->next;
    for (size_t i = w->a->statement_count; i-- > 0 && !w->elf.failed;) {
        uint32_t *first = &w->first[w->a->statements[i].section];
        w->next[i] = *first;
        *first = (uint32_t)i + 1;
    }
}

/* A unit for each section, which has its range and points to the one table of lines. */
static void put_unit(tacho_str *out, tacho_str *rela, size_t section, size_t length)
{
    size_t start = out->length;
    elf_put(out, 0, 4);
    elf_put(out, 4, 2);
    elf_put(out, 0, 4); /* abbreviations */
    elf_put(out, 8, 1);
    put_leb(out, 1);
    elf_put(out, 0, 4); /* the table of lines */
    relocate(rela, out->length, section);
    elf_put(out, 0, 8);
    elf_put(out, length, 8);
    tacho_str_append(out, "{standard input}", 17);
    uint64_t size = out->length - start - 4;
    for (int i = 0; i < 4 && !out->failed; i++)
        out->data[start + (size_t)i] = (char)(size >> 8 * i);
}

static void add_relocated(writer *w, const char *name, const char *rela_name, tacho_str text, tacho_str rela,
                          size_t symbol_table)
{
    elf_part *p = elf_writer_add(&w->elf, name, SHT_PROGBITS, 0);
    p->text = text;
    size_t number = w->elf.count;
    elf_part *r = elf_writer_add(&w->elf, rela_name, SHT_RELA, SHF_INFO_LINK);
    r->text = rela;
    r->header.sh_link = (uint32_t)symbol_table;
    r->header.sh_info = (uint32_t)number;
    r->header.sh_entsize = sizeof(Elf64_Rela);
    if (w->elf.failed) {
        tacho_str_free(&text);
        tacho_str_free(&rela);
    }
}

static void add_lines(writer *w, bool of_text, size_t symbol_table)
{
    static const char abbreviations[] = {1,
                                         DW_TAG_compile_unit,
                                         DW_CHILDREN_no,
                                         DW_AT_stmt_list,
                                         DW_FORM_sec_offset,
                                         DW_AT_low_pc,
                                         DW_FORM_addr,
                                         DW_AT_high_pc,
                                         DW_FORM_data8,
                                         DW_AT_name,
                                         DW_FORM_string,
                                         0,
                                         0,
                                         0};
    tacho_str lines = {0}, line_rela = {0}, units = {0}, unit_rela = {0};
    bool any = false;
    list_statements(w);
    for (size_t i = 0; i < w->a->section_count && !w->elf.failed; i++)
        any |= w->a->sections[i].executable && has_lines(w, i, of_text);
    if (!any)
        return;
    put_line_header(w, &lines, of_text);
    for (size_t i = 0; i < w->a->section_count; i++) {
        if (!w->a->sections[i].executable || !has_lines(w, i, of_text))
            continue;
        put_sequence(w, &lines, &line_rela, i, of_text);
        put_unit(&units, &unit_rela, i, w->a->sections[i].byte_count);
    }
    uint64_t length = lines.length - 4;
    for (int i = 0; i < 4 && !lines.failed; i++)
        lines.data[i] = (char)(length >> 8 * i);
    w->elf.failed |= lines.failed || line_rela.failed || units.failed || unit_rela.failed;
    elf_part *p = elf_writer_add(&w->elf, ".debug_abbrev", SHT_PROGBITS, 0);
    tacho_str_append(&p->text, abbreviations, sizeof abbreviations);
    if (w->elf.failed)
        tacho_str_free(&p->text);
    add_relocated(w, ".debug_info", ".rela.debug_info", units, unit_rela, symbol_table);
    add_relocated(w, ".debug_line", ".rela.debug_line", lines, line_rela, symbol_table);
}

int input_write_object(const input *in, const tacho_assembly *a, bool lines, char **object, size_t *size)
{
    writer w = {.a = a};
    TACHO_FREED tacho_str symbols = {0}, names = {0};
    w.symbols = tacho_mem_zalloc(a->symbol_count + 1, sizeof *w.symbols);
    if (!w.symbols)
        return tacho_no_memory(in->err);
    add_sections(&w);
    uint32_t first_global = add_symbols(&w, &symbols, &names);
    w.elf.failed |= symbols.failed || names.failed;
    size_t symbol_table = a->section_count + 1;
    elf_part *p = elf_writer_add(&w.elf, ".symtab", SHT_SYMTAB, 0);
    p->bytes = (const uint8_t *)symbols.data;
    p->size = symbols.length;
    p->header.sh_link = (uint32_t)symbol_table + 1;
    p->header.sh_info = first_global;
    p->header.sh_entsize = sizeof(Elf64_Sym);
    p->header.sh_addralign = 8;
    p = elf_writer_add(&w.elf, ".strtab", SHT_STRTAB, 0);
    p->bytes = (const uint8_t *)names.data;
    p->size = names.length;
    add_relocations(&w, symbol_table);
    add_lines(&w, lines, symbol_table);
    int failed = elf_writer_finish(&w.elf, ET_REL, object, size);
    TACHO_MEM_FREE(w.symbols, w.first, w.next);
    return failed ? tacho_no_memory(in->err) : 0;
}
