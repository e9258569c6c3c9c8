/* holm.c - several tests at once. */
#include <math.h>

#include "base/mem.h"
#include "base/search.h"
#include "tacho/stats.h"

typedef struct numbered {
    double p;
    size_t place;
} numbered;

ORDER_BY_TWO(by_p, numbered, p, place);

int tacho_holm(double *p, size_t count)
{
    size_t n = 0;
    double largest = 0;
    numbered *sorted = tacho_mem_zalloc(count ? count : 1, sizeof *sorted);
    if (!sorted)
        return TACHO_ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        if (!isnan(p[i]))
            sorted[n++] = (numbered){p[i], i};
    tacho_sort(sorted, n, sizeof *sorted, by_p);
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fmin(1, (double)(n - i) * sorted[i].p));
        p[sorted[i].place] = largest;
    }
    tacho_mem_free(sorted);
    return 0;
}
