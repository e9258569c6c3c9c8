/* slowest.c MODEL: the slowest of the blocks on standard input, one in hex on each line, on the core that the
 * file MODEL describes (data/README.md, "Models of cores"), and what the µops of its first iteration do:
 *   printf '4801c0\n480fafc3\n' | ./slowest examples/bigger_rob.tacho
 * Needs libtacho alone. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tacho/tacho.h>

enum {
    MOST = 256 /* bytes of a block */
};

typedef struct block {
    uint8_t code[MOST];
    size_t size;
} block;

static tacho_arch *load(const char *path, tacho_error *err)
{
    static char text[1 << 20];
    tacho_arch *arch = NULL;
    FILE *file = fopen(path, "r");
    if (!file) {
        snprintf(err->message, sizeof err->message, "%s cannot be opened", path);
        return NULL;
    }
    const size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    return tacho_arch_load(&arch, text, size, NULL, err) ? NULL : arch;
}

static bool read_hex(block *out, const char *hex)
{
    unsigned byte;
    for (out->size = 0; out->size < MOST && sscanf(hex, "%2x", &byte) == 1; hex += 2)
        out->code[out->size++] = (uint8_t)byte;
    return out->size && (*hex == '\n' || !*hex);
}

/* One predictor for all of them; a block that cannot be predicted is named and does not stop the others. */
static bool find_slowest(block *slowest, tacho_predictor *predictor, const tacho_arch *arch)
{
    tacho_predict_options options = TACHO_PREDICT_OPTIONS_INIT;
    char line[2 * MOST + 2];
    double most = -1;
    options.details = options.bounds = false; /* cycles alone: several times as fast */
    for (unsigned number = 1; fgets(line, sizeof line, stdin); number++) {
        const tacho_prediction *p;
        tacho_error err = {.message = "no machine code in hex"};
        block b;
        if (!read_hex(&b, line) || tacho_predict(predictor, arch, b.code, b.size, &options, &p, &err)) {
            fprintf(stderr, "line %u: %s\n", number, err.message);
            continue;
        }
        printf("line %u: %.2f cycles\n", number, p->cycles);
        if (p->cycles > most)
            most = p->cycles, *slowest = b;
    }
    return most >= 0;
}

static int show(const tacho_trace_uop *u, void *payload)
{
    (void)payload;
    return printf("%11" PRIu32 "  %-13s %4d %6d %10d %8d %7d\n", u->instruction,
                  tacho_trace_kind_name(u->kind), u->port, u->issued, u->dispatched, u->executed,
                  u->retired) < 0;
}

static int trace(const block *b, tacho_predictor *predictor, const tacho_arch *arch, tacho_error *err)
{
    const tacho_trace_listener listener = {.uop = show, .max_iterations = 1};
    tacho_predict_options options = TACHO_PREDICT_OPTIONS_INIT;
    const tacho_prediction *p;
    options.trace = &listener;
    printf("instruction  µop           port issued dispatched executed retired\n");
    return tacho_predict(predictor, arch, b->code, b->size, &options, &p, err);
}

int main(int argc, char **argv)
{
    tacho_error err = {.message = "usage: slowest MODEL <BLOCKS"};
    tacho_arch *arch = argc == 2 ? load(argv[1], &err) : NULL;
    tacho_predictor *predictor = tacho_predictor_new();
    block slowest;
    int status = 2;
    if (!arch || !predictor)
        fprintf(stderr, "%s\n", arch ? "out of memory" : err.message);
    else if (find_slowest(&slowest, predictor, arch))
        status = trace(&slowest, predictor, arch, &err) != 0;
    if (status == 1)
        fprintf(stderr, "%s\n", err.message);
    tacho_predictor_free(predictor);
    tacho_arch_free(arch);
    return status;
}
