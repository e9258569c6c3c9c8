#!/usr/bin/env python3
"""measurements.py SOURCE TACHO: the files of measurements/ are as bench/measurements wants them; it finds what is
wrong with broken ones; and what it makes of a suite and its measurements is right."""
import gzip
import pathlib
import subprocess
import sys
import tempfile

source, tacho = pathlib.Path(sys.argv[1]), sys.argv[2]
tool = source / "bench" / "measurements"
failures = 0


def fail(text):
    global failures
    failures += 1
    print("failed:", text)


def run(*arguments):
    done = subprocess.run([sys.executable, str(tool), *map(str, arguments)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def write(path, text):
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
    return path


published = sorted((source / "measurements").glob("*.csv.gz"))
code, said = run("check", tacho, *published)
if code:
    fail(said)
if sum(f.stat().st_size for f in published) > 1_500_000:
    fail("measurements/ has more than 1.5 MB")
page = (source / "measurements" / "README.md").read_text()
for file in published:
    rows = next(line for line in gzip.open(file, "rt") if line.startswith("# rows:")).split(":")[1].strip()
    if f"| `{file.name}` |" not in page or f"{int(rows):,}" not in page:
        fail(f"measurements/README.md has no row for {file.name} with its {rows} blocks")

SUITE = "hex,app\n4801d8,a;b\n90,a\n4801d84801d8,b\n"
MEASURED = ("hex,cycles,uncertainty,status,clock,notes,error,mode\n4801d8,1.0001,0.001,ok,tsc-calibrated,,,unroll\n"
            "90,0.3,0.2,unstable,tsc-calibrated,noisy,,unroll\n4801d84801d8,,,crashed,tsc-calibrated,,x,unroll\n")

with tempfile.TemporaryDirectory() as folder:
    tmp = pathlib.Path(folder)
    (tmp / "suite.csv").write_text(SUITE)
    (tmp / "measured.csv").write_text(MEASURED)
    made = tmp / "made.csv.gz"
    code, said = run("make", tacho, tmp / "suite.csv", tmp / "measured.csv", "-o", made, "--set", "core=ZEN5",
                     "--set", "family=26", "--set", "model=2", "--set", "stepping=1", "--set", "microcode=0x1")
    if code:
        fail(said)
    code, said = run("check", tacho, made)
    if code or said != "made.csv.gz: 3 rows, ZEN5, unroll: ok 1, unstable 1, crashed 1\n":
        fail(f"made.csv.gz: {said}")
    good = gzip.decompress(made.read_bytes()).decode()
    if "\n4801d8,a;b,1.0001,0.001,ok,\n90,a,0.3,0.2,unstable,noisy\n4801d84801d8,b,,,crashed,\n" not in good:
        fail(f"rows are not as they were: {good}")
    BROKEN = [
        ("# core: ZEN5\n", "", "keys are not those wanted: core"),
        ("# date: 2", "# date: x2", "the header's date"),
        ("# rows: 3", "# rows: 4", "3 rows, and the header says 4"),
        ("ok 1, unstable 1", "ok 2", "the header says ok 2, crashed 1"),
        ("hex,app,cycles", "hex,cycles,app", "the columns are"),
        ("90,a,0.3", "4801d8,a,0.3", "stands twice"),
        ("90,a,0.3", "06,a,0.3", "06: "),
        ("1.0001,", "-1,", "cycles '-1'"),
        ("1.0001,0.001,ok", ",,ok", "cycles and uncertainty are there"),
        (",,,crashed", ",1,0.1,crashed", "cycles and uncertainty are there"),
        ("unstable,noisy", "wobbly,noisy", "status 'wobbly'"),
        ("90,a,0.3,", "90,a,", "fields are missing"),
        ("90,a,0.3,", "90,a,much,", "could not convert"),
    ]
    for old, new, message in BROKEN:
        if old not in good:
            fail(f"'{old}' is not in the file")
        code, said = run("check", tacho, write(tmp / "broken.csv.gz", good.replace(old, new, 1)))
        if code != 1 or message not in said:
            fail(f"{old} -> {new}: status {code}: {said}")
    (tmp / "cut.csv.gz").write_bytes(made.read_bytes()[:-20])
    code, said = run("check", tacho, tmp / "cut.csv.gz", made)
    if code != 1 or "cut.csv.gz: wrong" not in said or "made.csv.gz: 3 rows" not in said:
        fail(f"cut off: status {code}: {said}")
    (tmp / "suite.csv").write_text(SUITE.replace("90,a", "f390,a"))
    code, said = run("make", tacho, tmp / "suite.csv", tmp / "measured.csv", "-o", tmp / "other.csv.gz")
    if code != 1 or "not of this suite" not in said or (tmp / "other.csv.gz").exists():
        fail(f"another suite: status {code}: {said}")
sys.exit(failures > 0)
