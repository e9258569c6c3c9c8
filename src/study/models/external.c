/* external.c - what the adapters of other people's tools share: names of microarchitectures, running, and
 * saying what went wrong. */
#include "base/mem.h"
#include "study/models/models_internal.h"

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
