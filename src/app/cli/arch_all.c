/* arch_all.c - tacho arch all: the microarchitectures side by side. */
#include <stdio.h>
#include <string.h>

#include "app/cli/arch_diff.h"
#include "app/cli/output.h"
#include "app/report/report.h"
#include "tacho/extension.h"

enum {
    VALUE_SIZE = 80
};

static void value_of(size_t core, size_t parameter, char out[VALUE_SIZE])
{
    tacho_arch_parameter_text(tacho_arch_get(core), parameter, out, VALUE_SIZE);
}

static bool is_first_with(size_t core, size_t parameter, const char *value)
{
    char other[VALUE_SIZE];
    for (size_t i = 0; i < core; i++) {
        value_of(i, parameter, other);
        if (!strcmp(other, value))
            return false;
    }
    return true;
}

/* What is so on some cores, and on which: those that have the parameter's value, else the extension. */
static void put_cores(tacho_str *out, const char *label, size_t at, size_t parameter, tacho_extension e)
{
    tacho_str cores = {0};
    char value[VALUE_SIZE];
    for (size_t i = 0; i < tacho_arch_count(); i++) {
        if (!e)
            value_of(i, parameter, value);
        if (e ? tacho_arch_has_extension(tacho_arch_get(i), e) : !strcmp(value, label))
            tacho_str_printf(&cores, "%s%s", cores.length ? " " : "", tacho_arch_name(tacho_arch_get(i)));
    }
    bool fits = strlen(label) + 4 <= at;
    tacho_str_printf(out, fits ? "  %-*s" : "  %*s\n", fits ? (int)at - 2 : 0, label);
    if (!fits)
        tacho_str_printf(out, "%*s", (int)at, "");
    report_wrapped(out, cores.data ? cores.data : "", at);
    out->failed |= cores.failed;
    tacho_str_free(&cores);
}

static void put_parameter(tacho_str *out, size_t parameter)
{
    char value[VALUE_SIZE];
    tacho_arch_parameter p;
    tacho_str head = {0};
    tacho_arch_parameter_get(parameter, &p);
    tacho_str_printf(&head, "%s%s%s: %s", p.name, *p.unit ? ", " : "", p.unit,
                     tacho_arch_parameter_meaning(parameter));
    report_wrapped(out, head.data ? head.data : "", 0);
    out->failed |= head.failed;
    tacho_str_free(&head);
    for (size_t i = 0; i < tacho_arch_count(); i++) {
        value_of(i, parameter, value);
        if (is_first_with(i, parameter, value))
            put_cores(out, value, 14, parameter, TACHO_EXTENSION_NONE);
    }
}

/* Where some cores have it, and others not. */
static void put_extension(tacho_str *out, tacho_extension e)
{
    size_t n = 0;
    for (size_t i = 0; i < tacho_arch_count(); i++)
        n += tacho_arch_has_extension(tacho_arch_get(i), e);
    if (n && n < tacho_arch_count())
        put_cores(out, tacho_extension_name(e), 24, 0, e);
}

int arch_all(void)
{
    tacho_str out = {0};
    for (size_t i = 0; i < tacho_arch_count(); i++) {
        const tacho_arch *a = tacho_arch_get(i);
        tacho_str_printf(&out, "%-5s %s\n", tacho_arch_name(a), tacho_arch_long_name(a));
    }
    for (size_t i = 0; i < tacho_arch_parameter_count(); i++) {
        tacho_str_putc(&out, '\n');
        put_parameter(&out, i);
    }
    tacho_str_puts(&out, "\nExtensions of the instruction set that not all have:\n");
    for (int e = 1; e < TACHO_EXTENSION_COUNT; e++)
        put_extension(&out, (tacho_extension)e);
    return cli_put_text(&out) ? CLI_OK : CLI_INPUT;
}
