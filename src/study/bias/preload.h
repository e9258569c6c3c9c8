/* preload.h - the library that moves large allocations, as the program's file would be. */
#ifndef TACHO_BIAS_PRELOAD_H
#define TACHO_BIAS_PRELOAD_H

extern const char bias_preload_image[];
extern const unsigned long bias_preload_image_size;

#endif
