/* jitter.c - how often something gets in the way: short chains one after the other without a gap between
 * them, so that whatever stops the core is seen, and how long each of them took. */
#include "machine/doctor/doctor_internal.h"

#include "base/mem.h"
#include "machine/doctor/ticks.h"

enum {
    BINS = 1 << 16, /* one a tick; longer samples are counted apart */
    LOOPS = 1       /* of a chain: 600 cycles */
};

typedef struct histogram {
    uint32_t bins[BINS];
    uint64_t samples, over;
    double ticks, over_ticks; /* summed: all, those over the last bin */
    uint64_t longest;
} histogram;

static void take_samples(histogram *h, uint64_t duration)
{
    uint64_t start = doctor_ticks(), before = start;
    while (before - start < duration) {
        doctor_time_imul(LOOPS);
        uint64_t after = doctor_ticks(), ticks = after - before;
        before = after;
        h->samples++;
        h->longest = ticks > h->longest ? ticks : h->longest;
        if (ticks < BINS) {
            h->bins[ticks]++;
        } else {
            h->over++;
            h->over_ticks += (double)ticks;
        }
    }
    h->ticks = (double)(before - start);
}

static size_t find_mode(const histogram *h)
{
    size_t mode = 0;
    for (size_t i = 1; i < BINS; i++)
        if (h->bins[i] > h->bins[mode])
            mode = i;
    return mode;
}

static void summarise(const histogram *h, double granularity, double tsc_mhz, doctor_jitter *out)
{
    double mode = (double)find_mode(h), limit = 1.01 * mode + granularity;
    double disturbed = (double)h->over, gaps = (double)h->over;
    double lost = h->over_ticks - (double)h->over * mode;
    for (size_t i = 0; i < BINS; i++) {
        double n = h->bins[i], excess = (double)i - mode;
        if ((double)i <= limit)
            continue;
        disturbed += n;
        lost += n * excess;
        gaps += excess > tsc_mhz ? n : 0; /* ticks a microsecond */
    }
    *out = (doctor_jitter){.samples = h->samples,
                           .mode_ticks = mode,
                           .disturbed = disturbed / (double)h->samples,
                           .lost = lost / h->ticks,
                           .gaps_per_second = gaps / (h->ticks / (tsc_mhz * 1e6)),
                           .longest_us = ((double)h->longest - mode) / tsc_mhz};
}

int doctor_measure_jitter(doctor_jitter *out, double granularity, double tsc_mhz, double seconds)
{
    histogram *h = tacho_mem_zalloc(1, sizeof *h);
    if (!h)
        return TACHO_ERR_MEMORY;
    take_samples(h, (uint64_t)(seconds * tsc_mhz * 1e6));
    summarise(h, granularity, tsc_mhz, out);
    tacho_mem_free(h);
    return TACHO_OK;
}
