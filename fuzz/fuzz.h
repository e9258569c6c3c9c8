/* fuzz.h - the entry that libFuzzer, and replay.c in its absence, call. */
#ifndef TACHO_FUZZ_FUZZ_H
#define TACHO_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
