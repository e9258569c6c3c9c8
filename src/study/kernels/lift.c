/* lift.c - cycles of a region from those of its pieces: the sum of executions times cycles (CesASMe, equation
 * 1). A piece is predicted as the body of a loop of itself, as the tools do, wherever its branch leads.
 * Effects of one piece on another are not in it. */
#include <math.h>

#include "study/kernels/kernels_internal.h"

void kernels_lift(const kernels_piece *pieces, size_t count, const double *cycles, double max_missing,
                  double *lifted, double *coverage)
{
    double sum = 0, known = 0, all = 0;
    for (size_t i = 0; i < count; i++) {
        double instructions = pieces[i].executions * pieces[i].insn_count;
        all += instructions;
        if (isnan(cycles[i]))
            continue;
        known += instructions;
        sum += pieces[i].executions * fmax(cycles[i], pieces[i].least_cycles);
    }
    *coverage = all > 0 ? known / all : 0;
    *lifted = all > 0 && known > 0 && 1 - *coverage <= max_missing ? sum : NAN;
}
