/* experiments.h - what the rows of experiment_rows.h run; each in the file of its part. */
#ifndef TACHO_LEARN_EXPERIMENTS_H
#define TACHO_LEARN_EXPERIMENTS_H

#include "learn/lab.h"

#define EXPERIMENT(run, ...) int run(lab *l);
#include "learn/experiment_rows.h"
#undef EXPERIMENT

#endif
