/* eval_save.c - what models predicted, as CSV: a row for each block and model. Divided into shards, the rows
 * say which block they are about, so that tacho suite join can put the files together. */
#include <math.h>
#include <string.h>

#include "cli/eval.h"
#include "cli/results.h"
#include "util/csv.h"

enum {
    GATHERED_BYTES = 256 << 10
};

static void put_row(tacho_str *out, const tacho_eval_result *r, size_t predictor, size_t block)
{
    const tacho_eval_prediction *p = &r->predictors[predictor].predictions[block];
    const char *hex = r->blocks[block].hex, *name = r->predictors[predictor].name;
    tacho_csv_put(out, hex, strlen(hex));
    tacho_str_putc(out, ',');
    tacho_csv_put(out, name, strlen(name));
    if (isnan(p->cycles))
        tacho_str_puts(out, ",,,");
    else
        tacho_str_printf(out, ",%.17g,%s,", p->cycles, p->lower_bound ? "true" : "false");
    tacho_csv_put(out, p->message, strlen(p->message));
}

static bool put_rows(results *to, const tacho_eval_result *r, size_t first, const shard *part,
                     tacho_str *text)
{
    tacho_str_puts(text, "hex,model,cycles,lower_bound,error\n");
    shard_end_header(part, text);
    if (!results_write(to, text)) /* the header is a piece of its own */
        return false;
    tacho_str_clear(text);
    for (size_t block = 0; block < r->block_count; block++) {
        for (size_t p = first; p < r->predictor_count && shard_has(part, block + 1); p++) {
            put_row(text, r, p, block);
            tacho_str_putc(text, '\n');
            shard_end_row(part, text, block + 1);
        }
        if (text->length < GATHERED_BYTES)
            continue;
        if (!results_write(to, text))
            return false;
        tacho_str_clear(text);
    }
    return (!text->length || results_write(to, text)) && results_end(to, r->block_count);
}

bool eval_save(const char *path, const char *measured, const tacho_eval_result *r, size_t first,
               const shard *part)
{
    results to;
    rows input;
    tacho_str text = {0};
    if (!rows_open(&input, measured))
        return false;
    bool good = results_open(&to, path, part, &input, false) && put_rows(&to, r, first, part, &text);
    results_close(&to);
    rows_close(&input);
    tacho_str_free(&text);
    return good;
}
