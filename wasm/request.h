/* request.h - a call from JavaScript: what of the JSON every call understands. */
#ifndef TACHO_WASM_REQUEST_H
#define TACHO_WASM_REQUEST_H

#include <jansson.h>

#include "base/str.h"
#include "tacho/tools.h"
#include "x86/arch/arch_struct.h"

/** The code, the core and the options of a call; doc/BROWSER.md says their names. */
typedef struct request {
    json_t *json;
    tacho_error err; /**< of a step that failed */
    const tacho_arch *arch;
    tacho_arch changed; /**< what `arch` is where parameters were set */
    uint8_t *bytes;
    tacho_region region;
    tacho_listing listing;
    tacho_predict_options predict;
    tacho_deps_options deps;
    uint64_t known[16];
    tacho_alias aliases[TACHO_MAX_ALIASES];
    uint32_t part; /**< of assembly text, from 1; 0: the first, with a warning that it was chosen */
    uint32_t trace_iterations; /**< 0: the usual number of µops */
    /* of assembly text */
    struct tacho_assembly *assembly;
    struct tacho_parts *parts;
    uint32_t section; /**< of it: the one that has the code */
    tacho_typed *typed;
    char *texts;
    char warning[500]; /**< "": none */
    json_t *problems;  /**< a list, or NULL */
} request;

/** Each is 0, or fills r->err and returns its code. */
int request_arch(request *r);
int request_code(request *r);
int request_options(request *r);
void request_free(request *r);

/** A text of the request; `otherwise` where there is none. */
const char *request_text(const request *r, const char *name, const char *otherwise);

#endif
