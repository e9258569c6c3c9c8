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

/* Sets of cores: bit i is tacho_arch_get(i). */
typedef uint64_t core_set;

static core_set cores_with_value(size_t parameter, const char *value)
{
    core_set set = 0;
    char other[VALUE_SIZE];
    for (size_t i = 0; i < tacho_arch_count(); i++) {
        tacho_arch_parameter_text(tacho_arch_get(i), parameter, other, sizeof other);
        set |= (core_set)!strcmp(other, value) << i;
    }
    return set;
}

static core_set cores_with_extension(tacho_extension e)
{
    core_set set = 0;
    for (size_t i = 0; i < tacho_arch_count(); i++)
        set |= (core_set)tacho_arch_has_extension(tacho_arch_get(i), e) << i;
    return set;
}

static core_set all_cores(void)
{
    return ((core_set)1 << tacho_arch_count()) - 1;
}

/* What is so on some cores, and from column `at` on, which these are. */
static void put_cores(tacho_str *out, const char *label, size_t at, core_set set)
{
    tacho_str cores = {0};
    for (core_set left = set; left; left &= left - 1)
        tacho_str_printf(&cores, "%s%s", cores.length ? " " : "",
                         tacho_arch_name(tacho_arch_get((size_t)__builtin_ctzll(left))));
    if (strlen(label) + 4 <= at)
        tacho_str_printf(out, "  %-*s", (int)at - 2, label);
    else
        tacho_str_printf(out, "  %s\n%*s", label, (int)at, "");
    report_wrapped_text(out, &cores, at);
}

static void put_parameter(tacho_str *out, size_t parameter)
{
    char value[VALUE_SIZE];
    tacho_arch_parameter p;
    tacho_str head = {0};
    tacho_arch_parameter_get(parameter, &p);
    tacho_str_printf(&head, "%s%s%s: %s", p.name, *p.unit ? ", " : "", p.unit,
                     tacho_arch_parameter_meaning(parameter));
    report_wrapped_text(out, &head, 0);
    for (core_set left = all_cores(), set; left; left &= ~set) {
        tacho_arch_parameter_text(tacho_arch_get((size_t)__builtin_ctzll(left)), parameter, value,
                                  sizeof value);
        set = cores_with_value(parameter, value);
        put_cores(out, value, 14, set);
    }
}

/* Where some cores have it, and others not. */
static void put_extension(tacho_str *out, tacho_extension e)
{
    core_set set = cores_with_extension(e);
    if (set && set != all_cores())
        put_cores(out, tacho_extension_name(e), 24, set);
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
