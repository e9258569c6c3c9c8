/* bound_words.h - what people read for bounds and sources of µops, in the words of the core's vendor. */
#ifndef TACHO_PREDICT_BOUND_WORDS_H
#define TACHO_PREDICT_BOUND_WORDS_H

#include "base/private.h"
#include "tacho/predict.h"

/** "DSB", "start intervals"; on AMD's cores "op cache". `arch` NULL: none in particular. */
TACHO_PRIVATE const char *tacho_bound_words(const tacho_arch *arch, tacho_bound bound);
/** "DSB, ports"; "" for none. @return out */
TACHO_PRIVATE const char *tacho_bottleneck_words(const tacho_arch *arch, uint32_t bottlenecks, char *out,
                                                 size_t size);
/** "the DSB (µop cache)". */
TACHO_PRIVATE const char *tacho_uop_source_words(const tacho_arch *arch, tacho_uop_source source);

#endif
