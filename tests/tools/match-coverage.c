/* match-coverage.c - which instructions of a suite have no form.
 *
 *   match-coverage FILE.csv ARCH
 *
 * FILE's first column is code in hex. Lists the distinct instructions (by text, branch targets relative) that
 * find no figures on ARCH, with how often they occur, and the share of distinct instructions that do find
 * some. AVX-512 instructions do not count where ARCH has no EVEX forms at all. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tacho/arch.h"
#include "tacho/decode.h"
#include "tacho/insndb.h"

typedef struct entry {
    char *text, hex[2 * TACHO_MAX_INSN_BYTES + 1];
    unsigned long count;
    int status; /* of the match */
    bool avx512;
} entry;

static entry *table;
static size_t slots = 1 << 16, used;

static size_t hash_of(const char *s)
{
    size_t h = 14695981039346656037u;
    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * 1099511628211u;
    return h ^ h >> 29;
}

static entry *slot_of(entry *in, size_t count, const char *text)
{
    size_t s = hash_of(text);
    while (in[s & (count - 1)].text && strcmp(in[s & (count - 1)].text, text) != 0)
        s++;
    return &in[s & (count - 1)];
}

static void enlarge(void)
{
    entry *bigger = calloc(2 * slots, sizeof *bigger);
    if (!bigger)
        exit(1);
    for (size_t i = 0; i < slots; i++)
        if (table[i].text)
            *slot_of(bigger, 2 * slots, table[i].text) = table[i];
    free(table);
    table = bigger;
    slots *= 2;
}

static bool has_evex(const tacho_arch *arch)
{
    uint32_t id;
    tacho_figures figures;
    return tacho_form_find("VADDPS (ZMM, ZMM, ZMM)", &id, NULL) == 0 &&
           tacho_form_figures(arch, id, &figures) == 0;
}

static void count_insn(const tacho_arch *arch, const tacho_insn *insn)
{
    char text[256];
    tacho_form form;
    tacho_figures figures;
    tacho_insn_format(insn, 0, 1, text, sizeof text);
    entry *e = slot_of(table, slots, text);
    if (!e->text) {
        e->text = strdup(text);
        for (unsigned i = 0; i < insn->length; i++)
            sprintf(e->hex + 2 * i, "%02x", insn->bytes[i]);
        e->status = tacho_insndb_match(arch, insn, &form, &figures);
        e->avx512 = insn->encoding == TACHO_ENC_EVEX;
        for (unsigned i = 0; i < insn->operand_count; i++)
            e->avx512 |= insn->operands[i].reg.class_ == TACHO_REG_K;
        used++;
    }
    e->count++;
    if (2 * used > slots)
        enlarge();
}

static int by_count(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (!x->text || !y->text)
        return (y->text != NULL) - (x->text != NULL);
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : strcmp(x->text, y->text);
}

static size_t bytes_of(const char *line, uint8_t *out, size_t size)
{
    size_t n = 0;
    unsigned byte;
    while (n < size && isxdigit((unsigned char)line[0]) && isxdigit((unsigned char)line[1]) &&
           sscanf(line, "%2x", &byte) == 1) {
        out[n++] = (uint8_t)byte;
        line += 2;
    }
    return n;
}

int main(int argc, char **argv)
{
    char *line = NULL;
    size_t size = 0, unsupported = 0, missing = 0;
    unsigned long total = 0, total_missing = 0, undecodable = 0;
    static uint8_t bytes[1 << 16];
    tacho_error err;
    if (argc != 3) {
        fprintf(stderr, "usage: match-coverage FILE.csv ARCH\n");
        return 2;
    }
    const tacho_arch *arch = tacho_arch_find(argv[2], &err);
    FILE *in = fopen(argv[1], "r");
    table = calloc(slots, sizeof *table);
    if (!arch || !in || !table) {
        fprintf(stderr, "match-coverage: %s\n", !arch ? err.message : argv[1]);
        return 2;
    }
    while (getline(&line, &size, in) > 0) {
        tacho_insn insn;
        size_t n = bytes_of(line, bytes, sizeof bytes);
        for (size_t at = 0; at < n; at += insn.length) {
            if (tacho_decode(&insn, bytes + at, n - at, &err)) {
                undecodable++;
                break;
            }
            count_insn(arch, &insn);
        }
    }
    bool evex = has_evex(arch);
    qsort(table, slots, sizeof *table, by_count);
    for (size_t i = 0; i < used; i++) {
        if (table[i].avx512 && !evex) {
            unsupported++;
            continue;
        }
        total += table[i].count;
        if (table[i].status == 0)
            continue;
        missing++;
        total_missing += table[i].count;
        printf("%8lu  %-30s %s\n", table[i].count, table[i].hex, table[i].text);
    }
    size_t distinct = used - unsupported;
    printf("%s: %zu of %zu distinct instructions have figures (%.4f %%); of all %lu, %.4f %%; "
           "%zu distinct not of this microarchitecture; %lu blocks with bytes that do not decode\n",
           tacho_arch_name(arch), distinct - missing, distinct,
           100.0 * (double)(distinct - missing) / (double)distinct, total,
           100.0 * (double)(total - total_missing) / (double)total, unsupported, undecodable);
    return 0;
}
