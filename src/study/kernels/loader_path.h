/* loader_path.h - what the two files of the loader's program share. */
#ifndef TACHO_KERNELS_LOADER_PATH_H
#define TACHO_KERNELS_LOADER_PATH_H

#include "study/kernels/loader.h"

/* loader.c */
extern loader_control *control;
extern bool timed; /* the second call: counting and stepping are on */
_Noreturn void loader_fail(const char *what, const char *detail);

/* loader_path.c: finds where the object's code lies, if the plan knows it and it can be written to. */
void loader_find_text(void *object);
/* At the beginning and at the end of the region of each call. */
void loader_start_traced(void *payload);
void loader_stop_traced(void *payload);
/* Afterwards: the bytes of what was executed. */
void loader_collect_code(void);

#endif
