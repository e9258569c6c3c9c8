/* kernels_variants.c - the ways in which each kernel is compiled: compiler, level, vector extension, and what
 * the loops are transformed by, which is left to the compilers' own optimisers.
 *
 * The list goes by ways, and within each by kernels, so that its beginning has something of every kernel. */

#include "base/mem.h"
#include "base/suggest.h"
#include "study/kernels/kernels_internal.h"

/* Flags of a word, as text with spaces; NULL: the compiler knows no such thing. */
typedef struct word_flags {
    const char *name, *gcc, *clang;
    const char *needs; /* what the processor must have, as __builtin_cpu_supports calls it; NULL */
} word_flags;

static const word_flags vectors[] = {
    {"scalar", "-fno-tree-vectorize", "-fno-vectorize -fno-slp-vectorize", NULL},
    {"sse2", "", "", NULL},
    {"avx", "-mavx", "-mavx", "avx"},
    {"avx2", "-mavx2 -mfma", "-mavx2 -mfma", "avx2"},
    {"native", "-march=native", "-march=native", NULL},
};
static const word_flags transforms[] = {
    {"none", "", "", NULL},
    {"unroll", "-funroll-loops", "-funroll-loops", NULL},
    {"interchange", "-floop-interchange -floop-unroll-and-jam",
     "-mllvm -enable-loopinterchange -mllvm -enable-unroll-and-jam", NULL},
    {"graphite", "-floop-nest-optimize -ftree-loop-distribution", NULL, NULL},
    {"polly", NULL, "-mllvm -polly", NULL},
    {"restrict", "-DKERNEL_RESTRICT=restrict -DPOLYBENCH_USE_RESTRICT",
     "-DKERNEL_RESTRICT=restrict -DPOLYBENCH_USE_RESTRICT", NULL},
    {"fast-math", "-ffast-math", "-ffast-math", NULL},
};
#define VECTOR_NAMES       "scalar|sse2|avx|avx2|native"
#define TRANSFORM_NAMES    "none|unroll|interchange|graphite|polly|restrict|fast-math"
#define DEFAULT_TRANSFORMS "none,unroll,interchange,graphite,polly,restrict"

/* For all: calls in place of loops would take what is measured elsewhere. */
#define GCC_BASE   "-fno-tree-loop-distribute-patterns"
#define CLANG_BASE "-fno-builtin-memset -fno-builtin-memcpy"

enum {
    WORDS = 16
};

const char *tacho_kernels_choices(const char *list)
{
    return !strcmp(list, "vectors") ? VECTOR_NAMES : !strcmp(list, "transforms") ? TRANSFORM_NAMES : "";
}

/* ---- lists on the command line ---- */

/* The words of a list that were asked for, in that order. */
typedef struct chosen {
    const word_flags *all;
    size_t all_count;
    const char *what; /* "vectors" */
    const word_flags *list[WORDS];
    size_t count;
    tacho_error *err;
} chosen;

static int choose(void *payload, const char *word, size_t length)
{
    chosen *c = payload;
    char name[40];
    tacho_suggest s = {.wanted = name};
    snprintf(name, sizeof name, "%.*s", (int)(length < 39 ? length : 39), word);
    for (size_t i = 0; i < c->all_count; i++) {
        if (!strcmp(c->all[i].name, name) && c->count < WORDS) {
            c->list[c->count++] = &c->all[i];
            return 0;
        }
        tacho_suggest_offer(&s, c->all[i].name);
    }
    return tacho_error_set(c->err, TACHO_ERR_USAGE, "%s: '%s' is none of %s%s", c->what, name,
                           tacho_kernels_choices(c->what), tacho_suggest_text(&s));
}

typedef struct level_list {
    const char *names[WORDS];
    size_t count;
    tacho_kernels *k;
    tacho_error *err;
} level_list;

static int take_level(void *payload, const char *word, size_t length)
{
    static const char *const known[] = {"O0", "O1", "O2", "O3", "Os", "Og", "Ofast"};
    level_list *l = payload;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i]) == length && !strncmp(known[i], word, length) && l->count < WORDS) {
            l->names[l->count++] = known[i];
            return 0;
        }
    return tacho_error_set(l->err, TACHO_ERR_USAGE, "levels: '%.*s' is none of O0, O1, O2, O3, Os, Og, Ofast",
                           (int)(length < 40 ? length : 40), word);
}

/* ---- ways ---- */

/* A way to compile a kernel. */
typedef struct way {
    const kernels_compiler *compiler;
    const char *level;
    const word_flags *vectors, *transform;
} way;

static const char *flags_of(const word_flags *w, const kernels_compiler *c)
{
    return c->is_clang ? w->clang : w->gcc;
}

/* Whether loops are transformed at this level. */
static bool is_transforming(const char *level)
{
    return !strcmp(level, "O2") || !strcmp(level, "O3") || !strcmp(level, "Ofast");
}

static bool processor_has(const char *feature)
{
    return !feature ||
           (!strcmp(feature, "avx2") ? __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
                                     : __builtin_cpu_supports("avx"));
}

size_t kernels_split_flags(char *flags, const char **words, size_t count)
{
    const size_t most = count + KERNELS_MAX_WORDS;
    for (char *save, *w = strtok_r(flags, " ", &save); w && count < most; w = strtok_r(NULL, " ", &save))
        words[count++] = w;
    words[count] = NULL;
    return count;
}

/* Whether the compiler takes the transformation. */
static bool compiler_can(const tacho_kernels *k, const way *w)
{
    char text[400];
    const char *words[KERNELS_MAX_WORDS + 1];
    snprintf(text, sizeof text, "-%s %s %s", w->level, flags_of(w->vectors, w->compiler),
             flags_of(w->transform, w->compiler));
    kernels_split_flags(text, words, 0);
    return kernels_takes_flags(k, w->compiler, words);
}

static int add_variant(tacho_kernels *k, const way *w, size_t kernel, tacho_error *err)
{
    char id[400], flags[800], size[40] = "";
    size_t n = k->result.variant_count;
    const char *extra = k->options.extra_flags ? k->options.extra_flags : "";
    if (tacho_mem_grow(&k->variants, &k->variant_capacity, n + 1, sizeof *k->variants) ||
        tacho_mem_grow(&k->own, &k->own_capacity, n + 1, sizeof *k->own))
        return tacho_no_memory(err);
    snprintf(id, sizeof id, "%.220s-%s-%s-%s-%s", k->kernels[kernel].name, w->compiler->label, w->level,
             w->vectors->name, w->transform->name);
    if (k->kernels[kernel].polybench)
        snprintf(size, sizeof size, " -D%.20s_DATASET", k->options.dataset);
    else if (k->options.n)
        snprintf(size, sizeof size, " -DN=%u", k->options.n);
    snprintf(flags, sizeof flags, "-%s %s %s %s%s %s", w->level, flags_of(w->vectors, w->compiler),
             flags_of(w->transform, w->compiler), w->compiler->is_clang ? CLANG_BASE : GCC_BASE, size, extra);
    size_t to = 0;
    for (size_t from = 0; flags[from]; from++) /* one space between words, none at the end */
        if (flags[from] != ' ' || (flags[from + 1] && flags[from + 1] != ' '))
            flags[to++] = flags[from];
    flags[to] = '\0';
    for (size_t i = 0; i < n; i++)
        if (!strcmp(k->variants[i].id, id)) /* a list has a word twice */
            return 0;
    k->own[n] = (kernels_variant){.compiler = w->compiler};
    k->variants[n] = (tacho_kernel_variant){.id = arena_text(&k->texts, id),
                                            .kernel = kernel,
                                            .compiler = w->compiler->name,
                                            .level = w->level,
                                            .vectors = w->vectors->name,
                                            .transform = w->transform->name,
                                            .flags = arena_text(&k->texts, flags),
                                            .message = "",
                                            .same_as = -1,
                                            .checksum = __builtin_nan(""),
                                            .cycles = __builtin_nan(""),
                                            .uncertainty = __builtin_nan(""),
                                            .memory_share = __builtin_nan(""),
                                            .mispredictions = __builtin_nan("")};
    if (!k->variants[n].id || !k->variants[n].flags)
        return tacho_no_memory(err);
    k->result.variant_count++;
    return 0;
}

static int add_way(tacho_kernels *k, const way *w, tacho_error *err)
{
    size_t kernels = k->result.kernel_count, limit = k->options.limit;
    int rc = 0;
    if (!flags_of(w->transform, w->compiler) || !flags_of(w->vectors, w->compiler) ||
        (!is_transforming(w->level) && strcmp(w->transform->name, "none")))
        return 0;
    if (!processor_has(w->vectors->needs))
        return kernels_note(k, kernels, err, "this processor has no %s", w->vectors->name);
    if (*flags_of(w->transform, w->compiler) && !compiler_can(k, w))
        return kernels_note(
            k, kernels, err, "%s does not take %s%s", w->compiler->name, flags_of(w->transform, w->compiler),
            strcmp(w->transform->name, "polly") ? ""
                                                : " (Polly comes with Debian's clang and libclang-common)");
    for (size_t i = 0; i < kernels && !rc && (!limit || k->result.variant_count < limit); i++)
        rc = add_variant(k, w, i, err);
    return rc;
}

static int add_ways(tacho_kernels *k, const level_list *levels, const chosen *v, const chosen *t,
                    tacho_error *err)
{
    int rc = 0;
    for (size_t f = 0; f < t->count; f++)
        for (size_t l = 0; l < levels->count; l++)
            for (size_t e = 0; e < v->count; e++)
                for (size_t c = 0; c < k->compiler_count && !rc; c++) {
                    const way w = {&k->compilers[c], levels->names[l], v->list[e], t->list[f]};
                    rc = add_way(k, &w, err);
                }
    return rc;
}

int kernels_make_variants(tacho_kernels *k, tacho_error *err)
{
    const tacho_kernels_options *o = &k->options;
    chosen v = {vectors, sizeof vectors / sizeof *vectors, "vectors", {NULL}, 0, err};
    chosen t = {transforms, sizeof transforms / sizeof *transforms, "transforms", {NULL}, 0, err};
    level_list l = {.k = k, .err = err};
    int rc = kernels_each_word(o->vectors, choose, &v)
             ?: kernels_each_word(o->transforms ? o->transforms : DEFAULT_TRANSFORMS, choose, &t)
             ?: kernels_each_word(o->levels, take_level, &l)
             ?: add_ways(k, &l, &v, &t, err);
    if (!rc && !k->result.variant_count)
        rc = tacho_error_set(err, TACHO_ERR_USAGE, "there is no way to compile the kernels: %s",
                             k->result.note_count ? k->notes[0].text : "the lists have nothing in common");
    return rc;
}
