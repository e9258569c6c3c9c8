/* report_loops.h - what a report on a loop has beyond that on a block: where it is, its blocks and its path.
 */
#ifndef TACHO_REPORT_LOOPS_H
#define TACHO_REPORT_LOOPS_H

#include "app/report/code_table.h"
#include "app/report/report.h"

enum {
    REPORT_MAX_LOOP_WARNINGS = 32
};

/** A loop, its number in the list, and sentences about it. */
typedef struct report_loop {
    const tacho_loop *loop;
    size_t number;
    char *warnings[REPORT_MAX_LOOP_WARNINGS]; /* point into `text` */
    size_t warning_count;
    size_t common_count; /**< of these, the last ones, which hold for the whole input */
    char text[REPORT_MAX_LOOP_WARNINGS][360];
} report_loop;

/** Fills *out; what holds for the whole input (`common`) comes last among the warnings. */
void report_loop_start(report_loop *out, const tacho_loop *loop, size_t number, char *const *common,
                       size_t common_count);

/** What a loop's line says of its predictions. */
typedef struct report_loop_cells {
    char cycles[64][REPORT_RESULT_SIZE]; /**< for each microarchitecture; report_prediction_cell */
    size_t count;
    char limit[160];   /**< report_limit; "" */
    char missing[200]; /**< report_missing; "" */
    bool failed;       /**< on one of them */
    bool refused;      /**< one of them cannot execute it */
} report_loop_cells;

/** "main+0x1c" or "dot (inlined into main+0x1c)", in at most `columns` bytes; where these are too few, the
 * inner name alone, with the offset in the outer one; or the address. */
void report_loop_place(const tacho_loop *loop, int columns, char *out, size_t size);

/** The table of all loops. */
typedef struct report_loop_list {
    bool several;     /**< microarchitectures: cycles for each, in parts where the line is too short */
    report_grid wide; /**< with several */
    code_table plain; /**< else */
} report_loop_list;
void report_loop_list_start(report_loop_list *t, const tacho_arch *const *archs, size_t count);
void report_loop_list_add(report_loop_list *t, const report_loop *l, const report_loop_cells *cells);
/** Writes and frees it. */
void report_loop_list_put(tacho_str *out, report_loop_list *t, bool colour);
/** What comes before the report on the path. */
void report_loop_text(tacho_str *out, const report_loop *l, bool colour);
/** Which blocks the path goes through and which not, and what decided. */
void report_loop_path_text(tacho_str *out, const tacho_loop *l, bool colour);
/** Of report_loop: what is added to a report on its path. */
extern const report_table report_loop_table;
extern const char report_loop_columns[];
/** Adds the loop's fields to a report on its path. */
void report_loop_json(json_t *object, const report_loop *l);
void report_loop_csv_head(tacho_str *out);
void report_loop_csv_row(tacho_str *out, const report_loop *l, const report_subject *s);

#endif
