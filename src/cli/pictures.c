/* pictures.c - options and files of traces, graphs and plots. Each kind of file is told by its extension. */
#include "cli/pictures.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "report/page.h"

/* Whether `path` ends in one of the extensions ("html|json"). */
static bool has_extension(const char *path, const char *extensions)
{
    const char *dot = strrchr(path, '.');
    if (!dot || strchr(dot, '/'))
        return false;
    for (const char *e = extensions; *e;) {
        size_t n = strcspn(e, "|");
        if (strlen(dot + 1) == n && tacho_str_same_n(dot + 1, e, n))
            return true;
        e += n + (e[n] == '|');
    }
    return false;
}

static bool take_file(const char **out, const char *option, const char *value, const char *extensions,
                      const char *words)
{
    if (!has_extension(value, extensions)) {
        cli_error("%s: the name of FILE says what is written: it must end in %s, not '%s'", option, words,
                  value);
        return false;
    }
    *out = value;
    return true;
}

static bool take_number(const char *option, const char *value, uint64_t low, uint64_t high, uint32_t *out)
{
    uint64_t n;
    if (!cli_number(option, value, low, high, &n))
        return false;
    *out = (uint32_t)n;
    return true;
}

bool pictures_option(pictures *p, int id, const char *value)
{
    switch (id) {
    case PICTURES_TIMELINE:
        p->timeline = true;
        return true;
    case PICTURES_TIMELINE_ITERATIONS:
        p->timeline = p->iterations_given = true;
        return take_number("--timeline-max-iterations", value, 0, REPORT_TRACE_MAX_ITERATIONS,
                           &p->timeline_iterations);
    case PICTURES_TIMELINE_CYCLES:
        p->timeline = true;
        return take_number("--timeline-max-cycles", value, 0, 1000000, &p->timeline_cycles);
    case PICTURES_TRACE:
        return take_file(&p->trace, "--trace", value, "html|json", ".html or .json");
    default:
        return take_number("--trace-iterations", value, 1, REPORT_TRACE_MAX_ITERATIONS, &p->trace_iterations);
    }
}

bool pictures_write_files(const pictures *p)
{
    return p->trace;
}

const char *pictures_file_option(const pictures *p)
{
    return p->trace ? "--trace" : "--timeline";
}

bool pictures_wanted(const pictures *p)
{
    return p->timeline || pictures_write_files(p);
}

void pictures_prepare(pictures *p, tacho_predict_options *options)
{
    if (!pictures_wanted(p))
        return;
    uint32_t iterations = p->trace_iterations;
    if (p->iterations_given && p->timeline_iterations > iterations)
        iterations = p->timeline_iterations;
    report_trace_start(&p->data, iterations);
    options->trace = &p->data.listener;
}

void pictures_explain(int result, tacho_error *err)
{
    if (result == REPORT_TRACE_TOO_LONG)
        snprintf(err->message, sizeof err->message, "more than %d µops to trace; fewer iterations help",
                 REPORT_TRACE_MAX_UOPS);
    else if (result == REPORT_TRACE_NO_MEMORY)
        snprintf(err->message, sizeof err->message, "out of memory for the trace");
}

static bool write_file(const char *path, const tacho_str *text)
{
    if (text->failed) {
        cli_error("%s: out of memory", path);
        return false;
    }
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(text->data, 1, text->length, f) == text->length;
    int error = errno;
    if (f && fclose(f) && ok) {
        error = errno;
        ok = false;
    }
    if (!ok)
        cli_error("cannot write %s: %s", path, strerror(error));
    return ok;
}

static bool write_trace(const pictures *p, const report_subject *s)
{
    tacho_str json = {0}, page = {0};
    report_trace_json(&json, s, &p->data);
    bool html = has_extension(p->trace, "html");
    if (html && !json.failed)
        report_page(&page, json.data, NULL);
    page.failed |= json.failed;
    bool ok = write_file(p->trace, html ? &page : &json);
    tacho_str_free(&json);
    tacho_str_free(&page);
    return ok;
}

bool pictures_write(pictures *p, const report_subject *s)
{
    report_trace_finish(&p->data);
    return !p->trace || write_trace(p, s);
}

void pictures_text(const pictures *p, tacho_str *out, const report_subject *s)
{
    if (!p->timeline)
        return;
    tacho_str_putc(out, '\n');
    report_timeline(out, s, &p->data, (report_timeline_limits){p->timeline_iterations, p->timeline_cycles});
}

void pictures_json(const pictures *p, json_t *out, const report_subject *s)
{
    if (!p->timeline)
        return;
    tacho_str text = {0};
    report_trace_json(&text, s, &p->data);
    json_t *trace = text.failed ? NULL : json_loadb(text.data, text.length, 0, NULL);
    json_object_set_new(out, "trace", trace ? trace : json_null());
    tacho_str_free(&text);
}

void pictures_free(pictures *p)
{
    report_trace_free(&p->data);
}
