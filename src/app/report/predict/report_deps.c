/* report_deps.c - dependencies of a block as text, JSON and CSV. */
#include "app/report/predict/report_deps.h"

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

/* "rax", "carry flag", "[rdi+rcx*8-0x8]". @return out */
static const char *deps_carrier(const tacho_dependency *d, char out[DEPS_CARRIER_SIZE])
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
                     tacho_plural(r->deps->insn_count), r->region->byte_count,
                     tacho_plural(r->region->byte_count));
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

/* ---- JSON and CSV ---- */

#define root(at) ((const report_deps *)report_root(at))

#define RECORD tacho_dependency
ONLY(followed, root(at)->deps->steps)
ONLY(is_of_memory, r->kind == TACHO_DEPENDENCY_MEMORY)
GETTER(kind, report_text_value(tacho_dependency_kind_name((tacho_dependency_kind)r->kind)))
GETTER(carrier, report_text_value(deps_carrier(r, at->room)))
GETTER(forwards, report_bool(tacho_dependency_forwards(r)))
GETTER(region_name, report_text_value(root(at)->region->name))
static const report_field dependencies[] = {
    MEMBERS2(source, target, "numbers of instructions, from 0"),
    {MEMBER(distance, "iterations")},
    {MADE(TEXT, "kind", kind, "register, flags, memory")},
    {MADE(TEXT, "carrier", carrier, "\"rax\", \"carry flag\", \"[rdi+0x8]\"")},
    {MEMBER(share, "of the iterations that it was seen in; with `--follow` of the target's executions",
            .cell = 4)},
    {MEMBER(longest, "with `--follow`: the greatest distance; `distance` is the least", .only = followed)},
    {MEMBER(back, "with `--follow`: fewest instructions from source to target", .only = followed)},
    {MEMBER(bytes, "of memory alone: read of what the store wrote", .only = is_of_memory)},
    {MEMBER(load_bytes, NULL, .only = is_of_memory)},
    {MEMBER(store_bytes, "of memory alone", .only = is_of_memory)},
    {MEMBER(offset, "of memory alone: of the load's first byte in what was stored", .only = is_of_memory)},
    {MADE(BOOL, "forwards", forwards, "of memory alone: the store forwards it to the load",
          .only = is_of_memory, .cell = REPORT_YES_NO)},
    {MADE_CELL(TEXT, "region", region_name)},
};
#undef RECORD

/* An instruction, by its number. */
#define RECORD report_deps
static uint64_t offset_of(const report_deps *r, size_t insn)
{
    uint64_t at = 0;
    for (size_t i = 0; i < insn; i++)
        at += r->deps->insns[i].length;
    return at;
}

ONLY(steps_known, r->deps->steps)
ROOM_BY(instruction,
        report_asm(r->listing, &r->deps->insns[at->index], offset_of(r, at->index), at->room, TEXT_BYTES))
GETTER(source, report_source(r->listing, offset_of(r, at->index)))
GETTER(hex, report_hex(r->deps->insns[at->index].bytes, r->deps->insns[at->index].length))
GETTER(address_unknown, report_bool(is_unknown(r->deps, (uint32_t)at->index)))
GETTER(count, report_whole(r->deps->steps[at->index].count))
GETTER(undetermined, report_whole(r->deps->steps[at->index].undetermined))
static const report_field instructions[] = {
    {MADE(TEXT, "asm", instruction, NULL)},
    {MADE_OR_NULL(OBJECT, "source", source, NULL)},
    {MADE(HEX, "hex", hex, "as in predictions")},
    {MADE(BOOL, "address_unknown", address_unknown, "of an access to memory: it could not be followed")},
    {MADE(WHOLE, "count", count, NULL, .only = steps_known)},
    {MADE(WHOLE, "undetermined", undetermined,
          "with `--follow`: executions; of branches, those whose way was chosen", .only = steps_known)},
};
#undef RECORD

#define RECORD tacho_deps
ONLY(has_steps, r->steps)
static const report_field looked_at[] = {
    {MEMBER(iterations, "that were looked at")},
    {NAMED("accesses", access_count, NULL)},
    {NAMED("unknown_addresses", unknown_count,
           "accesses to memory in the block; those whose address could not be followed")},
};
static const report_field found[] = {
    {RECORDS("dependencies", dependencies, count, ROWS(dependencies), "by `target`")},
    {MEMBER(returned, NULL, .only = has_steps)},
    {MEMBER(executed, NULL, .only = has_steps)},
    {MEMBER(undetermined, NULL, .only = has_steps)},
    {MEMBER(calls,
            "with `--follow`: of the `iterations` (here calls of the function), those that came to their "
            "end; instructions a seed; branches whose way was chosen; calls, not followed",
            .only = has_steps)},
};
#undef RECORD

#define RECORD report_deps
GETTER(instructions_of, report_list(report_records_json(ROWS(instructions), r, r->deps->insn_count, 0, NULL)))
static const report_field report[] = {
    {SCHEMA("tacho-deps-1")},
    {MEMBER(input, NULL)},
    {OF("region", region, name, "file, name of the region", .none = REPORT_NO_TEXT)},
    {PART_AT(deps, ROWS(looked_at))},
    {MADE(LIST, "instructions", instructions_of, "the block's", .table = ROWS(instructions))},
    {PART_AT(deps, ROWS(found))},
};
#undef RECORD
TABLE(report_deps_table, report, "tacho-deps-1");

const char report_deps_columns[] =
    "region,source,target,distance,kind,carrier,bytes,load_bytes,store_bytes,forwards,share,longest,back";

/* Without those that are not there. */
static const char *columns_of(char out[sizeof report_deps_columns], bool with_region, bool followed)
{
    size_t skipped = with_region ? 0 : strlen("region,");
    strcpy(out, report_deps_columns + skipped);
    if (!followed)
        out[strlen(out) - strlen(",longest,back")] = '\0';
    return out;
}

void report_deps_csv_header(tacho_str *out, bool with_region, bool followed)
{
    char columns[sizeof report_deps_columns];
    report_record_head(out, columns_of(columns, with_region, followed), ROWS(dependencies), NULL);
}

void report_deps_csv(tacho_str *out, const report_deps *r)
{
    char columns[sizeof report_deps_columns];
    report_record_rows(out, columns_of(columns, r->region_count > 1, r->deps->steps), ROWS(dependencies),
                       r->deps->dependencies, r->deps->count, sizeof *r->deps->dependencies,
                       &(report_at){.record = r});
}
