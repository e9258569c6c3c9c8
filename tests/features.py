#!/usr/bin/env python3
"""features.py TACHO [--update]: doc/FEATURES.md has every option of the program and no others, tests that are there,
and of each feature about as many lines as its files have; --update counts them anew."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / 'doc' / 'FEATURES.md'
CLOSE, FEW = 0.2, 100  # a feature may change by so much, or so many lines, before it is counted anew

FILES = {
    'INPUT, its kinds and parts': ['binary/input', 'x86/assemble', 'app/cli/source.c', 'app/cli/source_parts.c'],
    'source code as INPUT': ['binary/input/compile.c'],
    'loops of a whole file': ['binary/loops', 'x86/flow'],
    'initial state': ['app/cli/source_parts.c'],
    'cores by name or file': ['app/cli/cores.c', 'x86/arch', 'x86/tables'],
    'batches': ['base/csv.c', 'app/cli/output.c'],
    'formats and looks': ['base/records.c', 'app/report/layout.c', 'app/report/words.c'],
    'commands that are run': ['app/cli/running.c', 'base/process.c'],
    'prediction, bounds, top-down, table': ['model/sim', 'model/block', 'model/bounds', 'model/predict'],
    'bounds alone, the start of a run': ['app/cli/predict/cmd_predict.c'],
    'what would help, what if': ['model/explain', 'x86/arch/arch_what_if.c'],
    'by element of the data, two versions': ['app/report/report_loops.c'],
    'data beyond the first level': ['study/loop_data', 'app/report/predict/report_data.c'],
    'pictures': ['app/cli/predict/pictures.c', 'app/report/predict'],
    'a pane beside code': ['app/cli/predict/cmd_predict.c'],
    'blocks in a sandbox, clocks': ['machine/measure'],
    'beside a prediction': ['app/cli/measure/cmd_measure.c'],
    'forms of instructions': ['machine/characterise', 'app/report/measure/report_characterise.c'],
    'over arrays': ['machine/memory', 'app/cli/measure/cmd_measure_footprint.c'],
    'fit for measuring?': ['machine/doctor', 'app/report/measure/report_machine.c'],
    'levels of memory': ['machine/memory', 'app/report/measure/report_machine.c'],
    'dependencies of a block': ['model/deps', 'app/report/predict/report_deps.c'],
    'dependencies of a function': ['model/deps/deps_follow.c'],
    'dependencies of a run': ['study/depsrun', 'app/report/study/report_deps_run.c'],
    'blocks of a file': ['binary/extract/static.c', 'binary/extract/tiles.c'],
    'blocks of a run': [
        'binary/extract/valgrind.c', 'binary/extract/tracer.c',
        'binary/extract/task.c', 'binary/extract/book.c', 'binary/extract/space.c'],
    'suite dedup, sample': ['study/suite/suite_choose.c', 'app/cli/suite/cmd_suite.c'],
    'suite filter': ['study/suite/filter.c', 'app/cli/suite/cmd_suite_filter.c'],
    'suite loops': ['app/cli/suite/cmd_suite_loops.c'],
    'suite cluster': ['study/cluster', 'app/report/study/categories.c'],
    'errors, correlation, groups': [
        'study/eval', 'study/stats', 'app/report/study/eval_text.c', 'app/report/study/eval_json.c'],
    'predictors asked': ['study/models'],
    'limits, page': ['app/report/study/eval_pictures.c'],
    'kernels built, counted, measured': ['study/kernels'],
    'kernels predicted and lifted': [
        'study/kernels/kernels_predict.c', 'study/kernels/kernels_windows.c', 'study/kernels/kernels_misses.c',
        'study/kernels/kernels_branches.c'],
    'layout swept, confirmed': ['program/bias', 'machine/trial'],
    'causes': ['program/bias/why.c', 'program/bias/observe.c', 'program/bias/window.c', 'program/bias/locate.c'],
    'linked anew': ['program/bias/link.c'],
    'is B faster?': ['program/compare', 'app/report/compare/report_compare.c'],
    'around each run': ['program/compare/compare_run.c'],
    'places, sampled': [
        'program/hot', 'app/report/hot_text.c', 'app/report/hot_json.c', 'app/report/roofline_picture.c'],
    'windows, causes': ['program/windows', 'app/report/hot_causes_text.c', 'app/cli/cmd_hot_analyst.c'],
    "perf's files": ['program/hot/perf_data.c', 'program/hot/jit.c', 'program/hot/jitdump.c'],
    'two versions': [
        'program/hot/diff.h', 'program/hot/diff_align.c', 'program/hot/diff_match.c', 'program/hot/diff_sums.c',
        'program/hot/diff_threads.c', 'program/hot/diff_why.c', 'program/hot/side.c',
        'app/report/hot_diff_text.c'],
    'threads': ['program/threads', 'app/report/threads_text.c'],
    'what a place is worth': ['program/causal', 'app/report/causal_report.c'],
    'what is known of a core': ['app/cli/tables', 'app/report/tables'],
    'instruction table': ['x86/insndb'],
    'a model of this processor': ['learn', 'app/report/learn'],
    "on somebody else's machine": ['learn/learn_plan.c'],
    'completion': ['app/cli/completion'],
}


def lines_of(feature):
    found = set()
    for name in FILES[feature]:
        path = ROOT / 'src' / name
        if not path.exists():
            sys.exit(f'{feature}: there is no src/{name}')
        found |= {f for end in ('c', 'h') for f in path.rglob(f'*.{end}')} if path.is_dir() else {path}
    return sum(f.read_bytes().count(b'\n') for f in found)


def options_of(tacho, *command):
    """The long options of a command and of all below it, as their help has them."""
    text = subprocess.run([tacho, *command, '--help'], capture_output=True, text=True, check=True).stdout
    found = set(re.findall(r'^ {2}(?:-\w, | {4})--([\w-]+)', text, re.M))
    below = text.partition(' COMMAND ...\n')[2].partition('--version')[0]
    return found.union(*(options_of(tacho, *command, name) for name in re.findall(r'^ {2}(\w+) ', below, re.M)
                         if name != 'help'))


def options_in(text):
    entries = re.findall(r'^- .*(?:\n {2}.*)*', text, re.M)
    return {option for entry in entries for option in re.findall(r'`([\w-]+)`', entry)}


def wrong_in(text, tacho):
    rows = re.findall(r'^\| ([^|]+) \| (\d+) \| ([^|]+) \|', text, re.M)
    yield from (f'{f}: no such row' for f in FILES.keys() - {row[0] for row in rows})
    for feature, count, tests in rows:
        if feature not in FILES:
            yield f'{feature}: no files'
        elif abs(lines_of(feature) - int(count)) > max(CLOSE * int(count), FEW):
            yield f'{feature}: {count} lines, not {lines_of(feature)}: tests/features.py TACHO --update'
        yield from (f'{feature}: there is no test {t}' for t in tests.split(', ') if not any((ROOT / 'tests').rglob(t)))
    listed, there = options_in(text), options_of(tacho)
    yield from (f'--{o}: not on the page' for o in sorted(there - listed))
    yield from (f'--{o}: no command has it' for o in sorted(listed - there))


def main():
    text = PAGE.read_text(encoding='utf-8')
    if '--update' in sys.argv:
        text = re.sub(r'^\| ([^|]+) \| \d+ \|', lambda m: f'| {m[1]} | {lines_of(m[1])} |', text, flags=re.M)
        PAGE.write_text(text, encoding='utf-8')
    wrong = list(wrong_in(text, sys.argv[1]))
    print('\n'.join([*wrong, f'{len(FILES)} features, {len(wrong)} failures']))
    sys.exit(bool(wrong))


if __name__ == '__main__':
    main()
