/* operand_samples.c - patterns and footprints from addresses.
 *
 * Addresses by a stride are spread evenly over what they go through: the range is the footprint, less wide
 * gaps (of other arrays' making). Of random ones the number of lines is estimated by capture and recapture:
 * what the samples of even numbers have in common with those of odd numbers (D. G. Chapman 1951, Some
 * properties of the hypergeometric distribution); where lines do not come again, of 4 KiB pages, or of larger
 * parts of memory, all of which is then taken to be used. Its lower limit is always that of lines. */

#include "base/mem.h"
#include "base/names.h"
#include "program/hot/hot_operands.h"

enum {
    FEWEST = 8,        /* samples, for a word */
    FEWEST_BYTES = 64, /* ... on which bytes of lines are used */
    RECAPTURED = 12,   /* for an estimate */
    LINE_LOG2 = 6,
    LINE = 1 << LINE_LOG2,
    SMALL_LINES = 8, /* so few are no random walk */
    FEWEST_PAIRS = 20
};

ORDER_NUMBERS(by_address, uint64_t);

/* ---- ranges ---- */

/* Bytes from the lowest to the highest, without gaps that are far wider than those between samples. */
static double covered(const uint64_t *sorted, size_t count)
{
    const double wide = 20;
    double mean = count > 1 ? (double)(sorted[count - 1] - sorted[0]) / (double)(count - 1) : 0, sum = 0;
    size_t gaps = 0, pieces = 1;
    for (size_t i = 1; i < count; i++) {
        double gap = (double)(sorted[i] - sorted[i - 1]);
        if (gap > wide * mean && gap > 1 << 16) {
            pieces++;
            continue;
        }
        sum += gap;
        gaps++;
    }
    /* beyond the outermost samples of each piece lies on average half a gap */
    return gaps ? sum * (1 + (double)pieces / (double)gaps) : 0;
}

/* ---- capture and recapture ---- */

typedef struct estimate {
    double count, low, high; /* NaN: not known */
    double again;            /* recaptured */
} estimate;

static size_t unique(uint64_t *list, size_t count)
{
    size_t n = 0;
    tacho_sort(list, count, sizeof *list, by_address);
    for (size_t i = 0; i < count; i++)
        if (!n || list[n - 1] != list[i])
            list[n++] = list[i];
    return n;
}

/* How many parts of memory of so many bytes (log2) there are. `room`: for as many addresses. */
static estimate recapture(const uint64_t *addresses, size_t count, unsigned shift, uint64_t *room)
{
    const double z = 1.96;
    size_t half = (count + 1) / 2, n1 = 0, n2 = 0, again = 0;
    uint64_t *a = room, *b = room + half;
    for (size_t i = 0; i < count; i++)
        *(i % 2 ? &b[n2++] : &a[n1++]) = addresses[i] >> shift;
    n1 = unique(a, n1);
    n2 = unique(b, n2);
    for (size_t i = 0, k = 0; i < n1; i++) {
        while (k < n2 && b[k] < a[i])
            k++;
        again += k < n2 && b[k] == a[i];
    }
    double x = (double)n1, y = (double)n2, m = (double)again, seen = x + y - m;
    estimate out = {.count = (x + 1) * (y + 1) / (m + 1) - 1, .again = m};
    double spread = z * sqrt((x + 1) * (y + 1) * (x - m) * (y - m) / ((m + 1) * (m + 1) * (m + 2)));
    out.high = again ? out.count + spread : NAN;
    /* of few recaptures: the most that chance makes of fewer (Poisson) */
    double most = (sqrt(m + 1) + z / 2) * (sqrt(m + 1) + z / 2);
    out.low = fmax(seen, again >= RECAPTURED ? out.count - spread : x * y / most);
    return out;
}

static void of_random(tacho_hot_operand *out, const uint64_t *addresses, size_t count, double range,
                      uint64_t *room)
{
    static const unsigned shifts[] = {LINE_LOG2, 12, 16, 21};
    const double most = range + LINE;
    estimate lines = recapture(addresses, count, LINE_LOG2, room), e = lines;
    double unit = LINE;
    for (size_t i = 1; i < sizeof shifts / sizeof *shifts && e.again < RECAPTURED; i++) {
        e = recapture(addresses, count, shifts[i], room);
        unit = (double)((uint64_t)1 << shifts[i]);
    }
    out->footprint_low = fmin(lines.low * LINE, most);
    out->footprint = fmax(fmin(e.count * unit, most), out->footprint_low);
    out->footprint_high = fmax(isnan(e.high) ? most : fmin(e.high * unit, most), out->footprint);
}

/* ---- strides ---- */

/* Whether later executions of the loop come to other bytes of the same lines. */
static bool has_rows(const uint64_t *addresses, size_t count, uint64_t stride, uint32_t bytes)
{
    enum {
        LEAST_STRIDE = 256,
        FEWEST_PLACES = 4
    };
    uint64_t places = 0;
    if (stride < LEAST_STRIDE)
        return false;
    /* in the line, by its eighths */
    for (size_t i = 0; i < count; i++)
        places |= (uint64_t)1 << (addresses[i] % LINE / (bytes < 8 ? 8 : bytes < LINE ? bytes : LINE));
    return __builtin_popcountll(places) >= FEWEST_PLACES;
}

static void of_stride(tacho_hot_operand *out, const uint64_t *addresses, size_t count, double range)
{
    uint64_t stride = (uint64_t)llabs(out->stride);
    if (has_rows(addresses, count, stride, out->bytes))
        out->pattern = TACHO_HOT_ROWS;
    double touched = out->pattern == TACHO_HOT_STRIDE && stride > LINE ? (double)LINE / (double)stride : 1;
    out->footprint = fmax(range * touched, LINE);
    out->footprint_low = fmax(out->footprint * (1 - 3 / (double)count), LINE);
    out->footprint_high = out->footprint * (1 + 3 / (double)count);
}

/* ---- in the order of time ---- */

/* Whether addresses lie behind those of the sample before by nearly the same distance, in a range that they
 * go through again and again: 1: always; 0: by chance. */
static double drift(const seen_addresses *seen, double range)
{
    double x = 0, y = 0, n = 0;
    for (size_t i = 0; i < seen->count; i++) {
        if (!seen->now[i] || !seen->before[i])
            continue;
        double angle = 2 * M_PI * (double)(int64_t)(seen->now[i] - seen->before[i]) / range;
        x += cos(angle);
        y += sin(angle);
        n++;
    }
    return n >= FEWEST_PAIRS ? sqrt(x * x + y * y) / n : 0;
}

ORDER_NUMBERS(by_size, double);

/* How far apart samples in a row are, if that is far less than what was gone through in between. */
static double reach_of(const seen_addresses *seen, double range, double *room)
{
    const double within = 0.9, of_most = 1 - sqrt(1 - 0.9); /* of two places by chance: so many, so far */
    const double again = 4;
    double lines = 0;
    size_t n = 0;
    for (size_t i = 0; i < seen->count; i++) {
        if (!seen->now[i] || !seen->before[i] || isnan(seen->lines[i]))
            continue;
        lines += seen->lines[i];
        room[n++] = fabs((double)(int64_t)(seen->now[i] - seen->before[i]));
    }
    if (n < FEWEST_PAIRS)
        return NAN;
    tacho_sort(room, n, sizeof *room, by_size);
    double reach = room[(size_t)(within * (double)(n - 1))] / of_most + LINE;
    return reach < range / 2 && again * reach < lines / (double)n * LINE ? reach : NAN;
}

static double bytes_of_lines(const uint64_t *addresses, size_t count, uint32_t bytes)
{
    uint64_t used = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned at = addresses[i] % LINE;
        uint64_t these = bytes >= LINE ? UINT64_MAX : ((uint64_t)1 << bytes) - 1;
        used |= these << at | (at ? these >> (LINE - at) : 0);
    }
    return (double)__builtin_popcountll(used);
}

static bool is_ordered(const seen_addresses *seen, double range)
{
    const double much = 0.5;
    return range > 0 && drift(seen, range) > much;
}

/* `known`, `room`, `sorted`: as many. */
static void summarise(tacho_hot_operand *out, const seen_addresses *seen, const uint64_t *known, size_t count,
                      uint64_t *sorted, uint64_t *room)
{
    memcpy(sorted, known, count * sizeof *known);
    tacho_sort(sorted, count, sizeof *sorted, by_address);
    double range = covered(sorted, count) + out->bytes;
    out->first = sorted[0];
    out->last = sorted[count - 1];
    const bool open = out->pattern == TACHO_HOT_UNSEEN, chain = out->pattern == TACHO_HOT_CHAIN;
    if (open || chain) {
        bool ordered = is_ordered(seen, range);
        of_random(out, known, count, range, room);
        out->in_order = chain && (ordered || out->in_order);
        if (open)
            out->pattern = out->footprint <= SMALL_LINES * LINE ? TACHO_HOT_ONE_PLACE
                           : ordered                            ? TACHO_HOT_SEQUENCE
                                                                : TACHO_HOT_RANDOM;
    } else {
        of_stride(out, known, count, range);
    }
    out->line_bytes = count >= FEWEST_BYTES ? bytes_of_lines(known, count, out->bytes) : NAN;
    out->reach = reach_of(seen, range, (double *)room);
}

int operand_summarise(tacho_hot_operand *out, const seen_addresses *seen)
{
    _Static_assert(sizeof(double) == sizeof(uint64_t), "room is used for both");
    size_t count = 0;
    out->footprint = out->footprint_low = out->footprint_high = out->line_bytes = out->reach = NAN;
    uint64_t *all = tacho_mem_zalloc(3 * (seen->count + 1), sizeof *all), *sorted = all + seen->count + 1,
             *room = sorted + seen->count + 1;
    if (!all)
        return TACHO_ERR_MEMORY;
    for (size_t i = 0; i < seen->count; i++)
        if (seen->now[i])
            all[count++] = seen->now[i];
    out->samples = count;
    if (count >= FEWEST)
        summarise(out, seen, all, count, sorted, room);
    else
        out->pattern = TACHO_HOT_UNSEEN;
    tacho_mem_free(all);
    return 0;
}

NAMES_OF(tacho_hot_pattern_name, tacho_hot_pattern, "", "unseen", "place", "stride", "rows", "sequence",
         "random", "chain")
