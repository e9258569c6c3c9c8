/* pictures.h - what tacho predict shows beside the report: timelines, traces, graphs, pages. */
#ifndef TACHO_CLI_PICTURES_H
#define TACHO_CLI_PICTURES_H

#include "app/cli/cli.h"
#include "app/report/alignment.h"
#include "app/report/report_loops.h"
#include "app/report/report_trace.h"

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
/* After it: makes the rest and writes the files. @return false with a message. */
bool pictures_write(pictures *p, const report_subject *s, const tacho_predict_options *options);
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

#endif
