/* report.h - predictions as text, JSON and CSV. */
#ifndef TACHO_REPORT_REPORT_H
#define TACHO_REPORT_REPORT_H

#include "app/report/layout.h"
#include "base/records.h"
#include "model/explain/kept_trace.h"
#include "model/predict/bound_words.h"
#include "tacho/tools.h"
#include "x86/arch/arch_struct.h"
#include "x86/arch/own_words.h"
#include "x86/decode/insn_struct.h"

/** What reports that follow each other in one text have said: it is not said again. */
typedef struct report_said {
    tacho_str texts;              /**< each with a 0 byte at its end */
    size_t instructions, derived; /**< of these, how many have derived figures */
    bool some;                    /**< of a table with derived figures not all are: it marks them */
} report_said;

/** A prediction and what it is of. */
typedef struct report_subject {
    const char *input; /**< file name, "standard input", "--hex" */
    const tacho_region *region;
    size_t region_number, region_count; /**< 0-based */
    const tacho_arch *arch;
    const tacho_prediction *prediction; /**< NULL: failed, see error */
    const char *error;
    char *const *warnings; /**< of the input */
    size_t warning_count;
    const tacho_explanation *explanation; /**< NULL: not asked for */
    bool all_what_ifs;                    /**< in text; else those that help most */
    report_said *said;                    /**< NULL: the only report */
    const tacho_listing *listing;         /**< how instructions are written; NULL: Intel syntax */
} report_subject;

/* words.c */
/** Notes in order of their bits: a name for JSON, a letter for the table, words for people. */
typedef struct report_note {
    uint32_t bit;
    const char *name;
    char letter;
    const char *words;
    const char *more; /**< what it means, in a legend; may be NULL */
} report_note;
extern const report_note report_notes[];
extern const size_t report_note_count;
enum {
    REPORT_NOTES_SIZE = 40
};
/** The letters of `notes`. @return out */
const char *report_note_letters(uint32_t notes, char out[REPORT_NOTES_SIZE]);
/** The notes that a table shows: what half of the instructions and more have is said below it. */
uint32_t report_shown_notes(const tacho_prediction *p);

/** What empty issue slots were lost to, by tacho_slot_reason, in words. */
extern const char *const report_slot_words[TACHO_SLOT_REASON_COUNT];

enum {
    REPORT_WORDS_SIZE = 40
};
/** What people read for a name of JSON and CSV: "DSB" for "dsb", "start intervals" for "start_intervals".
 *  @return it; not always `out` */
const char *report_words(const char *name, char out[REPORT_WORDS_SIZE]);
/** tacho_own_word, as the head of a column: "opc". */
const char *report_column_word(const tacho_arch *arch, const char *word);
/** A sentence of the model's, in the core's own words. */
void report_own_words(tacho_str *out, const tacho_arch *arch, const char *text);
/** The words of bounds, slots and notes by their names, and other vendors' for some of them, for pages; a new
 *  reference. */
json_t *report_words_json(void);

/** "0.5 cycles per element (8 elements of 4 bytes an iteration)", or per byte; nothing where neither is
 * known. */
void report_elements_text(tacho_str *out, const tacho_prediction *p);
/** Two versions of a piece of code side by side: by element or byte where an iteration of one works on more.
 */
void report_versions_text(tacho_str *out, bool colour, const char *const inputs[2],
                          const tacho_prediction *const versions[2]);
/** The same of one of them as an object: by what, its cycles by that, and how many times as fast it is as the
 *  other. */
json_t *report_versions_json(const tacho_prediction *const versions[2], int which);

/* report_names.c: results that rest on instructions without figures */
enum {
    REPORT_RESULT_SIZE = TACHO_NUMBER_SIZE + 12
};
/** The cycles for people: "1.33", or "at least 1.33" where they are a lower bound. */
const char *report_prediction_cycles(char out[REPORT_RESULT_SIZE], const tacho_prediction *p);
/** The same for a table: "1.33", ">=1.33"; "-" for NULL. */
const char *report_prediction_cell(char out[REPORT_RESULT_SIZE], const tacho_prediction *p);
/** "3 of 6 instructions have no figures", and what was assumed instead; "" where all have some. */
const char *report_missing(const tacho_prediction *p, char *out, size_t size);
/** A line of a report that names them; nothing where there are none. */
void report_missing_names(tacho_str *out, bool colour, const tacho_prediction *p);
/** The bound in words; of ports, the busiest ones. @return out */
const char *report_limit_words(const tacho_prediction *p, tacho_bound bound, char *out, size_t size);
/** What limits the code, behind `label`, or "nearest limit: ports at 1.5" where no single component does; ""
 *  where no bound was computed. For tables. */
const char *report_limit(const tacho_prediction *p, const char *label, char *out, size_t size);

/** "7/3", "2", or "" where the steady state was not found. */
const char *report_exact(const tacho_prediction *p, char out[48]);
const char *report_region_name(const report_subject *s, char *out, size_t size);

/** The instruction as the listing says. */
void report_insn_text(const report_subject *s, const tacho_insn_report *r, char *out, size_t size);
/** Writes the labels that stand before the instruction, each on a line of its own. */
void report_labels(tacho_str *out, const report_subject *s, const tacho_insn_report *r);
/** Disassembled, in the listing's syntax; NULL: Intel. */
void report_asm(const tacho_listing *l, const tacho_insn *insn, uint64_t code_offset, char *out, size_t size);
/** "source" in JSON; null where nothing was typed there. */
report_value report_source(const tacho_listing *l, uint64_t code_offset);

/** A warning when the code leaves the straight line before its end; "" otherwise. */
const char *report_flow_warning(const tacho_prediction *p, char *out, size_t size);

/** A parameter's value: number, boolean or list; a new reference. */
json_t *report_parameter_json(const tacho_arch *arch, size_t parameter);
/** Parameters that differ from the microarchitecture's own; a new reference. */
json_t *report_parameters_changed_json(const tacho_arch *arch);
/** What was not as in the plain model, in words. @return whether there is anything */
bool report_what_if(const tacho_prediction *p, tacho_str *out);

void report_text(tacho_str *out, const report_subject *s, bool colour);
/** After the last report: what all have in common. */
void report_said_text(tacho_str *out, const report_said *said);
void report_said_free(report_said *said);
void report_warning_text(tacho_str *out, bool colour, const char *text);
/** What is to be known of the input and of the prediction (which may be missing), after an empty line. */
void report_warnings_text(tacho_str *out, const report_subject *s, bool colour);
/** Lines of a table's legend: the notes of its instructions, and how sure the figures are; what the groups
 * of ports are that have any of `ports`. */
void report_notes_text(tacho_str *out, const report_subject *s);
/** A line of a legend, once. */
void report_legend_line(tacho_str *out, report_said *said, const char *key, const char *text);
void report_units_legend(tacho_str *out, const report_subject *s, uint32_t ports);
/* head.c */
/** The result and what it rests on, what binds, and how the code is run. */
void report_head(tacho_str *out, const report_subject *s, bool colour);
/** A line that says that the model of a core was never compared with measurements; nothing where it was. */
void report_compared_text(tacho_str *out, bool colour, const tacho_arch *arch);
/** The bound of each component. */
void report_bounds_text(tacho_str *out, const tacho_prediction *p, bool colour);
/** What binds, what would move it, and the next limit. */
void report_bottleneck_text(tacho_str *out, bool colour, const tacho_prediction *p);
/** One line for each of several microarchitectures; with p NULL the head of the table. */
void report_text_row(tacho_str *out, const report_subject *s, bool colour);

/* explain_text.c, json.c */
void report_chain_text(tacho_str *out, const report_subject *s);
void report_topdown_text(tacho_str *out, const tacho_prediction *p);
/** What-ifs and advice; nothing without an explanation. */
void report_help_text(tacho_str *out, const report_subject *s);
/** "7/3", "2", or "" where there is no exact value. */
const char *report_fraction(int64_t num, int64_t den, char out[48]);
/** Of tacho_prediction, as a part of itself. */
extern const report_table report_explanation_table;

/* json.c */
/** Of tacho_insn_report. */
extern const report_table report_instruction_table;
extern const char report_prediction_columns[];
JSON_BY(report_json, report_subject, report_subject_table)

/* CSV, with the column `region` or without. */
void report_csv_header(tacho_str *out, bool with_region);
/** The row of a region. */
void report_csv_region(tacho_str *out, const report_subject *s);
/** Rows of code in hex; without a region. */
void report_csv_columns(report_columns *out);
void report_csv_row(tacho_str *out, const report_columns *c, const char *hex, size_t hex_length,
                    const report_subject *s);

/* ---- the ports of a core as people know them: what each group is for, and which of them limits a block ----
 */

enum {
    REPORT_UNITS_TEXT = 320
};

/** A column of a table of µops: ports that are for the same. */
typedef struct report_unit {
    char title[TACHO_MAX_PORTS + 2]; /**< "p0", "p23"; AMD's: "ALU", "AGU", "FP", "ST" */
    uint16_t ports;                  /**< bit n: port n */
    const char *what;                /**< "loads, addresses of stores" */
} report_unit;

/** All ports of the core, each in one group. @return how many groups */
size_t report_units(const tacho_arch *arch, report_unit out[TACHO_MAX_PORTS]);
/** µops that the instruction has on `ports`. */
double report_unit_uops(const tacho_insn_report *r, uint16_t ports);
/** What those groups are that have any of `ports`; nothing for none. */
void report_units_text(tacho_str *out, const report_unit *units, size_t count, uint32_t ports);

/** What the bound of ports comes from, in a few words ("load ports"). @return out */
const char *report_busiest_words(const tacho_prediction *p, char *out, size_t size);
/** The same as a sentence without its full stop: the ports, which instructions need them, and how long. */
const char *report_busiest_text(const tacho_prediction *p, char out[REPORT_UNITS_TEXT]);
/** "imul" */
void report_put_mnemonic(tacho_str *out, const tacho_insn *insn);
/** What would move it. */
const char *report_busiest_move(const tacho_prediction *p);

/* ---- what a report on a loop has beyond that on a block: where it is, its blocks and its path ---- */

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

/** The path of a loop as a region without a name. */
tacho_region report_loop_region(const tacho_loop *loop);

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

/* ---- a simulated run in reports ---- */

/** The whole trace as doc/JSON.md says, appended as text with one µop a line. */
void report_trace_json(tacho_str *out, const report_subject *s, const kept_trace *t);
/** The same; a new reference, NULL: memory ran out. */
json_t *report_trace_object(const report_subject *s, const kept_trace *t);

/** The limits of the timeline; 0: no limit. */
typedef struct report_timeline_limits {
    uint32_t iterations, cycles;
} report_timeline_limits;
void report_timeline(tacho_str *out, const report_subject *s, const kept_trace *t,
                     report_timeline_limits limits);

/* ---- a block at each of the 64 places in a cache line where it can start ---- */

enum {
    REPORT_ALIGNMENTS = 64
};

typedef struct report_alignment {
    double cycles;
    int64_t cycles_num, cycles_den; /**< 0/0: no steady state found */
    tacho_uop_source source;
    uint32_t bottlenecks; /**< bits 1 << tacho_bound */
} report_alignment;

typedef struct report_alignments {
    report_alignment at[REPORT_ALIGNMENTS]; /**< by offset of the first byte from a 64-byte boundary, bytes */
} report_alignments;

/** Predicts all of them with the options of the prediction (details are not needed).
 *  @return 0 or what tacho_predict returned. */
int report_alignments_predict(report_alignments *out, tacho_predictor *predictor, const report_subject *s,
                              const tacho_predict_options *options, tacho_error *err);

/** Cycles at all places where the linker may put the region, as its place_step says. */
typedef struct report_places {
    double fewest, most;
} report_places;

/** @return 0 or what tacho_predict returned. */
int report_places_predict(report_places *out, tacho_predictor *predictor, const report_subject *s,
                          const tacho_predict_options *options, tacho_error *err);
/** Says that the place was assumed where another one changes the result. @return "" where none does */
const char *report_places_warning(const report_places *places, const report_subject *s, char *out,
                                  size_t size);

void report_alignments_text(tacho_str *out, const report_subject *s, const report_alignments *a);
extern const report_table report_alignment_table;
extern const char report_alignment_columns[];
/** @return a new reference: a list. */
json_t *report_alignments_json(const report_alignments *a);
void report_alignments_csv_header(tacho_str *out);
void report_alignments_csv(tacho_str *out, const report_subject *s, const report_alignments *a);

/* ---- the dependency graph of a block in reports ---- */

/** In Graphviz's language. */
void report_graph_dot(tacho_str *out, const insn_graph *g, const report_subject *s);

/* ---- the page for browsers: one file that needs nothing else ---- */

/** The report with what the page draws besides: dependencies, and cycles by the place of the code, unless
 *  `alignments` is NULL. @return a new reference; NULL: memory ran out */
json_t *report_page_json(const report_subject *s, const kept_trace *t, const report_alignments *alignments);

#endif
