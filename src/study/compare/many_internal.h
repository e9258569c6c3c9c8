/* many_internal.h - what judging of many commands is made of. */
#ifndef TACHO_MANY_INTERNAL_H
#define TACHO_MANY_INTERNAL_H

#include "study/compare/compare_internal.h"
#include "tacho/compare_many.h"

/* What samples are taken to be, of many commands. */
typedef struct many {
    size_t commands;
    bool paired, layouts;
    const tacho_sample **of;   /* samples by command, each command's in their order */
    size_t *first;             /* of each command in `of`; one more at the end */
    tacho_sided_value *values; /* that count, by command and value */
    size_t *first_value;       /* of each command in `values`; one more at the end */
    size_t *units;      /* of each command: its values' units are below; all the same where they are paired */
    tacho_sample *pair; /* room for the samples of two commands */
} many;

/* many_samples.c */
/* @return 0; TACHO_ERR_INPUT, TACHO_ERR_MEMORY */
int many_make(many *m, const tacho_sample *samples, size_t count, size_t commands, bool layouts,
              tacho_error *err);
void many_free(many *m);
/* Command `b` compared with command `a`, for themselves. To be freed. */
int many_pair(const many *m, size_t a, size_t b, judging *out, tacho_error *err);
/* Blocks that have all of the commands; 0 of independent samples. @return -1: no memory */
int many_whole_blocks(const many *m, uint32_t *out);
/* The confidence for each of `comparisons` that makes them hold together, whatever they have to do with each
 * other (C. Bonferroni). */
double many_confidence(const tacho_judge_options *o, size_t comparisons);
/* Units that a verdict, and ranks, need. */
uint32_t many_units_needed(const tacho_judge_options *o, size_t commands);
uint32_t many_units_needed_for_ranks(const tacho_judge_options *o, size_t commands);
/* Units that all commands have. */
size_t many_fewest_units(const many *m);

/* many_ratios.c */
typedef struct many_resampled {
    const many *m;
    uint32_t resamples; /* 0: of too few units */
    double *logs;       /* of the medians of all commands, one resample after the other */
    double medians[TACHO_COMPARE_MAX_COMMANDS]; /* of what was seen */
} many_resampled;
int many_resample(const many *m, const tacho_judge_options *o, uint32_t resamples, many_resampled *out,
                  tacho_error *err);
void many_resampled_free(many_resampled *s);
/* The ratio of command b to command a. */
typedef struct many_contrast {
    uint32_t a, b;
    double log_ratio, error; /* what it is, and its standard error; NaN */
} many_contrast;
/* Fills in the ratios of a list. All are within *critical standard errors at once, with this confidence; NaN
 * where there were no resamples. */
int many_contrasts(const many_resampled *s, double confidence, many_contrast *list, size_t count,
                   double *critical, tacho_error *err);
/* Of a command, for itself. */
int many_median(const many_resampled *s, double confidence, size_t command, tacho_estimate *out,
                tacho_error *err);

/* many_ranks.c */
/* Fills in rank_low and rank_high. */
int many_ranks(const many_resampled *s, const tacho_judge_options *o, tacho_many_judgement *out,
               tacho_error *err);

#endif
