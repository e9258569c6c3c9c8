/* output.h - where results go. Whether a file can be written is found out before the work, and nobody else
 * writes it in the meantime (base/file.h). */
#ifndef TACHO_CLI_OUTPUT_H
#define TACHO_CLI_OUTPUT_H

#include <jansson.h>

#include "base/csv.h"

/** A file for results that takes long to make. */
typedef struct cli_output {
    const char *path; /* borrowed; NULL: standard output */
    FILE *file;
    bool made; /* it was not there before */
} cli_output;

/** Opens `path` ("-" or NULL: standard output), which keeps what it has. @return false with a message */
bool cli_output_open(cli_output *o, const char *path);
/** Empties it, before the first write. @return false with a message */
bool cli_output_begin(cli_output *o);
/** Writes it to a file, which stays open for what replaces it; to nothing but a file. @return false with a
 *  message */
bool cli_output_meanwhile(cli_output *o, const char *text);
/** Closes it after the last one; a write to a file that failed has a message. @return false if there was one
 */
bool cli_output_end(cli_output *o);
/** Closes it where nothing was written, or what was written is not whole: gone if it was not there. */
void cli_output_drop(cli_output *o);

/** Writes all of the text, frees it, and closes what is a file. @return false with a message */
bool cli_output_write(cli_output *o, tacho_str *text);
/** The same with a file that is opened for it. */
bool cli_output_text(const char *path, tacho_str *text);
/** The same with standard output: of writing to it, main says what went wrong. */
bool cli_put_text(tacho_str *text);
/** The same of JSON, whose reference it takes; NULL: memory had run out. */
bool cli_put_json(json_t *json);
/** The same of results: one is an object, several are a list. The reference stays the caller's. */
bool cli_put_results(json_t *list);

/* ---- where the rows of a batch go: a file or standard output, as soon as they are there ---- */

/** Rows that are read end with a signal, where signals are asked for. */
extern const rows_caller results_caller;

typedef struct results {
    const char *name; /* for messages */
    char *file;       /* NULL: standard output */
    int fd;
    bool made; /* the file was not there before */
} results;

/** Opens `output` (NULL: standard output), which must not be `input` (NULL: none is read); `keep`: with what
 * it has, else empty.
 * @return false with a message */
bool results_open(results *r, const char *output, const rows *input, bool keep);
/** Nothing has been written, now or before. */
bool results_empty(const results *r);
/** Empties a file that was opened to be kept. @return false with a message */
bool results_begin(results *r);
/** Writes whole lines, the first of all being the header. @return false with a message */
bool results_write(results *r, const tacho_str *lines);
/** Goes on behind the first `bytes`, whole lines, and cuts off the rest. @return false with a message */
bool results_go_on(results *r, uint64_t bytes);
/** A signal has ended the work after so many rows of the input: says so. @return the exit status */
int results_say_stopped(const results *r, uint64_t input_rows);
/** Closes. */
void results_close(results *r);
/** Closes where nothing was written: gone if it was not there. */
void results_drop(results *r);
/** Closes where what was written is not whole: empty, or gone if it was not there. */
void results_undo(results *r);

/* ---- programs of others that draw pictures: Graphviz, gnuplot ---- */

/** Has gnuplot draw a picture, in at most 60 seconds of processor time; frees the script. @return false with
 * a message, which names the package where the program is missing; what was written is then removed */
bool tool_plot(tacho_str *script, const char *path);
/** The same with Graphviz of a graph; a file's name that ends in .dot gets the text itself. */
bool tool_graph(tacho_str *script, const char *path);

/** For a picture that is drawn after much work: whether `program` is found and `path` can be written.
 * @return false with its message */
bool tool_can_run(const char *program, const char *package, const char *path);

/** Whether a picture is to be PNG, and not SVG. */
bool tool_is_png(const char *path);
/** Whether a file's name has this ending, in any case. */
bool tool_ends_in(const char *path, const char *ending);

/* ---- how far a long command has come: a line on standard error that is written over, where that is a
 * terminal; in a log one now and then, of commands that ask for it. By one thread at a time ---- */

/** From now on nothing is shown. */
void cli_progress_off(void);
/** Where standard error is no terminal, cli_progress writes a line each minute from now on, or each
 * TACHO_PROGRESS seconds, as the environment has it. */
void cli_progress_into_log(void);
/** Shows the line, unless the one before has not stood long enough to be read. */
void cli_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** Shows a line that stays. */
void cli_progress_last(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** Takes the line away that is shown, before anything else is written. */
void cli_progress_clear(void);

#endif
