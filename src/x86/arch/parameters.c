/* parameters.c - the parameters of a core by name and as text, in their ranges; parameter_rows.h lists them.
 * The table generator reads data/arch/NAME/params.txt with it, the program --set. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "x86/arch/parameters.h"
#include "x86/arch/port_digits.h"
#include "x86/arch/tables.h"

static const struct {
    const char *name, *unit, *meaning;
    tacho_parameter_type type;
    uint32_t min, max;
    size_t offset;
} parameters[] = {
#define PARAMETER(member, type, low, high, unit, meaning)                                                    \
    {#member, unit, meaning, TACHO_PARAMETER_##type, low, high, offsetof(tacho_arch, member)},
#define NUMBER(member, low, high, unit, meaning) PARAMETER(member, NUMBER, low, high, unit, meaning)
#define SLOTS(member, low, high, unit, meaning)  PARAMETER(member, SLOTS, low, high, unit, meaning)
#define POLICY(member, low, high, unit, meaning) PARAMETER(member, POLICY, low, high, unit, meaning)
#define YES_NO(member, meaning)                  PARAMETER(member, BOOL, 0, 1, "", meaning)
#define PORTS(member, meaning)                   PARAMETER(member, PORTS, 0, 0, "ports", meaning)
#define UNROLL(member, unit, meaning)            PARAMETER(member, UNROLL, 1, 255, unit, meaning)
#include "x86/arch/parameter_rows.h"
};

enum {
    PARAMETER_COUNT = sizeof parameters / sizeof *parameters
};

size_t tacho_arch_parameter_count(void)
{
    return PARAMETER_COUNT;
}

int tacho_arch_parameter_get(size_t i, tacho_arch_parameter *out)
{
    if (i >= PARAMETER_COUNT)
        return TACHO_ERR_USAGE;
    *out = (tacho_arch_parameter){parameters[i].name, parameters[i].unit, parameters[i].type,
                                  parameters[i].min, parameters[i].max};
    return 0;
}

const char *tacho_arch_parameter_meaning(size_t i)
{
    return i < PARAMETER_COUNT ? parameters[i].meaning : NULL;
}

static uint16_t number_at(const tacho_arch *arch, size_t i)
{
    const char *at = (const char *)arch + parameters[i].offset;
    return parameters[i].type == TACHO_PARAMETER_BOOL ? *(const bool *)at
                                                      : *(const uint16_t *)(const void *)at;
}

static bool in_range(size_t i, unsigned long value)
{
    switch (parameters[i].type) {
    case TACHO_PARAMETER_PORTS:
        return value < 1ul << TACHO_MAX_PORTS;
    case TACHO_PARAMETER_POLICY:
        return value == TACHO_PORTS_6 || value == TACHO_PORTS_8 || value == TACHO_PORTS_10 ||
               value == TACHO_PORTS_12 || value == TACHO_PORTS_AT_DISPATCH;
    case TACHO_PARAMETER_SLOTS:
        return value <= parameters[i].max || value == TACHO_SLOTS_UNLIMITED;
    default:
        return value >= parameters[i].min && value <= parameters[i].max;
    }
}

int64_t tacho_arch_parameter_number(const tacho_arch *arch, size_t i)
{
    return i >= PARAMETER_COUNT || parameters[i].type == TACHO_PARAMETER_UNROLL ? -1 : number_at(arch, i);
}

bool tacho_arch_parameter_valid(const tacho_arch *arch, size_t i)
{
    return parameters[i].type == TACHO_PARAMETER_UNROLL || in_range(i, number_at(arch, i));
}

/* ---- text ---- */

static void unroll_text(const uint8_t *unroll, char *out, size_t size)
{
    size_t used = 0;
    snprintf(out, size, "-");
    for (unsigned n = 1; n <= TACHO_LSD_UNROLL_MAX;) {
        unsigned end = n;
        while (end < TACHO_LSD_UNROLL_MAX && unroll[end + 1] == unroll[n])
            end++;
        const char *space = used ? " " : "";
        if (unroll[n] > 1 && n == end && used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%u:%u", space, n, unroll[n]);
        else if (unroll[n] > 1 && used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%u-%u:%u", space, n, end, unroll[n]);
        n = end + 1;
    }
}

static void ports_text(unsigned mask, char *out, size_t size)
{
    size_t used = 0;
    for (unsigned p = 0; p < TACHO_MAX_PORTS && used + 2 < size; p++)
        if (mask & 1u << p)
            out[used++] = port_digit(p);
    if (!used)
        out[used++] = '-';
    out[used] = '\0';
}

void tacho_arch_parameter_text(const tacho_arch *arch, size_t i, char *out, size_t size)
{
    unsigned n = parameters[i].type == TACHO_PARAMETER_UNROLL ? 0 : number_at(arch, i);
    switch (parameters[i].type) {
    case TACHO_PARAMETER_UNROLL:
        unroll_text(arch->lsd_unroll, out, size);
        break;
    case TACHO_PARAMETER_PORTS:
        ports_text(n, out, size);
        break;
    case TACHO_PARAMETER_BOOL:
        snprintf(out, size, "%s", n ? "yes" : "no");
        break;
    default:
        if (parameters[i].type == TACHO_PARAMETER_SLOTS && n == TACHO_SLOTS_UNLIMITED)
            snprintf(out, size, "unlimited");
        else
            snprintf(out, size, "%u", n);
    }
}

static bool parse_unroll(const char *text, uint8_t *out)
{
    unsigned low, high, factor;
    int used;
    memset(out, 1, TACHO_LSD_UNROLL_MAX + 1);
    if (strcmp(text, "-") == 0)
        return true;
    while (*text) {
        if (sscanf(text, "%u-%u:%u%n", &low, &high, &factor, &used) != 3) {
            if (sscanf(text, "%u:%u%n", &low, &factor, &used) != 2)
                return false;
            high = low;
        }
        if (low > high || high > TACHO_LSD_UNROLL_MAX || factor < 1 || factor > 255)
            return false;
        for (unsigned i = low; i <= high; i++)
            out[i] = (uint8_t)factor;
        text += used;
        text += strspn(text, " ");
    }
    return true;
}

static bool parse_ports(const char *text, unsigned long *out)
{
    *out = 0;
    if (strcmp(text, "-") == 0)
        return true;
    for (const char *p = text; *p; p++) {
        int port = port_of_digit(*p);
        if (port < 0 || *out >> port & 1)
            return false;
        *out |= 1ul << port;
    }
    return *text;
}

static bool parse_number(size_t i, const char *text, unsigned long *out)
{
    char *end;
    if (parameters[i].type == TACHO_PARAMETER_SLOTS && strcmp(text, "unlimited") == 0) {
        *out = TACHO_SLOTS_UNLIMITED;
        return true;
    }
    if (*text < '0' || *text > '9')
        return false;
    *out = strtoul(text, &end, 10);
    return *end == '\0' && *out <= UINT16_MAX;
}

/* Capacities, called _entries, were _width in files and options of the last version. */
static bool is_old_name(const char *name, const char *parameter)
{
    static const char old[] = "_width", new[] = "_entries";
    const size_t n = strlen(name), stem = n > strlen(old) ? n - strlen(old) : 0;
    return stem && !strcmp(name + stem, old) && !strncmp(name, parameter, stem) &&
           !strcmp(parameter + stem, new);
}

int tacho_arch_parameter_find(const char *name, bool *is_old)
{
    for (size_t i = 0; i < tacho_arch_parameter_count(); i++) {
        *is_old = is_old_name(name, parameters[i].name);
        if (*is_old || !strcmp(parameters[i].name, name))
            return (int)i;
    }
    *is_old = false;
    return -1;
}

bool tacho_arch_parameter_parse(tacho_arch *arch, size_t i, const char *text)
{
    unsigned long n;
    char *at = (char *)arch + parameters[i].offset;
    switch (parameters[i].type) {
    case TACHO_PARAMETER_UNROLL: {
        uint8_t unroll[TACHO_LSD_UNROLL_MAX + 1];
        if (!parse_unroll(text, unroll))
            return false;
        memcpy(arch->lsd_unroll, unroll, sizeof unroll);
        return true;
    }
    case TACHO_PARAMETER_BOOL:
        if (strcmp(text, "yes") != 0 && strcmp(text, "no") != 0)
            return false;
        *(bool *)at = *text == 'y';
        return true;
    case TACHO_PARAMETER_PORTS:
        if (!parse_ports(text, &n))
            return false;
        break;
    default:
        if (!parse_number(i, text, &n))
            return false;
    }
    if (!in_range(i, n))
        return false;
    *(uint16_t *)(void *)at = (uint16_t)n;
    return true;
}

void tacho_arch_parameter_describe(const tacho_arch_parameter *p, uint32_t low, char *out, size_t size)
{
    switch (p->type) {
    case TACHO_PARAMETER_BOOL:
        snprintf(out, size, "yes or no");
        break;
    case TACHO_PARAMETER_PORTS:
        snprintf(out, size, "the ports' digits, each once (237; 0-9, then a-f), or - for none");
        break;
    case TACHO_PARAMETER_UNROLL:
        snprintf(out, size, "factors by µops in the loop (\"1-4:8 5:6\", up to %d µops), or -",
                 TACHO_LSD_UNROLL_MAX);
        break;
    case TACHO_PARAMETER_POLICY:
        snprintf(out, size, "6, 8, 10, 12 or 16");
        break;
    default:
        snprintf(out, size, "a whole number from %u to %u%s", low, p->max,
                 p->type == TACHO_PARAMETER_SLOTS ? ", or unlimited" : "");
    }
}
