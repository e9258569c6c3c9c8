/* uica.c - uiCA (A. Abel): an adapter written from its documentation; it has been tried with a program that
 * answers in that format only. uiCA.py is to be in PATH, with its instruction data made (setup.sh). */
#include <string.h>

#include "study/models/model_tool.h"

static const char *const command[] = {"uiCA.py", "{file}", "-raw", "-arch", "{arch}", NULL};
static const tool_description uica = {
    .command = command,
    .missing = "(github.com/andreas-abel/uiCA; after its setup.sh, add its directory to PATH)",
    .input = TOOL_RAW,
    .pattern = "Throughput \\(in cycles per iteration\\): *([0-9.]+)",
    .bottleneck = "Bottleneck[(s)]*: *([^\r\n]*)",
    .iterations = 1,
    .mode_by_branch = true};

static bool knows(const char *name)
{
    return !strcmp(name, "uica");
}

static void list(model_names *names, const tacho_arch *arch)
{
    tool_list(names, arch, "uica", "uiCA's simulator", &uica, NAMES_UICA);
}

static int open_model(tacho_model *m, tacho_error *err)
{
    return tool_open(m, &uica, external_arch(NAMES_UICA, m->arch), NULL, NULL, err);
}

const model_kind model_uica = {.external = true,
                               .knows = knows,
                               .list = list,
                               .open = open_model,
                               .run = model_tool_run,
                               .close = tool_close};
