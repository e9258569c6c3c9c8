/* false_discovery.c - which of many tests have found something, so that few of those are by chance. */
#include <math.h>

#include "base/mem.h"
#include "base/search.h"
#include "tacho/stats.h"

typedef struct ranked {
    double p;
    size_t place;
} ranked;

ORDER_BY_TWO(by_p_and_place, ranked, p, place);

int tacho_false_discovery(const double *p, size_t count, double *q)
{
    size_t known = 0;
    ranked *list = tacho_mem_zalloc(count ? count : 1, sizeof *list);
    if (!list)
        return TACHO_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        q[i] = NAN;
        if (!isnan(p[i]))
            list[known++] = (ranked){p[i], i};
    }
    tacho_sort(list, known, sizeof *list, by_p_and_place);
    double least = 1;
    for (size_t i = known; i-- > 0;) {
        /* the ratio first: it is at least 1, exactly, so that no q is below its p */
        least = fmin(least, list[i].p * ((double)known / (double)(i + 1)));
        q[list[i].place] = least;
    }
    tacho_mem_free(list);
    return 0;
}
