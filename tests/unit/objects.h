/* objects.h - object files for tests, made from AT&T text. */
#ifndef TACHO_TESTS_OBJECTS_H
#define TACHO_TESTS_OBJECTS_H

#include "base/mem.h"
#include "binary/input/input.h"

/** To be freed with tacho_mem_free. */
static char *make_object(const char *text, size_t *size)
{
    static const tacho_code_options defaults = TACHO_CODE_OPTIONS_INIT;
    tacho_error err = {.message = ""};
    const input in = {"in", &defaults, &err, tacho_mem_zalloc(1, sizeof(input_code))};
    const tacho_str whole = {.data = (char *)text, .length = strlen(text)};
    char *object = NULL;
    if (input_assemble(&in, &whole, INPUT_NO_LINES, false, &object, size))
        fail_msg("%s", err.message);
    tacho_code_free(&in.out->code);
    return object;
}

#endif
