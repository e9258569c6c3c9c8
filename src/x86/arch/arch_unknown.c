/* arch_unknown.c - the message for a name that is no microarchitecture. It may be a typing error within a
 * maker's generation, a core that is not modelled (the nearest one that is gets named), or one that does not
 * execute x86-64. Names: those of gcc's and LLVM's -march and -mcpu, of uops.info, and Intel's and AMD's own.
 * Nearest: of the same maker, and by how the core is built, or else by its time. */
#include "x86/arch/arch_unknown.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "x86/arch/arch_struct.h"

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

void arch_explain_unknown(const char *name, tacho_error *err)
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
