/* learn_experiments.h - what the rows of learn_experiments.c run; each in the file of its part. */
#ifndef TACHO_LEARN_EXPERIMENTS_H
#define TACHO_LEARN_EXPERIMENTS_H

#include "study/learn/lab.h"

/* ---- learn_width.c ---- */
int learn_issue_width(lab *l, tacho_error *err);
int learn_retire_width(lab *l, tacho_error *err);

#endif
