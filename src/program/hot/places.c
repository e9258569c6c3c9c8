/* places.c - the innermost loops and the other basic blocks of a function that samples fell into. A loop
 * around others counts as innermost if most of its samples lie outside of those, and it can go round without
 * them: for example a search along a chain that now and then compares.
 *
 * A sample counts for the block that its instruction lies in. Within a block all instructions are executed
 * equally often, so the place of a sample in it says nothing about the block's share. Between blocks, the
 * skid of the sampling moves some samples on to the next block. Loops are made of whole blocks. */

#include "base/mem.h"
#include "base/number.h"
#include "program/hot/hot_find.h"

enum {
    MIN_BLOCK_SAMPLES = 8 /* fewer say nothing about how often a block was executed */
};
#define SAMPLED_RATIO 8 /* by samples, an instruction may take several times as long as others */

/* The instruction that holds the offset; CFG_NONE: none does. */
static uint32_t insn_at(const cfg *g, uint64_t offset)
{
    size_t n;
    COUNT_BEFORE(n, g->insn_count, g->insns[n].offset <= offset);
    return n && offset - g->insns[n - 1].offset < g->insns[n - 1].length ? (uint32_t)n - 1 : CFG_NONE;
}

/* The block that an instruction is in; CFG_NONE: none */
static uint32_t block_of(const cfg *g, uint32_t insn)
{
    const uint32_t offset = g->insns[insn].offset;
    size_t n;
    COUNT_BEFORE(n, g->block_count, g->blocks[n].start <= offset);
    return n && offset < g->blocks[n - 1].end ? (uint32_t)n - 1 : CFG_NONE;
}

/* ---- which loop a block is put down to ---- */

/* Whether the loop of `header` goes round by itself: more weight in its own blocks than in loops inside. */
static bool is_busy_itself(const cfg *g, uint32_t header, const double *weights)
{
    double own = weights[header], inside = 0;
    for (uint32_t b = 0; b < g->block_count; b++) {
        uint32_t h = b == header ? CFG_NONE : g->blocks[b].header;
        if (h == header && !g->blocks[b].is_header)
            own += weights[b];
        for (; h != CFG_NONE && h != header; h = g->blocks[h].header)
            ;
        if (h == header && (g->blocks[b].header != header || g->blocks[b].is_header))
            inside += weights[b];
    }
    return own > inside;
}

static bool is_headed(const found_blocks *found, uint32_t b)
{
    return b != CFG_NONE && found->heads[b];
}

/* The header of the loop that a block is put down to; CFG_NONE: none, it stands for itself */
static uint32_t loop_of(const found_blocks *found, uint32_t b)
{
    uint32_t outer = found->g->blocks[b].header;
    if (is_headed(found, b))
        return b;
    /* one that heads a loop of its own is none of the blocks outside of the inner loops */
    return is_headed(found, outer) && !found->g->blocks[b].is_header ? outer : CFG_NONE;
}

/* ---- how often blocks are executed ---- */

static double estimate(const hot_file *file, const finder *f, const found_blocks *found, uint32_t b)
{
    const cfg_block *block = &found->g->blocks[b];
    if (found->counted)
        return file_count_at(file, loop_address(f, block->start));
    return found->samples[b] < MIN_BLOCK_SAMPLES ? 0 : found->weights[b] / block->count;
}

static void estimate_all(const hot_file *file, const finder *f, found_blocks *found)
{
    found->counted = file->count_count > 0;
    for (uint32_t b = 0; b < found->g->block_count; b++)
        found->frequencies[b] = estimate(file, f, found, b);
}

static void put_samples(found_blocks *found, const finder *f, const found_sample *samples, size_t count,
                        double *missed)
{
    const cfg *g = found->g;
    for (size_t i = 0; i < count; i++) {
        uint32_t insn = insn_at(g, samples[i].address - loop_address(f, 0));
        uint32_t b = insn == CFG_NONE ? CFG_NONE : block_of(g, insn);
        if (b == CFG_NONE) {
            *missed += samples[i].weight;
            continue;
        }
        found->weights[b] += samples[i].weight;
        found->samples[b] += samples[i].samples;
    }
}

/* ---- a place ---- */

static int32_t number_on_path(const tacho_loop *loop, uint32_t block, const uint32_t *insns_before,
                              uint32_t insn)
{
    for (size_t i = 0; i < loop->path_count; i++)
        if (loop->path[i] == block)
            return (int32_t)(insns_before[i] + insn);
    return -1;
}

/* Numbers of instructions on the path before each of its steps. */
static uint32_t *count_before(finder *f, const cfg *g, const tacho_loop *loop, const uint32_t *blocks)
{
    uint32_t *before = arena_alloc(&f->work, (loop->path_count + 1) * sizeof *before), sum = 0;
    for (size_t i = 0; before && i < loop->path_count; i++) {
        before[i] = sum;
        sum += g->blocks[blocks[loop->path[i]]].count;
    }
    return before;
}

static const char *keep_file(finder *f, const char *name)
{
    if (!f->last_file || strcmp(f->last_file, name) != 0)
        f->last_file = loop_text(f, name);
    return f->last_file;
}

static int fill_insn(finder *f, const cfg_insn *insn, const tacho_hot_place *p, const found_sample *samples,
                     size_t count, tacho_hot_insn *out)
{
    line_place place;
    uint64_t address = loop_address(f, insn->offset);
    *out = (tacho_hot_insn){.address = address,
                            .bytes = f->span->section->bytes + f->span->start + insn->offset,
                            .length = insn->length,
                            .on_path = -1};
    for (size_t i = tacho_count_below(samples, count, sizeof *samples, address);
         i < count && samples[i].address < address + insn->length; i++) {
        out->samples += samples[i].samples;
        out->share += p->weight > 0 ? samples[i].weight / p->weight : 0;
    }
    if (!f->source || !lines_find(f->source, f->span->section, f->span->start + insn->offset, &place))
        return 0;
    out->source_file = keep_file(f, place.file);
    out->source_line = place.line;
    return out->source_file ? 0 : TACHO_ERR_MEMORY;
}

static int list_insns(finder *f, const cfg *g, const loop_path *path, const tacho_loop *loop,
                      const found_sample *samples, size_t sample_count, tacho_hot_place *p)
{
    size_t count = 0;
    for (uint32_t i = 0; i < path->block_count; i++)
        count += g->blocks[path->blocks[i]].count;
    tacho_hot_insn *insns = arena_alloc(&f->out->memory, (count + 1) * sizeof *insns);
    const uint32_t *before = count_before(f, g, loop, path->blocks);
    int rc = insns && before ? 0 : TACHO_ERR_MEMORY;
    p->insns = insns;
    for (uint32_t i = 0; i < path->block_count && !rc; i++) {
        const cfg_block *b = &g->blocks[path->blocks[i]];
        for (uint32_t k = 0; k < b->count && !rc; k++) {
            tacho_hot_insn *insn = &insns[p->insn_count++];
            rc = fill_insn(f, &g->insns[b->first + k], p, samples, sample_count, insn);
            insn->on_path = number_on_path(loop, i, before, k);
        }
    }
    return rc;
}

/* Wilson's interval of a share, of as many samples of equal weight as these are worth (Kish). */
static void set_share(const tacho_hot_profile *profile, tacho_hot_place *p)
{
    double share = profile->weight > 0 ? p->weight / profile->weight : 0;
    double n = profile->weight_squares > 0 ? profile->weight * profile->weight / profile->weight_squares : 1;
    p->share = share;
    share_interval(share, n, &p->share_low, &p->share_high);
}

static int add_place(hot_search *s, hot_file *file, finder *f, const found_blocks *found, uint32_t header,
                     const loop_path *path, bool is_loop, const found_sample *samples, size_t count)
{
    tacho_hot_place place = {.object = file->object,
                             .is_loop = is_loop,
                             .has_inner = is_loop && found->g->blocks[header].has_inner,
                             .executions = NAN,
                             .observed_cycles = NAN,
                             .observed_low = NAN,
                             .observed_high = NAN};
    int rc = loop_keep(f, found->g, header, path);
    if (rc || tacho_mem_grow(&s->places, &s->place_capacity, s->hot.count + 1, sizeof *s->places))
        return TACHO_ERR_MEMORY;
    tacho_loop *loop = arena_alloc(&s->memory, sizeof *loop);
    if (!loop)
        return TACHO_ERR_MEMORY;
    *loop = f->out->list[f->out->loops.count - 1];
    loop->section = loop_text(f, loop->section); /* the image's goes with it */
    if (!loop->section)
        return TACHO_ERR_MEMORY;
    for (uint32_t i = 0; i < path->block_count; i++) {
        place.weight += found->weights[path->blocks[i]];
        place.samples += found->samples[path->blocks[i]];
    }
    place.loop = loop;
    set_share(s->profile, &place);
    rc = list_insns(f, found->g, path, loop, samples, count, &place);
    if (!rc)
        hot_observe(s, file, &place);
    if (!rc && is_loop && !place.observed_by)
        rc = progress_observe(s, file, f, found, header, &place);
    if (!rc)
        rc = causes_add_to(s, file, f, &place);
    if (!rc)
        rc = operands_add_to(s, file, f, &place);
    s->places[s->hot.count++] = place;
    return rc;
}

/* ---- all of a function ---- */

/* The other blocks of a loop. @return NULL: memory ran out */
static uint32_t *list_members(finder *f, const found_blocks *found, uint32_t header, uint32_t *count)
{
    const cfg *g = found->g;
    uint32_t *members = arena_alloc_raw(&f->work, (g->block_count + 1u) * sizeof *members);
    *count = 0;
    for (uint32_t b = 0; members && b < g->block_count; b++)
        if (b != header && loop_of(found, b) == header)
            members[(*count)++] = b;
    return members;
}

static int find_path(finder *f, const found_blocks *found, uint32_t header, loop_path *out)
{
    const path_frequencies frequencies = {found->frequencies, found->counted ? 1 : SAMPLED_RATIO};
    uint32_t count;
    const uint32_t *members = list_members(f, found, header, &count);
    return members ? tacho_path_find(out, found->g, &f->work, header, members, count, &frequencies)
                   : TACHO_ERR_MEMORY;
}

/* Which blocks head a loop that is a place: the innermost ones, and those around others that have a path. */
static int choose_heads(finder *f, found_blocks *found)
{
    const cfg *g = found->g;
    loop_path path;
    int rc = 0;
    for (uint32_t b = 0; b < g->block_count; b++)
        found->heads[b] = g->blocks[b].is_header && !g->blocks[b].has_inner;
    for (uint32_t b = 0; b < g->block_count && !rc; b++) {
        if (!g->blocks[b].has_inner || !g->blocks[b].is_header || !is_busy_itself(g, b, found->weights))
            continue;
        found->heads[b] = true;
        rc = find_path(f, found, b, &path);
        found->heads[b] = !rc && path.step_count > 0;
    }
    return rc;
}

static int add_loop(hot_search *s, hot_file *file, finder *f, const found_blocks *found, uint32_t header,
                    const found_sample *samples, size_t count)
{
    loop_path path;
    double weight = 0;
    for (uint32_t b = 0; b < found->g->block_count; b++)
        weight += loop_of(found, b) == header ? found->weights[b] : 0;
    if (weight <= 0 || weight < search_threshold(s))
        return 0;
    int rc = find_path(f, found, header, &path);
    return rc ? rc : add_place(s, file, f, found, header, &path, true, samples, count);
}

static int add_block(hot_search *s, hot_file *file, finder *f, const found_blocks *found, uint32_t b,
                     const found_sample *samples, size_t count)
{
    loop_path path;
    if (found->weights[b] <= 0 || found->weights[b] < search_threshold(s))
        return 0;
    int rc = tacho_path_of_block(&path, &f->work, b);
    return rc ? rc : add_place(s, file, f, found, b, &path, false, samples, count);
}

int places_add(hot_search *s, hot_file *file, finder *f, cfg *g, const found_sample *samples, size_t count)
{
    size_t n = g->block_count + 1u;
    found_blocks found = {.g = g,
                          .weights = arena_alloc(&f->work, n * sizeof *found.weights),
                          .samples = arena_alloc(&f->work, n * sizeof *found.samples),
                          .frequencies = arena_alloc(&f->work, n * sizeof *found.frequencies),
                          .heads = arena_alloc(&f->work, n * sizeof *found.heads)};
    if (!found.weights || !found.samples || !found.frequencies || !found.heads)
        return TACHO_ERR_MEMORY;
    put_samples(&found, f, samples, count, &s->hot.elsewhere);
    estimate_all(file, f, &found);
    int rc = choose_heads(f, &found);
    for (uint32_t b = 0; b < g->block_count && !rc; b++) {
        if (found.heads[b])
            rc = add_loop(s, file, f, &found, b, samples, count);
        else if (loop_of(&found, b) == CFG_NONE)
            rc = add_block(s, file, f, &found, b, samples, count);
    }
    return rc;
}
