/* learn_experiments.c - the experiments in their order: each after those whose findings it uses. */
#include "study/learn/learn_experiments.h"

#define EXPERIMENT(part, name, parameters, run, method)                                                      \
    {                                                                                                        \
        part, name, parameters, method, run                                                                  \
    }

const experiment learn_experiments[] = {
    EXPERIMENT(
        "front-end", "issue-width", "issue_width", learn_issue_width,
        "A loop of NOPs of 8 bytes: its cycles grow by one for each issue_width of them. The loop's counter "
        "takes its slots, too, so that the slope counts, not the height."),
    EXPERIMENT("front-end", "retire-width", "retire_width", learn_retire_width,
               "A chain of multiplications, NOPs, and LFENCE: the NOPs are issued while the chain runs, and "
               "retire behind it before the fence is done. Each retire_width of them take a cycle more."),
    {0},
};
