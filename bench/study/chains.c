/* chains.c - where the simulator and the table that it rests on say different things of an instruction alone.
 *
 *   bench/chains ARCH [MNEMONIC]
 *
 * Each form's dependency chains and independent copies, as `tacho insn FORM --chains` has them, are
 * predicted, and what follows is compared with the table's latencies and throughput. A difference is not
 * always a mistake: the throughput in the table knows ports, issue slots and divider alone, and a chain of
 * loads based on what was loaded can be faster than the table says. But each one has a reason in the model,
 * which should be known. */
#include <stdio.h>
#include <string.h>
#include "base/str.h"
#include "tacho/tools.h"

typedef struct tally {
    unsigned agree, differ;
} tally;

/* @return whether it differs */
static bool count(tally *t, tacho_agreement how)
{
    t->agree += how == TACHO_AGREES || how == TACHO_WITHIN_BOUND;
    t->differ += how == TACHO_DIFFERS;
    return how == TACHO_DIFFERS;
}

static void compare(const tacho_arch *arch, const tacho_characterisation *c, tally *latency,
                    tally *throughput)
{
    char name[200];
    double table;
    tacho_form_name(c->form, name, sizeof name);
    if (count(throughput, tacho_compare_throughput(arch, c, &table)))
        printf("%-40s throughput %s%.2f, table %.2f: %s\n", name, c->throughput.at_most ? "<= " : "",
               c->throughput.cycles, table, c->throughput.code);
    for (unsigned i = 0; i < c->latency_count; i++) {
        const tacho_measured_latency *l = &c->latencies[i];
        if (count(latency, tacho_compare_latency(arch, c, i, &table)))
            printf("%-40s latency %u -> %u by %s %.2f, table %.2f: %s\n", name, l->source, l->target,
                   tacho_path_name(l->path), l->cycles, table, l->chain);
    }
}

int main(int argc, char **argv)
{
    static tacho_characterisation c;
    tally latency = {0, 0}, throughput = {0, 0};
    unsigned left_out = 0;
    tacho_error err;
    const tacho_arch *arch = argc == 2 || argc == 3 ? tacho_arch_find(argv[1], &err) : NULL;
    if (!arch) {
        fprintf(stderr, "%s\n", argc == 2 || argc == 3 ? err.message : "usage: bench/chains ARCH [MNEMONIC]");
        return 2;
    }
    for (uint32_t id = 0; id < tacho_form_count(); id++) {
        tacho_form form;
        tacho_figures figures;
        tacho_form_get(id, &form);
        if (tacho_form_figures(arch, id, &figures) ||
            (argc == 3 && !tacho_str_same(tacho_mnemonic_name(form.mnemonic), argv[2])))
            continue;
        if (tacho_characterise_predicted(arch, id, &c, &err)) {
            fprintf(stderr, "chains: %s\n", err.message);
            return 1;
        }
        if (c.runs)
            compare(arch, &c, &latency, &throughput);
        else
            left_out++;
    }
    printf("latency: %u agree, %u differ; throughput: %u agree, %u differ; %u forms without chains\n",
           latency.agree, latency.differ, throughput.agree, throughput.differ, left_out);
    return 0;
}
