"""hot_memory.py TACHO [SECONDS] [PROGRAM...]: what `tacho hot` says of examples/hot/memory beside what is true, and what its
advice is estimated to bring beside what it brings. Run `tacho doctor --memory` just before, on the same processor."""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, '..', 'examples', 'hot', 'memory', 'memory.c')
# program, way; pattern of the operand, levels that may be said, limits; None: nothing is to be said
TRUE = [
    ('chase-16', 'plain', None),
    ('chase-8192', 'plain', ('chain', {'L3', 'memory'}, {'latency', 'tlb'})),
    ('chase-262144', 'plain', ('chain', {'memory'}, {'latency', 'tlb'})),
    ('chase-262144', 'huge', ('chain', {'memory'}, {'latency'})),
    ('triad', 'plain', ('stride', {'memory'}, {'bandwidth'})),
    ('fill', 'plain', ('stride', {'memory'}, {'bandwidth'})),
    # 7 of 8 times from what holds a line of each row; one after the other, such loads take 60 to 140 cycles on a Zen 5: its L3
    ('columns', 'plain', ('rows', {'L3', 'memory'}, {'latency'})),
    ('product', 'plain', ('rows', {'L3', 'memory'}, {'latency'})),
    ('product', 'blocked', None),
    ('gather', 'plain', ('random', {'memory'}, {'latency', 'tlb'})),
    ('probe', 'plain', ('random', {'memory'}, {'latency', 'tlb'})),
    ('histogram', 'plain', ('random', {'memory'}, {'latency', 'tlb'})),
    ('nodes', 'plain', ('stride', {'memory'}, {'bandwidth'})),
    ('pairs', 'plain', ('stride', {'memory'}, {'bandwidth'})),
    ('chase-65536', 'plain', ('chain', {'memory'}, {'latency', 'tlb'})),
    # what is accessed until a line comes again is more, or less, than what the operand accesses
    ('between', 'alone', ('chain', {'L2'}, {'latency'})),
    ('between', 'plain', ('chain', {'L3'}, {'latency'})),
    ('parts', 'plain', ('chain', {'L2'}, {'latency'})),
    ('parts', 'apart', ('chain', {'memory'}, {'latency', 'tlb'})),
]
PAIRS = [
    ('chase-8192', 'huge', 'huge-pages'), ('chase-262144', 'huge', 'huge-pages'), ('chase-262144', 'two', 'two-chains'),
    ('chase-8192', 'two', 'two-chains'), ('chase-65536', 'two', 'two-chains'), ('triad', 'past', 'non-temporal'),
    ('fill', 'past', 'non-temporal'), ('columns', 'rows', 'interchange'), ('columns', 'padded', 'padding'), ('product', 'interchanged', 'interchange'),
    ('gather', 'huge', 'huge-pages'), ('probe', 'ahead-{ahead}', 'prefetch'), ('histogram', 'huge', 'huge-pages'),
    ('nodes', 'packed', 'packing'), ('pairs', 'packed', 'packing'),
]


def hottest(tacho, program, name, way, seconds):
    """The report on the hottest place, and nanoseconds an iteration."""
    with tempfile.NamedTemporaryFile(suffix='.json') as out:
        run = subprocess.run([tacho, 'hot', '-q', '--json', '--top', '1', '-o', out.name, '--', program, name, way, seconds],
                             capture_output=True, text=True, check=True)
        return json.load(out)['places'][0], float(run.stdout or run.stderr.split()[-1])


def number(x):
    return '-' if x is None else f'{x:.3g}'


def main():
    tacho, seconds = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else '5'
    chosen = set(sys.argv[3:])
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, 'memory')
        subprocess.run(['cc', '-O2', '-g', '-o', program, SOURCE], check=True)
        right = explained = asked = 0
        plain = {}
        print('program              predicted observed  limit      level   pattern  explained  right')
        for name, way, true in TRUE:
            if chosen and name not in chosen:
                continue
            place, took = hottest(tacho, program, name, way, seconds)
            memory = place['memory']
            at = memory['operands'][memory['operand']] if memory['operand'] is not None else {}
            said = (at.get('pattern'), at.get('level'), memory['limit'])
            good = memory['limit'] is None if not true else (
                said[0] == true[0] and said[1] in true[1] and said[2] in true[2])
            asked += 1
            right += good
            explained += not true or (memory['explained'] or 0) >= 0.7
            if way == 'plain':
                plain[name] = (memory, place, took)
            print(f"{name + ' ' + way:20} {number(place['prediction']['cycles']):>9} {number(place['observed_cycles']):>8}  "
                  f"{said[2] or '-':10} {said[1] or '-':7} {said[0] or '-':8} {number(memory['explained']):>9}  "
                  f"{'yes' if good else 'NO'}", flush=True)
        print(f'{right} of {asked} right; 70 % explained, or nothing to explain, in {explained}\n')
        pairs = near = 0
        print('program      advice        observed  estimated  gain  real gain  ratio')
        for name, way, kind in PAIRS:
            if name not in plain:
                continue
            memory, place, took = plain[name]
            after = [a['cycles_after'] for a in memory['advice'] if a['kind'] == kind]
            ahead = next((a['ahead'] for a in memory['advice'] if a['kind'] == kind), None) or 16
            real = took / float(subprocess.run([program, name, way.format(ahead=ahead), seconds], capture_output=True, text=True,
                                               check=True).stdout)
            if not after:
                print(f'{name:12} {kind:12} none; real gain {real:.2f}')
                continue
            pairs += 1
            gain = place['observed_cycles'] / after[0]
            print(f"{name:12} {kind:12} {place['observed_cycles']:9.1f} {after[0]:10.1f} {gain:5.2f} {real:10.2f} "
                  f'{max(gain / real, real / gain):6.2f}', flush=True)
            near += max(gain / real, real / gain) <= 1.3
        print(f'{near} of {pairs} gains within a factor of 1.3')


main()
