#!/usr/bin/env python3
"""hot_threads.py TACHO [SECONDS] [PROGRAM...]: what `tacho hot --threads` says of examples/hot/threads beside what is true: the
finding, the place that is named first, and how long threads wait beside what instrumented locks say (-DTRUTH); and what it costs:
processor time with it beside that without, in turns. `ordinary`: of ordinary programs what is named."""
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, '..', 'examples', 'hot', 'threads')
# program: findings that are right, what is named first, and where
TRUE = {
    'heap_lock': ({'wait'}, 'lock made in pool_new for open_files', 'take'),
    'one_lock': ({'wait'}, 'lock table_lock', 'insert'), 'io_lock': ({'wait'}, 'lock log_lock', 'log_write'),
    'spinning': ({'spin'}, 'spin', 'await'), 'false_sharing': ({'fine', 'crowded'}, 'sharing', 'count'),
    'barrier': ({'wait'}, 'barrier step_done', 'run'), 'crowded': ({'crowded'}, '', ''), 'queue': ({'serial'}, '', 'consume'),
    'serial': ({'serial'}, '', 'merge'), 'allocator': ({'wait'}, 'allocator', 'churn'),
    'quiet_lock': ({'fine', 'crowded'}, '', ''),
}
ORDINARY = [
    ('zstd', 'zstd -q -T2 -12 -B2MB -f -o /dev/null {data}'), ('xz', 'xz -T2 --block-size=1MiB -k -c -3 {data}'),
    ('make', 'make -s -j2 -C {folder} -B'), ('sqlite', sys.executable + ' {folder}/rows.py'),
    ('openblas', sys.executable + ' {folder}/product.py'),
]
PRODUCT = '''import ctypes
blas, size = ctypes.CDLL("libopenblas.so.0"), 2000
a, b, c = ((ctypes.c_double * (size * size))() for _ in range(3))
one = ctypes.c_double(1)
for _ in range(6):
    blas.cblas_dgemm(101, 111, 111, size, size, size, one, a, size, b, size, one, c, size)
'''
ROWS = '''import sqlite3, threading
def run(n):
    base = sqlite3.connect(":memory:", check_same_thread=False)
    base.execute("create table t(a, b)")
    base.executemany("insert into t values(?, ?)", ((i * 7919 % 100003, i) for i in range(200000)))
    for i in range(8):
        base.execute("select count(*), sum(x.b) from t x join t y on x.b = y.a").fetchall()
all = [threading.Thread(target=run, args=(n,)) for n in range(2)]
[t.start() for t in all]; [t.join() for t in all]
'''


def report(tacho, command, *options):
    with tempfile.NamedTemporaryFile(suffix='.json') as out:
        run = subprocess.run([tacho, 'hot', '-q', '--threads', '--json', '--top', '0', '-o', out.name, '--command-output', 'null', *options, '--', *command],
                             capture_output=True, text=True, errors='replace')
        if run.returncode:
            sys.exit(f'{command}: {run.stderr}')
        truth = [line.split() for line in run.stderr.splitlines() if line.startswith('truth:')]
        return json.load(out), float(truth[0][2]) if truth else None


def named(whole):
    """What is named first, and where."""
    w = whole['waiting']
    if w['finding'] == 'wait':
        first = w['waits'][0]
        made = 'made in ' + ' for '.join(m['function'] or '?' for m in first['makers']) if first['makers'] else ''
        return (first['kind'] + ' ' + (first['name'] or made)).strip(), first['places'][0]['function']
    if w['finding'] == 'spin':
        return 'spin', w['spins'][0]['function']
    sharing = [c for p in whole['places'] for c in p['causes'] if c['told'] and 'sharing' in c['kind']]
    if sharing:
        return 'sharing', whole['places'][0]['prediction'].get('function')
    return '', w['serial_places'][0]['function'] if w['finding'] == 'serial' else ''


def waited(whole, name):
    if name == 'heap lock':
        return sum(x['seconds'] for x in whole['waiting']['waits'] if x['kind'] == 'lock' and x['makers'])
    kind = {'table_lock': 'lock', 'log_lock': 'lock', 'step_done': 'barrier', 'not_full': 'condition', 'statistics_lock': 'lock'}
    found = [x['seconds'] for x in whole['waiting']['waits'] if x['name'] == name and x['kind'] == kind[name]]
    return sum(found)


def judge(tacho, folder, seconds, chosen):
    right = 0
    print('program        finding   named first                          in            right   waited     true  error  looks/s  cost')
    for name, (findings, what, where) in TRUE.items():
        if chosen and name not in chosen:
            continue
        program = os.path.join(folder, name)
        subprocess.run(['cc', '-O2', '-g', '-DTRUTH', '-pthread', '-o', program, os.path.join(EXAMPLES, name + '.c')], check=True)
        whole, true = report(tacho, [program, seconds], '--windows', '50' if name == 'false_sharing' else '0')
        w, (first, place) = whole['waiting'], named(whole)
        good = w['finding'] in findings and first == what and place == where
        right += good
        lock = {'one_lock': 'table_lock', 'heap_lock': 'heap lock', 'io_lock': 'log_lock', 'barrier': 'step_done', 'queue': 'not_full',
                'quiet_lock': 'statistics_lock'}.get(name)
        times = f'{waited(whole, lock):8.3f} {true:8.3f} {100 * (waited(whole, lock) / true - 1):+5.1f}%' if lock else ' ' * 24
        print(f'{name:14} {w["finding"]:9} {first:36} {place or "":13} {"yes" if good else "NO":5} {times} '
              f'{w["moments"] / w["seconds"]:7.0f}  {100 * w["cost"] / w["seconds"]:.2f}%', flush=True)
    print(f'{right} right')


def processor_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


FIXED = '''#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned shared;
static void *run(void *p)
{
    unsigned x = 1;
    for (int i = 0; i < 400; i++) {
        for (int k = 0; k < 1000000; k++) { x = x * 1664525u + 1013904223u; __asm__ volatile("" : "+r"(x)); }
        pthread_mutex_lock(&lock);
        for (int k = 0; k < 100000; k++) { shared = shared * 1664525u + 1u; __asm__ volatile("" ::: "memory"); }
        pthread_mutex_unlock(&lock);
    }
    return p;
}
int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, run, 0);
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
    return 0;
}
'''


def overhead(tacho, folder):
    """The program's own processor time, by its report, beside that of it alone: work that is always the same."""
    source, program = os.path.join(folder, 'fixed.c'), os.path.join(folder, 'fixed')
    open(source, 'w').write(FIXED)
    subprocess.run(['cc', '-O2', '-g', '-pthread', '-o', program, source], check=True)
    write_makefile(folder, 24)
    for name, command in ('fixed', [program]), ('make -j2', ['make', '-s', '-j2', '-C', folder, '-B']):
        ratios, looks = [], []
        for _ in range(11):
            alone = processor_seconds(command)
            whole, _ = report(tacho, command, '--windows', '0')
            ratios.append((whole['user_seconds'] + whole['system_seconds']) / alone)
            looks.append(whole['waiting']['cost'] / whole['waiting']['seconds'])
        print(f'{name}: processor time of the program with --threads beside that without: {100 * (statistics.median(ratios) - 1):+.2f} % '
              f'({", ".join(f"{100 * (r - 1):+.1f}" for r in sorted(ratios))}); looking itself takes {100 * statistics.median(looks):.2f} % of a processor', flush=True)


def write_makefile(folder, count):
    with open(os.path.join(folder, 'Makefile'), 'w') as f:
        objects = ' '.join(f'{n}.o' for n in range(count))
        f.write(f'all: {objects}\n{objects}:\n\tcc -O2 -pthread -c -o $@ ' + os.path.join(os.path.abspath(EXAMPLES), 'queue.c') + '\n')


def ordinary(tacho, folder):
    data = os.path.join(folder, 'data')
    with open(data, 'wb') as f:
        for root, _, names in os.walk(os.path.join(HERE, '..')):
            for name in sorted(names):
                if name.endswith(('.c', '.h', '.md', '.txt')) and f.tell() < 60e6:
                    f.write(open(os.path.join(root, name), 'rb').read())
    open(os.path.join(folder, 'rows.py'), 'w').write(ROWS)
    open(os.path.join(folder, 'product.py'), 'w').write(PRODUCT)
    write_makefile(folder, 12)
    import shlex
    for name, command in ORDINARY:
        words = shlex.split(command.format(data=data, folder=folder))
        try:
            whole, _ = report(tacho, words, '--windows', '0')
        except FileNotFoundError as e:
            print(name, 'is not there:', e)
            continue
        print(f'{name}: {whole["waiting"]["finding"]}: {whole["waiting"]["text"]}', flush=True)


def main():
    tacho, seconds, chosen = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else '3', sys.argv[3:]
    with tempfile.TemporaryDirectory() as folder:
        if chosen == ['ordinary']:
            ordinary(tacho, folder)
        elif chosen == ['overhead']:
            overhead(tacho, folder)
        else:
            judge(tacho, folder, seconds, chosen)


if __name__ == '__main__':
    main()
