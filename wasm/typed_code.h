/* typed_code.h - assembly text of a request: its bytes, and which of them are the code that is meant. */
#ifndef TACHO_WASM_TYPED_CODE_H
#define TACHO_WASM_TYPED_CODE_H

#include "request.h"

/** Fills r->region and r->listing from text. @return 0, or fills r->err and, where they are known,
 * r->problems */
int assembly_code(request *r, const char *text);
/** The parts of the text that somebody may mean, in the order of tacho_assembly_parts; a new reference. NULL
 * as assembly_code. */
json_t *parts_json(request *r, const char *text);
/** The whole text as JSON: its bytes and where its statements stand; a new reference. NULL as assembly_code.
 */
json_t *assembly_json(request *r, const char *text);
void assembly_free(request *r);

#endif
