/* no_typed_code.c - in place of typed_code.c where libtacho does not read assembly text. */
#include "typed_code.h"

int assembly_code(request *r, const char *text)
{
    return tacho_error_set(
        &r->err, TACHO_ERR_UNSUPPORTED,
        "this build does not read assembly text; machine code in hexadecimal digits, it does");
}

json_t *assembly_json(request *r, const char *text)
{
    assembly_code(r, text);
    return NULL;
}

void assembly_free(request *r)
{
}
