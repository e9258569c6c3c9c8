/* report_extract.c - sets of blocks as suites in CSV, and what became of a file's code in words. */
#include "app/report/report_extract.h"

#include <inttypes.h>
#include <string.h>

#include "base/csv.h"

void report_extract_header(tacho_str *out)
{
    tacho_str_puts(out, "hex,app,address,count,object\n");
}

void report_extract_row(tacho_str *out, const tacho_extract_block *b)
{
    tacho_str_hex(out, b->bytes, b->byte_count);
    tacho_str_putc(out, ',');
    tacho_csv_put(out, b->app, strlen(b->app));
    tacho_str_printf(out, ",0x%" PRIx64 ",", b->address);
    if (b->counted)
        tacho_str_printf(out, "%" PRIu64, b->count);
    tacho_str_putc(out, ',');
    tacho_csv_put(out, b->object, strlen(b->object));
    tacho_str_putc(out, '\n');
}

static void put_part(tacho_str *out, const tacho_extract_cover *c, uint64_t bytes, const char *what)
{
    if (bytes)
        tacho_str_printf(out, "; %" PRIu64 " (%.1f %%) %s", bytes,
                         100 * (double)bytes / (double)c->code_bytes, what);
}

void report_extract_cover(tacho_str *out, const tacho_extract_cover *c)
{
    tacho_str_printf(out, "%s: %" PRIu64 " bytes of code in sections, %" PRIu64 " function%s known",
                     c->object, c->code_bytes, c->function_count, c->function_count == 1 ? "" : "s");
    put_part(out, c, c->reached_bytes, "reached");
    put_part(out, c, c->padding_bytes, "padding");
    put_part(out, c, c->inside_bytes, "in functions, where nothing known leads");
    put_part(out, c, c->outside_bytes, "in no function: data or unknown code");
    put_part(out, c, c->large_bytes, "in functions larger than 32 MB");
    if (c->unresolved_count)
        tacho_str_printf(out, "; %" PRIu64 " indirect jump%s with unknown targets", c->unresolved_count,
                         c->unresolved_count == 1 ? "" : "s");
}
