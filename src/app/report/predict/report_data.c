/* report_data.c - a loop's cycles by level of its data, predicted, and by footprint, measured. */
#include "app/report/report.h"
#include "app/report/measure/report_measure.h"

enum {
    LIMIT_SIZE = 32
};

static const char *what_limits(char out[LIMIT_SIZE], const tacho_data_level *l)
{
    if (*l->limit == 'c')
        return "the core";
    snprintf(out, LIMIT_SIZE, "%s of %s", *l->limit == 't' ? "bandwidth" : "latency", l->name);
    return out;
}

/* ---- predicted ---- */

const char *report_memory_warning(char out[REPORT_MEMORY_WARNING_SIZE], const tacho_memory *m,
                                  const tacho_arch *arch)
{
    const tacho_arch *theirs = *m->core ? tacho_arch_find(m->core, NULL) : NULL;
    *out = '\0';
    if (theirs && !tacho_arch_same_core(theirs, arch))
        snprintf(out, REPORT_MEMORY_WARNING_SIZE,
                 "the memory is that of a machine with %s, the prediction is for %s", m->core, arch->name);
    return out;
}

void report_data_text(tacho_str *out, const report_data *d, bool colour)
{
    char n[5][TACHO_NUMBER_SIZE], limit[LIMIT_SIZE];
    const tacho_data_prediction *p = d->prediction;
    const tacho_data_level *l = &p->levels[p->level];
    report_paintf(out, colour, REPORT_BOLD, "With its data in %s: %s cycle%s per iteration, limited by %s",
                  l->name, report_number(n[0], l->cycles), l->cycles == 1 ? "" : "s", what_limits(limit, l));
    tacho_str_printf(out, "\n  memory of %s; %u stream%s, %s bytes an iteration", d->machine,
                     p->streams.count, tacho_plural(p->streams.count), report_number(n[0], p->streams.bytes));
    const uint32_t scattered = p->streams.scattered_loads + p->streams.scattered_stores;
    if (scattered)
        tacho_str_printf(out, "; %u access%s at addresses that follow no stride", scattered,
                         scattered == 1 ? "" : "es");
    tacho_str_puts(out, "\n  data in     cycles   transfers   latency   lines read   written   limited by\n");
    for (uint32_t i = 0; i < p->level_count; i++) {
        l = &p->levels[i];
        tacho_str_printf(out, "  %-8s %9s %11s %9s %12s %9s   %s\n", l->name, report_number(n[0], l->cycles),
                         i ? report_number(n[1], l->transfer_cycles) : "-",
                         report_number(n[2], l->latency_cycles), i ? report_number(n[3], l->lines_read) : "-",
                         i ? report_number(n[4], l->lines_written) : "-", what_limits(limit, l));
    }
    tacho_str_puts(out, "\nIn the core, with its data in L1:\n");
}

#define RECORD tacho_data_level
static const report_field levels[] = {
    {MEMBER(name, "as `tacho doctor --memory` has it")},
    {MEMBER(cycles, "an iteration, with all data in this level")},
    {MEMBER(limit, "`core`, `transfer` or `latency`")},
    {MEMBER(lines_read, NULL)},
    {MEMBER(lines_written,
            "lines of 64 bytes an iteration, from there and to there; what is written is read before")},
    {MEMBER(transfer_cycles, "an iteration, of these transfers")},
    {MEMBER(latency_cycles, "an iteration, simulated with loads that are not prefetched served by this "
                            "level; null: there are none")},
};
#undef RECORD

#define RECORD tacho_stream
static const report_field streams[] = {
    MEMBERS2(insn, step,
             "the first instruction that has an access; bytes that it moves by in each iteration"),
    {MEMBER(lines, "that an iteration touches and none before has")},
    {MEMBER(behind, "bytes behind another stream of the same array", .none = REPORT_ZERO)},
    MEMBERS2(read, write, "what is done with it"),
};
#undef RECORD

#define RECORD tacho_streams
static const report_field all_streams[] = {
    {RECORDS_IN("streams", list, count, ROWS(streams), "accesses that move on together")},
    MEMBERS2(scattered_loads, scattered_stores, "an iteration, at addresses that follow no stride"),
    {MEMBER(bytes, "an iteration, of all streams")},
};
#undef RECORD

#define RECORD tacho_data_prediction
GETTER(level_name, report_text_value(r->levels[r->level].name))
GETTER(level_cycles, report_real(r->levels[r->level].cycles))
static const report_field prediction[] = {
    {MADE(TEXT, "level", level_name, "where the data lie")},
    {MADE_OR_NULL(REAL, "cycles", level_cycles, "an iteration, then")},
    {MEMBER(core_cycles, "with data in the first level: `cycles` of the prediction")},
    {MEMBER(exposed_cycles, "of these, loads and stores that no transfer overlaps")},
    {RECORDS_IN("levels", levels, level_count, ROWS(levels), "each level")},
    {PART_IN(streams, ROWS(all_streams))},
};
#undef RECORD

#define RECORD report_data
static const report_field data[] = {
    {MEMBER(machine, "the name of the processor whose memory it is")},
    {PART_AT(prediction, ROWS(prediction))},
};
#undef RECORD
TABLE(report_data_table, data, "data-of-predict");

/* ---- measured ---- */

static bool is_predicted(const report_footprint *f)
{
    return f->count && f->points[0].level;
}

void report_footprint_text(tacho_str *out, const report_footprint *f, bool colour)
{
    char n[2][TACHO_NUMBER_SIZE], size[TACHO_SIZE_SIZE];
    report_paintf(out, colour, REPORT_BOLD, "%s%s%s: %u stream%s over arrays of their own, %s pages",
                  f->input, f->region ? ", " : "", f->region ? f->region : "", f->streams.count,
                  tacho_plural(f->streams.count), f->huge_pages ? "huge" : "4 KiB");
    tacho_str_printf(out, "\n\n   footprint     cycles    uncertain%s\n",
                     is_predicted(f) ? "   predicted   error  data in" : "");
    for (size_t i = 0; i < f->count; i++) {
        const report_footprint_point *p = &f->points[i];
        tacho_str_printf(out, "%12s %10s", tacho_format_size(size, p->bytes),
                         report_number(n[0], p->result.cycles));
        if (isfinite(p->result.cycles))
            tacho_str_printf(out, " %10.1f %%", 100 * p->result.uncertainty);
        if (p->level && isfinite(p->result.cycles))
            tacho_str_printf(out, "  %10s  %+5.0f %%  %s", report_number(n[1], p->predicted),
                             100 * (p->predicted / p->result.cycles - 1), p->level);
        if (*p->result.message)
            tacho_str_printf(out, "  %s", p->result.message);
        tacho_str_putc(out, '\n');
    }
}

#define RECORD report_footprint_point
GETTER(cycles, report_real(r->result.cycles))
GETTER(uncertainty, report_real(r->result.uncertainty))
GETTER(error, report_word(r->result.message))
ONLY(with_prediction, r->level != NULL)
static const report_field points[] = {
    MEMBERS2(bytes, iterations, "of all streams together; of a walk through them"),
    {MADE_OR_NULL(REAL, "cycles", cycles, "an iteration")},
    {MADE_OR_NULL(REAL, "uncertainty", uncertainty, "relative")},
    {WORD("status", result.status, tacho_measure_status_name, "as of `tacho measure`")},
    {MADE(TEXT | REPORT_OR_NULL, "error", error, "why there is no number, or passes disagree")},
    {MEMBER(predicted, NULL, .only = with_prediction)},
    {MEMBER(level, "with `--also-predict`: cycles, and the level that was assumed", .only = with_prediction)},
};
static const report_field cells[] = {
    {CELL("footprint_bytes", bytes)},
    {CELL("iterations", iterations)},
    {MADE_CELL(REAL, "cycles", cycles)},
    {MADE_CELL(REAL, "uncertainty", uncertainty)},
    {.csv = true, WORD("status", result.status, tacho_measure_status_name, NULL)},
    {CELL("predicted", predicted)},
    {CELL("level", level)},
    {MADE_CELL(TEXT, "error", error)},
};
#undef RECORD

#define RECORD report_footprint
static const report_field footprint[] = {
    {SCHEMA("tacho-footprint-1")},
    {MEMBER(input, NULL)},
    {MEMBER(region, "file, or `--hex`; the region's name", .none = REPORT_NO_TEXT)},
    {MEMBER(huge_pages, "whether huge pages were asked for")},
    {PART_IN(streams, ROWS(all_streams))},
    {RECORDS("points", points, count, ROWS(points), "by footprint")},
};
#undef RECORD
TABLE(report_footprint_table, footprint, "tacho-footprint-1");

static const char columns[] = "footprint_bytes,iterations,cycles,uncertainty,status,predicted,level,error";

void report_footprint_csv(tacho_str *out, const report_footprint *f, bool head)
{
    if (head)
        report_record_head(out, columns, ROWS(cells), f->points);
    report_record_rows(out, columns, ROWS(cells), f->points, f->count, sizeof *f->points, NULL);
}

void report_footprint_plot(tacho_str *out, const report_footprint *f, bool png)
{
    report_size_plot_data(out, png);
    for (size_t i = 0; i < f->count; i++) {
        const report_footprint_point *p = &f->points[i];
        if (isfinite(p->result.cycles))
            tacho_str_printf(out, "%llu %.9g %.9g\n", (unsigned long long)p->bytes, p->result.cycles,
                             p->level ? p->predicted : 0);
    }
    report_size_plot_axes(out, f->input, "set yrange [0:*]\nset ylabel 'cycles per iteration'\n",
                          f->points[0].bytes, f->points[f->count - 1].bytes);
    tacho_str_puts(out,
                   "plot $points using 1:2 with linespoints pt 7 ps 0.5 lc rgb '#2c6bd1' title 'measured'");
    if (is_predicted(f))
        tacho_str_puts(out, ", '' using 1:3 with lines lc rgb '#e69f00' title 'predicted'");
    tacho_str_putc(out, '\n');
}
