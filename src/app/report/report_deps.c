/* report_deps.c - dependencies of a block as text, JSON and CSV. */
#include "app/report/report_deps.h"

#include <stdio.h>
#include <string.h>

#include "app/report/deps_words.h"
#include "app/report/grid.h"
#include "app/report/report.h"
#include "base/csv.h"

enum {
    TEXT_BYTES = 200
};

/* ---- words ---- */

static void put_part(char *out, size_t size, size_t *at, const char *text)
{
    if (*at < size)
        *at += (size_t)snprintf(out + *at, size - *at, "%s%s", *at > 1 ? "+" : "", text);
}

/* "[rdi+rcx*8-0x8]" */
static void put_address(char *out, size_t size, const tacho_mem *m)
{
    size_t at = (size_t)snprintf(out, size, "[");
    char index[40];
    if (m->base.class_ != TACHO_REG_NONE)
        put_part(out, size, &at, tacho_reg_name(m->base));
    if (m->index.class_ != TACHO_REG_NONE) {
        snprintf(index, sizeof index, m->scale > 1 ? "%s*%u" : "%s", tacho_reg_name(m->index), m->scale);
        put_part(out, size, &at, index);
    }
    bool alone = at == 1;
    uint64_t size_of = m->disp < 0 && !alone ? -(uint64_t)m->disp : (uint64_t)m->disp;
    if ((m->disp || alone) && at < size)
        at += (size_t)snprintf(out + at, size - at, "%s0x%llx",
                               alone         ? ""
                               : m->disp < 0 ? "-"
                                             : "+",
                               (unsigned long long)size_of);
    if (at < size)
        snprintf(out + at, size - at, "]");
}

const char *deps_carrier(const tacho_dependency *d, char out[DEPS_CARRIER_SIZE])
{
    if (d->kind == TACHO_DEPENDENCY_MEMORY)
        put_address(out, DEPS_CARRIER_SIZE, &d->mem);
    else if (d->kind == TACHO_DEPENDENCY_REGISTER)
        snprintf(out, DEPS_CARRIER_SIZE, "%s", tacho_reg_name(d->reg));
    else
        snprintf(out, DEPS_CARRIER_SIZE, "%s",
                 d->flags == TACHO_FLAG_C       ? "carry flag"
                 : d->flags == TACHO_FLAG_SPAZO ? "flags but carry"
                                                : "flags");
    return out;
}

static void put_distance(tacho_str *out, uint32_t distance, uint32_t longest)
{
    if (longest > distance)
        tacho_str_printf(out, " of %u to %u iterations before", distance, longest);
    else if (distance == 1)
        tacho_str_puts(out, " of the iteration before");
    else if (distance)
        tacho_str_printf(out, " of %u iterations before", distance);
}

/* ---- text ---- */

static void put_memory(tacho_str *out, const tacho_dependency *d)
{
    if (tacho_dependency_forwards(d))
        tacho_str_printf(out, ", %u byte%s", d->bytes, d->bytes > 1 ? "s" : "");
    else
        tacho_str_printf(out, ", %u of %u bytes: cannot be forwarded", d->bytes, d->load_bytes);
}

static void put_dependency(tacho_str *out, const tacho_dependency *d, bool followed)
{
    char carrier[DEPS_CARRIER_SIZE];
    tacho_str_printf(out, "         %-9s %u", tacho_dependency_kind_name((tacho_dependency_kind)d->kind),
                     d->source);
    put_distance(out, d->distance, d->longest);
    tacho_str_printf(out, ": %s", deps_carrier(d, carrier));
    if (d->kind == TACHO_DEPENDENCY_MEMORY)
        put_memory(out, d);
    if (d->share < 1)
        tacho_str_printf(out, ", in %.*f %% of the %s", d->share < 0.1 ? 1 : 0, d->share * 100,
                         followed ? "executions" : "iterations");
    tacho_str_putc(out, '\n');
}

static void put_title(tacho_str *out, const report_deps *r)
{
    report_put_plain(out, r->input);
    tacho_str_puts(out, r->region->name ? ": " : "");
    if (r->region->name)
        report_put_plain(out, r->region->name);
    else if (r->region_count > 1)
        tacho_str_printf(out, ": region %zu", r->region_number + 1);
    tacho_str_printf(out, ": %zu instruction%s, %zu byte%s\n", r->deps->insn_count,
                     r->deps->insn_count == 1 ? "" : "s", r->region->byte_count,
                     r->region->byte_count == 1 ? "" : "s");
}

static size_t count_kind(const tacho_deps *deps, unsigned kind)
{
    size_t n = 0;
    for (size_t i = 0; i < deps->count; i++)
        n += deps->dependencies[i].kind == kind;
    return n;
}

/* How following the function went. */
static void put_execution(tacho_str *out, const tacho_deps *deps)
{
    tacho_str_printf(out, "\nfollowed in %u call%s, %u of them to the end: %llu instruction%s",
                     deps->iterations, tacho_plural(deps->iterations), deps->returned,
                     (unsigned long long)deps->executed, tacho_plural(deps->executed));
    if (deps->undetermined)
        tacho_str_printf(out, ", %llu branch%s whose way was chosen", (unsigned long long)deps->undetermined,
                         deps->undetermined == 1 ? "" : "es");
    if (deps->calls)
        tacho_str_printf(out, ", %llu call%s not followed", (unsigned long long)deps->calls,
                         tacho_plural(deps->calls));
}

/* Of the kinds that were looked for. */
static void put_summary(tacho_str *out, const tacho_deps *deps, const tacho_deps_options *options)
{
    const struct {
        const char *name;
        bool left_out;
    } kinds[TACHO_DEPENDENCY_KIND_COUNT] = {
        {"registers", options->no_registers}, {"flags", options->no_flags}, {"memory", options->no_memory}};
    bool first = true;
    for (unsigned k = 0; k < TACHO_DEPENDENCY_KIND_COUNT; k++)
        if (!kinds[k].left_out) {
            tacho_str_printf(out, first ? "dependencies: %zu through %s" : ", %zu through %s",
                             count_kind(deps, k), kinds[k].name);
            first = false;
        }
    if (deps->steps)
        put_execution(out, deps);
    if (deps->unknown_count)
        tacho_str_printf(out, "\n%zu of %zu accesses to memory %s that cannot be followed",
                         deps->unknown_count, deps->access_count,
                         deps->unknown_count == 1 ? "has an address" : "have addresses");
    tacho_str_puts(out, "\n\n");
}

static bool is_unknown(const tacho_deps *deps, uint32_t insn)
{
    for (size_t i = 0; i < deps->access_count; i++)
        if (deps->accesses[i].insn == insn && deps->accesses[i].unknown)
            return true;
    return false;
}

void report_deps_text(tacho_str *out, const report_deps *r, bool colour)
{
    const tacho_deps *deps = r->deps;
    size_t next = 0;
    uint64_t at = r->region->address;
    put_title(out, r);
    put_summary(out, deps, r->options);
    for (uint32_t i = 0; i < deps->insn_count; i++) {
        char text[TEXT_BYTES], number[24];
        tacho_listing_write(r->listing, &deps->insns[i], at - r->region->address, text, sizeof text);
        snprintf(number, sizeof number, "%6u  ", i);
        report_paint(out, colour, REPORT_DIM, number);
        report_paint(out, colour, REPORT_BOLD, text);
        tacho_str_putc(out, '\n');
        if (is_unknown(deps, i))
            tacho_str_puts(out, "         address unknown\n");
        for (; next < deps->count && deps->dependencies[next].target == i; next++)
            put_dependency(out, &deps->dependencies[next], deps->steps);
        at += deps->insns[i].length;
    }
}

/* ---- JSON ---- */

static json_t *dependency_json(const tacho_dependency *d, bool followed)
{
    char carrier[DEPS_CARRIER_SIZE];
    json_t *json = json_pack("{s:i, s:i, s:i, s:s, s:s, s:f}", "source", (int)d->source, "target",
                             (int)d->target, "distance", (int)d->distance, "kind",
                             tacho_dependency_kind_name((tacho_dependency_kind)d->kind), "carrier",
                             deps_carrier(d, carrier), "share", d->share);
    if (json && followed) {
        json_object_set_new(json, "longest", json_integer(d->longest));
        json_object_set_new(json, "back", json_integer(d->back));
    }
    if (json && d->kind == TACHO_DEPENDENCY_MEMORY) {
        json_object_set_new(json, "bytes", json_integer(d->bytes));
        json_object_set_new(json, "load_bytes", json_integer(d->load_bytes));
        json_object_set_new(json, "store_bytes", json_integer(d->store_bytes));
        json_object_set_new(json, "offset", json_integer(d->offset));
        json_object_set_new(json, "forwards", json_boolean(tacho_dependency_forwards(d)));
    }
    return json;
}

static json_t *insns_json(const report_deps *r)
{
    json_t *list = json_array();
    uint64_t at = r->region->address;
    for (size_t i = 0; i < r->deps->insn_count; i++) {
        const tacho_insn *insn = &r->deps->insns[i];
        char text[TEXT_BYTES], hex[2 * TACHO_MAX_INSN_BYTES + 1];
        report_asm(r->listing, insn, at - r->region->address, text, sizeof text);
        for (int b = 0; b < insn->length; b++)
            snprintf(hex + 2 * b, 3, "%02x", insn->bytes[b]);
        json_t *o = json_pack("{s:s, s:o, s:s, s:b}", "asm", text, "source",
                              report_source_json(r->listing, at - r->region->address), "hex", hex,
                              "address_unknown", is_unknown(r->deps, (uint32_t)i));
        if (r->deps->steps) {
            const tacho_deps_step *step = &r->deps->steps[i];
            json_object_set_new(o, "count", json_integer((json_int_t)step->count));
            json_object_set_new(o, "undetermined", json_integer((json_int_t)step->undetermined));
        }
        json_array_append_new(list, o);
        at += insn->length;
    }
    return list;
}

json_t *report_deps_json(const report_deps *r)
{
    const tacho_deps *deps = r->deps;
    json_t *list = json_array();
    for (size_t i = 0; i < deps->count; i++)
        json_array_append_new(list, dependency_json(&deps->dependencies[i], deps->steps));
    json_t *o =
        json_pack("{s:s, s:o, s:o, s:i, s:i, s:i, s:o, s:o}", "schema", "tacho-deps-1", "input",
                  report_json_string(r->input), "region", report_json_string(r->region->name), "iterations",
                  (int)deps->iterations, "accesses", (int)deps->access_count, "unknown_addresses",
                  (int)deps->unknown_count, "instructions", insns_json(r), "dependencies", list);
    if (o && deps->steps) {
        json_object_set_new(o, "returned", json_integer(deps->returned));
        json_object_set_new(o, "executed", json_integer((json_int_t)deps->executed));
        json_object_set_new(o, "undetermined", json_integer((json_int_t)deps->undetermined));
        json_object_set_new(o, "calls", json_integer((json_int_t)deps->calls));
    }
    return o;
}

/* ---- CSV ---- */

void report_deps_csv_header(tacho_str *out, bool with_region, bool followed)
{
    tacho_str_printf(out,
                     "%ssource,target,distance,kind,carrier,bytes,load_bytes,store_bytes,forwards,share%s\n",
                     with_region ? "region," : "", followed ? ",longest,back" : "");
}

void report_deps_csv(tacho_str *out, const report_deps *r)
{
    char text[DEPS_CARRIER_SIZE];
    for (size_t i = 0; i < r->deps->count; i++) {
        const tacho_dependency *d = &r->deps->dependencies[i];
        if (r->region_count > 1) {
            const char *name = r->region->name ? r->region->name : "";
            tacho_csv_put(out, name, strlen(name));
            tacho_str_putc(out, ',');
        }
        tacho_str_printf(out, "%u,%u,%u,%s,", d->source, d->target, d->distance,
                         tacho_dependency_kind_name((tacho_dependency_kind)d->kind));
        deps_carrier(d, text);
        tacho_csv_put(out, text, strlen(text));
        if (d->kind == TACHO_DEPENDENCY_MEMORY)
            tacho_str_printf(out, ",%u,%u,%u,%s,", d->bytes, d->load_bytes, d->store_bytes,
                             tacho_dependency_forwards(d) ? "yes" : "no");
        else
            tacho_str_puts(out, ",,,,,");
        tacho_str_puts(out, tacho_format_number(text, d->share, 4));
        if (r->deps->steps)
            tacho_str_printf(out, ",%u,%u", d->longest, d->back);
        tacho_str_putc(out, '\n');
    }
}
