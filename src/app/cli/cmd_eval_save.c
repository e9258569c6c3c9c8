/* cmd_eval_save.c - what models predicted, as CSV: a row for each block and model. */
#include <math.h>
#include <string.h>

#include "app/cli/cmd_eval.h"
#include "app/cli/results.h"
#include "base/csv.h"

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

/* Where a signal has ended the work, some blocks were not asked about. */
static bool was_asked(const tacho_eval_result *r, size_t predictor, size_t block)
{
    const tacho_eval_prediction *p = &r->predictors[predictor].predictions[block];
    return !isnan(p->cycles) || *p->message;
}

static bool put_rows(results *to, const tacho_eval_result *r, size_t first, tacho_str *text)
{
    tacho_str_puts(text, "hex,model,cycles,lower_bound,error\n");
    if (!results_write(to, text)) /* the header is a piece of its own */
        return false;
    tacho_str_clear(text);
    for (size_t block = 0; block < r->block_count; block++) {
        for (size_t p = first; p < r->predictor_count; p++) {
            if (!was_asked(r, p, block))
                continue;
            put_row(text, r, p, block);
            tacho_str_putc(text, '\n');
        }
        if (text->length < GATHERED_BYTES)
            continue;
        if (!results_write(to, text))
            return false;
        tacho_str_clear(text);
    }
    return !text->length || results_write(to, text);
}

bool eval_save_open(results *to, const char *path, const char *measured)
{
    rows input;
    if (!rows_open(&input, measured, &results_caller))
        return false;
    bool good = results_open(to, path, &input, true);
    if (!good)
        results_close(to);
    rows_close(&input);
    return good;
}

bool eval_save(results *to, const tacho_eval_result *r, size_t first)
{
    tacho_str text = {0};
    bool good = results_begin(to) && put_rows(to, r, first, &text);
    tacho_str_free(&text);
    results_close(to);
    return good;
}
