/* text_pattern.h - extended regular expressions that somebody gives us, with a group for what is wanted. */
#ifndef TACHO_BASE_TEXT_PATTERN_H
#define TACHO_BASE_TEXT_PATTERN_H

#include <regex.h>
#include <stddef.h>

/** Compiles `pattern`, which needs a group (REG_EXTENDED, REG_NEWLINE). Repetitions of repetitions, which
 * take the C library more memory with each further one, are refused where the expression would grow too
 * large.
 *  @return NULL; or what is wrong with it ("has no group: ..."), in `why` or a constant, and nothing
 *  has to be freed */
const char *tacho_regex_compile(regex_t *out, const char *pattern, char *why, size_t size);

#endif
