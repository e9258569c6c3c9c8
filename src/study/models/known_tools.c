/* known_tools.c - tools that are run once for each block, and what is known of each. They are written from
 * the tools' documentation (OSACA's also from the output format in its source, IACA's also from the way in
 * which the uiCA paper's evaluation calls it), and have been tried with programs that answer in these formats
 * only.
 *
 * OSACA is scored as by its authors and in the uiCA paper: by the larger of the highest port pressure and the
 * longest loop-carried dependency. The critical path, the last column but one of the sums, is left out.
 * Instructions that OSACA does not know count as nothing (--ignore-unknown), as in that paper. */
#include "base/mem.h"
#include "study/models/models_internal.h"

/* ---- what the adapters of other people's tools share: names of cores, running, what went wrong ---- */

/* From `llvm-mca -mcpu=help`, `osaca --help`, uiCA's microArchConfigs and the IACA 3.0 user's guide: a row
 * for each core, also where a tool has no name for it. llvm-mca knows znver4 since version 16, znver5
 * since 19. Compilers have no names for Kaby Lake and Coffee Lake, whose core is Skylake's; uiCA and IACA
 * none for the server parts of cores that they know: these go by the core's name, too. */
static const struct {
    const char *names[NAMES_COUNT];
} archs[] = {
    {{"SNB", "sandybridge", "SNB", "SNB", NULL}},     {{"IVB", "ivybridge", "IVB", "IVB", NULL}},
    {{"HSW", "haswell", "HSW", "HSW", "HSW"}},        {{"BDW", "broadwell", "BDW", "BDW", "BDW"}},
    {{"SKL", "skylake", "SKX", "SKL", "SKL"}},        {{"KBL", "skylake", "SKX", "KBL", "SKL"}},
    {{"CFL", "skylake", "SKX", "CFL", "SKL"}},        {{"CLX", "cascadelake", "CSX", "CLX", "SKX"}},
    {{"SKX", "skylake-avx512", "SKX", "SKX", "SKX"}}, {{"ICL", "icelake-client", "ICL", "ICL", NULL}},
    {{"ICX", "icelake-server", "ICX", "ICL", NULL}},  {{"TGL", "tigerlake", NULL, "TGL", NULL}},
    {{"RKL", "rocketlake", NULL, "RKL", NULL}},       {{"ADL", "alderlake", NULL, NULL, NULL}},
    {{"SPR", "sapphirerapids", "SPR", NULL, NULL}},   {{"MTL", "meteorlake", NULL, NULL, NULL}},
    {{"GNR", "graniterapids", NULL, NULL, NULL}},     {{"ZEN2", "znver2", "ZEN2", NULL, NULL}},
    {{"ZEN3", "znver3", "ZEN3", NULL, NULL}},         {{"ZEN4", "znver4", "ZEN4", NULL, NULL}},
    {{"ZEN5", "znver5", "ZEN5", NULL, NULL}},
};

const char *external_arch(external_names names, const tacho_arch *arch)
{
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++)
        if (!strcmp(archs[i].names[NAMES_TACHO], arch->name))
            return archs[i].names[names];
    return NULL;
}

#define EXTERNAL_LOOK_SECONDS 0.1 /* between questions whether to stop */

int external_start(external_run *run, const tacho_model *m, const char *path, const char *const *argv,
                   const char *directory, const tacho_str *input, double seconds, tacho_error *err)
{
    const tacho_process process = {.path = path,
                                   .argv = argv,
                                   .directory = directory,
                                   .file = -1,
                                   .seconds = seconds,
                                   .file_bytes = EXTERNAL_OUTPUT_BYTES,
                                   .stop = m->options.stop,
                                   .look = m->options.stop ? EXTERNAL_LOOK_SECONDS : 0,
                                   .payload = m->options.stop_payload};
    tacho_str_clear(&run->out);
    tacho_str_clear(&run->errors);
    if (input && input->failed)
        return tacho_no_memory(err);
    if (!tacho_process_run_text(&process, input ? input->data : "", input ? input->length : 0, &run->out,
                                &run->errors, &run->end))
        return run->end.stopped ? tacho_error_set(err, TACHO_ERR_CANCELLED, "%.60s was ended", m->name) : 0;
    return tacho_error_set(err, errno == ENOMEM ? TACHO_ERR_MEMORY : TACHO_ERR_SYSTEM,
                           "cannot run %.200s: %s", path, strerror(errno));
}

void external_free(external_run *run)
{
    tacho_str_free(&run->out);
    tacho_str_free(&run->errors);
}

double external_seconds(const tacho_model *m, size_t blocks)
{
    return m->options.timeout_seconds * (1 + (double)(blocks - 1) / 100);
}

/* The line that says most: the first with "error", else the last one (as of Python's exceptions). */
static const char *complaint(const char *text, size_t *length)
{
    const char *best = "", *at = strstr(text, "error");
    *length = 0;
    if (!at)
        at = strstr(text, "Error");
    while (at && at > text && at[-1] != '\n')
        at--;
    if (at) {
        *length = strcspn(at, "\n");
        return at;
    }
    for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n')
        if (strcspn(p, "\n")) {
            best = p;
            *length = strcspn(p, "\n");
        }
    return best;
}

void external_blame(tacho_model_result *r, const external_run *run, const char *tool)
{
    size_t length;
    const char *said = complaint(run->errors.data ? run->errors.data : "", &length);
    if (run->end.timed_out)
        model_result_fail(r, TACHO_MODEL_TIMEOUT, "%s took too long", tool);
    else if (run->end.signal)
        model_result_fail(r, TACHO_MODEL_FAILED, "%s died of signal %d (%s)", tool, run->end.signal,
                          strsignal(run->end.signal));
    else if (length)
        model_result_fail(r, TACHO_MODEL_FAILED, "%s: %.*s", tool, (int)(length < 120 ? length : 120), said);
    else if (run->end.exit_status)
        model_result_fail(r, TACHO_MODEL_FAILED, "%s ended with status %d", tool, run->end.exit_status);
    else
        model_result_fail(r, TACHO_MODEL_FAILED, "%s said nothing of the block", tool);
}

void external_version(tacho_model *m, const char *text, const char *start, const char *detail)
{
    const char *at = text ? strstr(text, start) : NULL;
    m->version[0] = '\0';
    if (at)
        snprintf(m->version, sizeof m->version, "%.*s%s%s", (int)strcspn(at, "\n"), at, *detail ? ", " : "",
                 detail);
}

/* ---- which tools ---- */

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
