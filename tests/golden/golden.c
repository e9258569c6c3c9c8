/* golden.c - predictions of a fixed corpus against those that were committed: a change of the model shows as
 * a list of blocks. Nothing says that the committed ones are right.
 *
 *   golden [--update] FILE
 *
 * A line: hex, then cycles for SKL unroll, SKL loop, ICX unroll, ICX loop. For loops `dec r15; jnz` is
 * appended. --update rewrites the file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../support/support.h"

enum {
    COLUMNS = 4,
    SHOWN = 40
};

typedef struct golden {
    tacho_predictor *predictor;
    const tacho_arch *arch[2];
    FILE *out; /* --update */
    long compared, different;
    double ratio[COLUMNS]; /* sum of logarithms of new to old */
} golden;

static const char *const names[COLUMNS] = {"SKL unroll", "SKL loop", "ICX unroll", "ICX loop"};

static void show_block(const test_block *b)
{
    tacho_insn *insn = tacho_insn_new();
    for (size_t at = 0; insn && at < b->size; at += tacho_insn_length(insn)) {
        char text[128];
        if (tacho_decode(insn, b->bytes + at, b->size - at, NULL))
            break;
        tacho_insn_format(insn, at, 1, text, sizeof text);
        printf("%s%s", at ? "; " : "    ", text);
    }
    putchar('\n');
    tacho_insn_free(insn);
}

static int predict(golden *g, int column, const test_block *b, char cycles[32])
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    const tacho_prediction *p;
    tacho_error err;
    test_block code = {malloc(b->size ? b->size : 1), b->size};
    if (!code.bytes)
        return 1;
    memcpy(code.bytes, b->bytes, b->size);
    o.mode = column % 2 ? TACHO_MODE_LOOP : TACHO_MODE_UNROLL;
    o.details = o.bounds = false;
    o.ignore_isa = true; /* the blocks are for all cores */
    if (column % 2)
        test_block_close_loop(&code);
    int rc = tacho_predict(g->predictor, g->arch[column / 2], code.bytes, code.size, &o, &p, &err);
    if (rc)
        fprintf(stderr, "%s\n", err.message);
    else
        test_cycles_text(cycles, p->cycles);
    test_block_free(&code);
    return rc != 0;
}

static int compare(const test_block *b, long at, const char *rest, void *payload)
{
    golden *g = payload;
    bool shown = false;
    if (g->out)
        for (size_t k = 0; k < b->size; k++)
            fprintf(g->out, "%02x", b->bytes[k]);
    for (int c = 0; c < COLUMNS; c++) {
        char cycles[32], old[32] = "";
        int length = 0;
        sscanf(rest, " %31s%n", old, &length);
        rest += length;
        if (predict(g, c, b, cycles))
            return 1;
        if (g->out)
            fprintf(g->out, " %s", cycles);
        g->compared++;
        if (g->out || !strcmp(cycles, old))
            continue;
        g->ratio[c] += log(atof(cycles) / atof(old));
        if (g->different++ < SHOWN) {
            printf("line %ld, %s: %s -> %s (%+.1f %%)\n", at, names[c], old, cycles,
                   100 * (atof(cycles) / atof(old) - 1));
            shown = true;
        }
    }
    if (g->out)
        fputc('\n', g->out);
    if (shown)
        show_block(b);
    return 0;
}

static int copy_comments(const char *path, FILE *out)
{
    FILE *f = fopen(path, "r");
    char line[4096];
    if (!f)
        return 1;
    while (fgets(line, sizeof line, f))
        if (line[0] == '#')
            fputs(line, out);
    fclose(f);
    return 0;
}

static int report(const golden *g)
{
    if (g->different > SHOWN)
        printf("... and %ld more\n", g->different - SHOWN);
    printf("%ld of %ld predictions differ\n", g->different, g->compared);
    for (int c = 0; g->different && c < COLUMNS; c++)
        printf("  %s: %+.3f %% on (geometric) average\n", names[c],
               100 * (exp(g->ratio[c] * COLUMNS / (double)g->compared) - 1));
    if (g->different)
        printf("If that is what was intended: golden --update FILE, and read the difference.\n");
    return g->different != 0;
}

int main(int argc, char **argv)
{
    bool update = argc > 1 && !strcmp(argv[1], "--update");
    if (argc != 2 + update)
        return 2;
    const char *path = argv[1 + update];
    char *text = NULL;
    size_t size = 0;
    golden g = {.predictor = tacho_predictor_new(),
                .arch = {tacho_arch_find("SKL", NULL), tacho_arch_find("ICX", NULL)}};
    if (update) {
        g.out = open_memstream(&text, &size);
        if (!g.out || copy_comments(path, g.out))
            return 1;
    }
    long count = test_corpus_each(path, compare, &g);
    int status = count <= 0 || g.compared != count * COLUMNS;
    if (status)
        fprintf(stderr, "golden: %s: cannot be read or predicted\n", path);
    else if (!update)
        status = report(&g);
    if (g.out)
        fclose(g.out);
    FILE *f = update && !status ? fopen(path, "w") : NULL;
    if (f)
        status = fwrite(text, 1, size, f) != size || fclose(f);
    free(text);
    tacho_predictor_free(g.predictor);
    return status;
}
