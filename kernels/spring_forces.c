/* spring_forces.c - forces of springs between points on a line, by a list of springs (simulation).
 *
 *   for a spring between a and b   f := k (x_b - x_a - 1),   f_a := f_a + f,   f_b := f_b - f
 *
 * Through memory: the force on a point, from the spring before that ends in the same point: here mostly one
 * spring back, every fourth spring goes farther. */
#include "kernel.h"

#ifndef POINTS
#define POINTS 300
#endif
#ifndef SPRINGS
#define SPRINGS 1200
#endif

struct spring {
    int a, b;
};

KERNEL void spring_forces(double k, struct spring spring[KERNEL_RESTRICT SPRINGS],
                          double x[KERNEL_RESTRICT POINTS], double force[KERNEL_RESTRICT POINTS])
{
    for (int i = 0; i < POINTS; i++)
        force[i] = 0;
    for (int s = 0; s < SPRINGS; s++) {
        double f = k * (x[spring[s].b] - x[spring[s].a] - 1);
        force[spring[s].a] += f;
        force[spring[s].b] -= f;
    }
}

int main(void)
{
    struct spring *spring = kernel_alloc(SPRINGS * sizeof *spring);
    double *x = kernel_alloc(POINTS * sizeof *x);
    double *force = kernel_alloc(POINTS * sizeof *force);
    kernel_fill(x, POINTS, 1);
    kernel_fill(force, POINTS, 2);
    for (int s = 0; s < SPRINGS; s++) {
        spring[s].a = s % POINTS;
        spring[s].b = (s + (s % 4 == 3 ? 17 : 1)) % POINTS;
    }
    for (int i = 0; i < POINTS; i++)
        x[i] += i;
    kernel_start();
    spring_forces(1.5, spring, x, force);
    kernel_stop();
    return kernel_result(force, POINTS);
}
