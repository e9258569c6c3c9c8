/* report.h - predictions as text, JSON and CSV. Uses public headers only. */
#ifndef TACHO_REPORT_REPORT_H
#define TACHO_REPORT_REPORT_H

#include <jansson.h>
#include <stdbool.h>

#include "base/records.h"
#include "base/str.h"
#include "tacho/tools.h"
#include "x86/arch/arch_struct.h"
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
/** `arch` NULL: none in particular; AMD's cores have an op cache for the DSB. */
const char *report_bound_words(const tacho_arch *arch, tacho_bound bound, char out[REPORT_WORDS_SIZE]);
/** "DSB", "op cache": for tables. */
const char *report_source_words(const tacho_arch *arch, tacho_uop_source source);
/** A sentence of the model's, in the core's own words. */
void report_own_words(tacho_str *out, const tacho_arch *arch, const char *text);
/** "DSB, ports"; "" for none */
const char *report_bottleneck_words(const tacho_arch *arch, uint32_t bottlenecks, char *out, size_t size);
/** The words of bounds, slots and notes by their names, for pages; a new reference. */
json_t *report_words_json(void);

/** Cycles, latencies, µops and whatever else is counted per iteration, for people: at most TACHO_DECIMALS
 *  decimals, no zeros at the end; "-" where there is no number. Text, pages and pictures have them all so. */
const char *report_number(char out[TACHO_NUMBER_SIZE], double value);
/* elements_text.c */
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

/* missing.c: results that rest on instructions without figures */
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

/* report_names.c */

/** "7/3", "2", or "" where the steady state was not found. */
const char *report_exact(const tacho_prediction *p, char out[48]);
const char *report_region_name(const report_subject *s, char *out, size_t size);

/* report_listing.c */
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

/* report_what_if.c */
/** A parameter's value: number, boolean or list; a new reference. */
json_t *report_parameter_json(const tacho_arch *arch, size_t parameter);
/** Parameters that differ from the microarchitecture's own; a new reference. */
json_t *report_parameters_changed_json(const tacho_arch *arch);
/** What was not as in the plain model, in words. @return whether there is anything */
bool report_what_if(const tacho_prediction *p, tacho_str *out);

/* explain_text.c */
/** Columns of a line of text: the terminal's, else 100. */
size_t report_line_columns(void);
void report_set_line_columns(size_t columns);

/* report_text.c */
#define REPORT_BOLD   "\033[1m"
#define REPORT_DIM    "\033[2m"
#define REPORT_YELLOW "\033[33m"
/** In this style where there is `colour`; as report_put_plain. */
void report_paint(tacho_str *out, bool colour, const char *style, const char *text);
/** What begins a line of a report. */
void report_label(tacho_str *out, bool colour, const char *text);
void report_text(tacho_str *out, const report_subject *s, bool colour);
/* said.c */
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

/* explain_text.c, explain_json.c */
void report_chain_text(tacho_str *out, const report_subject *s);
/** A sentence in lines of at most 100 columns, with a newline; it begins at column `at`, where the cursor
 * must be, and so do the other lines. As report_put_plain. */
void report_wrapped(tacho_str *out, const char *text, size_t at);
/** The same where the cursor is at `column` already. */
void report_wrapped_from(tacho_str *out, const char *text, size_t at, size_t column);
/** The same with a text that was made for it, which is freed. */
void report_wrapped_text(tacho_str *out, tacho_str *text, size_t at);
/** Cuts text that is longer than `columns`, with dots at its end. */
void report_cut(tacho_str *text, size_t columns);
/** Whole lines of text within 100 columns: warnings go on in the next line, others are cut; `text` is freed.
 */
void report_narrow(tacho_str *out, tacho_str *text);
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
/** An object with a number for each port. */
json_t *report_ports_json(const double *values, const tacho_arch *arch);
enum {
    REPORT_JSON_DIGITS = 12 /**< of real numbers, but where an evaluation is saved */
};
/** Writes JSON over lines, with real numbers of so many digits; takes the reference. NULL, and no memory for
 * the text, are out->failed. */
void report_put_json(tacho_str *out, json_t *json, size_t digits);
JSON_BY(report_json, report_subject, report_subject_table)

/* CSV, with the column `region` or without. */
void report_csv_header(tacho_str *out, bool with_region);
/** The row of a region. */
void report_csv_region(tacho_str *out, const report_subject *s);
/** Rows of code in hex; without a region. */
void report_csv_columns(report_columns *out);
void report_csv_row(tacho_str *out, const report_columns *c, const char *hex, size_t hex_length,
                    const report_subject *s);

#endif
