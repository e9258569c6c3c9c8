/* import_row.h - the columns of uops.info's figures in their neutral text form; UOPS_DIR's README explains
 * them. */
#ifndef TACHO_IMPORT_ROW_H
#define TACHO_IMPORT_ROW_H

#include <string.h>

enum {
    F_STRING,
    F_IFORM,
    F_ATTRS,
    F_CATEGORY,
    F_EXTENSION,
    F_ISASET,
    F_LOCKED,
    F_UOPS,
    F_SLOTS,
    F_MITE,
    F_MS,
    F_COMPLEX,
    F_SIMPLE,
    F_DIV,
    F_TP,
    F_PORTS,
    F_INDEXED,
    F_SAME,
    F_OPERANDS,
    F_LATENCIES,
    F_FUSION,
    F_SOURCE,
    F_COUNT
};

enum {
    OPERAND_FIELDS = 7
};

/* Cuts an operand at its colons; NULL where it has too few. The last field, the detail, has colons of its own
 * for flags. */
static inline void cut_operand(char *text, char *fields[OPERAND_FIELDS])
{
    for (unsigned k = 0; k < OPERAND_FIELDS; k++) {
        fields[k] = text;
        text = k + 1 < OPERAND_FIELDS && text ? strchr(text, ':') : NULL;
        if (text)
            *text++ = '\0';
    }
}

#endif
