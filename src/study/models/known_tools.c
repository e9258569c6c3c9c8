/* known_tools.c - tools that are run once for each block, and what is known of each. They are written from
 * the tools' documentation (OSACA's also from the output format in its source, IACA's also from the way in
 * which the uiCA paper's evaluation calls it), and have been tried with programs that answer in these formats
 * only.
 *
 * OSACA is scored as by its authors and in the uiCA paper: by the larger of the highest port pressure and the
 * longest loop-carried dependency. The critical path, the last column but one of the sums, is left out.
 * Instructions that OSACA does not know count as nothing (--ignore-unknown), as in that paper. */

#include "study/models/models_internal.h"

/* Start of the last line before `end` that is not empty. */
static const char *line_before(const char *text, const char *end)
{
    while (end > text && strchr(" \t\r\n", end[-1]))
        end--;
    while (end > text && end[-1] != '\n')
        end--;
    return end;
}

/* OSACA's sums stand in the last line of the combined report, before the next report's title. */
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

typedef struct known_tool {
    const char *name, *summary;
    external_names names; /* of microarchitectures */
    tool_description tool;
} known_tool;

static const known_tool tools[] = {
    {"osaca",
     "OSACA: ports' pressure and loop-carried dependencies",
     NAMES_OSACA,
     {.command = (const char *const[]){"osaca", "--arch", "{arch}", "--ignore-unknown", "{file}", NULL},
      .missing = "(pip install osaca)",
      .input = TOOL_ASM_ATT,
      .before = "# OSACA-BEGIN\n",
      .after = "# OSACA-END\n",
      .read = read_sums,
      .iterations = 1}},
    {"uica",
     "uiCA's simulator",
     NAMES_UICA,
     {.command = (const char *const[]){"uiCA.py", "{file}", "-raw", "-arch", "{arch}", NULL},
      .missing = "(github.com/andreas-abel/uiCA; after its setup.sh, add its directory to PATH)",
      .input = TOOL_RAW,
      .pattern = "Throughput \\(in cycles per iteration\\): *([0-9.]+)",
      .bottleneck = "Bottleneck[(s)]*: *([^\r\n]*)",
      .iterations = 1,
      .mode_by_branch = true}},
    {"iaca",
     "Intel's Architecture Code Analyzer 3.0",
     NAMES_IACA, /* no longer offered */
     {.command = (const char *const[]){"iaca", "-reduceout", "-arch", "{arch}", "{file}", NULL},
      .input = TOOL_RAW,
      .iaca_markers = true,
      .pattern = "Block Throughput: *([0-9.]+) Cycles",
      .bottleneck = "Throughput Bottleneck: *([^\r\n]*)",
      .iterations = 1}},
};

static const known_tool *find(const char *name)
{
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (!strcmp(tools[i].name, name))
            return &tools[i];
    return NULL;
}

static bool knows(const char *name)
{
    return find(name) != NULL;
}

static void list_one(model_names *names, const tacho_arch *arch, const known_tool *t)
{
    char program[EXTERNAL_PATH_SIZE], missing[200] = "", summary[200];
    const char *own = arch ? external_arch(t->names, arch) : NULL;
    bool another = own && strcmp(own, arch->name);
    snprintf(summary, sizeof summary, "%s%s%s", t->summary, another ? ", for " : "", another ? own : "");
    if (!tacho_process_find(t->tool.command[0], program, sizeof program))
        snprintf(missing, sizeof missing, "the program %s is not installed%s%s", t->tool.command[0],
                 t->tool.missing ? " " : "", t->tool.missing ? t->tool.missing : "");
    else if (arch && !own)
        snprintf(missing, sizeof missing, "it does not know the microarchitecture %s", arch->name);
    model_names_add(names, t->name, summary, *missing ? missing : NULL);
}

static void list(model_names *names, const tacho_arch *arch)
{
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        list_one(names, arch, &tools[i]);
}

static int open_model(tacho_model *m, tacho_error *err)
{
    const known_tool *t = find(m->name);
    return tool_open(m, &t->tool, external_arch(t->names, m->arch), NULL, NULL, err);
}

const model_kind model_known_tools = {.external = true,
                                      .knows = knows,
                                      .list = list,
                                      .open = open_model,
                                      .run = model_tool_run,
                                      .close = tool_close};
