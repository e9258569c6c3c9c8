/* count_forms.c - which instruction forms programs have most of: makes data/frequency.txt.
 *
 *   tacho-count-forms BLOCKS.csv PROGRAM ... > data/frequency.txt
 *
 * BLOCKS.csv: a head, then a basic block a line in hexadecimal digits. Programs: ELF files, whose section
 * .text is decoded from its begin on. A form's share is the mean of its shares in both. */
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tacho/tacho.h>

enum {
    LINE_SIZE = 1 << 16,
    NAME_SIZE = 128
};

typedef struct counts {
    unsigned long *of_form, all;
} counts;

typedef struct share {
    uint32_t form;
    double value;
} share;

static counts start_counts(void)
{
    counts c = {.of_form = calloc(tacho_form_count(), sizeof *c.of_form)};
    if (!c.of_form)
        exit(1);
    return c;
}

/* Instructions one behind the other; a byte that begins none is passed over. */
static void count_code(counts *c, tacho_insn *insn, const uint8_t *code, size_t size)
{
    for (size_t at = 0; at < size;) {
        tacho_form form;
        tacho_figures figures;
        tacho_error err;
        if (tacho_decode(insn, code + at, size - at, &err)) {
            at++;
            continue;
        }
        at += tacho_insn_length(insn);
        form.operands = NULL;
        tacho_insndb_match(tacho_arch_get(0), insn, &form, &figures);
        if (!form.operands)
            continue;
        c->of_form[form.id]++;
        c->all++;
    }
}

static void count_blocks(counts *c, tacho_insn *insn, const char *path)
{
    static char line[LINE_SIZE];
    static uint8_t code[LINE_SIZE / 2];
    FILE *f = fopen(path, "r");
    if (!f || !fgets(line, sizeof line, f)) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(1);
    }
    while (fgets(line, sizeof line, f)) {
        size_t size = 0;
        for (unsigned byte; sscanf(line + 2 * size, "%2x", &byte) == 1; size++)
            code[size] = (uint8_t)byte;
        count_code(c, insn, code, size);
    }
    fclose(f);
}

static uint8_t *read_all(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    uint8_t *bytes = NULL;
    if (!f)
        return NULL;
    if (!fseek(f, 0, SEEK_END) && (*size = (size_t)ftell(f)) > sizeof(Elf64_Ehdr) &&
        (bytes = malloc(*size))) {
        rewind(f);
        if (fread(bytes, 1, *size, f) != *size) {
            free(bytes);
            bytes = NULL;
        }
    }
    fclose(f);
    return bytes;
}

static void count_text(counts *c, tacho_insn *insn, const uint8_t *image, size_t size)
{
    const Elf64_Ehdr *e = (const void *)image;
    if (memcmp(image, ELFMAG, SELFMAG) || e->e_machine != EM_X86_64 || !e->e_shoff ||
        e->e_shoff + (size_t)e->e_shnum * sizeof(Elf64_Shdr) > size || e->e_shstrndx >= e->e_shnum)
        return;
    const Elf64_Shdr *s = (const void *)(image + e->e_shoff);
    for (unsigned i = 0; i < e->e_shnum; i++) {
        size_t name = s[e->e_shstrndx].sh_offset + s[i].sh_name;
        if (name + sizeof ".text" <= size && !strcmp((const char *)image + name, ".text") &&
            s[i].sh_type == SHT_PROGBITS && s[i].sh_offset + s[i].sh_size <= size)
            count_code(c, insn, image + s[i].sh_offset, s[i].sh_size);
    }
}

static int by_share(const void *a, const void *b)
{
    const share *x = a, *y = b;
    return x->value != y->value ? (x->value < y->value) - (x->value > y->value)
                                : (x->form > y->form) - (x->form < y->form);
}

int main(int argc, char **argv)
{
    counts blocks = start_counts(), programs = start_counts();
    tacho_insn *insn = tacho_insn_new();
    share *shares = calloc(tacho_form_count(), sizeof *shares);
    if (argc < 3 || !insn || !shares) {
        fprintf(stderr, "usage: tacho-count-forms BLOCKS.csv PROGRAM ... > frequency.txt\n");
        return 2;
    }
    count_blocks(&blocks, insn, argv[1]);
    for (int i = 2; i < argc; i++) {
        size_t size = 0;
        uint8_t *image = read_all(argv[i], &size);
        if (image)
            count_text(&programs, insn, image, size);
        free(image);
    }
    for (uint32_t i = 0; i < tacho_form_count(); i++)
        shares[i] = (share){i, 5e8 * blocks.of_form[i] / (double)(blocks.all + !blocks.all) +
                                   5e8 * programs.of_form[i] / (double)(programs.all + !programs.all)};
    qsort(shares, tacho_form_count(), sizeof *shares, by_share);
    printf(
        "# Forms by their share of the instructions of BHive's blocks and of programs, parts in a thousand "
        "million.\n# Written by gen/count_forms.c; grammar: README.md\n");
    for (uint32_t i = 0; i < tacho_form_count() && shares[i].value > 0; i++) {
        char name[NAME_SIZE];
        tacho_form_name(shares[i].form, name, sizeof name);
        printf("%s\t%.0f\n", name, shares[i].value < 1 ? 1 : shares[i].value);
    }
    free(shares);
    free(blocks.of_form);
    free(programs.of_form);
    tacho_insn_free(insn);
    return 0;
}
