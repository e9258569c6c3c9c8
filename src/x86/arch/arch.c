/* arch.c - finding a microarchitecture by name, alias or the processor at hand. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/ask_cpuid.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/suggest.h"
#include "tacho/error.h"
#include "x86/arch/arch_struct.h"
#include "x86/arch/loaded.h"
#include "x86/arch/own_words.h"
#include "x86/arch/tables.h"
#include "x86/decode/insn_struct.h"

/* ---- tables of a loaded microarchitecture, which go with the last of its copies ---- */

void loaded_use(loaded_tables *t)
{
    if (t)
        atomic_fetch_add(&t->users, 1);
}

void loaded_release(loaded_tables *t)
{
    if (!t || atomic_fetch_sub(&t->users, 1) != 1)
        return;
    TACHO_MEM_FREE(t->forms, t->figures, t->variants, t->latencies, t->groups, t->sources);
    arena texts = t->texts;
    arena_free(&texts);
    tacho_mem_free(t);
}

/* Its name, then its aliases; NULL behind the last. */
static inline const char *arch_name(const tacho_arch *arch, size_t i)
{
    return i == 0 ? arch->name : tacho_arch_alias(arch, i - 1);
}

/* The message for a name that is no microarchitecture. It may be a typing error within a
 * maker's generation, a core that is not modelled (the nearest one that is gets named), or one that does not
 * execute x86-64. Names: those of gcc's and LLVM's -march and -mcpu, of uops.info, and Intel's and AMD's own.
 * Nearest: of the same maker, and by how the core is built, or else by its time. */

enum {
    NAME_SIZE = 64
};

/* Names without "-" and "_"; one that ends in "*" is the beginning of names. */
static const struct {
    const char *names, *nearest; /* NULL: what `kind` says */
    const char *kind;
} others[] = {
    {"zen zen1 zenplus zenp znver1 naples summitridge pinnacleridge", "ZEN2", NULL},
    {"zen* znver* ryzen* epyc* venice", "ZEN5", NULL},
    {"amdfam10 barcelona bdver* btver* bulldozer piledriver steamroller excavator jaguar bobcat k8* opteron*",
     "ZEN2", NULL},
    {"arrowlake arl arlp lunarlake lnl lnlp pantherlake ptl ptlp lioncove cougarcove", "MTL", NULL},
    {"willowcove", "TGL", NULL},
    {"sunnycove", "ICL", NULL},
    {"diamondrapids dmr", "GNR", NULL},
    {"cannonlake cnl palmcove", "SKL", NULL},
    {"core2 penryn conroe wolfdale nehalem nhm westmere wsm corei7", "SNB", NULL},
    {"bonnell atom silvermont slm goldmont glm goldmontplus glp tremont tnt gracemont grt adle adln "
     "crestmont mtle skymont arle lnle darkmont sierraforest srf grandridge grr clearwaterforest cwf",
     "ADL", NULL},
    {"cooperlake cpx", "CLX", NULL}, /* it has AVX512_BF16 besides */
    {"knightslanding knl knightsmill knm xeonphi", "SKX", NULL},
    {"apple* m1* m2* m3* m4* cortex* neoverse* arm* aarch64* graviton* a64fx thunderx* tsv110 ampere* "
     "exynos* carmel power* pwr* ppc* riscv* sifive* rv32* rv64* mips* sparc* z13* z14* z15* z16* s390* "
     "loongarch* la464",
     NULL, "no core that executes x86-64 code"},
    {"x8664* i386 i486 i586 i686 pentium*", NULL, "not one core, or one before those of today"},
};

/* The name in small letters, without what people put between its words. */
static void plain(const char *name, char out[NAME_SIZE])
{
    size_t n = 0;
    for (; *name && n + 1 < NAME_SIZE; name++)
        if (!strchr("-_ +", *name))
            out[n++] = (char)tolower((unsigned char)*name);
    out[n] = '\0';
}

static bool is_word(const char *word, size_t length, const char *name)
{
    bool beginning = length && word[length - 1] == '*';
    size_t compared = beginning ? length - 1 : length;
    return !strncmp(word, name, compared) && (beginning || !name[compared]);
}

/* The row of a name; -1. */
static int other(const char *name)
{
    char wanted[NAME_SIZE];
    plain(name, wanted);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        for (const char *word = others[i].names; *word;) {
            size_t length = strcspn(word, " ");
            if (is_word(word, length, wanted))
                return (int)i;
            word += length + (word[length] == ' ');
        }
    return -1;
}

/* Numbers tell generations apart: who writes one does not mean another. */
static bool same_digits(const char *a, const char *b)
{
    if (!a[strcspn(a, "0123456789")])
        return true;
    for (;; a++, b++) {
        a += strcspn(a, "0123456789");
        b += strcspn(b, "0123456789");
        if (!*a || *a != *b)
            return *a == *b;
    }
}

/* "Ice Lake (client)" and "Ice Lake (server)" are of one. */
static bool same_generation(const tacho_arch *a, const tacho_arch *b)
{
    size_t n = strcspn(a->long_name, "("), m = strcspn(b->long_name, "(");
    return a == b || (n == m && !strncmp(a->long_name, b->long_name, n));
}

/* Offers the names of `like`'s generation, of all where it is NULL. */
static void offer(tacho_suggest *s, const char *wanted, const tacho_arch *like)
{
    const char *candidate;
    *s = (tacho_suggest){.wanted = wanted};
    for (size_t a = 0; a < tacho_arch_count(); a++) {
        const tacho_arch *arch = tacho_arch_get(a);
        for (size_t i = 0; (!like || same_generation(arch, like)) && (candidate = arch_name(arch, i)); i++)
            if (same_digits(wanted, candidate))
                tacho_suggest_offer(s, candidate);
    }
}

static void put_known(char *out, size_t size)
{
    size_t used = 0;
    for (size_t a = 0; a < tacho_arch_count() && used < size; a++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", a ? ", " : "; known are ",
                                 tacho_arch_get(a)->name);
}

static void suggest(const char *name, char *out, size_t size)
{
    tacho_suggest s;
    tacho_error unwanted;
    offer(&s, name, NULL);
    if (s.count)
        offer(&s, name, tacho_arch_find(s.names[0], &unwanted));
    snprintf(out, size, "%s", tacho_suggest_text(&s));
    if (!*out)
        put_known(out, size);
}

/* Says what the name may mean: TACHO_ERR_USAGE with a message. */
static void arch_explain_unknown(const char *name, tacho_error *err)
{
    char text[TACHO_ERROR_MESSAGE_SIZE];
    int row = other(name);
    if (row >= 0 && others[row].nearest) {
        tacho_error_set(err, TACHO_ERR_USAGE, "%.64s: not known; nearest: %s", name, others[row].nearest);
    } else if (row >= 0) {
        put_known(text, sizeof text);
        tacho_error_set(err, TACHO_ERR_USAGE, "%.64s: %s%s", name, others[row].kind, text);
    } else {
        suggest(name, text, sizeof text);
        tacho_error_set(err, TACHO_ERR_USAGE, "no microarchitecture %.64s%s", name, text);
    }
}

size_t tacho_arch_count(void)
{
    return tacho_gen_arch_count;
}

const tacho_arch *tacho_arch_get(size_t i)
{
    return i < tacho_gen_arch_count ? &tacho_gen_archs[i].arch : NULL;
}

GIVES(const char *, tacho_arch_name, tacho_arch, name)
GIVES(const char *, tacho_arch_long_name, tacho_arch, long_name)
GIVES(const char *, tacho_arch_table, tacho_arch, table)
GIVES(tacho_compared, tacho_arch_compared, tacho_arch, compared)

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

const own_word tacho_own_words[] = {
    {"DSB", "op cache", "opc"}, {"MITE", "decoders", "dec"}, {"MS", "microcode", "ucode"}, {0}};

const own_word *tacho_own_word_row(const tacho_arch *arch, const char *word)
{
    const own_word *w = tacho_own_words;
    while (w->word && strcmp(w->word, word))
        w++;
    return w->word && arch_is_amd(arch) ? w : NULL;
}

const char *tacho_own_word(const tacho_arch *arch, const char *word)
{
    const own_word *own = tacho_own_word_row(arch, word);
    return own ? own->amd : word;
}

NAMES_OF(tacho_compared_name, tacho_compared, "", "", "model", "measurements", "instructions")
