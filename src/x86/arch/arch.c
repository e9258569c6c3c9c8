/* arch.c - finding a microarchitecture by name, alias or the processor at hand. */
#include <string.h>
#include <strings.h>

#include "base/ask_cpuid.h"
#include "x86/arch/arch_struct.h"
#include "x86/arch/arch_unknown.h"
#include "x86/arch/processor.h"
#include "x86/decode/insn_struct.h"
#include "x86/insndb/tables.h"
#include "x86/tables/loaded.h"

size_t tacho_arch_count(void)
{
    return tacho_gen_arch_count;
}

const tacho_arch *tacho_arch_get(size_t i)
{
    return i < tacho_gen_arch_count ? &tacho_gen_archs[i].arch : NULL;
}

const char *tacho_arch_name(const tacho_arch *arch)
{
    return arch->name;
}

const char *tacho_arch_long_name(const tacho_arch *arch)
{
    return arch->long_name;
}

const char *tacho_arch_table(const tacho_arch *arch)
{
    return arch->table;
}

tacho_compared tacho_arch_compared(const tacho_arch *arch)
{
    return arch->compared;
}

const char *tacho_arch_alias(const tacho_arch *arch, size_t i)
{
    const gen_arch *tables = arch_tables(arch);
    if (!tables)
        return NULL;
    const char *const *alias = tables->aliases;
    while (i-- > 0 && *alias)
        alias++;
    return *alias;
}

const char *tacho_arch_param_source(const tacho_arch *arch, const char *parameter)
{
    const gen_arch *tables = arch_tables(arch);
    if (!tables)
        return NULL;
    for (const gen_parameter *p = tables->parameters; p->name; p++)
        if (strcmp(p->name, parameter) == 0)
            return p->source;
    return NULL;
}

bool tacho_arch_has_extension(const tacho_arch *arch, tacho_extension extension)
{
    return (unsigned)extension < TACHO_EXTENSION_COUNT &&
           (arch->extensions[extension / 64] >> extension % 64 & 1);
}

const char *tacho_arch_extension_source(const tacho_arch *arch, tacho_extension extension)
{
    const gen_arch *tables = arch_tables(arch);
    return tables && tacho_arch_has_extension(arch, extension) ? tables->extension_sources[extension] : NULL;
}

tacho_extension tacho_arch_lacks(const tacho_arch *arch, const tacho_insn *insn)
{
    if (insn->else_another)
        return TACHO_EXTENSION_NONE;
    for (int i = 0; i < 2; i++) {
        tacho_extension needed = (tacho_extension)insn->extensions[i];
        if (needed && !tacho_arch_has_extension(arch, needed))
            return needed;
    }
    return TACHO_EXTENSION_NONE;
}

bool tacho_arch_same_core(const tacho_arch *a, const tacho_arch *b)
{
    const gen_arch *of_a = arch_tables(a), *of_b = arch_tables(b);
    if (a == b)
        return true;
    if (!of_a || !of_b)
        return false;
    const char *own = *of_b->cores;
    for (const char *const *core = of_a->cores; own && *core; core++)
        if (!strcmp(*core, own))
            return true;
    return false;
}

/* Families and models: Intel SDM, volume 3, "CPUID signature values"; AMD64 manual, volume 3, CPUID function
 * 1. */
static processor this_processor(void)
{
    const cpuid_signature s = cpuid_who();
    return (processor){.vendor = !strcmp(s.vendor, "GenuineIntel")   ? GEN_INTEL
                                 : !strcmp(s.vendor, "AuthenticAMD") ? GEN_AMD
                                                                     : OTHER_VENDOR,
                       .family = s.family,
                       .model = s.model,
                       .stepping = s.stepping};
}

static bool is_of(const processor *p, const gen_arch *arch)
{
    if (p->vendor != arch->vendor || p->family != arch->family)
        return false;
    for (const gen_model *m = arch->models; m->first != GEN_NONE; m++)
        if (m->first <= p->model && p->model <= m->last && m->first_stepping <= p->stepping &&
            p->stepping <= m->last_stepping)
            return true;
    return false;
}

const tacho_arch *tacho_processor_arch(const processor *p)
{
    for (size_t i = 0; i < tacho_gen_arch_count; i++)
        if (is_of(p, &tacho_gen_archs[i]))
            return &tacho_gen_archs[i].arch;
    return NULL;
}

bool tacho_arch_is_native(const tacho_arch *arch)
{
    const processor p = this_processor();
    const tacho_arch *built_in = tacho_processor_arch(&p);
    return arch == built_in || (arch->loaded && (is_of(&p, &arch->loaded->tables) ||
                                                 (built_in && tacho_arch_same_core(built_in, arch))));
}

static const tacho_arch *native(tacho_error *err)
{
    static const char *const vendors[] = {
        [GEN_INTEL] = "Intel", [GEN_AMD] = "AMD", [OTHER_VENDOR] = "neither Intel's nor AMD's;"};
    processor p = this_processor();
    const tacho_arch *arch = tacho_processor_arch(&p);
    if (arch)
        return arch;
    tacho_error_set(err, TACHO_ERR_UNSUPPORTED,
                    "this machine's processor (%s family 0x%X model 0x%X) is none of the modelled ones",
                    vendors[p.vendor], p.family, p.model);
    return NULL;
}

const tacho_arch *tacho_arch_find(const char *name, tacho_error *err)
{
    if (strcasecmp(name, "native") == 0)
        return native(err);
    for (size_t a = 0; a < tacho_arch_count(); a++) {
        const char *candidate;
        for (size_t i = 0; (candidate = arch_name(tacho_arch_get(a), i)) != NULL; i++)
            if (strcasecmp(name, candidate) == 0)
                return tacho_arch_get(a);
    }
    arch_explain_unknown(name, err);
    return NULL;
}

const char *tacho_compared_name(tacho_compared compared)
{
    static const char *const names[] = {"", "model", "measurements", "instructions"};
    return (unsigned)compared < sizeof names / sizeof *names ? names[compared] : "";
}
