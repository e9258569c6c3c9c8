/* what_if_options.c - --set: microarchitectures with some parameters changed. */
#include <string.h>

#include "app/cli/predict/what_if_options.h"
#include "base/mem.h"

static bool set_one(tacho_arch *arch, char *word)
{
    tacho_error err;
    char *value = strchr(word, '=');
    if (!value)
        return cli_error("--set is PARAMETER=VALUE, for instance issue_width=6, not '%s'", word);
    *value++ = '\0';
    if (!tacho_arch_parameter_set(arch, word, value, &err))
        return true;
    return cli_error("--set for %s: %s", arch->name, err.message);
}

static bool set_all(const what_if *w, tacho_arch *arch)
{
    tacho_error err;
    for (size_t i = 0; i < w->count; i++) {
        const char *rest = w->assignments[i];
        for (cli_word word; cli_next_word(&rest, word);)
            if (!set_one(arch, word))
                return false;
    }
    if (!tacho_arch_check(arch, &err))
        return true;
    return cli_error("--set for %s: %s", arch->name, err.message);
}

bool what_if_add(void *target, const char *option, const char *assignments)
{
    what_if *w = target;
    if (w->count == WHAT_IF_MAX)
        return cli_error("--set is given more than %d times; it takes lists with commas, too", WHAT_IF_MAX);
    w->assignments[w->count++] = assignments;
    return true;
}

bool what_if_apply(what_if *w, const tacho_arch **archs, size_t count)
{
    if (!w->count)
        return true;
    w->archs = tacho_mem_zalloc(count, sizeof *w->archs);
    if (!w->archs)
        return cli_error("out of memory");
    for (size_t i = 0; i < count; i++) {
        w->archs[i] = *archs[i];
        archs[i] = &w->archs[i];
        if (!set_all(w, &w->archs[i]))
            return false;
    }
    return true;
}

void what_if_free(what_if *w)
{
    tacho_mem_free(w->archs);
}
