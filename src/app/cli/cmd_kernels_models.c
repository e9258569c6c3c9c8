/* cmd_kernels_models.c - the models that tacho kernels asks. */
#include <stdio.h>
#include <string.h>

#include "app/cli/cmd_kernels.h"
#include "app/cli/cores.h"
#include "app/cli/gone.h"
#include "base/ask_cpuid.h"

static bool add(kernels_models *m, const char *name)
{
    if (m->count == KERNELS_MAX_MODELS || !*name || strlen(name) >= TACHO_MODEL_NAME_SIZE)
        return cli_error("--models: more than %d, or a name that is empty or too long: '%.80s'",
                         KERNELS_MAX_MODELS, name);
    strcpy(m->names[m->count++], name);
    return true;
}

static int add_list(kernels_models *m, const char *list)
{
    for (cli_word name; cli_next_word(&list, name);) {
        static const char gone[] = "--models walk:";
        if ((!strncmp(name, "walk:", 5) && cli_is_gone("kernels", gone, strlen(gone))) || !add(m, name))
            return CLI_USAGE;
    }
    return CLI_OK;
}

/* What LLVM calls this machine's core where another one is predicted: AMD's since Zen 3. NULL: not known.
 * (Families and models: AMD's processor programming references.) */
static const char *host_for_llvm(void)
{
    const cpuid_signature s = cpuid_who();
    const bool is_zen4 =
        (s.model >= 0x10 && s.model <= 0x1f) || (s.model >= 0x60 && s.model <= 0x7f) || s.model >= 0xa0;
    return strcmp(s.vendor, "AuthenticAMD") != 0 ? NULL
           : s.family == 0x1a                    ? "znver5"
           : s.family == 0x19                    ? is_zen4 ? "znver4" : "znver3"
                                                 : NULL;
}

/* Whether the plain name stands for one that has a version, too. */
static bool is_wanted(const tacho_model_list *list, const tacho_model_info *model)
{
    if (model->missing || strchr(model->name, ':'))
        return false;
    if (!model->external)
        return !strcmp(model->name, "tacho") || !strcmp(model->name, "tacho-no-memory-deps") ||
               !strcmp(model->name, "tacho-bounds");
    for (size_t i = 0; !strcmp(model->name, "llvm-mca") && i < list->count; i++)
        if (!list->models[i].missing && !strncmp(list->models[i].name, "llvm-mca-", 9) &&
            !strchr(list->models[i].name, ':'))
            return false;
    return true;
}

/* Older versions of other tools do not know all the processors that later ones do. */
static bool can_be_opened(const char *name, const tacho_arch *arch)
{
    tacho_model *model;
    tacho_error err;
    if (tacho_model_open(&model, name, arch, NULL, &err))
        return false;
    tacho_model_close(model);
    return true;
}

static int add_usual(kernels_models *m, const tacho_arch *arch)
{
    tacho_model_list *list;
    tacho_error err;
    char newest[TACHO_MODEL_NAME_SIZE] = "";
    bool good = true;
    if (tacho_model_list_make(&list, arch, &err))
        return cli_input_error("%s", err.message);
    for (size_t i = 0; i < list->count && good; i++) {
        const char *name = list->models[i].name;
        if (!is_wanted(list, &list->models[i]) || (list->models[i].external && !can_be_opened(name, arch)))
            continue;
        good = add(m, name);
        if (!strncmp(name, "llvm-mca", 8))
            snprintf(newest, sizeof newest, "%s", name);
    }
    tacho_model_list_free(list);
    const char *host = cli_is_native(arch) ? NULL : host_for_llvm();
    if (good)
        good = add(m, "trace:tacho") && add(m, "trace:tacho-no-memory-deps");
    if (good && *newest && host) {
        char name[2 * TACHO_MODEL_NAME_SIZE];
        snprintf(name, sizeof name, "%s@%s", newest, host);
        if (can_be_opened(name, arch))
            good = add(m, name);
    }
    return good ? CLI_OK : CLI_INPUT;
}

int kernels_choose_models(kernels_models *m, const char *list, const tacho_arch *arch)
{
    m->count = 0;
    int status = list ? add_list(m, list) : add_usual(m, arch);
    for (size_t i = 0; i < m->count && !status; i++) {
        const char *name = m->names[i];
        tacho_model *model;
        tacho_error err;
        tacho_kernels_along_path(&name);
        int rc = tacho_model_open(&model, name, arch, NULL, &err);
        if (!rc)
            tacho_model_close(model);
        status = cli_status(rc, &err);
    }
    return status;
}
