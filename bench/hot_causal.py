"""hot_causal.py TACHO [SECONDS] [PROGRAM...]: examples/hot/causal: what `tacho hot --progress` says that a place is worth beside what
the program gains whose place really has so much less to do (both are shares of the time from visit to visit of the progress
point); and what being watched costs: visits a second in experiments without a change beside those of the program alone."""
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, '..', 'examples', 'hot', 'causal')
CASES = {'pipeline': ['consume', 'produce'], 'held_lock': ['inside', 'outside'], 'serial_part': ['merge', 'map'],
         'meeting': ['border', 'inner'], 'beside': ['answer', 'ask', 'background']}
LESS = [25, 50, 75, 100]
REAL_SECONDS, TURNS = '0.4', 3
NEAR = 0.2  # of the real gain; of gains below LITTLE, points
LITTLE, LITTLE_NEAR = 0.05, 0.03


def below(command):
    """Under a real-time policy tacho must come before the program that it watches."""
    if os.sched_getscheduler(0) != os.SCHED_FIFO:
        return command
    return ['chrt', '-f', str(os.sched_getparam(0).sched_priority - 1), *command]


def rate(program, place='', less=0):
    out = subprocess.run(below([program, REAL_SECONDS, place, str(less)]), check=True, capture_output=True, text=True).stdout
    return float(out.split()[-1])


def real_gains(program, places):
    base, changed = [], {(p, l): [] for p in places for l in LESS}
    for _ in range(TURNS):
        for p, l in changed:
            base.append(rate(program))
            changed[p, l].append(rate(program, p, l))
    return statistics.median(base), {k: 1 - statistics.median(base) / statistics.median(v) for k, v in changed.items()}


def estimate(tacho, program, seconds):
    with tempfile.NamedTemporaryFile(suffix='.json') as out:
        subprocess.run([tacho, 'hot', '-q', '--json', '--top', '0', '--progress', 'progress', '--command-output', 'null', '-o', out.name, '--',
                        *below([program, seconds])], check=True)
        return json.load(out)['causal']


def is_near(real, found):
    return abs(found - real) <= (NEAR * real if real >= LITTLE else LITTLE_NEAR)


def judge(tacho, folder, name, seconds):
    program = os.path.join(folder, name)
    subprocess.run(['cc', '-O2', '-g', '-pthread', '-o', program, os.path.join(EXAMPLES, name + '.c')], check=True)
    alone, real = real_gains(program, CASES[name])
    causal = estimate(tacho, program, seconds)
    points = {(p['function'], round(100 * x['less'])): x for p in causal['places'] for x in p['points']}
    near = 0
    for (place, less), gain in real.items():
        x = points.get((place, less))
        good = x is not None and is_near(gain, x['gain'])
        near += good
        told = f'{100 * x["gain"]:6.1f}  [{100 * (x["low"] or float("nan")):5.1f}, {100 * (x["high"] or float("nan")):5.1f}]' if x else '  none'
        print(f'{name:9} {place:11} {less:3d} %  {100 * gain:6.1f}  {told}  {"" if good else "NOT NEAR"}', flush=True)
    cost = 100 * (1 - causal['visits_per_second'] / alone)
    print(f'{name:9} {near} of {len(real)} near; {alone:.0f} visits a second alone, {cost:.1f} % fewer when watched; '
          f'{causal["base_experiments"]} and {causal["experiments"]} experiments, {causal["delays"]} delays', flush=True)


def main():
    tacho, seconds, chosen = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else '20', sys.argv[3:]
    print('program   place       less   real  estimated [95 %]')
    with tempfile.TemporaryDirectory() as folder:
        for name in chosen or CASES:
            judge(tacho, folder, name, seconds)


if __name__ == '__main__':
    main()
