/* report_hot.h - where a program spends its time, as text, JSON and CSV. Uses public headers only. */
#ifndef TACHO_REPORT_HOT_H
#define TACHO_REPORT_HOT_H

#include "app/report/report.h"
#include "base/source_lines.h"

/** What was sampled, and what came of it. */
typedef struct report_hot {
    char *const *command; /**< NULL: none was run */
    long pid;             /**< of the process that was sampled; 0: none */
    const char *file;     /**< perf.data; NULL none */
    const tacho_hot_profile *profile;
    const tacho_hot *hot;
    const tacho_hot_threads *threads; /**< NULL: they were not looked at */
    const tacho_arch *arch;
    const tacho_memory *memory; /**< this machine's; NULL: not known, or the samples are not its own */
    bool own_arch;              /**< it is this machine's */
    double core_hz;             /**< NaN: not known */
    source_lines *sources;      /**< a cache */
    tacho_syntax syntax;        /**< of instructions */
} report_hot;

/** A place, and what is predicted for it. */
typedef struct report_hot_place {
    const tacho_hot_place *place;
    size_t number;
    report_subject subject; /**< of its path */
    report_loop loop;
    const tacho_hot_cause *causes; /**< weighed; borrowed */
    size_t cause_count, told;      /**< the first ones are told */
    tacho_hot_memory memory;
} report_hot_place;

/** An advice, and what it is worth. */
typedef struct report_hot_worth {
    size_t place, order;            /**< `order`: in which it came */
    const char *kind, *name, *text; /**< `name`: of the place */
    double before, after, observed; /**< cycles */
    tacho_hot_worth worth;
} report_hot_worth;
/** Of all places. Start with {0}. */
typedef struct report_hot_worths {
    report_hot_worth *list;
    size_t count, capacity;
    bool failed; /**< memory ran out */
} report_hot_worths;

/** Fills in place and warnings of *out, whose subject then gets a prediction. */
void report_hot_start(report_hot_place *out, const tacho_hot_place *place, size_t number);
/** Observed cycles divided by those predicted; NaN: not known. */
double report_hot_gap(const report_hot_place *p);
/** Whether so many more cycles were observed that the limits of the prediction are not those of the code. */
bool report_hot_contradicts(const report_hot_place *p);
/** What limits it: as predicted, by memory, or "not as predicted". @return out */
const char *report_hot_limit(const report_hot *h, const report_hot_place *p, char *out, size_t size);
/** "longest_match+0x78", or the address. @return out */
const char *report_hot_name(const tacho_loop *loop, char *out, size_t size);
enum {
    REPORT_HOT_INSN_SIZE = 200
};
/** "mov eax, [rdi]", or "(bad)". @return out */
const char *report_hot_insn(const report_hot *h, const tacho_hot_insn *insn, char out[REPORT_HOT_INSN_SIZE]);
/** The command, the process or the file that was sampled. */
void report_hot_subject(tacho_str *out, const report_hot *h);
/** "iteration" or "execution". */
const char *report_hot_round(const tacho_hot_place *place);
/** What the place's observed cycles come from, in words. */
const char *report_hot_observed_by(const tacho_hot_place *place);
/** What the gap points at, a sentence without its full stop; "" where there is none to speak of. */
const char *report_hot_gap_words(const report_hot *h, const report_hot_place *p, char *out, size_t size);

/* hot_text.c */
/** All that comes before the table of places. `sharing`: lines of report_threads_sharing. */
void report_hot_head(tacho_str *out, const report_hot *h, const tacho_str *sharing, bool colour);
/** The table of all places: its head, and a line for a place. */
void report_hot_places_start(code_table *t);
void report_hot_row(code_table *t, const report_hot *h, const report_hot_place *p);
/** After the table: what it does not have. */
void report_hot_foot(tacho_str *out, const report_hot *h, bool colour);
/** One place in full. */
void report_hot_text(tacho_str *out, const report_hot *h, const report_hot_place *p, bool colour);

/* threads_text.c */
/** What the threads did: the finding first. `sharing`: as below. */
void report_threads_text(tacho_str *out, const tacho_hot_threads *t, const tacho_str *sharing, bool colour);
/** Appends a line for each cause of a place that is told and is a line of memory that threads share. */
void report_threads_sharing(tacho_str *out, const report_hot *h, const report_hot_place *p);
/** The finding, a sentence without its full stop. */
void report_threads_finding(tacho_str *out, const tacho_hot_threads *t);
/** "the lock table_lock" */
void report_thread_wait_words(tacho_str *out, const tacho_thread_wait *w);
void report_thread_place(tacho_str *out, const tacho_thread_place *p);

/* causal_report.c */
/** What the program would gain where places took less time. */
void report_causal_text(tacho_str *out, const tacho_causal *c, bool colour);
extern const report_table report_causal_table;

/* threads_report.c */
/** What each thread does as time goes by, in letters; the same as a picture. */
void report_threads_strip(tacho_str *out, const tacho_hot_threads *t, bool colour);
void report_threads_svg(tacho_str *out, const tacho_hot_threads *t);
JSON_BY(report_threads_json, tacho_hot_threads, report_threads_table)

/* hot_causes_text.c */
/** The causes of a place that are told, and what they leave. Where windows saw too little of it
 *  that is said of the hottest place only. */
void report_hot_causes_text(tacho_str *out, const report_hot *h, const report_hot_place *p, bool colour);
/** What the told causes explain of the gap; "" where none is told. @return out */
const char *report_hot_cause_sum(const report_hot_place *p, char *out, size_t size);
/** The same of a record that is a part of a report_hot_place. */
extern const report_table report_hot_cause_table;

/* hot_memory_text.c */
/** Whether it waits for memory, and more than for anything that is predicted. */
bool report_hot_waits(const report_hot_place *p);
/** "memory latency" for the table; "" where it does not wait. @return out */
const char *report_hot_wait_cell(const report_hot *h, const report_hot_place *p, char *out, size_t size);
/** What it waits for, a sentence without its full stop; where it does not, and what there is to say of that:
 * nothing, or that it is not known. @return out */
const char *report_hot_wait_words(const report_hot *h, const report_hot_place *p, char *out, size_t size);
/** What to change, a sentence without its full stop. */
void report_hot_remedy_words(tacho_str *out, const report_hot *h, const report_hot_place *p,
                             const tacho_hot_remedy *r);
/** All that there is to change. */
void report_hot_remedies_text(tacho_str *out, const report_hot *h, const report_hot_place *p, bool colour);
/** A new reference. */
json_t *report_hot_memory_json(const report_hot *h, const report_hot_place *p);
extern const report_table report_hot_memory_table;

/* roofline_picture.c */
/** Any text in a picture: XML; what is no UTF-8 or cannot stand there becomes '?'. */
void report_svg_put(tacho_str *out, const char *text);
/** The picture; inside a page its colours are the page's. */
void report_roofline_svg(tacho_str *out, const tacho_hot_roofline *r, const report_hot *h);

/* report_hot.c */
/** Adds the advice on a place that was explained. */
void report_hot_worths_add(report_hot_worths *w, const report_hot *h, const report_hot_place *p);
/** Those worth most first. */
void report_hot_worths_sort(report_hot_worths *w);
void report_hot_worths_free(report_hot_worths *w);
/** Nothing where there is no advice. */
void report_hot_worths_text(tacho_str *out, const report_hot_worths *w, bool colour);
extern const report_table report_hot_worth_table;
json_t *report_hot_worths_json(const report_hot_worths *w);

/* hot_json.c */
extern const report_table report_hot_table, report_hot_place_table, report_roofline_table;
extern const char report_hot_columns[];
/** New references. */
json_t *report_hot_json(const report_hot *h, json_t *places, const report_hot_worths *worths,
                        const tacho_hot_roofline *roofline);
json_t *report_hot_place_json(const report_hot *h, const report_hot_place *p);
void report_hot_csv_head(tacho_str *out);
void report_hot_csv_row(tacho_str *out, const report_hot *h, const report_hot_place *p);

#endif
