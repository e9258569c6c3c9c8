/* report_loops.c - loops in tables, text, JSON and CSV. */
#include "app/report/report.h"

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
             "the loop has %zu blocks; the prediction follows one likely path, through %zu of them, in every "
             "iteration; iterations that go through %s take a different time",
             loop->block_count, loop->path_count, left_out == 1 ? "the other one" : "others");
    if (loop->piece_count > 1)
        warn(l,
             "the path consists of %zu pieces of code, joined by taken branches; each is assumed to be "
             "predicted correctly, and to cost only that it ends a DSB line and a decoding cycle",
             loop->piece_count);
}

static void warn_of_calls(report_loop *l)
{
    const tacho_loop *loop = l->loop;
    if (loop->flags & TACHO_LOOP_CALLS)
        warn(l,
             "%u call%s on the path%s%s: the time of the called code comes on top, and which registers it "
             "changes is not known here",
             loop->call_count, tacho_plural(loop->call_count), loop->callee ? ", the first one to " : "",
             loop->callee ? loop->callee : "");
    if (loop->flags & TACHO_LOOP_CALLS_ELSEWHERE)
        warn(l, "blocks that were left out contain calls");
}

void report_loop_start(report_loop *out, const tacho_loop *loop, size_t number, char *const *common,
                       size_t common_count)
{
    static const struct {
        uint32_t flag;
        const char *text;
    } sentences[] = {
        {TACHO_LOOP_IRREDUCIBLE, "the loop can be entered at more than one place (it is irreducible), so "
                                 "where an iteration begins, and which blocks belong to it, is a convention"},
        {TACHO_LOOP_SWITCH,
         "a jump through a table lies on the path; it is assumed to go to the same place in each iteration"},
        {TACHO_LOOP_INDIRECT,
         "an indirect jump inside the loop has targets that could not be found; blocks may be missing"},
        {TACHO_LOOP_BAD_BYTES,
         "a branch in the loop leads to bytes that are no instruction: this may be data, not code"},
        {TACHO_LOOP_WAITS, "the loop pauses, serialises or makes a system call: how long it waits is not "
                           "part of the prediction"},
    };
    *out = (report_loop){.loop = loop, .number = number};
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

void report_loop_place(const tacho_loop *l, int columns, char *out, size_t size)
{
    char offset[32];
    TACHO_FREED tacho_str name = {0};
    if (!l->function || l->start < l->function_address) {
        snprintf(out, size, "0x%" PRIx64, l->start);
        return;
    }
    int left = columns - snprintf(offset, sizeof offset, "+0x%" PRIx64, l->start - l->function_address);
    if (l->inlined)
        tacho_str_printf(&name, "%s (inlined into %s%s)", l->inlined, l->function, offset);
    bool whole = l->inlined && columns >= (int)name.length;
    if (!whole) { /* there is room for one name */
        tacho_str_clear(&name);
        tacho_str_puts(&name, l->inlined ? l->inlined : l->function);
    }
    bool cut = !whole && left < (int)name.length;
    snprintf(out, size, "%.*s%s%s", cut ? left - 2 : (int)name.length, name.data ? name.data : "",
             cut ? ".." : "", whole ? "" : offset);
    report_plain(out);
}

tacho_region report_loop_region(const tacho_loop *loop)
{
    return (tacho_region){.bytes = loop->code,
                          .byte_count = loop->code_bytes,
                          .address = loop->start,
                          .line = loop->line_first,
                          .alignment = loop->alignment,
                          .place_step = loop->place_step,
                          .typed = loop->typed,
                          .typed_count = loop->typed_count};
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

void report_loop_list_start(report_loop_list *t, const tacho_arch *const *archs, size_t count)
{
    static const char *const facts[] = {"insns", "vec", "mem", "depth"};
    t->several = count > 1;
    if (t->several) {
        report_grid_start(&t->wide, count + 3, 2);
        report_grid_cell(&t->wide, "#  function");
        for (size_t i = 0; i < count; i++)
            report_grid_cell(&t->wide, archs[i]->name);
        report_grid_cell(&t->wide, "where");
        report_grid_cell(&t->wide, "remarks");
        return;
    }
    code_table_start(&t->plain, "   #", "function", 7, 2);
    code_table_title(&t->plain, "cycles", 0);
    for (unsigned i = 0; i < sizeof facts / sizeof *facts; i++)
        code_table_title(&t->plain, facts[i], 1 + i);
    code_table_title(&t->plain, "where", 0);
    code_table_title(&t->plain, "remarks", 0);
}

static void wide_row(report_grid *g, size_t number, const char *function, const char *at, const char *notes,
                     const report_loop_cells *cells)
{
    report_grid_cellf(g, "%zu  %s", number, function);
    for (size_t i = 0; i < cells->count; i++)
        report_grid_cell(g, cells->cycles[i]);
    report_grid_cell(g, at);
    report_grid_cell(g, notes);
}

static void plain_row(code_table *t, const report_loop *l, const char *function, const char *at,
                      const char *notes, const report_loop_cells *cells)
{
    const tacho_loop *loop = l->loop;
    const unsigned facts[] = {loop->insn_count, loop->vector_count, loop->memory_count, loop->depth};
    char number[24];
    snprintf(number, sizeof number, "%4zu", l->number);
    code_table_row(t, "", number, function);
    code_table_cell(t, cells->cycles[0]);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        code_table_cellf(t, "%u", facts[i]);
    code_table_cell(t, at);
    code_table_cell(t, notes);
}

void report_loop_list_add(report_loop_list *t, const report_loop *l, const report_loop_cells *cells)
{
    char function[54], at[96], notes[500];
    const tacho_loop *loop = l->loop;
    report_loop_place(loop, 30, function, sizeof function);
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
    if (t->several)
        wide_row(&t->wide, l->number, function, at, notes, cells);
    else
        plain_row(&t->plain, l, function, at, notes, cells);
}

void report_loop_list_put(tacho_str *out, report_loop_list *t, bool colour)
{
    if (t->several)
        report_grid_put(out, &t->wide, colour);
    else
        code_table_put(out, &t->plain, colour);
}

/* Blocks that are not on the path; those that lie one after the other as one. */
static void list_left_out(tacho_str *out, const tacho_loop *l, bool colour)
{
    tacho_str list = {0};
    size_t count = 0;
    for (size_t i = 0; i < l->block_count; i++) {
        const tacho_loop_block *b = &l->blocks[i];
        uint64_t end = b->end;
        if (b->on_path)
            continue;
        while (i + 1 < l->block_count && !l->blocks[i + 1].on_path && l->blocks[i + 1].start == end)
            end = l->blocks[++i].end;
        if (count++ < MAX_LISTED)
            tacho_str_printf(&list, "%s0x%" PRIx64 "-0x%" PRIx64, count > 1 ? ", " : "", b->start, end);
    }
    if (count > MAX_LISTED)
        tacho_str_printf(&list, ", ... (%zu in all)", count);
    report_line_text(out, colour, "left out", &list);
}

void report_loop_path_text(tacho_str *out, const tacho_loop *l, bool colour)
{
    tacho_str path = {0};
    for (size_t i = 0; i < l->piece_count && i < MAX_LISTED; i++) {
        size_t end = i + 1 < l->piece_count ? l->pieces[i + 1].code_offset : l->code_bytes;
        tacho_str_printf(&path, "%s0x%" PRIx64 "-0x%" PRIx64, i ? ", then " : "", l->pieces[i].address,
                         l->pieces[i].address + (end - l->pieces[i].code_offset));
    }
    if (l->piece_count > MAX_LISTED)
        tacho_str_printf(&path, ", ... (%zu pieces)", l->piece_count);
    report_line_text(out, colour, "path", &path);
    if (l->block_count > l->path_count)
        list_left_out(out, l, colour);
    for (size_t i = 0; i < l->branch_count && i < MAX_LISTED; i++) {
        const tacho_loop_branch *b = &l->branches[i];
        report_line(out, colour, i ? "" : "assumed", "branch at 0x%" PRIx64 " %s: %s", b->address,
                    b->taken ? "taken" : "not taken", branch_reasons[b->reason]);
    }
    if (l->branch_count > MAX_LISTED)
        report_line(out, colour, "", "... (%zu branches)", l->branch_count);
}

void report_loop_text(tacho_str *out, const report_loop *l, bool colour)
{
    const tacho_loop *loop = l->loop;
    char name[240], lines[32];
    tacho_str where = {0};
    report_loop_place(loop, 200, name, sizeof name);
    report_paintf(out, colour, REPORT_BOLD, "[%zu] %s", l->number, name);
    tacho_str_putc(out, '\n');
    tacho_str_printf(&where, "0x%" PRIx64 "-0x%" PRIx64 " in %s, ", loop->start, loop->end, loop->section);
    tacho_str_printf(&where, loop->depth > 1 ? "nested in %u other%s" : "not nested", loop->depth - 1,
                     tacho_plural(loop->depth - 1));
    tacho_str_printf(&where, "; %zu block%s", loop->block_count, tacho_plural(loop->block_count));
    report_line_text(out, colour, "loop", &where);
    if (loop->source_file) {
        line_range(lines, sizeof lines, loop->source_first, loop->source_last);
        report_line(out, colour, "source", "%s:%s", loop->source_file, lines);
    }
    if (loop->line_first) {
        line_range(lines, sizeof lines, loop->line_first, loop->line_last);
        report_line(out, colour, "text", "line%s %s of the assembly",
                    loop->line_last > loop->line_first ? "s" : "", lines);
    }
    if (loop->block_count > 1)
        report_loop_path_text(out, loop, colour);
    tacho_str_putc(out, '\n');
}

/* ---- JSON and CSV ---- */

#define RECORD tacho_loop_block
static const report_field blocks[] = {
    MEMBERS2(start, end, "addresses"),
    {MEMBER(on_path, "whether the path goes through it")},
};
#undef RECORD

#define RECORD tacho_piece
static const report_field pieces[] = {
    {NAMED("offset", code_offset, "in the path's bytes")},
    {MEMBER(address, "where it comes from")},
};
#undef RECORD

#define RECORD tacho_loop_branch
GETTER(reason, report_text_value(tacho_branch_reason_name((tacho_branch_reason)r->reason)))
static const report_field branches[] = {
    MEMBERS2(address, taken, "the branch, and whether it is taken"),
    {MADE(TEXT, "reason", reason,
          "`stays`: the other way leaves the loop; `avoids_calls`, `in_line`, `unequal`, `not_taken`, "
          "`longer`: the other way has more calls, is placed out of line, finds more values equal, takes "
          "more branches, is shorter; `often`: a run has shown that control went the other way less often")},
};
#undef RECORD

#define RECORD tacho_loop
LIST_OF(path, r->path_count, true, json_integer(r->path[i]))
LIST_OF(flags, 32, r->flags >> i & 1, json_string(tacho_loop_flag_name(1u << i)))
static const report_field fields[] = {
    {MEMBER(heat, "how hot it looks, a number to sort by", .cell = 3)},
    {MEMBER(function, NULL, .none = REPORT_NO_TEXT)},
    {MEMBER(function_address,
            "the function, or null where no symbol names it; where it, or what was taken for one, begins")},
    MEMBERS2(section, start, NULL, .cell = REPORT_ADDRESS),
    {MEMBER(end,
            "where the loop is: from its lowest block to the end of its highest. Addresses in executables, "
            "offsets in the section in object files and assembly text",
            .cell = REPORT_ADDRESS)},
    {MEMBER(depth, "1: not inside another loop")},
    {MEMBER(source_file, NULL, .none = REPORT_NO_TEXT)},
    {NAMED("source_first_line", source_first, NULL, .none = REPORT_ZERO)},
    {NAMED("source_last_line", source_last,
           "by debug information: the file that most instructions of the path come from, and the lines there",
           .none = REPORT_ZERO)},
    {NAMED("first_line", line_first, NULL, .none = REPORT_ZERO)},
    {NAMED("last_line", line_last, "of the assembly text", .none = REPORT_ZERO)},
    {CELL("blocks", block_count)},
    {CELL("path_blocks", path_count)},
    {RECORDS("blocks", blocks, block_count, ROWS(blocks), "all blocks of the loop by address")},
    {MADE(LIST, "path", path, "numbers of `blocks` in the order of execution")},
    {RECORDS("pieces", pieces, piece_count, ROWS(pieces),
             "the parts of the path that a taken branch leads to")},
    {RECORDS("branches", branches, branch_count, ROWS(branches), "conditional branches on the path")},
    {MADE(LIST, "flags", flags,
          "list of `calls`, `calls_elsewhere` (only off the path), `indirect_jump` (not all targets are "
          "known), `bad_bytes`, `irreducible`, `cold_place`, `waits` (pauses, serialises or calls the "
          "system), `no_path`, `switch` (a jump through a table on the path)")},
    {MEMBER(callee, "what the first call on the path calls", .none = REPORT_NO_TEXT)},
    {NAMED("path_instructions", insn_count, NULL)},
    {NAMED("vector_instructions", vector_count, NULL)},
    {NAMED("memory_instructions", memory_count, NULL)},
    {NAMED("call_instructions", call_count, "counts on the path")},
    {MEMBER(inlined, "the function that all of the path was inlined from, by debug information",
            .none = REPORT_NO_TEXT)},
};
#undef RECORD

#define RECORD report_loop
static const report_field numbered[] = {
    {NAMED("loop", number, "number of the loop")},
    {PART_AT(loop, ROWS(fields))},
};
#undef RECORD
TABLE(report_loop_table, numbered, "loop");

void report_loop_json(json_t *o, const report_loop *l)
{
    report_record_put(o, &report_loop_table, l, NULL);
}

typedef struct csv_row {
    const report_loop *loop;
    const report_subject *subject;
} csv_row;

#define RECORD csv_row
GETTER(code, report_hex(r->loop->loop->code, r->loop->loop->code_bytes))
static const report_field row[] = {
    {MADE_CELL(HEX, "hex", code)},
    {PART_AT(subject, &report_subject_table)},
    {PART_AT(loop, &report_loop_table)},
};
#undef RECORD
const char report_loop_columns[] = "hex,cycles,cycles_exact,arch,source,bottlenecks,loop,heat,function,"
                                   "section,start,end,depth,source_file,source_first_line,source_last_line,"
                                   "first_line,last_line,blocks,path_blocks,flags,unknown,lower_bound,error";

void report_loop_csv_head(tacho_str *out)
{
    report_record_head(out, report_loop_columns, ROWS(row), NULL);
}

void report_loop_csv_row(tacho_str *out, const report_loop *l, const report_subject *s)
{
    report_record_row(out, report_loop_columns, ROWS(row), &(csv_row){l, s}, NULL);
}
