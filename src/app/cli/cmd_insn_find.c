/* cmd_insn_find.c - the one form that is meant by what a user types. */
#include <stdio.h>

#include "app/cli/cmd_insn.h"
#include "base/mem.h"

static int too_many(const char *text, const insn_forms *forms)
{
    char name[INSN_NAME_SIZE], list[600] = "";
    size_t used = 0;
    for (size_t i = 0; i < forms->count && i < 4; i++) {
        tacho_form_name(forms->ids[i], name, sizeof name);
        used += (size_t)snprintf(list + used, sizeof list - used, "%s'%.100s'", i ? ", " : "", name);
    }
    return cli_input_error("%zu forms are called '%s': one at a time, for instance %s", forms->count, text,
                           list);
}

int insn_find_one(const char *text, uint32_t *id)
{
    insn_forms forms = {0};
    if (!tacho_form_find(text, id, NULL))
        return CLI_OK;
    tacho_error err;
    if (insn_find(text, &forms, &err))
        return cli_input_error("%s", err.message);
    *id = forms.ids[0];
    int status = forms.count == 1 ? CLI_OK : too_many(text, &forms);
    tacho_mem_free(forms.ids);
    return status;
}
