/* tables.c - reads and checks the text tables in data/ and writes them as one C source for the library.
 *
 *   tacho-gen-tables [--no-mnemonics] DATA_DIR OUT.c
 *   tacho-gen-tables --row CORE FORM DATA_DIR: where the form's figures stand; nothing is written
 *
 * Grammar of the tables: data/README.md. Every problem is reported with file, line and reason; then nothing
 * is written. Equal variants, latency lists, operand lists and figures are stored once. */
#include "table_parts.h"

#include <stdlib.h>
#include <string.h>

#include "x86/arch/parameters.h"

static void print_sizes(const written *w)
{
    size_t form_bytes = form_count * (sizeof(uint64_t) + sizeof(gen_form)) + hash_size * 2 +
                        operand_pool.count * operand_pool.item;
    size_t figure_bytes =
        tables.figures.count * tables.figures.item + tables.latencies.count * tables.latencies.item +
        tables.variants.count * tables.variants.item + tables.groups.count * tables.groups.item;
    printf("%zu forms: %zu bytes (%zu operands)\n", form_count, form_bytes, operand_pool.count);
    printf("figures, shared by all microarchitectures: %zu bytes (%zu records, %zu latencies, %zu variants); "
           "sources: %zu bytes (%zu)\n",
           figure_bytes, tables.figures.count, tables.latencies.count, tables.variants.count, w->source_bytes,
           row_source_count);
    printf("which figures: %zu bytes (%zu pages)\n", w->page_bytes, w->pages);
    for (size_t i = 0; i < arch_count; i++)
        printf("%s: %zu forms, %zu bytes of its own\n", archs[i]->rows.name, archs[i]->rows.form_count,
               w->arch_bytes[i]);
}

static int print_row(const char *core, const char *form)
{
    const arch *a = arch_find(core);
    for (size_t id = 0; a && id < form_count; id++) {
        const row_place *p = &a->places[id];
        if (strcmp(forms[id].name, form) != 0 || !p->file)
            continue;
        printf("%s:%zu%s\n", p->file, p->line, p->inherited ? " (inherited)" : "");
        return 0;
    }
    if (a)
        fprintf(stderr, "%s has no figures of '%s'; tacho insn finds the names of forms\n", core, form);
    else
        fprintf(stderr, "there is no core %s\n", core);
    return 1;
}

int main(int argc, char **argv)
{
    bool mnemonics = true, sizes = true;
    const char *core = NULL, *form = NULL;
    for (; argc > 1 && argv[1][0] == '-'; argv++, argc--) {
        if (strcmp(argv[1], "--no-mnemonics") == 0)
            mnemonics = false; /* for tests: the decoder's whole list would hide what they are about */
        else if (strcmp(argv[1], "--quiet") == 0)
            sizes = false;
        else if (strcmp(argv[1], "--row") == 0 && argc > 3) {
            core = argv[2];
            form = argv[3];
            argv += 2;
            argc -= 2;
        } else
            break;
    }
    if (argc != (core ? 2 : 3)) {
        fprintf(stderr, "usage: tacho-gen-tables [--no-mnemonics] [--quiet] DATA_DIR OUT.c\n"
                        "       tacho-gen-tables --row CORE FORM DATA_DIR\n");
        return 2;
    }
    if (tacho_arch_parameter_count() > ROWS_MAX_PARAMETERS) {
        fprintf(stderr, "tacho-gen-tables: more than %d parameters\n", ROWS_MAX_PARAMETERS);
        return 1;
    }
    rows_tables_init(&tables);
    tables.find_form = form_find;
    tables.operand_count = form_operand_count;
    tables.sources_name = "sources.txt";
    tables.forms_name = "forms.txt";
    tables.fusion_name = "fusion.txt";
    read_sources(argv[1]);
    read_forms(argv[1], "forms.txt", false);
    read_forms(argv[1], "forms_extra.txt", true);
    read_archs(argv[1]);
    if (form_count >= GEN_NONE) {
        fprintf(stderr, "tacho-gen-tables: too many forms\n");
        return 1;
    }
    if (problems) {
        fprintf(stderr, "tacho-gen-tables: %u problems; nothing written\n", problems);
        return 1;
    }
    if (core)
        return print_row(core, form);
    written w;
    write_tables(argv[2], mnemonics, &w);
    if (sizes)
        print_sizes(&w);
    free(w.arch_bytes);
    return 0;
}
