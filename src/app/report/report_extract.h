/* report_extract.h - sets of blocks as suites in CSV, and what became of a file's code in words. */
#ifndef TACHO_REPORT_EXTRACT_H
#define TACHO_REPORT_EXTRACT_H

#include "base/str.h"
#include "tacho/extract.h"

/** The header line, "hex,app,address,count,object". */
void report_extract_header(tacho_str *out);
/** A block's row. */
void report_extract_row(tacho_str *out, const tacho_extract_block *b);
/** How much of a file's code was reached, and what was not. One line, without a line end. */
void report_extract_cover(tacho_str *out, const tacho_extract_cover *c);

#endif
