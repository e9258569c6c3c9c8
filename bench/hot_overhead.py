"""hot_overhead.py TACHO PAIRS [COMMAND...]: what `tacho hot` adds to a program's time. Programs that always do the same work say
what they took themselves, processor time and elapsed, alone and under `tacho hot`, in pairs that begin with either in turn.
COMMAND is put before each pair: a lock, a priority. Intervals are of the median, by ranks (at least 95 %)."""
import json
import math
import os
import subprocess
import sys
import tempfile

PROGRAM = r'''
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
static double elapsed(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static double processor(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}
int main(int argc, char **argv)
{
    const size_t lines = 1 << (argc > 1 && !strcmp(argv[1], "memory") ? 20 : 9), step = 611953 % lines | 1;
    const int chain = argc > 1 && strcmp(argv[1], "core");
    const long rounds = atol(argv[2]);
    uint64_t (*line)[8] = malloc(lines * sizeof *line), at = 0, x = 3;
    for (size_t i = 0; i < lines; i++)
        line[i][0] = (i + step) % lines;
    const double e = elapsed(), p = processor();
    for (long i = 0; i < rounds; i++)
        if (chain)
            at = line[at][0];
        else
            x = x * x + 1;
    printf("%.6f %.6f\n", processor() - p, elapsed() - e);
    return (at ^ x) == 12345;
}
'''
ROUNDS = {'core': 2_000_000_000, 'memory': 10_000_000}


def interval(values):
    """The median, and the order statistics that the median of all lies between with 95 %."""
    v, n = sorted(values), len(values)
    cut, tail = 0, 0.0
    while cut < n // 2 and (tail := tail + math.comb(n, cut) / 2**n) <= 0.025:
        cut += 1
    middle = (v[(n - 1) // 2] + v[n // 2]) / 2
    return f'{middle:+.2f} % ({v[cut - 1]:+.2f} to {v[n - cut]:+.2f})' if cut else f'{middle:+.2f} % (too few pairs for an interval)'


def main():
    tacho, pairs, before = os.path.abspath(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, 'fixed.c'), os.path.join(folder, 'fixed')
        open(source, 'w').write(PROGRAM)
        subprocess.run(['cc', '-O2', '-o', program, source], check=True)
        for kind, rounds in ROUNDS.items():
            more = {'processor time': [], 'elapsed time': []}
            for number in range(pairs):
                alone = f'{program} {kind} {rounds} >{folder}/0'
                under = f'{tacho} hot -q --json --top 1 -o {folder}/hot.json -- {program} {kind} {rounds} >{folder}/1'
                subprocess.run([*before, 'sh', '-ec', '; '.join((alone, under) if number % 2 else (under, alone))], check=True)
                took = [[float(x) for x in open(f'{folder}/{k}').read().split()] for k in (0, 1)]
                for k, name in enumerate(more):
                    more[name].append(100 * (took[1][k] / took[0][k] - 1))
            hot = json.load(open(f'{folder}/hot.json'))
            print(f'{kind} ({took[0][1]:.1f} s, {hot["samples"]} samples), {pairs} pairs: ' +
                  '; '.join(f'{name} {interval(v)}' for name, v in more.items()), flush=True)


main()
