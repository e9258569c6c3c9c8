/* smooth.h - sizes and type of smooth.c, in the manner of PolyBench. */
#ifndef SMOOTH_H
#define SMOOTH_H

#if !defined(MINI_DATASET) && !defined(SMALL_DATASET)
#define SMALL_DATASET
#endif
#ifdef MINI_DATASET
#define NI 20
#define NJ 24
#endif
#ifdef SMALL_DATASET
#define NI 40
#define NJ 48
#endif
#define _PB_NI POLYBENCH_LOOP_BOUND(NI, ni)
#define _PB_NJ POLYBENCH_LOOP_BOUND(NJ, nj)

#ifdef DATA_TYPE_IS_FLOAT
#define DATA_TYPE float
#else
#define DATA_TYPE double
#endif
#define DATA_PRINTF_MODIFIER "%0.2f "

#endif
