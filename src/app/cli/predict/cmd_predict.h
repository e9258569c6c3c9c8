/* cmd_predict.h - the parts of tacho predict. */
#ifndef TACHO_CLI_PREDICT_H
#define TACHO_CLI_PREDICT_H

#include "app/cli/source.h"
#include "app/report/measure/report_measure.h"
#include "app/report/report.h"

typedef struct pictures {
    const char *trace, *graph, *html;
    uint32_t trace_iterations; /* 0: the usual number */
    bool timeline;
    uint32_t timeline_iterations, timeline_cycles;
    bool iterations_given;
    bool align; /* the 64 start offsets */
    kept_trace data;
    bool several;                 /* predictions on one page: html alone is wanted */
    const report_loop *loop;      /* the one that a prediction on it is of, or NULL */
    json_t *cores;                /* of these, those that were made, as report_cores_page wants them; NULL */
    bool failed;                  /* memory ran out for one */
    report_alignments alignments; /* where `align` or html ask for them */
} pictures;

#define PICTURES_INIT                                                                                        \
    {                                                                                                        \
        .timeline_iterations = 10, .timeline_cycles = 80                                                     \
    }

/* Their options. */
extern const cli_option pictures_rows[];
/* Whether anything is to be made. */
bool pictures_wanted(const pictures *p);
/* Whether a page is to be written and nothing else: it can show several predictions. */
bool pictures_page_only(const pictures *p);
/* Whether a file is to be written: then there can be one result only. */
bool pictures_write_files(const pictures *p);

/* The option that asked for a file, or else for something to be shown: "--trace". */
const char *pictures_option_name(const pictures *p);
/* The option that needs the trace of a simulation, NULL if none does. */
const char *pictures_trace_option(const pictures *p);

/* Before a prediction: makes it trace what the pictures need. */
void pictures_prepare(pictures *p, tacho_predict_options *options);
/* Of a prediction that failed: puts a message into *err if the trace was the reason. */
void pictures_explain(int result, tacho_error *err);
/* After it: makes the rest and writes the files. `data`: by level of memory; NULL. @return false with a
 * message. */
bool pictures_write(pictures *p, const report_subject *s, const tacho_predict_options *options,
                    const report_data *data);
/* Of a prediction that failed and has an error: puts it on the page of several. */
void pictures_refused(pictures *p, const report_subject *s);
/* After the last of several. @return false with a message */
bool pictures_end(pictures *p);
/* What belongs into the report itself. */
void pictures_text(const pictures *p, tacho_str *out, const report_subject *s);
void pictures_json(const pictures *p, json_t *out, const report_subject *s);
/* With --align all CSV has these rows instead. */
void pictures_csv_header(const pictures *p, tacho_str *out);
void pictures_csv(const pictures *p, tacho_str *out, const report_subject *s);
void pictures_free(pictures *p);

/* ---- --set: microarchitectures with some parameters changed ---- */

enum {
    WHAT_IF_MAX = 256
};

/** The --set options of a command line, and the changed microarchitectures. Start with {0}. */
typedef struct what_if {
    const char *assignments[WHAT_IF_MAX]; /**< "PARAMETER=VALUE,..."; borrowed */
    size_t count;
    tacho_arch *archs;
} what_if;

/* ---- what tacho predict does with an input, and with a batch ---- */

/** What is asked for, and what follows from that. */
typedef struct predict_request {
    source source;
    tacho_predict_options options;
    pictures pictures;
    what_if set;
    initial_state state;
    const char *names, *compiled_for; /**< of microarchitectures */
    const char *data, *memory; /**< where the data lie; NULL: in the first level. The description's file */
    const char *output;        /**< of a batch: file for the results; NULL: standard output */
    uint64_t jobs;             /**< of a batch: threads; 0: one a processor */
    int format, colour;        /**< a cli_format, -1: not given; as cli_use_colour takes it */
    bool alignment_given;      /**< else the addresses decide */
    bool bounds_only, all_what_ifs;
    bool pane; /**< text for a pane beside the code: narrow, and it says where there is no loop */
    typeof(tacho_predict) *predict; /**< tacho_predict, or tacho_predict_bounds */
    const tacho_arch *archs[CLI_MAX_ARCHS];
    size_t arch_count;
    bool all_archs; /**< these are all: some may well not execute the code */
    bool colours;   /**< in text */
} predict_request;

/** Whether it failed because the core lacks an extension that the code needs. (With --unknown error or skip
 * it may have failed for want of instruction timing: then false.) */
bool predict_is_refusal(const tacho_predict_options *o, const tacho_error *err);
/** With -a all, cores that cannot execute the code are left out, and a note says how many: where nothing else
 * failed and some of `all` predictions were made. @return whether that is the case */
bool predict_leaves_out(size_t refused, size_t failed, size_t all);

/** Writes text as cli_put_text; for a pane within 100 columns. */
bool predict_put_text(const predict_request *r, tacho_str *text);

/** Predicts the blocks of a batch and writes a CSV row for each and each of the microarchitectures, in order.
 * @return an exit status */
int predict_batch(const predict_request *r);

/** Predicts and reports each region for each of the microarchitectures, in order. @return an exit status */
int predict_input(predict_request *r, const source_parts *parts);

/** The same for each innermost loop. @return an exit status */
int predict_loops(predict_request *r, const source_parts *parts);

/** Predicts what is meant of two inputs, which has to be one block each, and compares it. @return an exit
 * status */
int predict_versions(predict_request *r, source *other);

#endif
