/* osaca.c - OSACA (RRZE Erlangen): an adapter written from its documentation and its source's output format;
 * it has been tried with a program that answers in that format only.
 *
 * It is scored as by its authors and in the uiCA paper: by the larger of the highest port pressure and the
 * longest loop-carried dependency. The critical path, the last column but one of the sums, is left out.
 * Instructions that OSACA does not know count as nothing (--ignore-unknown), as in that paper. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/models/model_tool.h"

/* Start of the last line before `end` that is not empty. */
static const char *line_before(const char *text, const char *end)
{
    while (end > text && strchr(" \t\r\n", end[-1]))
        end--;
    while (end > text && end[-1] != '\n')
        end--;
    return end;
}

/* The sums stand in the last line of the combined report, before the next report's title. */
static double read_sums(const char *text)
{
    const char *next = strstr(text, "Loop-Carried Dependencies Analysis Report");
    const char *line = next ? line_before(text, next) : "";
    double largest = NAN, last = NAN, before_last = NAN;
    for (char *end; *line && *line != '\n'; line = end) {
        double value = strtod(line, &end);
        if (end == line)
            return NAN;
        largest = fmax(largest, before_last); /* fmax leaves NaN out */
        before_last = last;
        last = value;
        while (*end == ' ' || *end == '\t' || *end == '\r')
            end++;
    }
    return isnan(before_last) ? NAN : fmax(largest, last);
}

static const char *const command[] = {"osaca", "--arch", "{arch}", "--ignore-unknown", "{file}", NULL};
static const tool_description osaca = {.command = command,
                                       .missing = "(pip install osaca)",
                                       .input = TOOL_ASM_ATT,
                                       .before = "# OSACA-BEGIN\n",
                                       .after = "# OSACA-END\n",
                                       .read = read_sums,
                                       .iterations = 1};

static bool knows(const char *name)
{
    return !strcmp(name, "osaca");
}

static void list(model_names *names, const tacho_arch *arch)
{
    tool_list(names, arch, "osaca", "OSACA: ports' pressure and loop-carried dependencies", &osaca,
              NAMES_OSACA);
}

static int open_model(tacho_model *m, tacho_error *err)
{
    return tool_open(m, &osaca, external_arch(NAMES_OSACA, m->arch), NULL, NULL, err);
}

const model_kind model_osaca = {.external = true,
                                .knows = knows,
                                .list = list,
                                .open = open_model,
                                .run = model_tool_run,
                                .close = tool_close};
