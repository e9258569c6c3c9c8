/* pictures.h - what tacho predict shows beside the report: timelines, traces, graphs, plots, pages. */
#ifndef TACHO_CLI_PICTURES_H
#define TACHO_CLI_PICTURES_H

#include "report/trace.h"

enum {
    PICTURES_FIRST = 1000, /* option ids of cmd_predict.c from here on are for pictures_option */
    PICTURES_TIMELINE = PICTURES_FIRST,
    PICTURES_TIMELINE_ITERATIONS,
    PICTURES_TIMELINE_CYCLES,
    PICTURES_TRACE,
    PICTURES_TRACE_ITERATIONS,
};

#define PICTURES_OPTIONS                                                                                     \
    {PICTURES_TIMELINE, "timeline", 0, NULL, "what each µop does in each cycle, as text"},                   \
        {PICTURES_TIMELINE_ITERATIONS, "timeline-max-iterations", 0, "N",                                    \
         "of the timeline: the first N iterations (default 10;\n0: all that were traced)"},                  \
        {PICTURES_TIMELINE_CYCLES, "timeline-max-cycles", 0, "N",                                            \
         "and the first N cycles (default 80; 0: all)"},                                                     \
        {PICTURES_TRACE, "trace", 0, "FILE",                                                                 \
         "the timeline of every µop: a page for browsers (.html)\nor JSON (.json)"},                         \
    {                                                                                                        \
        PICTURES_TRACE_ITERATIONS, "trace-iterations", 0, "N",                                               \
            "of traces and what is made of them: the first N\niterations (default: up to 2000 µops)"        \
    }

typedef struct pictures {
    const char *trace;
    uint32_t trace_iterations; /* 0: the usual number */
    bool timeline;
    uint32_t timeline_iterations, timeline_cycles;
    bool iterations_given;
    report_trace data;
} pictures;

#define PICTURES_INIT                                                                                        \
    {                                                                                                        \
        .timeline_iterations = 10, .timeline_cycles = 80                                                     \
    }

/* Takes an option of PICTURES_OPTIONS. @return false with a message. */
bool pictures_option(pictures *p, int id, const char *value);
/* Whether anything is to be made. */
bool pictures_wanted(const pictures *p);
/* Whether a file is to be written: then there can be one result only. */
bool pictures_write_files(const pictures *p);

/* The option that asked for a file, or else for something to be shown: "--trace". */
const char *pictures_file_option(const pictures *p);

/* Before a prediction: makes it trace what the pictures need. */
void pictures_prepare(pictures *p, tacho_predict_options *options);
/* Of a prediction that failed: puts a message into *err if the trace was the reason. */
void pictures_explain(int result, tacho_error *err);
/* After it: writes the files. @return false with a message. */
bool pictures_write(pictures *p, const report_subject *s);
/* What belongs into the report itself. */
void pictures_text(const pictures *p, tacho_str *out, const report_subject *s);
void pictures_json(const pictures *p, json_t *out, const report_subject *s);
void pictures_free(pictures *p);

#endif
