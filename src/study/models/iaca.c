/* iaca.c - IACA 3.0 (Intel, no longer offered): an adapter written from its guide and the way in which the
 * uiCA paper's evaluation calls it; it has been tried with a program that answers in that format only. */
#include <string.h>

#include "study/models/model_tool.h"

static const char *const command[] = {"iaca", "-reduceout", "-arch", "{arch}", "{file}", NULL};
static const tool_description iaca = {.command = command,
                                      .input = TOOL_RAW,
                                      .iaca_markers = true,
                                      .pattern = "Block Throughput: *([0-9.]+) Cycles",
                                      .bottleneck = "Throughput Bottleneck: *([^\r\n]*)",
                                      .iterations = 1};

static bool knows(const char *name)
{
    return !strcmp(name, "iaca");
}

static void list(model_names *names, const tacho_arch *arch)
{
    tool_list(names, arch, "iaca", "Intel's Architecture Code Analyzer 3.0", &iaca, NAMES_IACA);
}

static int open_model(tacho_model *m, tacho_error *err)
{
    return tool_open(m, &iaca, external_arch(NAMES_IACA, m->arch), NULL, NULL, err);
}

const model_kind model_iaca = {.external = true,
                               .knows = knows,
                               .list = list,
                               .open = open_model,
                               .run = model_tool_run,
                               .close = tool_close};
