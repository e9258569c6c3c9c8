/* kernels_rows.c - a study of kernels for programs: JSON, and CSV with a row a variant. What there is not is
 * null, or an empty field. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "app/report/eval_tables.h"
#include "app/report/report.h"
#include "app/report/report_kernels.h"
#include "base/csv.h"

static bool is_counted(const tacho_kernel_variant *v)
{
    return v->instructions > 0;
}

/* Whether predictors were asked about it. */
static bool is_predicted(const tacho_kernel_variant *v)
{
    return v->status == TACHO_KERNEL_COUNTED || v->status == TACHO_KERNEL_OK ||
           v->status == TACHO_KERNEL_UNSTABLE;
}

/* ---- JSON ---- */

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *kernels(const tacho_kernels_result *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->kernel_count; i++) {
        const tacho_kernel *k = &r->kernels[i];
        json_t *o = json_object();
        json_object_set_new(o, "name", report_json_string(k->name));
        json_object_set_new(o, "summary", report_json_string(k->summary));
        json_object_set_new(o, "category", report_json_string(k->category));
        json_object_set_new(o, "path", k->path ? report_json_string(k->path) : json_null());
        json_object_set_new(o, "polybench", json_boolean(k->polybench));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *predictions(const tacho_kernels_result *r, size_t variant)
{
    json_t *o = json_object();
    for (size_t p = 0; p < r->predictor_count; p++) {
        const tacho_kernel_prediction *x = &r->predictors[p].predictions[variant];
        json_t *one = json_object();
        json_object_set_new(one, "cycles", number(x->cycles));
        json_object_set_new(one, "lower_bound",
                            isnan(x->cycles) ? json_null() : json_boolean(x->lower_bound));
        json_object_set_new(one, "coverage", number(is_predicted(&r->variants[variant]) ? x->coverage : NAN));
        json_object_set_new(one, "error", *x->message ? report_json_string(x->message) : json_null());
        json_object_set_new(o, r->predictors[p].name, one);
    }
    return o;
}

static json_t *count(const tacho_kernel_variant *v, uint64_t value)
{
    return is_counted(v) ? json_integer((json_int_t)value) : json_null();
}

static json_t *variant(const tacho_kernels_result *r, size_t i)
{
    const tacho_kernel_variant *v = &r->variants[i];
    json_t *o = json_object();
    json_object_set_new(o, "id", report_json_string(v->id));
    json_object_set_new(o, "kernel", report_json_string(r->kernels[v->kernel].name));
    json_object_set_new(o, "compiler", report_json_string(v->compiler));
    json_object_set_new(o, "level", report_json_string(v->level));
    json_object_set_new(o, "vectors", report_json_string(v->vectors));
    json_object_set_new(o, "transform", report_json_string(v->transform));
    json_object_set_new(o, "flags", report_json_string(v->flags));
    json_object_set_new(o, "status", json_string(tacho_kernel_status_name(v->status)));
    json_object_set_new(o, "error", *v->message ? report_json_string(v->message) : json_null());
    json_object_set_new(o, "same_as",
                        v->same_as < 0 ? json_null() : report_json_string(r->variants[v->same_as].id));
    json_object_set_new(o, "instructions", count(v, v->instructions));
    json_object_set_new(o, "accesses", count(v, v->accesses));
    json_object_set_new(o, "misses", count(v, v->misses));
    json_object_set_new(o, "bytes", count(v, v->bytes));
    json_object_set_new(o, "blocks", count(v, v->block_count));
    json_object_set_new(o, "checksum", number(v->checksum));
    json_object_set_new(o, "cycles", number(v->cycles));
    json_object_set_new(o, "uncertainty", number(v->uncertainty));
    json_object_set_new(o, "mispredictions", number(v->mispredictions));
    json_object_set_new(o, "memory_share", number(v->memory_share));
    json_object_set_new(o, "memory_bound",
                        isnan(v->memory_share) ? json_null() : json_boolean(v->memory_bound));
    json_object_set_new(o, "predictions", predictions(r, i));
    return o;
}

static json_t *predictors(const tacho_kernels_result *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->predictor_count; i++) {
        const tacho_kernels_predictor *p = &r->predictors[i];
        json_t *o = json_object();
        json_object_set_new(o, "name", report_json_string(p->name));
        json_object_set_new(o, "version", report_json_string(p->version));
        json_object_set_new(o, "seconds", number(p->seconds));
        json_object_set_new(o, "all", report_record_json(&report_score_table, &p->all, NULL));
        json_object_set_new(o, "without_memory_bound",
                            report_record_json(&report_score_table, &p->pruned, NULL));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *statuses(const tacho_kernels_result *r)
{
    json_t *o = json_object();
    for (int s = 0; s < TACHO_KERNEL_STATUS_COUNT; s++)
        json_object_set_new(o, tacho_kernel_status_name((tacho_kernel_status)s),
                            json_integer((json_int_t)r->status_count[s]));
    return o;
}

static json_t *notes(const tacho_kernels_result *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->note_count; i++) {
        json_t *o = json_object();
        json_object_set_new(o, "text", report_json_string(r->notes[i].text));
        json_object_set_new(o, "variants", json_integer((json_int_t)r->notes[i].variants));
        json_array_append_new(list, o);
    }
    return list;
}

json_t *report_kernels_json(const report_kernels *k)
{
    const tacho_kernels_result *r = k->result;
    json_t *o = json_object(), *list = json_array();
    bool measured = r->clock != TACHO_CLOCK_AUTO;
    json_object_set_new(o, "schema", json_integer(1));
    json_object_set_new(o, "arch", r->arch ? json_string(r->arch->name) : json_null());
    json_object_set_new(o, "processor", report_json_string(r->processor));
    json_object_set_new(o, "same_core",
                        r->arch && measured ? json_boolean(report_kernels_same_core(k)) : json_null());
    json_object_set_new(o, "clock", measured ? json_string(tacho_clock_name(r->clock)) : json_null());
    json_object_set_new(o, "compilers", report_json_string(r->compilers));
    json_object_set_new(o, "max_miss", json_real(k->max_miss));
    json_object_set_new(o, "memory_bound_share", json_real(k->memory_bound));
    json_object_set_new(o, "statuses", statuses(r));
    json_object_set_new(o, "notes", notes(r));
    json_object_set_new(o, "build_seconds", number(r->build_seconds));
    json_object_set_new(o, "measure_seconds", number(r->measure_seconds));
    json_object_set_new(o, "predictors", predictors(r));
    json_object_set_new(o, "kernels", kernels(r));
    for (size_t i = 0; i < r->variant_count; i++)
        json_array_append_new(list, variant(r, i));
    json_object_set_new(o, "variants", list);
    return o;
}

/* ---- CSV ---- */

static void put_text(tacho_str *out, const char *text)
{
    tacho_csv_put(out, text, strlen(text));
    tacho_str_putc(out, ',');
}

static void put_number(tacho_str *out, double value, int decimals)
{
    char text[TACHO_NUMBER_SIZE];
    put_text(out, tacho_format_number(text, value, decimals));
}

static void put_count(tacho_str *out, const tacho_kernel_variant *v, uint64_t value)
{
    if (is_counted(v))
        tacho_str_printf(out, "%" PRIu64, value);
    tacho_str_putc(out, ',');
}

static void put_head(tacho_str *out, const tacho_kernels_result *r)
{
    tacho_str_puts(
        out, "id,kernel,category,compiler,level,vectors,transform,flags,status,cycles,uncertainty,clock,"
             "instructions,accesses,misses,bytes,blocks,");
    for (size_t p = 0; p < r->predictor_count; p++) {
        tacho_str name = {0};
        put_text(out, r->predictors[p].name);
        tacho_str_printf(&name, "%s coverage", r->predictors[p].name);
        put_text(out, name.data ? name.data : "");
        tacho_str_free(&name);
    }
    tacho_str_puts(out, "mispredictions,memory_share,memory_bound,same_as,error\n");
}

static void put_row(tacho_str *out, const tacho_kernels_result *r, size_t i)
{
    const tacho_kernel_variant *v = &r->variants[i];
    bool measured = !isnan(v->cycles);
    put_text(out, v->id);
    put_text(out, r->kernels[v->kernel].name);
    put_text(out, r->kernels[v->kernel].category);
    put_text(out, v->compiler);
    put_text(out, v->level);
    put_text(out, v->vectors);
    put_text(out, v->transform);
    put_text(out, v->flags);
    put_text(out, tacho_kernel_status_name(v->status));
    put_number(out, v->cycles, 2);
    put_number(out, v->uncertainty, 5);
    put_text(out, measured ? tacho_clock_name(r->clock) : "");
    put_count(out, v, v->instructions);
    put_count(out, v, v->accesses);
    put_count(out, v, v->misses);
    put_count(out, v, v->bytes);
    put_count(out, v, v->block_count);
    for (size_t p = 0; p < r->predictor_count; p++) {
        const tacho_kernel_prediction *x = &r->predictors[p].predictions[i];
        put_number(out, x->cycles, 2);
        put_number(out, is_predicted(v) ? x->coverage : NAN, 4);
    }
    put_number(out, v->mispredictions, 1);
    put_number(out, v->memory_share, 4);
    put_text(out, isnan(v->memory_share) ? "" : v->memory_bound ? "1" : "0");
    put_text(out, v->same_as < 0 ? "" : r->variants[v->same_as].id);
    tacho_csv_put(out, v->message, strlen(v->message));
    tacho_str_putc(out, '\n');
}

void report_kernels_csv(tacho_str *out, const report_kernels *k)
{
    put_head(out, k->result);
    for (size_t i = 0; i < k->result->variant_count; i++)
        put_row(out, k->result, i);
}
