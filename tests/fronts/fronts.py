"""fronts.py [--update] PROGRAM EXPLORER SOURCE [--python PYTHON MODULE] [--package FOLDER]: what each front says of the same texts.

The program, Python, npm, the playground (its worker, in Node) and the program for Compiler Explorer take the same loops or
regions of a text, in the same order, with the same cycles, and refuse with the same words. What they agree on is table.txt,
which --update writes; a front that is not built here is skipped, and said to be.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
ARGS = sys.argv[1:]
UPDATE = "--update" in ARGS
failures = 0


def option(name, count):
    if name not in ARGS:
        return None
    at = ARGS.index(name)
    return [ARGS.pop(at + 1) for _ in range(count)]


def long_text():
    """2,000 lines: functions of ten lines, each with a loop that differs from the others' in its length."""
    lines = []
    for i in range(200):
        lines += [f"f{i}:", "\txorl %eax, %eax", f".L{i}:"]
        lines += ["\timulq %rbx, %rbx" if k < i % 4 else "\taddq $1, %rdx" for k in range(4)]
        lines += ["\tdecq %rdi", f"\tjne .L{i}", "\tret"]
    return "\n".join(lines) + "\n"


def inputs():
    def text(name):
        return (HERE / "inputs" / name).read_text()
    one_loop = re.sub("# LLVM-MCA.*\n", "", (SOURCE / "examples/dot.s").read_text())
    return [
        ("one loop", one_loop, "SKL"),
        ("three functions", text("three-functions.s"), "SKL"),
        ("markers", text("markers.s"), "SKL"),
        ("objdump -d", text("objdump.txt"), "SKL"),
        ("perf annotate", text("perf-annotate.txt"), "SKL"),
        ("Intel's syntax", text("intel.s"), "SKL"),
        ("MSVC", text("msvc.asm"), "SKL"),
        ("wrong text", text("wrong.s"), "SKL"),
        ("C", text("c-code.txt"), "SKL"),
        ("empty", text("empty.s"), "SKL"),
        ("2,000 lines", long_text(), "SKL"),
        ("what the core lacks", text("avx512.s"), "SKL"),
        ("an unknown core", one_loop, "PDP11"),
    ]


def run(*command):
    env = {**os.environ, "LC_ALL": "C", "NO_COLOR": "1"}
    return subprocess.run(command, capture_output=True, text=True, env=env)


def plain(message, name=""):
    """An error without what only this front has: the file's name, and where the program is told to be run."""
    message = message.strip().removeprefix("tacho: ").removeprefix(f"{name}: ")
    message = re.sub(r"; known are .*", "", message)
    message = re.sub(r"^offset 0x[0-9a-f]+: ", "", message)
    message = re.sub(r"( has no [^:]*): .*", r"\1", message)  # the instruction, and the option of this front
    if language := re.match(r"this is [^,;:]*", message):  # how it is compiled each says its own way
        return language[0]
    return message


def program(exe, path, text, core):
    """All parts: (line, cycles)."""
    done = run(exe, "predict", str(path), "-a", core, "--json", "--top", "0", "--assembler", "own")
    if done.returncode not in (0, 3):
        return {"error": plain(done.stderr, path)}
    found = json.loads(done.stdout)
    found = found if isinstance(found, list) else [found]
    return {"parts": [(p["line"], p["cycles"]) for p in found]}


def explorer(exe, path, text, core):
    """The cycles of the parts that it has room for."""
    done = run(exe, "predict", "--explorer", "-a", core, str(path))
    if done.returncode not in (0, 3):
        return {"error": plain(done.stdout + done.stderr, path)}
    return {"first": [float(c) for c in re.findall(r"^([\d.]+) cycles? per iteration on", done.stdout, re.M)]}


def python(found, texts):
    """All parts, in a process of the module's own Python."""
    code = """
import json, sys, tacho
def of(text, core):
    try:
        taken = tacho.predict(text, core)
        parts = tacho.parts(text)
        return {"parts": [(p.lines[0], tacho.predict(p, core).cycles) for p in parts], "taken": taken.cycles, "said": taken.warnings}
    except tacho.TachoError as e:
        return {"error": str(e)}
print(json.dumps([of(*x) for x in json.load(open(sys.argv[1]))]))
"""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "tacho").mkdir()
        for file in [*(SOURCE / "python/tacho").glob("*.py"), pathlib.Path(found[1])]:
            os.symlink(file.resolve(), pathlib.Path(folder) / "tacho" / file.name)
        done = subprocess.run([found[0], "-c", code, texts], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"})
    if done.returncode:
        sys.exit(done.stderr)
    return [{**a, "error": plain(a["error"])} if "error" in a else a for a in json.loads(done.stdout)]


def node(package, texts):
    """The part that is taken without a choice, and what is said of it."""
    done = run("node", str(HERE / "fronts.mjs"), package, str(SOURCE), texts)
    if done.returncode:
        sys.exit(done.stderr)
    return {front: [{"error": plain(a["error"])} if a.get("error") else
                    {"taken": a["result"]["cycles"], "said": a["result"]["warnings"]} for a in answers]
            for front, answers in json.loads(done.stdout).items()}


def same(a, b):
    return a is not None and b is not None and abs(a - b) < 0.006


def check(what, fine, *shown):
    global failures
    if not fine:
        failures += 1
        print(f"failed: {what}:", *shown)


def compare(name, answers):
    """All fronts against the program."""
    asked = answers["program"]
    for front, answer in answers.items():
        what = f"{name}: {front}"
        check(what, asked.get("error") == answer.get("error"), asked.get("error"), "!=", answer.get("error"))
        if "error" in asked or "error" in answer:
            continue
        cycles = [c for _, c in asked["parts"]]
        if "parts" in answer:
            # the program's line of a part without loop or marker is the text's first
            lines = [(a[0], b[0]) for a, b in zip(asked["parts"], answer["parts"]) if len(cycles) > 1]
            check(what, len(cycles) == len(answer["parts"]) and all(a == b or "marker" in name for a, b in lines), asked, answer)
            check(what, all(same(a, b[1]) for a, b in zip(cycles, answer["parts"])), asked, answer)
        if "taken" in answer:
            check(what, same(answer["taken"], cycles[0]), answer["taken"], cycles[0])
            several = [s for s in answer["said"] if "of its" in s or "of 2 regions" in s]
            check(what, (len(cycles) > 1) == bool(several), len(cycles), answer["said"])
        if "first" in answer:
            first = answer["first"]
            check(what, first and all(same(a, b) for a, b in zip(first, cycles)), first, cycles[:10])
    said = [(front, a["said"]) for front, a in answers.items() if "said" in a]
    for front, sentences in said[1:]:
        check(f"{name}: {front} and {said[0][0]}", list(sentences[:1]) == list(said[0][1][:1]), sentences, said[0][1])


def row(name, asked):
    if "error" in asked:
        return f"| {name} | | | {asked['error']} |"
    parts = asked["parts"]
    return f"| {name} | {len(parts)} | {parts[0][1]:.2f} | |"


python_found, package = option("--python", 2), option("--package", 1)
EXE, PANE, SOURCE = [a for a in ARGS if not a.startswith("--")]
SOURCE = pathlib.Path(SOURCE)
table = ["| text | parts | cycles of the first | else |", "|---|---|---|---|"]
with tempfile.TemporaryDirectory() as folder:
    texts = pathlib.Path(folder) / "texts.json"
    texts.write_text(json.dumps([(t, core) for _, t, core in inputs()]))
    fronts = {}
    if python_found:
        fronts["Python"] = python(python_found, texts)
    else:
        print("skipped: Python, which is not built here")
    if package and shutil.which("node"):
        fronts.update(node(package[0], texts))
    else:
        print("skipped: npm and the playground, which need Node and a build with WebAssembly")
    for number, (name, text, core) in enumerate(inputs()):
        path = pathlib.Path(folder) / "text.s"
        path.write_text(text)
        answers = {"program": program(EXE, path, text, core), "explorer": explorer(PANE, path, text, core),
                   **{front: of[number] for front, of in fronts.items()}}
        compare(name, answers)
        table.append(row(name, answers["program"]))
written = "\n".join(table) + "\n"
if UPDATE:
    (HERE / "table.txt").write_text(written)
elif written != (HERE / "table.txt").read_text():
    check("table.txt", False, "is not what was found now:\n" + written)
print(f"{len(table) - 2} texts, {2 + len(fronts)} fronts, {failures} failures")
sys.exit(failures > 0)
