"""The page of bench/evaluate: Markdown of what tacho eval and others have found, and HTML of that Markdown."""
import base64
import gzip
import html as escaping
import json
import pathlib
import re
import subprocess

WORDS = {'U': 'unrolled', 'L': 'loops'}
SHOWN = ['tacho', 'tacho-bounds']  # by groups; and the newest llvm-mca in its steady state


def header_of(path):
    """Comments at the beginning of a file of measurements/."""
    header = {}
    opener = gzip.open if str(path).endswith('.gz') else open
    with opener(path, 'rt', encoding='utf-8') as file:
        for line in file:
            if not line.startswith('#'):
                break
            key, _, value = line[1:].partition(':')
            header[key.strip()] = value.strip()
    return header


# ---- tables ----


def percent(x, digits=2):
    return '-' if x is None else f'{100 * x:.{digits}f}'


def between(p, figure, scale, digits):
    """A figure with its interval."""
    value, interval = p.get(figure), p.get(f'{figure}_interval')
    if value is None:
        return '-'
    text = f'{scale * value:.{digits}f}'
    if interval and None not in interval:
        text += f' [{scale * interval[0]:.{digits}f}, {scale * interval[1]:.{digits}f}]'
    return text


def table(head, rows):
    lines = ['| ' + ' | '.join(head) + ' |', '|---|' + '--:|' * (len(head) - 1)]
    return '\n'.join(lines + ['| ' + ' | '.join(str(c) for c in row) + ' |' for row in rows])


def by_name(result):
    return {p['name']: p for p in result['predictors']}


def table3(found):
    both = {m: by_name(found['table3', m]) for m in WORDS}
    head = ['predictor'] + [c for m in WORDS.values()
                            for c in (f'{m}: MAPE %', 'median %', "Kendall's tau", 'within 1 %', 'failed')]
    rows = []
    for name in both['U']:
        row = [f'**{name}**' if name == 'tacho' else name]
        for p in (both['U'][name], both['L'][name]):
            row += [between(p, 'mape', 100, 2), percent(p['median']), between(p, 'kendall_tau', 1, 3),
                    percent(p['within_1'], 1), p['failures']]
        rows.append(row)
    return table(head, rows)


def of_group(p, grouping, group):
    return next((g for g in p['groupings'].get(grouping, []) if g['group'] == group), None)


def row4(label, name, both, group=None):
    row = [label]
    for m in WORDS:
        p = both[m][name]
        p = of_group(p, 'content', group) if group else p
        row += ['-', '-'] if p is None else [percent(p['mape']), f"{p['kendall_tau']:.4f}" if p['kendall_tau'] else '-']
    return row


def part_words(name):
    words = name.removeprefix('tacho-').replace('-', ' ').replace('lsd', 'LSD')
    words = words.replace('memory deps', 'dependencies through memory').replace('simple memory', "uiCA's model of memory")
    return words.replace('no ', 'without ', 1) if words.startswith('no ') else f'with {words}'


def table4(found):
    both = {m: by_name(found['table4', m]) for m in WORDS}
    moves = ['tacho-no-move-elimination', 'tacho-full-move-elimination']
    words = {n: part_words(n) for n in both['U'] if n.startswith('tacho-')}
    rows = [row4('**tacho**, all blocks', 'tacho', both)]
    rows += [row4(words[n], n, both) for n in words if n not in moves and n != 'tacho-no-mispredictions']
    rows += [row4('baseline', 'baseline', both), row4('**tacho**, blocks with register moves', 'tacho', both, 'register moves')]
    rows += [row4(words[n], n, both, 'register moves') for n in moves]
    return table(['', 'unrolled: MAPE %', "Kendall's tau", 'loops: MAPE %', "Kendall's tau"], rows)


def groups_table(found, grouping):
    both = {m: by_name(found['table3', m]) for m in WORDS}
    steady = sorted((n for n in both['U'] if re.fullmatch(r'llvm-mca-\d+:steady', n)), reverse=True)
    shown = [n for n in SHOWN + steady[:1] if n in both['U']]
    names = [g['group'] for m in WORDS for g in both[m]['tacho']['groupings'].get(grouping, [])]
    head = [grouping] + [c for m in WORDS.values() for c in [f'{m}: blocks', *shown]]
    rows = []
    for group in dict.fromkeys(names):
        row = [group.replace('_', ' ')]
        for m in WORDS:
            of = [of_group(both[m][n], grouping, group) for n in shown]
            row.append(of[0]['count'] if of[0] else 0)
            row += ['-' if g is None else f"{percent(g['mape'])} ({g['kendall_tau']:.3f})" if g['kendall_tau'] is not None
                    else percent(g['mape']) for g in of]
        rows.append(row)
    return table(head, rows) if rows else ''


def worst_table(found, mode):
    rows = [[f"`{w['hex'][:40]}{'...' if len(w['hex']) > 40 else ''}`", f"{w['measured']:g}", f"{w['predicted']:g}",
             '; '.join(w['asm'][:6]).replace('|', '\\|') + (' ...' if len(w['asm']) > 6 else '')]
            for w in by_name(found['table3', mode])['tacho'].get('worst_blocks', [])]
    return table(['block', 'measured', 'predicted', 'instructions'], rows) if rows else ''


def times_table(found):
    rows = []
    for name, p in by_name(found['table3', 'U']).items():
        other = by_name(found['table3', 'L'])[name]
        if p.get('seconds') is not None:
            rows.append([name] + [f"{1e6 * q['seconds'] / max(1, q['count'] + q['failures']):.3g}" for q in (p, other)])
    return table(['predictor', 'unrolled: µs a block', 'loops: µs a block'], rows) if rows else ''


# ---- sections ----


def left_out(result):
    parts = [f"{x['reason']} {x['count']}" for x in result['left_out']]
    return f"{result['blocks']:,} blocks" + (f" (left out: {', '.join(parts)})" if parts else '')


def origin(found):
    h = found['header']
    if 'processor' not in h:
        return ["**Measured by an independent harness**, not by tacho. Rows that it flags (time depends on registers' "
                'values, accesses alias or cross lines, two passes disagree ...) are left out.']
    return ["**Measured by tacho itself**, so the figures are not independent of its measuring. What was measured, and how:",
            '\n'.join(f'- {k}: {v}' for k, v in h.items() if k not in ('format', 'rows', 'status', 'licence', 'cite'))]


def picture(found, name, words):
    path = found['where'] / name
    return f"![{words}]({found['where'].name}/{name})" if path.exists() else ''


def section(found):
    versions = dict.fromkeys(p['version'] for p in found['table3', 'U']['predictors'] if p.get('version'))
    out = [f"## {found['core']}: {found['name']}", *origin(found),
           '\n'.join(f"- {words}: {left_out(found['table3', m])}" for m, words in WORDS.items()),
           'MAPE is the mean of |measured - predicted| / measured, tau is Kendall\'s tau-b with both numbers rounded to '
           'multiples of 0.02 cycles; in brackets 95 % intervals of bootstrap resamples.',
           '### Table 3: predictors', table3(found),
           'Predictors: ' + '; '.join(versions) + '.' if versions else '']
    for name, what in (('heat_{}.png', 'Measured and predicted cycles, '),):
        out.append('\n'.join(filter(None, (picture(found, name.format(m), what + words) for m, words in WORDS.items()))))
    out += ['### Table 4: what each part of the model is worth', table4(found)]
    for grouping in ('application', 'category', 'length', 'bottleneck'):
        body = groups_table(found, grouping)
        out += [f'### By {grouping}: MAPE % (tau)', body] if body else []
    for m, words in WORDS.items():
        body = worst_table(found, m)
        out += [f"### Largest errors of tacho, {words}", body] if body else []
    body = times_table(found)
    return out + (['### Time of one thread, in this run', body] if body else [])


def host_lines(tacho):
    try:
        findings = json.loads(subprocess.run([tacho, 'doctor', '--json'], capture_output=True, text=True, check=False).stdout)
    except ValueError:
        return ''
    of = {f['id']: f for f in findings['findings']}
    wanted = ['perf_counters', 'core_clock', 'drift', 'hypervisor', 'smt', 'load', 'neighbour']
    return '\n'.join([f"- processor: {findings['processor']}"] +
                     [f"- {of[i]['title']}: {of[i]['value']}" for i in wanted if i in of])


def markdown(sets, notes, kernels, speed, tacho):
    date = subprocess.run(['date', '-u', '+%Y-%m-%d'], capture_output=True, text=True, check=False).stdout.strip()
    version = subprocess.run([tacho, '--version'], capture_output=True, text=True, check=False).stdout.split('\n')[0]
    out = [f'# Predictors of throughput: evaluation of {date}',
           f'Made by `bench/evaluate`, {version}, on this machine (`tacho doctor`):', host_lines(tacho), *notes]
    for found in sets:
        out += section(found)
    if kernels:
        out += ['## Whole kernels', "tacho's own kernels, measured on this machine by tacho itself (`bench/kernels`).",
                kernels]
    if speed:
        out += ['## Speed', 'Beside llvm-mca, on the same blocks (`bench/against-mca`).', speed.strip()]
    return '\n\n'.join(part for part in out if part) + '\n'


# ---- HTML ----

STYLE = '''
:root { color-scheme: light dark; --line: #8884; --soft: #8882; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 84rem; margin: 2rem auto; padding: 0 1rem; }
.wide { overflow-x: auto; margin: 1rem 0; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top; }
th { white-space: nowrap; } th:first-child, td:first-child { text-align: left; } tr:hover td { background: var(--soft); }
td:not(.text) { white-space: nowrap; } td:last-child:not(:first-child).text { text-align: left; }
img { width: 49%; min-width: min(100%, 30rem); background: #fff; border-radius: 4px; } code, pre { font-size: .9em; }
pre { overflow-x: auto; background: var(--soft); padding: .8rem; } nav a { margin-right: 1.2rem; }
'''


def inline(text, where):
    codes = re.split(r'(`[^`]*`)', text)
    for i, part in enumerate(codes):
        if i % 2:
            codes[i] = f'<code>{escaping.escape(part[1:-1])}</code>'
            continue
        part = escaping.escape(re.sub(r'\\([\[\]|_*<>])', r'\1', part), quote=False)
        part = re.sub(r'!\[(.*?)\]\((.*?)\)', lambda m: embedded(m[1], where / m[2]), part)
        part = re.sub(r'\[([^\]]*)\]\(([^)]*)\)', r'<a href="\2">\1</a>', part)
        codes[i] = re.sub(r'\*\*(.+?)\*\*', r'<b>\1</b>', part)
    return ''.join(codes)


def embedded(words, path):
    if not path.exists():
        return words
    kind = 'svg+xml' if path.suffix == '.svg' else 'png'
    data = base64.b64encode(path.read_bytes()).decode()
    return f'<img alt="{escaping.escape(words)}" src="data:image/{kind};base64,{data}">'


def cells(line):
    return [c.strip() for c in re.split(r'(?<!\\)\|', line.strip().strip('|'))]


def html_table(lines, where):
    body = ['<tr>' + ''.join(f'<th>{inline(c, where)}</th>' for c in cells(lines[0])) + '</tr>']
    for line in lines[2:]:
        body.append('<tr>' + ''.join(f'<td{is_text(c)}>{inline(c, where)}</td>' for c in cells(line)) + '</tr>')
    return '<div class="wide"><table>' + '\n'.join(body) + '</table></div>'


def is_text(cell):
    return ' class="text"' if re.search('[a-z]{2}.* ', cell) else ''


def slug(words):
    return re.sub('[^a-z0-9]+', '-', words.lower()).strip('-')


def block(text, where):
    lines = text.split('\n')
    head = re.match(r'(#+) (.*)', lines[0])
    if head:
        rest = '\n'.join(lines[1:]).strip()
        n = len(head[1])
        return f'<h{n} id="{slug(head[2])}">{inline(head[2], where)}</h{n}>' + (block(rest, where) if rest else '')
    if lines[0].startswith('```'):
        return '<pre>' + escaping.escape('\n'.join(lines[1:]).removesuffix('```').strip()) + '</pre>'
    if lines[0].startswith('|'):
        return html_table(lines, where)
    if lines[0].startswith('- '):
        items = re.split(r'^- ', text, flags=re.MULTILINE)[1:]
        return '<ul>' + ''.join(f'<li>{inline(i.strip(), where)}</li>' for i in items) + '</ul>'
    return f'<p>{inline(text, where)}</p>'


def html(text, where):
    """The Markdown that this module writes (not any), as one page with its pictures in it."""
    where = pathlib.Path(where)
    parts = re.findall(r'```.*?```|(?:[^\n]|\n(?!\n))+', text, re.DOTALL)
    heads = re.findall(r'^## (.*)$', text, re.MULTILINE)
    nav = '<nav>' + ''.join(f'<a href="#{slug(h)}">{escaping.escape(h)}</a>' for h in heads) + '</nav>'
    body = [block(p.strip('\n'), where) for p in parts if p.strip()]
    title = re.match(r'# (.*)', text)[1]
    return ('<!doctype html>\n<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">\n'
            f'<title>{escaping.escape(title)}</title>\n<style>{STYLE}</style>\n{body[0]}\n{nav}\n' + '\n'.join(body[1:]) +
            '\n</html>\n')
