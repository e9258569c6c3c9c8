/* report_loops.c - loops in tables, text, JSON and CSV. */
#include "app/report/report_loops.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/report/grid.h"
#include "base/csv.h"

enum {
    MAX_LISTED = 8 /* blocks or branches in a line of text; JSON has them all */
};

static const char *const branch_reasons[] = {
    [TACHO_BRANCH_STAYS] = "the other way leaves the loop",
    [TACHO_BRANCH_AVOIDS_CALLS] = "the other way has more calls",
    [TACHO_BRANCH_IN_LINE] = "the other way is placed out of line",
    [TACHO_BRANCH_UNEQUAL] = "the other way finds more values equal",
    [TACHO_BRANCH_NOT_TAKEN] = "the other way takes more branches",
    [TACHO_BRANCH_LONGER] = "the other way is shorter",
    [TACHO_BRANCH_OFTEN] = "control went the other way less often",
};

static void warn(report_loop *l, const char *format, ...) TACHO_PRINTF(2, 3);

static void warn(report_loop *l, const char *format, ...)
{
    if (l->warning_count == REPORT_MAX_LOOP_WARNINGS)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(l->text[l->warning_count], sizeof *l->text, format, args);
    va_end(args);
    l->warnings[l->warning_count] = l->text[l->warning_count];
    l->warning_count++;
}

static void warn_of_path(report_loop *l)
{
    const tacho_loop *loop = l->loop;
    size_t left_out = loop->block_count - loop->path_count;
    if (left_out)
        warn(l,
             "the loop has %zu blocks; predicted is one way through %zu of them that looks likely, always "
             "the same; "
             "iterations that go through %s take another time",
             loop->block_count, loop->path_count, left_out == 1 ? "the other one" : "others");
    if (loop->piece_count > 1)
        warn(l,
             "the path is made of %zu pieces of code, joined by taken branches that are assumed to be "
             "predicted and "
             "to cost no more than the end of a line in the DSB and of a cycle in the decoders",
             loop->piece_count);
}

static void warn_of_calls(report_loop *l)
{
    const tacho_loop *loop = l->loop;
    if (loop->flags & TACHO_LOOP_CALLS)
        warn(l,
             "%u call%s on the path%s%s: what is called takes its time on top of this, and the registers "
             "that it "
             "changes are not known here",
             loop->call_count, loop->call_count == 1 ? "" : "s", loop->callee ? ", the first one to " : "",
             loop->callee ? loop->callee : "");
    if (loop->flags & TACHO_LOOP_CALLS_ELSEWHERE)
        warn(l, "blocks that were left out contain calls");
}

void report_loop_start(report_loop *out, const tacho_loop *loop, size_t number, tacho_input_kind kind,
                       char *const *common, size_t common_count)
{
    static const struct {
        uint32_t flag;
        const char *text;
    } sentences[] = {
        {TACHO_LOOP_IRREDUCIBLE, "the loop can be entered at more than one place (it is irreducible), so "
                                 "where an iteration begins, and "
                                 "which blocks belong to it, is a convention"},
        {TACHO_LOOP_SWITCH,
         "a jump through a table lies on the path; it is assumed to go to the same place in each iteration"},
        {TACHO_LOOP_INDIRECT,
         "an indirect jump inside the loop has targets that could not be found; blocks may be missing"},
        {TACHO_LOOP_BAD_BYTES,
         "a branch in the loop leads to bytes that are no instruction: this may be data, not code"},
        {TACHO_LOOP_WAITS,
         "the loop pauses, serialises or calls the system: it waits for something, which cycles do not tell"},
    };
    *out = (report_loop){.loop = loop, .number = number, .kind = kind};
    warn_of_path(out);
    warn_of_calls(out);
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++)
        if (loop->flags & sentences[i].flag)
            warn(out, "%s", sentences[i].text);
    size_t before = out->warning_count;
    for (size_t i = 0; i < common_count; i++)
        warn(out, "%s", common[i]);
    out->common_count = out->warning_count - before;
}

/* ---- text ---- */

/* "main+0x1c", with at most `columns` characters, or the address alone. */
static void place(const tacho_loop *l, int columns, char *out, size_t size)
{
    char offset[32];
    if (!l->function) {
        snprintf(out, size, "0x%" PRIx64, l->start);
        return;
    }
    int left = columns - snprintf(offset, sizeof offset, "+0x%" PRIx64, l->start - l->function_address);
    bool cut = left < (int)strlen(l->function);
    snprintf(out, size, "%.*s%s%s", cut ? left - 2 : left, l->function, cut ? ".." : "", offset);
    report_plain(out);
}

const char *report_loop_name(const report_loop *l, char *out, size_t size)
{
    place(l->loop, 100, out, size);
    return out;
}

static void line_range(char *out, size_t size, uint32_t first, uint32_t last)
{
    if (last > first)
        snprintf(out, size, "%u-%u", first, last);
    else
        snprintf(out, size, "%u", first);
}

/* The best that is known: source lines, lines of the assembly text, else addresses. */
static void where(const tacho_loop *l, char *out, size_t size)
{
    char lines[32];
    if (l->source_file) {
        line_range(lines, sizeof lines, l->source_first, l->source_last);
        snprintf(out, size, "%.40s:%s", tacho_base_name(l->source_file), lines);
        report_plain(out);
    } else if (l->line_first) {
        line_range(lines, sizeof lines, l->line_first, l->line_last);
        snprintf(out, size, "line%s %s", l->line_last > l->line_first ? "s" : "", lines);
    } else {
        snprintf(out, size, "0x%" PRIx64 "-0x%" PRIx64, l->start, l->end);
    }
}

static void add_remark(char *out, size_t size, const char *format, ...) TACHO_PRINTF(3, 4);

static void add_remark(char *out, size_t size, const char *format, ...)
{
    size_t n = strlen(out);
    n += (size_t)snprintf(out + n, size - n, "%s", n ? ", " : "");
    va_list args;
    va_start(args, format);
    if (n < size)
        vsnprintf(out + n, size - n, format, args);
    va_end(args);
}

static void remarks(const tacho_loop *l, char *out, size_t size)
{
    static const struct {
        uint32_t flag;
        const char *text;
    } words[] = {{TACHO_LOOP_NO_PATH, "no path found"},
                 {TACHO_LOOP_IRREDUCIBLE, "irreducible"},
                 {TACHO_LOOP_SWITCH, "switch"},
                 {TACHO_LOOP_INDIRECT, "indirect jump"},
                 {TACHO_LOOP_BAD_BYTES, "undecodable bytes"},
                 {TACHO_LOOP_WAITS, "waits"},
                 {TACHO_LOOP_COLD_PLACE, "cold"}};
    out[0] = '\0';
    if (l->flags & TACHO_LOOP_CALLS)
        add_remark(out, size, "calls%s%.32s", l->callee ? " " : "", l->callee ? l->callee : "");
    report_plain(out);
    if (l->block_count > l->path_count && l->path_count)
        add_remark(out, size, "%zu of %zu blocks", l->path_count, l->block_count);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (l->flags & words[i].flag)
            add_remark(out, size, "%s", words[i].text);
}

void report_loop_head(tacho_str *out, const tacho_arch *const *archs, size_t count, bool colour)
{
    tacho_str line = {0};
    tacho_str_puts(&line, "   #");
    for (size_t i = 0; i < count; i++)
        tacho_str_printf(&line, " %8s", count > 1 ? archs[i]->name : "cycles");
    tacho_str_printf(&line, " insns  vec  mem depth  %-30s  %-24s  %s", "function", "where", "remarks");
    report_paint(out, colour, REPORT_DIM, line.failed ? "" : line.data);
    tacho_str_putc(out, '\n');
    tacho_str_free(&line);
}

void report_loop_row(tacho_str *out, const report_loop *l, const report_loop_cells *cells)
{
    char function[54], at[96], notes[500];
    const tacho_loop *loop = l->loop;
    place(loop, 30, function, sizeof function);
    where(loop, at, sizeof at);
    remarks(loop, notes, sizeof notes);
    if (cells->failed)
        add_remark(notes, sizeof notes, "not predicted");
    else if (cells->refused)
        add_remark(notes, sizeof notes, "some cannot execute it");
    if (*cells->limit)
        add_remark(notes, sizeof notes, "%s", cells->limit);
    if (*cells->missing)
        add_remark(notes, sizeof notes, "%s", cells->missing);
    tacho_str_printf(out, "%4zu", l->number);
    for (size_t i = 0; i < cells->count; i++)
        tacho_str_printf(out, " %8s", cells->cycles[i]);
    tacho_str_printf(out, " %5u %4u %4u %5u  %-30s  %-24s  %s\n", loop->insn_count, loop->vector_count,
                     loop->memory_count, loop->depth, function, at, notes);
}

/* Blocks that are not on the path; those that lie one after the other as one. */
static void list_left_out(tacho_str *out, const tacho_loop *l)
{
    size_t count = 0;
    for (size_t i = 0; i < l->block_count; i++) {
        const tacho_loop_block *b = &l->blocks[i];
        uint64_t end = b->end;
        if (b->on_path)
            continue;
        while (i + 1 < l->block_count && !l->blocks[i + 1].on_path && l->blocks[i + 1].start == end)
            end = l->blocks[++i].end;
        if (count++ < MAX_LISTED)
            tacho_str_printf(out, "%s0x%" PRIx64 "-0x%" PRIx64, count > 1 ? ", " : "", b->start, end);
    }
    if (count > MAX_LISTED)
        tacho_str_printf(out, ", ... (%zu in all)", count);
    tacho_str_putc(out, '\n');
}

void report_loop_path_text(tacho_str *out, const tacho_loop *l, bool colour)
{
    report_label(out, colour, "path");
    for (size_t i = 0; i < l->piece_count && i < MAX_LISTED; i++) {
        size_t end = i + 1 < l->piece_count ? l->pieces[i + 1].code_offset : l->code_bytes;
        tacho_str_printf(out, "%s0x%" PRIx64 "-0x%" PRIx64, i ? ", then " : "", l->pieces[i].address,
                         l->pieces[i].address + (end - l->pieces[i].code_offset));
    }
    if (l->piece_count > MAX_LISTED)
        tacho_str_printf(out, ", ... (%zu pieces)", l->piece_count);
    tacho_str_putc(out, '\n');
    if (l->block_count > l->path_count) {
        report_label(out, colour, "left out");
        list_left_out(out, l);
    }
    for (size_t i = 0; i < l->branch_count && i < MAX_LISTED; i++) {
        const tacho_loop_branch *b = &l->branches[i];
        report_label(out, colour, i ? "" : "assumed");
        tacho_str_printf(out, "branch at 0x%" PRIx64 " %s: %s\n", b->address,
                         b->taken ? "taken" : "not taken", branch_reasons[b->reason]);
    }
    if (l->branch_count > MAX_LISTED) {
        report_label(out, colour, "");
        tacho_str_printf(out, "... (%zu branches)\n", l->branch_count);
    }
}

void report_loop_text(tacho_str *out, const report_loop *l, bool colour)
{
    const tacho_loop *loop = l->loop;
    char title[160], name[100], lines[32];
    place(loop, 80, name, sizeof name);
    snprintf(title, sizeof title, "[%zu] %s", l->number, name);
    report_paint(out, colour, REPORT_BOLD, title);
    tacho_str_printf(out, "\n");
    report_label(out, colour, "loop");
    tacho_str_printf(out, "0x%" PRIx64 "-0x%" PRIx64 " in ", loop->start, loop->end);
    report_put_plain(out, loop->section);
    tacho_str_puts(out, ", ");
    tacho_str_printf(out, loop->depth > 1 ? "nested in %u other%s" : "not nested", loop->depth - 1,
                     loop->depth == 2 ? "" : "s");
    tacho_str_printf(out, "; %zu block%s\n", loop->block_count, loop->block_count == 1 ? "" : "s");
    if (loop->source_file) {
        report_label(out, colour, "source");
        line_range(lines, sizeof lines, loop->source_first, loop->source_last);
        report_put_plain(out, loop->source_file);
        tacho_str_printf(out, ":%s\n", lines);
    }
    if (loop->line_first) {
        report_label(out, colour, "text");
        line_range(lines, sizeof lines, loop->line_first, loop->line_last);
        tacho_str_printf(out, "line%s %s of the assembly\n", loop->line_last > loop->line_first ? "s" : "",
                         lines);
    }
    if (loop->block_count > 1)
        report_loop_path_text(out, loop, colour);
    tacho_str_putc(out, '\n');
}

/* ---- JSON ---- */

static json_t *address(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *line_or_null(uint32_t line)
{
    return line ? json_integer(line) : json_null();
}

static json_t *blocks(const tacho_loop *l)
{
    json_t *list = json_array();
    for (size_t i = 0; i < l->block_count; i++)
        json_array_append_new(list,
                              json_pack("{s:o, s:o, s:b}", "start", address(l->blocks[i].start), "end",
                                        address(l->blocks[i].end), "on_path", (int)l->blocks[i].on_path));
    return list;
}

static json_t *path(const tacho_loop *l)
{
    json_t *list = json_array();
    for (size_t i = 0; i < l->path_count; i++)
        json_array_append_new(list, json_integer(l->path[i]));
    return list;
}

static json_t *branches(const tacho_loop *l)
{
    json_t *list = json_array();
    for (size_t i = 0; i < l->branch_count; i++)
        json_array_append_new(
            list, json_pack("{s:o, s:b, s:s}", "address", address(l->branches[i].address), "taken",
                            (int)l->branches[i].taken, "reason",
                            tacho_branch_reason_name((tacho_branch_reason)l->branches[i].reason)));
    return list;
}

static json_t *pieces(const tacho_loop *l)
{
    json_t *list = json_array();
    for (size_t i = 0; i < l->piece_count; i++)
        json_array_append_new(list, json_pack("{s:I, s:o}", "offset", (json_int_t)l->pieces[i].code_offset,
                                              "address", address(l->pieces[i].address)));
    return list;
}

static json_t *flags(const tacho_loop *l)
{
    json_t *list = json_array();
    for (uint32_t bit = 1; *tacho_loop_flag_name(bit); bit <<= 1)
        if (l->flags & bit)
            json_array_append_new(list, json_string(tacho_loop_flag_name(bit)));
    return list;
}

void report_loop_json(json_t *o, const report_loop *l)
{
    const tacho_loop *loop = l->loop;
    json_object_set_new(o, "loop", json_integer((json_int_t)l->number));
    json_object_set_new(o, "heat", json_real(loop->heat));
    json_object_set_new(o, "function", report_json_string(loop->function));
    json_object_set_new(o, "function_address", address(loop->function_address));
    json_object_set_new(o, "section", report_json_string(loop->section));
    json_object_set_new(o, "start", address(loop->start));
    json_object_set_new(o, "end", address(loop->end));
    json_object_set_new(o, "depth", json_integer(loop->depth));
    json_object_set_new(o, "source_file", report_json_string(loop->source_file));
    json_object_set_new(o, "source_first_line", line_or_null(loop->source_first));
    json_object_set_new(o, "source_last_line", line_or_null(loop->source_last));
    json_object_set_new(o, "first_line", line_or_null(loop->line_first));
    json_object_set_new(o, "last_line", line_or_null(loop->line_last));
    json_object_set_new(o, "blocks", blocks(loop));
    json_object_set_new(o, "path", path(loop));
    json_object_set_new(o, "pieces", pieces(loop));
    json_object_set_new(o, "branches", branches(loop));
    json_object_set_new(o, "flags", flags(loop));
    json_object_set_new(o, "callee", report_json_string(loop->callee));
    json_object_set_new(o, "path_instructions", json_integer(loop->insn_count));
    json_object_set_new(o, "vector_instructions", json_integer(loop->vector_count));
    json_object_set_new(o, "memory_instructions", json_integer(loop->memory_count));
    json_object_set_new(o, "call_instructions", json_integer(loop->call_count));
}

/* ---- CSV ---- */

void report_loop_csv_head(tacho_str *out)
{
    tacho_str_puts(
        out, "hex,cycles,cycles_exact,arch,source,bottlenecks,loop,heat,function,section,start,end,depth,"
             "source_file,source_first_line,source_last_line,first_line,last_line,blocks,path_blocks,"
             "flags,unknown,lower_bound,error\n");
}

static void field(tacho_str *out, const char *text)
{
    tacho_str_putc(out, ',');
    tacho_csv_put(out, text, strlen(text));
}

static void line_field(tacho_str *out, uint32_t line)
{
    char text[16] = "";
    if (line)
        snprintf(text, sizeof text, "%u", line);
    field(out, text);
}

static void flags_field(tacho_str *out, const tacho_loop *l)
{
    const char *separator = ",";
    tacho_str_puts(out, l->flags ? "" : ",");
    for (uint32_t bit = 1; *tacho_loop_flag_name(bit); bit <<= 1)
        if (l->flags & bit) {
            tacho_str_printf(out, "%s%s", separator, tacho_loop_flag_name(bit));
            separator = ";";
        }
}

void report_loop_csv_row(tacho_str *out, const report_loop *l, const report_subject *s)
{
    const tacho_prediction *p = s->prediction;
    const tacho_loop *loop = l->loop;
    char number[TACHO_NUMBER_SIZE], exact[48], names[128];
    for (size_t i = 0; i < loop->code_bytes; i++)
        tacho_str_printf(out, "%02x", loop->code[i]);
    field(out, p ? tacho_format_number(number, p->cycles, 6) : "");
    field(out, p ? report_exact(p, exact) : "");
    field(out, s->arch->name);
    field(out, p ? tacho_uop_source_name(p->source) : "");
    field(out, p ? tacho_bottleneck_names(p->bottlenecks, ";", names, sizeof names) : "");
    tacho_str_printf(out, ",%zu,%s", l->number, tacho_format_number(number, loop->heat, 3));
    field(out, loop->function ? loop->function : "");
    field(out, loop->section);
    tacho_str_printf(out, ",0x%" PRIx64 ",0x%" PRIx64 ",%u", loop->start, loop->end, loop->depth);
    field(out, loop->source_file ? loop->source_file : "");
    line_field(out, loop->source_first);
    line_field(out, loop->source_last);
    line_field(out, loop->line_first);
    line_field(out, loop->line_last);
    tacho_str_printf(out, ",%zu,%zu", loop->block_count, loop->path_count);
    flags_field(out, loop);
    report_missing_csv(out, p);
    field(out, s->error ? s->error : "");
    tacho_str_putc(out, '\n');
}
