"""pane_lists.py PROGRAM TACHO COUNT SEED: made-up lists of arguments for the program of Compiler Explorer, in a folder of their own:
nothing is run, nothing is written, and no file is read but page.s. A seed makes the same lists each time.
"""

import pathlib
import random
import re
import subprocess
import sys
import tempfile

PANE, TACHO, COUNT, SEED = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
PAGE = "f: xorl %eax, %eax\n1: addl (%rdi), %eax\naddq $4, %rdi\ncmpq %rdx, %rdi\njne 1b\nret\n"
choose = random.Random(SEED)
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    evil = folder / "evil"
    files = {"page.s": PAGE, "secret": "classified\n", "own.tacho": "inherit SKL\n", "evil": f"#!/bin/sh\ntouch {folder}/ran\n"}
    for file, text in files.items():
        (folder / file).write_text(text)
    evil.chmod(0o755)
    help_text = subprocess.run([TACHO, "predict", "--help"], capture_output=True, text=True, check=True).stdout
    options = sorted(set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", help_text)))
    assert len(options) > 60, options
    values = ["secret", "./secret", f"{folder}/secret", "own.tacho", str(evil), "out.html", "/dev/stdin", "-", "--", "", "SKL", "ICX,HSW",
              "all", "0", "1", "7", "f", "loop", "intel", "x" * 300, "rax=1", "a=b", "%s%n", "$(touch ran)", "../../etc/passwd", "@secret"]

    def made_up():
        out = []
        for _ in range(choose.randint(1, 3)):
            option, value = choose.choice(options), choose.choice(values)
            out += choose.choice([[option], [option, value], [f"{option}={value}"], [value], [option[:choose.randint(1, len(option))], value]])
        return out

    ended = {}
    for number in range(COUNT):
        words = made_up()
        done = subprocess.run([PANE, "predict", "--explorer", *words, "page.s"], cwd=folder, capture_output=True, stdin=subprocess.DEVNULL,
                              timeout=60, env={"PATH": f"{folder}:/usr/bin:/bin", "LC_ALL": "C"})
        said = done.stdout + done.stderr
        ended[done.returncode] = ended.get(done.returncode, 0) + 1
        now = {f.name: f.read_text() for f in folder.iterdir()}
        wrong = ("files were written" if now != files else "another file was read" if b"classified" in said else
                 f"status {done.returncode}" if done.returncode not in (0, 1, 2, 3) else
                 "no single line" if done.returncode == 2 and said.count(b"\n") != 1 else None)
        if wrong:
            sys.exit(f"failed: list {number} of seed {SEED}, {words}: {wrong}:\n{said.decode(errors='replace')[:500]}")
    print(f"{COUNT} lists: {dict(sorted(ended.items()))}")
    assert ended.get(0, 0) >= COUNT // 100 and ended.get(2, 0) >= COUNT // 4, "the lists do not try enough"
