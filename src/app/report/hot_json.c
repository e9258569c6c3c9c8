/* hot_json.c - hot places as JSON (tacho-hot-1) and CSV; doc/JSON.md says what each field is. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/report/report_hot.h"
#include "base/csv.h"

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *count(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static void put(json_t *o, const char *name, json_t *value)
{
    json_object_set_new(o, name, value);
}

/* ---- the run ---- */

static json_t *command(const report_hot *h)
{
    json_t *list = h->command ? json_array() : json_null();
    for (char *const *arg = h->command; arg && *arg; arg++)
        json_array_append_new(list, report_json_string(*arg));
    return list;
}

static json_t *objects(const tacho_hot_profile *p)
{
    static const char *const kinds[] = {"file", "vdso", "memory", "unknown"};
    json_t *list = json_array();
    for (size_t i = 0; i < p->object_count; i++) {
        const tacho_hot_object *o = &p->objects[i];
        json_array_append_new(list,
                              json_pack("{s:o, s:o, s:s, s:o, s:o, s:o}", "path", report_json_string(o->path),
                                        "name", report_json_string(o->name), "kind", kinds[o->kind],
                                        "samples", count(o->samples), "share", number(o->weight / p->weight),
                                        "process", o->process ? count(o->process) : json_null()));
    }
    return list;
}

static json_t *functions(const tacho_hot *hot)
{
    json_t *list = json_array();
    for (size_t i = 0; i < hot->function_count; i++) {
        const tacho_hot_function *f = &hot->functions[i];
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "name", report_json_string(f->name), "object",
                            report_json_string(f->object->path), "start", count(f->start), "end",
                            count(f->end), "samples", count(f->samples), "share", number(f->share)));
    }
    return list;
}

static json_t *warnings(const report_hot *h)
{
    json_t *list = json_array();
    for (size_t i = 0; i < h->profile->warning_count; i++)
        json_array_append_new(list, report_json_string(h->profile->warnings[i]));
    for (size_t i = 0; i < h->hot->warning_count; i++)
        json_array_append_new(list, report_json_string(h->hot->warnings[i]));
    return list;
}

static void put_run(json_t *o, const tacho_hot_profile *p)
{
    put(o, "seconds", number(p->seconds));
    put(o, "user_seconds", number(p->user_seconds));
    put(o, "system_seconds", number(p->system_seconds));
    put(o, "processes", count(p->process_count));
    put(o, "threads", count(p->thread_count));
    put(o, "ended", p->command ? json_boolean(p->ended) : json_null());
    put(o, "exit_status", p->command && p->exit_status >= 0 ? json_integer(p->exit_status) : json_null());
    put(o, "signal", p->command && p->signal ? json_integer(p->signal) : json_null());
}

json_t *report_hot_json(const report_hot *h, json_t *places)
{
    const tacho_hot_profile *p = h->profile;
    json_t *o = json_object();
    put(o, "schema", json_string("tacho-hot-1"));
    put(o, "command", command(h));
    put(o, "pid", h->pid ? json_integer(h->pid) : json_null());
    put(o, "file", report_json_string(h->file));
    put(o, "via", json_string(tacho_hot_via_name(p->via)));
    put(o, "event", report_json_string(p->event));
    put(o, "skid", report_json_string(*p->skid ? p->skid : NULL));
    put(o, "not_better_because", report_json_string(*p->missing ? p->missing : NULL));
    put(o, "frequency", number(p->hz));
    put(o, "samples", count(p->samples));
    put(o, "lost", count(p->lost));
    put(o, "throttled", count(p->throttled));
    put(o, "kernel_samples", count(p->kernel));
    put_run(o, p);
    put(o, "arch", json_string(h->arch->name));
    put(o, "native", json_boolean(h->own_arch));
    put(o, "core_hz", number(h->core_hz));
    put(o, "objects", objects(p));
    put(o, "functions", functions(h->hot));
    put(o, "covered", number(h->hot->covered));
    put(o, "elsewhere", number(h->hot->elsewhere));
    put(o, "places", places);
    put(o, "warnings", warnings(h));
    return o;
}

/* ---- a place ---- */

static json_t *source_of(const report_hot *h, const tacho_hot_insn *insn)
{
    const char *text;
    size_t length = source_line(h->sources, insn->source_file, insn->source_line, &text);
    char line[512];
    if (!text || length >= sizeof line)
        return json_null();
    memcpy(line, text, length);
    line[length] = '\0';
    return report_json_string(line);
}

static json_t *code(const report_hot *h, const tacho_hot_place *place)
{
    json_t *list = json_array();
    for (size_t i = 0; i < place->insn_count; i++) {
        const tacho_hot_insn *insn = &place->insns[i];
        char text[200] = "", hex[2 * 16 + 1] = "";
        tacho_insn decoded;
        if (!tacho_decode(&decoded, insn->bytes, insn->length, NULL))
            tacho_insn_write(&decoded, h->syntax, insn->address, TACHO_TARGETS_ABSOLUTE, text, sizeof text);
        for (uint32_t k = 0; k < insn->length && k < 16; k++)
            snprintf(hex + 2 * k, 3, "%02x", insn->bytes[k]);
        json_t *o = json_pack("{s:o, s:s, s:o, s:o, s:o, s:o}", "address", count(insn->address), "hex", hex,
                              "asm", report_json_string(text), "instruction",
                              insn->on_path >= 0 ? json_integer(insn->on_path) : json_null(), "samples",
                              count(insn->samples), "share", number(insn->share));
        put(o, "source_file", report_json_string(insn->source_file));
        put(o, "source_line", insn->source_line ? json_integer(insn->source_line) : json_null());
        put(o, "source", source_of(h, insn));
        json_array_append_new(list, o);
    }
    return list;
}

json_t *report_hot_place_json(const report_hot *h, const report_hot_place *p)
{
    const tacho_hot_place *place = p->place;
    char words[400];
    json_t *o = json_object(), *prediction = report_json(&p->subject);
    put(o, "place", count(p->number));
    put(o, "kind", json_string(place->is_loop ? "loop" : "block"));
    put(o, "has_inner_loops", json_boolean(place->has_inner));
    put(o, "object", report_json_string(place->object->path));
    put(o, "samples", count(place->samples));
    put(o, "share", number(place->share));
    put(o, "share_low", number(place->share_low));
    put(o, "share_high", number(place->share_high));
    put(o, "executions", number(place->executions));
    put(o, "observed_cycles", number(place->observed_cycles));
    put(o, "observed_by", report_json_string(place->observed_by));
    put(o, "observed_to_predicted", number(report_hot_gap(p)));
    report_hot_gap_words(h, p, words, sizeof words);
    put(o, "points_at", report_json_string(*words ? words : NULL));
    report_loop_json(prediction, &p->loop);
    put(o, "prediction", prediction);
    put(o, "code", code(h, place));
    return o;
}

/* ---- CSV ---- */

void report_hot_csv_head(tacho_str *out)
{
    tacho_str_puts(out,
                   "hex,cycles,cycles_exact,arch,bottlenecks,place,kind,share,share_low,share_high,samples,"
                   "executions,observed_cycles,observed_by,object,function,start,end,source_file,"
                   "source_first_line,source_last_line,unknown,lower_bound,error\n");
}

static void field(tacho_str *out, const char *text)
{
    tacho_str_putc(out, ',');
    if (text)
        tacho_csv_put(out, text, strlen(text));
}

static void number_field(tacho_str *out, double value, int decimals)
{
    char text[TACHO_NUMBER_SIZE];
    field(out, tacho_format_number(text, value, decimals));
}

static void line_field(tacho_str *out, uint32_t line)
{
    if (line)
        tacho_str_printf(out, ",%u", line);
    else
        tacho_str_putc(out, ',');
}

void report_hot_csv_row(tacho_str *out, const report_hot *h, const report_hot_place *p)
{
    const tacho_hot_place *place = p->place;
    const tacho_loop *l = place->loop;
    const tacho_prediction *prediction = p->subject.prediction;
    char exact[48], names[128];
    for (size_t i = 0; i < l->code_bytes; i++)
        tacho_str_printf(out, "%02x", l->code[i]);
    number_field(out, prediction ? prediction->cycles : NAN, 6);
    field(out, prediction ? report_exact(prediction, exact) : "");
    field(out, h->arch->name);
    field(out, prediction ? tacho_bottleneck_names(prediction->bottlenecks, ";", names, sizeof names) : "");
    tacho_str_printf(out, ",%zu,%s", p->number, place->is_loop ? "loop" : "block");
    number_field(out, place->share, 6);
    number_field(out, place->share_low, 6);
    number_field(out, place->share_high, 6);
    tacho_str_printf(out, ",%" PRIu64, place->samples);
    number_field(out, place->executions, 0);
    number_field(out, place->observed_cycles, 4);
    field(out, place->observed_by);
    field(out, place->object->path);
    field(out, l->function);
    tacho_str_printf(out, ",0x%" PRIx64 ",0x%" PRIx64, l->start, l->end);
    field(out, l->source_file);
    line_field(out, l->source_first);
    line_field(out, l->source_last);
    report_missing_csv(out, prediction);
    field(out, p->subject.error);
    tacho_str_putc(out, '\n');
}
