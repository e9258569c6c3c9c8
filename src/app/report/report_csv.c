/* report_csv.c - predictions as CSV rows. */
#include <string.h>

#include "app/report/report.h"
#include "base/csv.h"

void report_csv_header(tacho_str *out, bool with_region)
{
    tacho_str_puts(out, "hex,cycles,cycles_exact,mode,arch,source,bottlenecks,");
    tacho_str_puts(out, with_region ? "region,unknown,lower_bound,error\n" : "unknown,lower_bound,error\n");
}

void report_csv_row(tacho_str *out, const char *hex, size_t hex_length, const tacho_arch *arch,
                    const tacho_prediction *p, const char *region, const char *error)
{
    char number[TACHO_NUMBER_SIZE], exact[48], names[128];
    tacho_csv_put(out, hex, hex_length);
    if (p) {
        const char *parts[] = {tacho_format_number(number, p->cycles, 6),
                               report_exact(p, exact),
                               tacho_mode_name(p->mode),
                               arch->name,
                               tacho_uop_source_name(p->source),
                               tacho_bottleneck_names(p->bottlenecks, ";", names, sizeof names)};
        char row[512], *end = row;
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            size_t n = strlen(parts[i]);
            if (end + n + 1 > row + sizeof row)
                break; /* names and numbers are short */
            *end++ = ',';
            memcpy(end, parts[i], n);
            end += n;
        }
        tacho_str_append(out, row, (size_t)(end - row));
    } else {
        tacho_str_puts(out, ",,,,");
        tacho_str_puts(out, arch->name);
        tacho_str_puts(out, ",,");
    }
    if (region) {
        tacho_str_putc(out, ',');
        tacho_csv_put(out, region, strlen(region));
    }
    report_missing_csv(out, p);
    tacho_str_putc(out, ',');
    if (error)
        tacho_csv_put(out, error, strlen(error));
    tacho_str_putc(out, '\n');
}

void report_csv_region(tacho_str *out, const report_subject *s)
{
    tacho_str hex = {0};
    const tacho_region *r = s->region;
    for (size_t i = 0; i < r->byte_count; i++)
        tacho_str_printf(&hex, "%02x", r->bytes[i]);
    out->failed |= hex.failed;
    report_csv_row(out, hex.data && !hex.failed ? hex.data : "", hex.failed ? 0 : hex.length, s->arch,
                   s->prediction, r->name ? r->name : "", s->error);
    tacho_str_free(&hex);
}
