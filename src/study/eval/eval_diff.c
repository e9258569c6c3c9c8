/* eval_diff.c - taking in two files of predictions and the measurements: which rows are about the same block.
 */
#include "study/eval/eval_internal.h"

#include <math.h>

#include "base/arena.h"
#include "base/mem.h"

const char *tacho_diff_kind_name(tacho_diff_kind kind)
{
    static const char *const names[TACHO_DIFF_KIND_COUNT] = {
        "unchanged", "better", "worse", "changed", "lost", "gained", "failed", "removed", "added"};
    return names[kind];
}

tacho_diff *tacho_diff_new(void)
{
    return tacho_mem_zalloc(1, sizeof(tacho_diff));
}

void tacho_diff_free(tacho_diff *d)
{
    if (!d)
        return;
    tacho_mem_free(d->blocks);
    tacho_mem_free(d->places);
    codes_free(&d->codes);
    tacho_mem_free(d->largest);
    arena_free(&d->texts);
    tacho_mem_free(d);
}

const tacho_diff_result *tacho_diff_view(tacho_diff *d)
{
    d->result.blocks = d->blocks;
    return &d->result;
}

/* A copy; NULL when memory runs out. */
static const char *keep_text(tacho_diff *d, const char *text)
{
    return text && *text ? arena_text(&d->texts, text) : "";
}

/* ---- blocks by their code ---- */

/* A new block at the end. @return its number and one, 0 with a message */
static uint32_t append(tacho_diff *d, const char *hex, tacho_error *err)
{
    size_t n = d->result.block_count;
    const char *copy = keep_text(d, hex);
    if (n >= INT32_MAX) {
        tacho_error_set(err, TACHO_ERR_LIMIT, "more than %d blocks", INT32_MAX);
        return 0;
    }
    if (!copy || tacho_mem_grow(&d->blocks, &d->block_capacity, n + 1, sizeof *d->blocks) ||
        tacho_mem_grow(&d->places, &d->place_capacity, n + 1, sizeof *d->places)) {
        tacho_no_memory(err);
        return 0;
    }
    d->blocks[n] = (tacho_diff_block){
        .hex = copy, .cycles = {NAN, NAN}, .message = {"", ""}, .measured = NAN, .change = NAN};
    d->places[n] = (diff_place){.newest_measurement = NAN};
    d->result.block_count = n + 1;
    return (uint32_t)n + 1;
}

/* The first block with this code, made if need be. @return 0 with a message */
static uint32_t first_block(tacho_diff *d, const char *hex, tacho_error *err)
{
    const same_code *same = codes_find(&d->codes, hex);
    uint32_t block = same ? same->first : append(d, hex, err);
    if (!block || same)
        return block;
    if (codes_add(&d->codes, d->blocks[block - 1].hex, block)) {
        d->result.block_count--;
        tacho_no_memory(err);
        return 0;
    }
    diff_place *place = &d->places[block - 1];
    place->last = block;
    for (int row = 0; row < DIFF_ROWS; row++)
        place->at[row] = block;
    return block;
}

/* The block that the next row of a side with this code is about. @return 0 with a message */
static uint32_t next_block(tacho_diff *d, int side, const char *hex, tacho_error *err)
{
    uint32_t first = first_block(d, hex, err);
    if (!first)
        return 0;
    uint32_t block = d->places[first - 1].at[side];
    if (!block) {
        block = append(d, hex, err);
        if (!block)
            return 0;
        diff_place *place = &d->places[first - 1];
        d->places[place->last - 1].next = block;
        place->last = block;
        for (int row = 0; row < DIFF_ROWS; row++)
            if (row != side && !place->at[row])
                place->at[row] = block;
    }
    d->places[first - 1].at[side] = d->places[block - 1].next;
    return block;
}

int tacho_diff_predict(tacho_diff *d, tacho_diff_side side, const char *hex, double cycles,
                       const char *message, tacho_error *err)
{
    if ((unsigned)side >= TACHO_DIFF_SIDE_COUNT)
        return tacho_error_set(err, TACHO_ERR_USAGE, "there is no side %d", (int)side);
    bool failed = !(cycles >= 0) || isinf(cycles);
    const char *copy = keep_text(d, failed ? message : NULL);
    if (!copy)
        return tacho_no_memory(err);
    tacho_error why = {0};
    uint32_t block = next_block(d, side, hex, &why);
    if (!block)
        return tacho_error_set(err, why.code, "%s", why.message);
    tacho_diff_block *b = &d->blocks[block - 1];
    b->present[side] = true;
    b->cycles[side] = failed ? NAN : cycles;
    b->message[side] = copy;
    return 0;
}

int tacho_diff_measure(tacho_diff *d, const char *hex, double cycles, tacho_error *err)
{
    if (!(cycles > 0) || isinf(cycles))
        return tacho_error_set(err, TACHO_ERR_USAGE, "%g cycles measured", cycles);
    const same_code *same = codes_find(&d->codes, hex);
    uint32_t first = same ? same->first : 0;
    uint32_t block = same ? d->places[first - 1].at[DIFF_MEASURED] : 0;
    if (!block) {
        d->result.unused++;
        return 0;
    }
    d->blocks[block - 1].measured = cycles;
    d->places[first - 1].newest_measurement = cycles;
    d->places[first - 1].at[DIFF_MEASURED] = d->places[block - 1].next;
    return 0;
}
