/* corpus.c - blocks become documents: the ports of their µops are the words, and equal documents are one. */
#include "study/cluster/model.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/search.h"

/* ---- words ---- */

static void add_word(tacho_corpus *c, uint16_t ports)
{
    if (ports && c->word_count < CORPUS_WORDS && c->word_of[ports] < 0) {
        c->word_of[ports] = (int16_t)c->word_count;
        c->words[c->word_count++] = ports;
    }
}

/* All sets of ports in the table, in the order of their numbers. */
static void find_words(tacho_corpus *c)
{
    bool seen[CORPUS_PORT_SETS] = {false};
    for (uint32_t id = 0; id < tacho_form_count(); id++) {
        tacho_figures f;
        if (tacho_form_figures(c->arch, id, &f))
            continue;
        const tacho_variant *variants[] = {&f.base, f.has_indexed ? &f.indexed : &f.base,
                                           f.has_same_register ? &f.same_register : &f.base};
        for (int v = 0; v < 3; v++)
            for (int g = 0; g < variants[v]->group_count; g++)
                seen[variants[v]->groups[g].ports] = true;
    }
    for (uint32_t ports = 1; ports < CORPUS_PORT_SETS; ports++)
        if (seen[ports])
            add_word(c, (uint16_t)ports);
}

int tacho_corpus_new(tacho_corpus **out, const tacho_arch *arch, tacho_error *err)
{
    tacho_corpus *c = tacho_mem_zalloc(1, sizeof *c);
    if (c)
        c->cache = tacho_insn_cache_new();
    if (!c || !c->cache) {
        tacho_corpus_free(c);
        *out = NULL;
        return tacho_no_memory(err);
    }
    c->arch = arch;
    c->fixed = *arch;
    c->fixed.simd_disabled_with_zmm_ports = c->fixed.not_taken_branch_ports = 0;
    for (int i = 0; i < CORPUS_PORT_SETS; i++)
        c->word_of[i] = -1;
    find_words(c);
    *out = c;
    return 0;
}

void tacho_corpus_free(tacho_corpus *c)
{
    if (!c)
        return;
    arena_free(&c->memory);
    tacho_insn_cache_free(c->cache);
    tacho_mem_free(c->parts);
    tacho_mem_free(c->documents);
    hash_index_free(&c->by_parts);
    tacho_mem_free(c);
}

size_t tacho_corpus_documents(const tacho_corpus *corpus)
{
    return corpus->document_count;
}

/* ---- a block's words ---- */

/* One of the operands that are written out is a register of vectors, masks or the x87 unit. */
static bool is_vector(const tacho_insn *insn)
{
    for (int i = 0; i < insn->visible_count; i++) {
        const tacho_operand *op = &insn->operands[i];
        if (op->kind == TACHO_OPERAND_REG &&
            ((op->reg.class_ >= TACHO_REG_XMM && op->reg.class_ <= TACHO_REG_K) ||
             op->reg.class_ == TACHO_REG_TMM))
            return true;
    }
    return false;
}

static tacho_uop_kind kind_of(const block *b, const uop *u)
{
    switch (u->kind) {
    case UOP_LOAD:
        return TACHO_UOP_LOAD;
    case UOP_STORE_ADDRESS:
        return TACHO_UOP_STORE_ADDRESS;
    case UOP_STORE_DATA:
        return TACHO_UOP_STORE_DATA;
    default:
        return is_vector(b->insns[u->insn].insn) ? TACHO_UOP_VECTOR : TACHO_UOP_SCALAR;
    }
}

typedef struct word_counts {
    uint32_t words[CORPUS_WORDS];
    uint32_t kinds[TACHO_UOP_KIND_COUNT];
} word_counts;

static void count_words(const tacho_corpus *c, const block *b, word_counts *out, tacho_corpus_block *seen)
{
    memset(out->words, 0, c->word_count * sizeof *out->words);
    memset(out->kinds, 0, sizeof out->kinds);
    for (uint32_t i = 0; i < b->insn_count; i++)
        seen->unknown_instructions += !b->insns[i].has_form;
    seen->instructions = b->insn_count;
    for (uint32_t i = 0; i < b->uop_count; i++) {
        const uop *u = &b->uops[i];
        int word = c->word_of[u->ports];
        if (!u->ports)
            continue;
        if (word < 0) {
            seen->other_uops++;
            continue;
        }
        out->words[word]++;
        out->kinds[kind_of(b, u)]++;
        seen->uops++;
    }
}

/* ---- documents ---- */

static bool same_document(const tacho_corpus *c, const corpus_document *d, const corpus_word *parts,
                          uint32_t count)
{
    if (d->word_count != count)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (c->parts[d->first + i].word != parts[i].word || c->parts[d->first + i].count != parts[i].count)
            return false;
    return true;
}

static uint64_t hash_parts(const corpus_word *parts, uint32_t count)
{
    uint64_t h = 0;
    for (uint32_t i = 0; i < count; i++)
        h = hash_add(h, (uint64_t)parts[i].word << 32 | parts[i].count);
    return h;
}

/* The document whose words are the last `count` of the corpus's parts, which are not counted yet. */
static int64_t find_document(tacho_corpus *c, uint32_t count)
{
    const corpus_word *parts = c->parts + c->part_count;
    uint64_t hash = hash_parts(parts, count);
    hash_probe p = hash_find(&c->by_parts, hash);
    while (hash_next(&p) && !same_document(c, &c->documents[p.item], parts, count))
        continue;
    if (p.item != HASH_INDEX_NONE)
        return p.item;
    if (c->document_count >= UINT32_MAX - 1 ||
        tacho_mem_grow(&c->documents, &c->document_capacity, c->document_count + 1, sizeof *c->documents) ||
        hash_add_item(&c->by_parts, hash, (uint32_t)c->document_count))
        return TACHO_ERR_MEMORY;
    c->documents[c->document_count] = (corpus_document){.first = c->part_count, .word_count = count};
    c->part_count += count;
    return (int64_t)c->document_count++;
}

static int add_document(tacho_corpus *c, const word_counts *counts, double weight, tacho_corpus_block *seen)
{
    uint32_t parts = 0;
    if (tacho_mem_grow(&c->parts, &c->part_capacity, c->part_count + c->word_count, sizeof *c->parts))
        return TACHO_ERR_MEMORY;
    for (uint32_t w = 0; w < c->word_count; w++)
        if (counts->words[w])
            c->parts[c->part_count + parts++] = (corpus_word){(uint16_t)w, counts->words[w]};
    int64_t found = find_document(c, parts);
    if (found < 0)
        return TACHO_ERR_MEMORY;
    corpus_document *d = &c->documents[found];
    d->rows++;
    d->weight += weight;
    for (int k = 0; k < TACHO_UOP_KIND_COUNT; k++)
        d->uops[k] += weight * counts->kinds[k];
    seen->document = found;
    return 0;
}

int tacho_corpus_add(tacho_corpus *c, const uint8_t *code, size_t size, double weight,
                     tacho_corpus_block *out, tacho_error *err)
{
    tacho_predict_options o = TACHO_PREDICT_OPTIONS_INIT;
    word_counts counts;
    block b;
    *out = (tacho_corpus_block){.document = -1};
    if (!(weight >= 0 && weight <= TACHO_CLUSTER_MAX_WEIGHT))
        return tacho_error_set(err, TACHO_ERR_USAGE, "a block's weight is a number from 0 to %g",
                               TACHO_CLUSTER_MAX_WEIGHT);
    o.details = false;
    o.ignore_isa = true; /* what has no figures is counted as unknown, whatever the reason */
    o.mode = TACHO_MODE_UNROLL;
    arena_reset(&c->memory);
    if (tacho_insn_cache_take(c->cache, &c->fixed, 0, code, size))
        return tacho_no_memory(err);
    int rc = tacho_block_build(&b, &c->memory, c->cache, &c->fixed, code, size, &o, err);
    if (rc)
        return rc;
    count_words(c, &b, &counts, out);
    if (out->uops && add_document(c, &counts, weight, out))
        return tacho_no_memory(err);
    return 0;
}

/* ---- in their own order ---- */

typedef struct place {
    const tacho_corpus *corpus;
    uint32_t document;
} place;

static int compare_places(const void *x, const void *y)
{
    const place *p = x, *q = y;
    const tacho_corpus *c = p->corpus;
    const corpus_document *a = &c->documents[p->document], *b = &c->documents[q->document];
    for (uint32_t i = 0; i < a->word_count && i < b->word_count; i++) {
        const corpus_word *v = &c->parts[a->first + i], *w = &c->parts[b->first + i];
        int order = ORDER(v->word, w->word) ?: ORDER(v->count, w->count);
        if (order)
            return order;
    }
    return ORDER(a->word_count, b->word_count);
}

static int sort_documents(uint32_t *order, const tacho_corpus *c)
{
    TACHO_MEM_FREED place *places = tacho_mem_alloc((c->document_count + 1) * sizeof *places);
    if (!places)
        return TACHO_ERR_MEMORY;
    for (size_t d = 0; d < c->document_count; d++)
        places[d] = (place){c, (uint32_t)d};
    tacho_sort(places, c->document_count, sizeof *places, compare_places);
    for (size_t d = 0; d < c->document_count; d++)
        order[d] = places[d].document;
    return 0;
}

static void fill_view(corpus_view *v, const tacho_corpus *c, size_t *starts, uint16_t *words,
                      uint32_t *counts, double *weights)
{
    size_t at = 0;
    for (size_t d = 0; d < c->document_count; d++) {
        const corpus_document *doc = &c->documents[v->order[d]];
        starts[d] = at;
        weights[d] = doc->weight;
        for (uint32_t i = 0; i < doc->word_count; i++, at++) {
            words[at] = c->parts[doc->first + i].word;
            counts[at] = c->parts[doc->first + i].count;
        }
    }
    starts[c->document_count] = at;
}

int corpus_view_make(corpus_view *v, const tacho_corpus *c)
{
    size_t n = c->document_count + 1, parts = c->part_count + 1;
    size_t *starts = tacho_mem_alloc(n * sizeof *starts);
    uint16_t *words = tacho_mem_alloc(parts * sizeof *words);
    uint32_t *counts = tacho_mem_alloc(parts * sizeof *counts);
    double *weights = tacho_mem_alloc(n * sizeof *weights);
    *v = (corpus_view){.docs = {c->document_count, c->word_count, starts, words, counts, weights},
                       .order = tacho_mem_alloc(n * sizeof *v->order)};
    if (!starts || !words || !counts || !weights || !v->order || sort_documents(v->order, c)) {
        corpus_view_free(v);
        return TACHO_ERR_MEMORY;
    }
    fill_view(v, c, starts, words, counts, weights);
    return 0;
}

void corpus_view_free(corpus_view *v)
{
    TACHO_MEM_FREE(v->docs.starts, v->docs.words, v->docs.counts, v->docs.weights, v->order);
    *v = (corpus_view){0};
}
