#!/usr/bin/env python3
"""lint.py SOURCE: the transcripts of tests/cli show nothing of the host on which they were written. A core's name in an
output stands in its command, or in one before it in that file (or the command lists all); no output has a frequency or a
cache's size, or says what this machine is, unless the command cuts that out of what is the same on each host."""
import pathlib
import re
import sys

CORE = re.compile(r"\b(SNB|IVB|HSW|BDW|SKL|SKX|KBL|CFL|CLX|ICL|ICX|TGL|RKL|ADL|SPR|MTL|GNR|ZEN[2-5])\b")
# What an output may have only where its command has a reason for it; a description of memory says all by itself.
SAYS = {
    r"[Tt]his (machine|processor) is (not )?[A-Z]": "TACHO_TEST_HOST",
    r"\b[0-9.]+ [GM]Hz\b": r"TACHO_TEST_HOST|--metric|--arch-file|memories/",
    r"\b[0-9]+ [KM]i?B\b.*\b(L[123]|cache)\b|\b(L[123]|cache)\b.*\b[0-9]+ [KM]i?B\b": "TACHO_TEST_HOST|memories/",
}
ALL = re.compile(r"\ball\b|arch --list|--list|arch$")
LISTS = re.compile(r": for |no microarchitecture|nearest: |known are |did you mean")  # messages that list cores
DEFAULTS = {"cluster.t": {"HSW"}, "explorer.t": {"ZEN4"}, "memory.t": {"SKX"}}  # on any host: as the paper has it; of -march=znver4; of memories/
BAD = """  $ tacho predict --hex 90 --also-predict
  0.25 cycles per iteration on ZEN5
  $ tacho doctor
  clock: 3.4 GHz
  $ tacho measure --hex 90
  tacho: note: this machine is not ZEN5, which is predicted
"""


def commands(text):
    at, command, output = 0, "", []
    for number, line in enumerate(text.splitlines() + ["  $ "], 1):
        if line.startswith("  $ "):
            yield at, command, output
            at, command, output = number, line[4:], []
        elif line.startswith("  "):
            output.append(line)


def faults(text, known):
    """(line number, what is wrong). Grows `known`, the names of cores."""
    for at, command, output in commands(text):
        known |= {name.upper() for name in re.findall(r"\w+", command)}
        for line in output:
            if not ALL.search(command) and not LISTS.search(line):
                for core in CORE.findall(line):
                    if core not in known:
                        yield at, f"{core} is shown, and no command has named it: {line.strip()}"
            for words, reason in SAYS.items():
                if re.search(words, line) and not re.search(reason, command):
                    yield at, f"the host is shown: {line.strip()}"


def main():
    failures = 0
    if {at for at, _ in faults(BAD, set())} != {1, 3, 5}:
        sys.exit("failed: the lint does not see what is wrong in its own example")
    for path in sorted((pathlib.Path(sys.argv[1]) / "tests" / "cli").glob("*.t")):
        for at, what in faults(path.read_text(), DEFAULTS.get(path.name, set())):
            failures += 1
            print(f"failed: {path.name}:{at}: {what}")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
