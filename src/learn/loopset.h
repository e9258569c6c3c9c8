/* loopset.h - loops that are timed together, as most experiments have them. What fails first the lab keeps,
 * and all that comes later does nothing: only loopset_end is asked.
 *
 *     loopset s = loopset_of(l);
 *     for (unsigned n = 1; n <= 8; n++) {
 *         loopset_loop(&s, TACHO_MODE_LOOP);
 *         loopset_nops(&s, 8, n);
 *     }
 *     curve *c = loopset_draw(&s, &(sweep){.from = 1, .step = 1, .count = 8}, "...", "...", "...");
 *     lab_found(...);
 *     return loopset_end(&s); */
#ifndef TACHO_LEARN_LOOPSET_H
#define TACHO_LEARN_LOOPSET_H

#include "learn/lab.h"

typedef struct loopset {
    lab *l;
    subject_loop *loops;
    size_t count, capacity;
} loopset;

/** Loops of a curve: their number grows by `every` from `first` on, x by `step` (0: 1) from `from` on, `per`
 *  (0: 1) divides the cycles. */
typedef struct sweep {
    size_t first;
    unsigned every; /* 0: 1 */
    double from, step;
    unsigned count;
    double per;
} sweep;

loopset loopset_of(lab *l);
/** A new loop, to which is added from now on. Its number is one more than that of the one before, from 0. */
size_t loopset_loop(loopset *s, tacho_mode mode);
void loopset_add(loopset *s, unsigned count, const char *format, ...) TACHO_PRINTF(3, 4);
/** `count` instructions, one from each of `texts` in turn. */
void loopset_add_in_turn(loopset *s, unsigned count, const char *const *texts, unsigned text_count);
/** What general register `reg` (0 RAX .. 15 R15, as they are encoded) of the newest loop holds at first. */
void loopset_value(loopset *s, unsigned reg, uint64_t value);
/** The finding, also a parameter, that NOPs join the instruction before them: then they fill no slots. */
#define JOINED_NOPS "fuses_nops"
bool lab_joins_nops(const lab *l);
/** What takes a slot, no port and no general register: a NOP of 1 to 15 bytes; where these are joined, from 3
 *  bytes on, a zero idiom of XMM15 or XMM7 as long. */
void lab_filler(const lab *l, unsigned bytes, uint8_t code[15]);
/** Fillers of 1 to 15 bytes; before it is known whether NOPs are joined, NOPs. */
void loopset_nops(loopset *s, unsigned bytes, unsigned count);
/** `count` NOPs that fill `bytes` bytes, of lengths as even as can be. */
void loopset_fill(loopset *s, unsigned bytes, unsigned count);
/** `count` instructions that fill `bytes` bytes, up to 7 each, as few of them NOPs as can be, and none of
 * more than 2 bytes, which some decoders find hard. */
void loopset_fill_plain(loopset *s, unsigned bytes, unsigned count);
/** Times the loops that were not timed before. */
void loopset_time(loopset *s);
/** NaN: unknown. */
double loopset_cycles(const loopset *s, size_t loop);
curve *loopset_curve(loopset *s, const char *title, const char *x_name, const char *y_name);
void loopset_point(loopset *s, curve *c, double x, double y);
/** Times all loops that were not timed, and draws those of the sweep. NULL: it failed. */
curve *loopset_draw(loopset *s, const sweep *of, const char *title, const char *x_name, const char *y_name);
/** Frees the loops. @return the lab's failure, or 0 */
int loopset_end(loopset *s);

/** The median of the slopes of all pairs of points, from the one of number `from` on; NaN for fewer than two.
 */
double curve_slope(const curve *c, size_t from);
/** Whether two durations differ by less than the part `most`; false for NaN. */
bool near_to(double a, double b, double most);

#endif
