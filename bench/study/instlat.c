/* instlat.c - the model of a core beside InstLatx64's measurements of it, form by form.
 *
 *   bench/instlat ARCH FILE.csv
 *
 * FILE has the columns form, latency, throughput (cycles) and instlat_name, the source's own name. Each
 * form's dependency chains and independent copies are built as `tacho measure --insn` builds them and
 * predicted by the simulator (`tacho insn FORM --chains` shows them). InstLatx64 has one latency a form: of
 * chains through all of its operands, so the longest from a register to a register counts, else that from an
 * address (loads), else that through memory. "XOR r64, r64" is one register in both places, "XOR r1_64,
 * r2_64" are two. Its copies of an instruction follow each other with nothing between them: where ours need
 * something that ends a dependency on flags or on a register that the instruction names itself (CDQE, ADC),
 * the copies take as long as that dependency. The copies stand one after the other, in code so long that most
 * of it comes from the decoders; so throughputs are those of unrolled code. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/search.h"
#include "base/table.h"
#include "tacho/tools.h"
#include "x86/decode/regs.h"

/* What agrees: within 10 %, or 0.15 cycles. */
static const double SHARE = 0.10, CYCLES = 0.15;

typedef enum quantity {
    LATENCY,
    THROUGHPUT,
    QUANTITIES
} quantity;
static const char *const quantity_names[QUANTITIES] = {"latency", "throughput"};

/* A disagreement. */
typedef struct finding {
    char form[80];
    quantity what;
    double measured, predicted, factor;
    const char *reason;
} finding;

typedef struct comparison {
    const tacho_arch *arch;
    tacho_predictor *predictor;
    tacho_characterisation c;
    tacho_form form;
    unsigned agree[QUANTITIES], all[QUANTITIES], other_names, untimed;
    finding *findings;
    size_t count;
} comparison;

/* ---- what the model says ---- */

/* How much a pair says of a chain through all operands: 0 nothing. */
static int rank_of(const comparison *k, const tacho_measured_latency *l)
{
    uint8_t from = k->form.operands[l->source].kind, to = k->form.operands[l->target].kind;
    if (isnan(l->cycles) || to == TACHO_OPERAND_FLAGS || l->path == TACHO_PATH_SAME_REGISTER)
        return 0;
    if (to == TACHO_OPERAND_REG)
        return from == TACHO_OPERAND_REG && l->path == TACHO_PATH_REGISTER ? 3
               : l->path == TACHO_PATH_ADDRESS                             ? 2
                                                                           : 0;
    return to == TACHO_OPERAND_MEM && l->path == TACHO_PATH_MEMORY ? 1 : 0;
}

static const tacho_measured_latency *chain_of(const comparison *k)
{
    const tacho_measured_latency *best = NULL;
    for (unsigned i = 0; i < k->c.latency_count; i++) {
        const tacho_measured_latency *l = &k->c.latencies[i];
        int rank = rank_of(k, l), best_rank = best ? rank_of(k, best) : 0;
        if (rank > best_rank || (rank && rank == best_rank && l->cycles > best->cycles))
            best = l;
    }
    return best;
}

/* That with one register in all places, where it is another one. */
static const tacho_measured_latency *chain_of_one_register(const comparison *k)
{
    for (unsigned i = 0; i < k->c.latency_count; i++)
        if (k->c.latencies[i].path == TACHO_PATH_SAME_REGISTER && !isnan(k->c.latencies[i].cycles))
            return &k->c.latencies[i];
    return NULL;
}

/* The source numbers registers where they are different ones ("SHRD r1_64, r1_64, imm8": they are not). */
static bool is_one_register(const char *name)
{
    return !strstr(name, "r2_") && !strstr(name, "mm2") && !strstr(name, "r2,");
}

/* Cycles from a copy to the next through what no operand names; 0 where there is no such way. */
static double chain_of_copies(const comparison *k)
{
    double most = 0;
    for (unsigned i = 0; i < k->c.latency_count; i++) {
        const tacho_measured_latency *l = &k->c.latencies[i];
        const tacho_form_operand *from = &k->form.operands[l->source], *to = &k->form.operands[l->target];
        bool same = from->kind == TACHO_OPERAND_FLAGS ? to->kind == TACHO_OPERAND_FLAGS
                                                      : reg_is_same_full(from->reg, to->reg);
        bool hidden = l->source >= k->form.visible_count && l->target >= k->form.visible_count;
        if (hidden && same && l->path == TACHO_PATH_REGISTER && l->cycles > most)
            most = l->cycles;
    }
    return most;
}

/* Of copies with one register in all places: what the table has of these, or else `other`. */
static double throughput_of_one_register(const comparison *k, uint32_t id, double other)
{
    tacho_figures f;
    if (tacho_form_figures(k->arch, id, &f) || !f.has_same_register)
        return other;
    return tacho_variant_throughput(k->arch, &f.same_register);
}

/* The latency of one register in all places where no chain has it, as its parts differ in width (MOVZX r64,
 * r8): what the table has; else NaN. */
static double latency_of_one_register(const comparison *k, uint32_t id)
{
    tacho_figures f;
    for (int i = 0; !tacho_form_figures(k->arch, id, &f) && i < f.latency_count; i++)
        if (f.latencies[i].same_register >= 0)
            return f.latencies[i].same_register;
    return NAN;
}

/* One way to time blocks (tacho_time_blocks): as unrolled code, in the simulator; NaN where it cannot. */
static int time_unrolled(void *payload, tacho_measure_job *jobs, size_t count,
                         const tacho_measure_options *options, tacho_error *err)
{
    const comparison *k = payload;
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    o.mode = TACHO_MODE_UNROLL;
    o.bounds = o.details = false;
    o.unknown = TACHO_UNKNOWN_ERROR;
    for (size_t i = 0; i < count; i++) {
        const tacho_prediction *p = NULL;
        tacho_measurement *r = &jobs[i].result;
        int rc = tacho_predict(k->predictor, k->arch, jobs[i].code, jobs[i].code_size, &o, &p, err);
        if (rc && rc != TACHO_ERR_UNSUPPORTED)
            return rc;
        *r = (tacho_measurement){.cycles = rc ? NAN : p->cycles,
                                 .uncertainty = rc ? NAN : 0,
                                 .mode = options->mode,
                                 .offset = -1,
                                 .status = rc ? TACHO_MEASURED_UNSUPPORTED : TACHO_MEASURED_OK};
    }
    return 0;
}

/* ---- comparing ---- */

static const char *reason_of(const comparison *k, quantity what, const tacho_measured_latency *l)
{
    double figure;
    tacho_agreement how =
        what == THROUGHPUT ? tacho_compare_throughput(k->arch, &k->c, &figure)
                           : tacho_compare_latency(k->arch, &k->c, (unsigned)(l - k->c.latencies), &figure);
    return how == TACHO_NOT_COMPARED ? "the table has no such figure"
           : how == TACHO_DIFFERS    ? "the model: its table says something else"
                                     : "the table has it so";
}

static void compare(comparison *k, const char *form, quantity what, double measured, double predicted,
                    const tacho_measured_latency *l)
{
    k->all[what]++;
    if (fabs(predicted - measured) <= fmax(SHARE * measured, CYCLES)) {
        k->agree[what]++;
        return;
    }
    finding *f = &k->findings[k->count++];
    *f = (finding){.what = what, .measured = measured, .predicted = predicted};
    f->factor = measured <= 0 || predicted <= 0 ? INFINITY
                : predicted > measured          ? predicted / measured
                                                : measured / predicted;
    f->reason = reason_of(k, what, l);
    snprintf(f->form, sizeof f->form, "%s", form);
}

/* @return a tacho_status */
static int compare_row(comparison *k, const tacho_table *t, size_t row, const int columns[4],
                       tacho_error *err)
{
    const char *form = tacho_table_cell(t, row, columns[0]), *name = tacho_table_cell(t, row, columns[3]);
    double measured[QUANTITIES];
    uint32_t id;
    int has[QUANTITIES];
    for (int q = 0; q < QUANTITIES; q++)
        has[q] = tacho_table_number(t, row, columns[1 + q], &measured[q]) == 1;
    if (tacho_form_find(form, &id, NULL) || tacho_form_get(id, &k->form)) {
        k->other_names++;
        return 0;
    }
    int rc = tacho_characterise_by(time_unrolled, k, id, NULL, &k->c, err);
    if (rc)
        return rc;
    const tacho_measured_latency *one = is_one_register(name) ? chain_of_one_register(k) : NULL;
    const tacho_measured_latency *l = one ? one : chain_of(k);
    double throughput = k->c.throughput.cycles;
    if (one) /* without a dependency the chain is as fast as independent copies */
        throughput = fmin(throughput, one->cycles);
    if (is_one_register(name))
        throughput = throughput_of_one_register(k, id, throughput);
    if (*k->c.throughput.breaks)
        throughput = fmax(throughput, chain_of_copies(k));
    k->untimed += isnan(throughput);
    double same = is_one_register(name) && !one ? latency_of_one_register(k, id) : NAN;
    if (has[LATENCY] && l)
        compare(k, form, LATENCY, measured[LATENCY], isnan(same) ? l->cycles : same, l);
    if (has[THROUGHPUT] && !isnan(throughput))
        compare(k, form, THROUGHPUT, measured[THROUGHPUT], throughput, l);
    return 0;
}

ORDER_BY_FALLING(by_factor, finding, factor);

static void show(comparison *k)
{
    qsort(k->findings, k->count, sizeof *k->findings, by_factor);
    printf("%-36s %-10s %10s %10s %7s  %s\n", "form", "", "InstLatx64",
           k->arch ? tacho_arch_name(k->arch) : "", "factor", "");
    for (size_t i = 0; i < k->count; i++) {
        const finding *f = &k->findings[i];
        printf("%-36s %-10s %10.2f %10.2f %7.2f  %s\n", f->form, quantity_names[f->what], f->measured,
               f->predicted, f->factor, f->reason);
    }
    printf("%u rows are no single form, %u forms have no timing on %s\n", k->other_names, k->untimed,
           tacho_arch_name(k->arch));
    printf("latency %u of %u agree, throughput %u of %u agree\n", k->agree[LATENCY], k->all[LATENCY],
           k->agree[THROUGHPUT], k->all[THROUGHPUT]);
}

static int compare_all(comparison *k, const tacho_table *t, tacho_error *err)
{
    static const char *const names[] = {"form", "latency", "throughput", "instlat_name"};
    int columns[4], rc = 0;
    for (int i = 0; i < 4; i++)
        if ((columns[i] = tacho_table_column(t, names[i])) == TACHO_TABLE_NONE && i < 3)
            return tacho_error_set(err, TACHO_ERR_INPUT, "%s: no column %s", t->name, names[i]);
    k->findings = calloc(QUANTITIES * t->row_count + 1, sizeof *k->findings);
    if (!k->findings)
        return tacho_error_set(err, TACHO_ERR_MEMORY, "out of memory");
    for (size_t row = 0; row < t->row_count && !rc; row++)
        rc = compare_row(k, t, row, columns, err);
    return rc;
}

int main(int argc, char **argv)
{
    static comparison k;
    tacho_table t = {0};
    tacho_error err;
    if (argc != 3) {
        fprintf(stderr, "usage: bench/instlat ARCH FILE.csv\n");
        return 2;
    }
    int rc = !(k.arch = tacho_arch_find(argv[1], &err)) || tacho_table_read(&t, argv[2], NULL, &err) ||
             (!(k.predictor = tacho_predictor_new()) &&
              tacho_error_set(&err, TACHO_ERR_MEMORY, "out of memory")) ||
             compare_all(&k, &t, &err);
    if (rc)
        fprintf(stderr, "instlat: %s\n", err.message);
    else
        show(&k);
    tacho_predictor_free(k.predictor);
    free(k.findings);
    tacho_table_free(&t);
    return rc;
}
