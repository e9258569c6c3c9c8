/* table_write.c - the tables as C. */
#include "table_parts.h"

#include <Zydis/Zydis.h>

#include "base/search.h"
#include "x86/arch/parameters.h"
#include "x86/decode/decode_names.h"

static FILE *out;

static void put_u16(const char *name, const uint16_t *items, size_t count)
{
    fprintf(out, "const uint16_t %s[] = {", name);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%u,", i % 24 ? "" : "\n", items[i]);
    fprintf(out, "\n};\n");
}

static void put_string(const char *s)
{
    fputc('"', out);
    for (; *s; s++)
        fprintf(out, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
    fputc('"', out);
}

/* Of Zydis's registers those that an assembler has; the others' names are nobody's. */
static bool has_name(ZydisRegister r)
{
    switch (ZydisRegisterGetClass(r)) {
    case ZYDIS_REGCLASS_INVALID:
    case ZYDIS_REGCLASS_FLAGS:
    case ZYDIS_REGCLASS_TEST:
    case ZYDIS_REGCLASS_TABLE:
        return false;
    case ZYDIS_REGCLASS_IP:
        return r != ZYDIS_REGISTER_IP;
    default:
        return true;
    }
}

ORDER_BY(by_key, register_name, key);

static void put_registers(void)
{
    register_name list[ZYDIS_REGISTER_MAX_VALUE];
    size_t count = 0;
    for (int r = 1; r <= ZYDIS_REGISTER_MAX_VALUE; r++)
        if (has_name((ZydisRegister)r)) {
            const ZydisShortString *name = ZydisRegisterGetStringWrapped((ZydisRegister)r);
            list[count++] = (register_name){tacho_register_key(name->data, name->size), (uint16_t)r};
        }
    tacho_sort(list, count, sizeof *list, by_key);
    fprintf(out,
            "const uint16_t tacho_gen_register_count = %zu;\nconst register_name tacho_gen_registers[] = {",
            count);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s{0x%llx, %u},", i % 6 ? " " : "\n", (unsigned long long)list[i].key, list[i].number);
    fprintf(out, "\n};\n");
}

/* tacho_mnemonic_name answers from a buffer here, hence the two passes. */
static void put_mnemonics(void)
{
    uint16_t count = 0;
    uint32_t offset = 0;
    while (strcmp(tacho_mnemonic_name(count), "INVALID") != 0 || count == 0)
        count++;
    fprintf(out, "const uint16_t tacho_gen_mnemonic_count = %u;\nconst char tacho_gen_mnemonic_text[] =\n",
            count);
    char last[64] = "";
    for (uint16_t i = 0; i < count; i++) {
        const char *name = tacho_mnemonic_name(i);
        fprintf(out, "\"%s\\0\"%s", name, i % 8 == 7 ? "\n" : "");
        if (i > 1 && strcmp(last, name) >= 0)
            die("the mnemonics are not in the order of the alphabet");
        snprintf(last, sizeof last, "%s", name);
    }
    fprintf(out, ";\nconst uint16_t tacho_gen_mnemonic_offset[] = {");
    for (uint16_t i = 0; i < count; i++) {
        fprintf(out, "%s%u,", i % 24 ? "" : "\n", offset);
        offset += (uint32_t)strlen(tacho_mnemonic_name(i)) + 1;
    }
    fprintf(out, "\n};\n");
    uint8_t *uses = calloc(count, 1);
    if (!uses)
        die("memory");
    for (size_t i = 0; i < form_count; i++) {
        form_key key = tacho_key_unpack(forms[i].key);
        uint8_t u = 0;
        if (key.opcode != KEY_NO_OPCODE)
            u |= GEN_USES_OPCODE;
        if (key.attr == ATTR_RM_LOW || key.attr == ATTR_RM_HIGH)
            u |= GEN_USES_RM;
        if (key.attr == ATTR_WORD || key.attr == ATTR_O64)
            u |= GEN_USES_WORD;
        if (key.attr == ATTR_REPE || key.attr == ATTR_REPNE)
            u |= GEN_USES_REP;
        if (key.attr >= ATTR_VECTOR && (key.attr - ATTR_VECTOR) & ATTR_EVEX)
            u |= GEN_USES_EVEX;
        for (unsigned k = 0; k < key.kind_count; k++) {
            bool fixed;
            tacho_kind_reg(key.kinds[k], &fixed);
            u |= fixed ? GEN_USES_FIXED : 0;
            u |= key.kinds[k] == KIND_ZERO ? GEN_USES_ZERO : 0;
        }
        uses[key.mnemonic] |= u;
    }
    fprintf(out, "const uint8_t tacho_gen_mnemonic_uses[] = {");
    for (uint16_t i = 0; i < count; i++)
        fprintf(out, "%s%u,", i % 24 ? "" : "\n", uses[i]);
    fprintf(out, "\n};\n");
    free(uses);
}

static void put_forms(void)
{
    fprintf(out, "const uint32_t tacho_gen_form_count = %zu;\nconst uint64_t tacho_gen_keys[] = {",
            form_count);
    for (size_t i = 0; i < form_count; i++)
        fprintf(out, "%s0x%llxu,", i % 6 ? "" : "\n", (unsigned long long)forms[i].key);
    fprintf(out, "\n0};\nconst gen_form tacho_gen_forms[] = {");
    for (size_t i = 0; i < form_count; i++)
        fprintf(out, "%s{%u,%u,%u},", i % 8 ? "" : "\n", forms[i].out.operands, forms[i].out.operand_count,
                forms[i].out.visible_encoding);
    fprintf(out, "\n{0,0,0}};\nconst uint32_t tacho_gen_hash_mask = %zu;\n", hash_size - 1);
    put_u16("tacho_gen_hash", hash_slots, hash_size);
    fprintf(out, "const tacho_form_operand tacho_gen_operands[] = {\n");
    for (size_t i = 0; i < operand_pool.count; i++) {
        const tacho_form_operand *o = &((const tacho_form_operand *)(const void *)operand_pool.items)[i];
        fprintf(out, "{%u,%u,%u,%u,%u,%u,{%u,%u},{%u,%u},{%u,%u}},\n", o->kind, o->access, o->visibility,
                o->flags_read, o->flags_written, o->width_bits, o->reg.class_, o->reg.number, o->base.class_,
                o->base.number, o->index.class_, o->index.number);
    }
    fprintf(out, "{0}};\n");
}

static void put_figures(void)
{
    fprintf(out, "const tacho_port_group tacho_gen_groups[] = {\n");
    for (size_t i = 0; i < tables.groups.count; i++) {
        const tacho_port_group *g = &((const tacho_port_group *)(const void *)tables.groups.items)[i];
        fprintf(out, "{%u,%u},\n", g->ports, g->count);
    }
    fprintf(out, "{0,0}};\nconst gen_variant tacho_gen_variants[] = {\n");
    for (size_t i = 0; i < tables.variants.count; i++) {
        const gen_variant *v = &((const gen_variant *)(const void *)tables.variants.items)[i];
        fprintf(out, "{%u,%u,%u,%u,%u,%u,%u,%u,%u,%u},\n", v->uops, v->slots, v->mite, v->ms, v->div, v->tp,
                v->groups, v->group_count, v->complex_decoder, v->simple);
    }
    fprintf(out, "{0}};\nconst tacho_latency tacho_gen_latencies[] = {\n");
    for (size_t i = 0; i < tables.latencies.count; i++) {
        const tacho_latency *l = &((const tacho_latency *)(const void *)tables.latencies.items)[i];
        fprintf(out, "{%u,%u,%d,%d,%d,%d,%d},\n", l->source, l->target, l->cycles, l->address,
                l->address_index, l->memory, l->same_register);
    }
    fprintf(out, "{0}};\nconst gen_figures tacho_gen_figures[] = {\n");
    for (size_t i = 0; i < tables.figures.count; i++) {
        const gen_figures *g = &((const gen_figures *)(const void *)tables.figures.items)[i];
        fprintf(out, "{%u,%u,%u,%u,%u,%u,%u,%u},\n", g->base, g->indexed, g->same, g->latencies, g->source,
                g->latency_count, g->fusion_group, g->locked);
    }
    fprintf(out, "{0}};\n");
}

static size_t put_row_sources(void)
{
    uint32_t offset = 0;
    fprintf(out, "const uint16_t tacho_gen_source_count = %zu;\nconst char tacho_gen_source_text[] =\n",
            row_source_count);
    for (size_t i = 0; i < row_source_count; i++) {
        put_string(row_sources[i].text);
        fprintf(out, "\"\\0\"\n");
    }
    fprintf(out, "\"\";\nconst gen_source tacho_gen_sources[] = {\n");
    for (size_t i = 0; i < row_source_count; i++) {
        fprintf(out, "{%u,0x%x},\n", offset, row_sources[i].origins);
        offset += (uint32_t)strlen(row_sources[i].text) + 1;
    }
    fprintf(out, "{0,0}};\n");
    return offset + row_source_count * sizeof(gen_source);
}

static void put_value(const arch *a, size_t i)
{
    tacho_arch_parameter p;
    tacho_arch_parameter_get(i, &p);
    fprintf(out, "  .arch.%s = ", p.name);
    if (p.type == TACHO_PARAMETER_UNROLL) {
        fprintf(out, "{");
        for (unsigned n = 0; n <= TACHO_LSD_UNROLL_MAX; n++)
            fprintf(out, "%u,", a->rows.values.lsd_unroll[n]);
        fprintf(out, "},\n");
    } else {
        fprintf(out, p.type == TACHO_PARAMETER_PORTS ? "0x%x,\n" : "%u,\n",
                (unsigned)tacho_arch_parameter_number(&a->rows.values, i));
    }
}

static void put_models(const char *list)
{
    char *text = copy(list), *words[ROWS_MAX_LIST];
    size_t n = strcmp(list, "-") == 0 ? 0 : rows_split(text, ' ', words, ROWS_MAX_LIST);
    for (size_t i = 0; i < n; i++) {
        gen_model m = {0};
        rows_model(words[i], &m);
        fprintf(out, "{0x%x, 0x%x, %u, %u}, ", m.first, m.last, m.first_stepping, m.last_stepping);
    }
    free(text);
}

static void put_strings(const char *list)
{
    char *text = copy(list), *words[ROWS_MAX_LIST];
    size_t n = strcmp(list, "-") == 0 ? 0 : rows_split(text, ' ', words, ROWS_MAX_LIST);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "\"%s\", ", words[i]);
    free(text);
}

/* Figures by form, in pages: microarchitectures that have the same figures for the forms of a page share it.
 */
static rows_pool page_pool = {.name = "pages of figures", .item = GEN_PAGE_FORMS * sizeof(uint16_t)};

static size_t put_pages(const char *name, const uint16_t *figures)
{
    size_t count = (form_count + GEN_PAGE_FORMS - 1) / GEN_PAGE_FORMS;
    uint16_t *pages = calloc(count + 1, sizeof *pages);
    if (!pages)
        die("memory");
    for (size_t i = 0; i < count; i++) {
        uint16_t page[GEN_PAGE_FORMS];
        for (size_t k = 0; k < GEN_PAGE_FORMS; k++)
            page[k] = i * GEN_PAGE_FORMS + k < form_count ? figures[i * GEN_PAGE_FORMS + k] : GEN_NONE;
        pages[i] = (uint16_t)pool_add(&page_pool, page, 1);
    }
    fprintf(out, "static ");
    put_u16(name, pages, count + 1);
    free(pages);
    return count * sizeof *pages;
}

static size_t put_sources(const char *name, const arch *a)
{
    uint16_t numbers[MAX_PATTERNS];
    size_t count = 0;
    for (size_t i = 0; i < pattern_count; i++) {
        numbers[i] = a->patterns[i].set ? (uint16_t)a->patterns[i].row_source : 0;
        if (a->patterns[i].set)
            count = i + 1;
    }
    fprintf(out, "static ");
    put_u16(name, numbers, count ? count : 1);
    return count * sizeof *numbers;
}

static void put_extension_sources(size_t i)
{
    fprintf(out, "static const char *const extensions_%zu[TACHO_EXTENSION_COUNT] = {0,\n", i);
    for (int e = 1; e < TACHO_EXTENSION_COUNT; e++) {
        if (!archs[i]->rows.extensions[e])
            continue;
        fprintf(out, "[%d] = ", e);
        put_string(archs[i]->rows.extensions[e]->text);
        fprintf(out, ",\n");
    }
    fprintf(out, "};\n");
}

static void put_extensions(const arch *a)
{
    unsigned long long bits[2] = {0, 0};
    for (unsigned e = 1; e < TACHO_EXTENSION_COUNT; e++)
        bits[e / 64] |= (unsigned long long)(a->rows.extensions[e] != NULL) << e % 64;
    fprintf(out, "  .arch.extensions = {0x%llx, 0x%llx},\n", bits[0], bits[1]);
}

/* What belongs to one microarchitecture; returns its size in bytes. */
static size_t put_parts(size_t i)
{
    const arch *a = archs[i];
    char name[64];
    tacho_arch_parameter p;
    snprintf(name, sizeof name, "pages_%zu", i);
    size_t bytes = put_pages(name, a->rows.figures);
    snprintf(name, sizeof name, "sources_%zu", i);
    bytes += put_sources(name, a);
    fprintf(out, "static const char *const aliases_%zu[] = {", i);
    put_strings(a->rows.names[ROWS_NAME_ALIASES]);
    fprintf(out, "0};\nstatic const char *const cores_%zu[] = {", i);
    put_strings(a->rows.names[ROWS_NAME_CORE]);
    put_strings(a->rows.names[ROWS_NAME_SAME_CORES]);
    fprintf(out, "0};\nstatic const gen_model models_%zu[] = {", i);
    put_models(a->rows.names[ROWS_NAME_CPUID_MODELS]);
    fprintf(out, "{GEN_NONE, 0, 0, 0}};\nstatic const gen_parameter parameters_%zu[] = {\n", i);
    for (size_t k = 0; tacho_arch_parameter_get(k, &p) == 0; k++) {
        fprintf(out, "{\"%s\", ", p.name);
        put_string(a->rows.value_sources[k]->text);
        fprintf(out, "},\n");
    }
    fprintf(out, "{0, 0}};\n");
    put_extension_sources(i);
    return bytes + sizeof(gen_arch);
}

static void put_archs(void)
{
    fprintf(out, "const uint32_t tacho_gen_arch_count = %zu;\nconst gen_arch tacho_gen_archs[] = {\n",
            arch_count);
    for (size_t i = 0; i < arch_count; i++) {
        const arch *a = archs[i];
        unsigned vendor = 0;
        long family = 0;
        rows_family(a->rows.names[ROWS_NAME_CPUID_FAMILY], &vendor, &family);
        fprintf(out, " {\n  .arch.name = \"%s\",\n  .arch.index = %zu,\n  .arch.long_name = ", a->rows.name,
                i);
        put_string(a->rows.names[ROWS_NAME_LONG]);
        fprintf(out, ",\n  .arch.table = ");
        put_string(a->rows.names[ROWS_NAME_TABLE]);
        fprintf(out, ",\n  .arch.compared = %d,\n", rows_compared(a->rows.names[ROWS_NAME_COMPARED]));
        put_extensions(a);
        for (size_t k = 0; k < tacho_arch_parameter_count(); k++)
            put_value(a, k);
        fprintf(out,
                "  .aliases = aliases_%zu, .cores = cores_%zu, .parameters = parameters_%zu, "
                ".extension_sources = extensions_%zu,\n"
                "  .models = models_%zu, .pages = pages_%zu, .sources = sources_%zu,\n"
                "  .vendor = %u, .family = %ld,\n"
                "  .fusion = {",
                i, i, i, i, i, i, i, vendor, family);
        for (unsigned g = 0; g < GEN_MAX_FUSION_GROUPS; g++)
            fprintf(out, "0x%x,", a->rows.fusion[g]);
        fprintf(out, "},\n },\n");
    }
    fprintf(out, "{.arch.name = 0}};\n");
}

void write_tables(const char *path, bool mnemonics, written *w)
{
    out = fopen(path, "w");
    if (!out)
        die(path);
    fprintf(out, "/* Generated by gen/tables.c from data/. */\n"
                 "#include \"x86/decode/decode_names.h\"\n#include \"x86/arch/tables.h\"\n");
    if (mnemonics) {
        put_mnemonics();
        put_registers();
    }
    put_forms();
    put_figures();
    w->source_bytes = put_row_sources();
    w->arch_bytes = calloc(arch_count + 1, sizeof *w->arch_bytes);
    if (!w->arch_bytes)
        die("memory");
    for (size_t i = 0; i < arch_count; i++)
        w->arch_bytes[i] = put_parts(i);
    put_u16("tacho_gen_pages", (const uint16_t *)(const void *)page_pool.items,
            page_pool.count * GEN_PAGE_FORMS);
    put_archs();
    if (ferror(out) | fclose(out))
        die(path);
    w->pages = page_pool.count;
    w->page_bytes = page_pool.count * page_pool.item;
}
