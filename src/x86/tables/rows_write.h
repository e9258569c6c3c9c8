/* rows_write.h - a row of figures as text, as rows_insns.c reads it. */
#ifndef TACHO_TABLES_ROWS_WRITE_H
#define TACHO_TABLES_ROWS_WRITE_H

#include "base/private.h"
#include "base/str.h"
#include "tacho/insndb.h"

/** Appends the row without the end of the line; macro-fusion groups are called G0 (the one with number 1), G1
 *  and so on. */
TACHO_PRIVATE void tacho_form_row(tacho_str *out, uint32_t form, const tacho_figures *f, unsigned source);

#endif
