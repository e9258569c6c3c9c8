#!/usr/bin/env python3
"""Checks that nobody above src/x86 knows an instruction by the text of its mnemonic: that is decided once, at
decoding (src/x86/decode/ops.h). Names are asked for where they are shown, or compared with what a user typed."""
import pathlib
import re
import sys

ROOMS = ["model", "binary", "machine", "study", "program", "learn", "app"]
NAMES_ASKED = {  # why a file may ask for the name of a mnemonic
    "src/app/report/units.c": "shows it",
    "src/program/hot/diff_why.c": "writes them into sentences",
}
top = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
failures = 0


def fail(path, text, what):
    global failures
    failures += 1
    print(f"failed: {path}: {text}: {what}")


def mnemonics():
    """Of the forms' names: "ADD_01 (R64, M64)", "LOCK ADD (...)", "{evex} ..."; of no more than a letter are none."""
    names = set()
    for line in (top / "data" / "forms.txt").read_text().splitlines():
        found = re.match(r"([A-Z][A-Z0-9]+)", line)
        if found:
            names.add(found.group(1))
    return names


def check(path, name, known):
    text = path.read_text()
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    if name not in NAMES_ASKED and re.search(r"\btacho_mnemonic_(name|find)\b|\btacho_gen_mnemonic", text):
        fail(name, "asks for the name of a mnemonic", "ask for the operation or a family (x86/decode/ops.h)")
    for literal in re.findall(r'"((?:[^"\\\n]|\\.)*)"', text):
        if literal in known:
            fail(name, f'"{literal}"', "this is a mnemonic as text")


known = mnemonics()
if not {"ADD", "VPXOR", "JZ", "CMP", "MOVSXD"} <= known:
    fail("data/forms.txt", len(known), "the mnemonics were not understood")
count = 0
for room in ROOMS:
    for path in sorted((top / "src" / room).rglob("*.[ch]")):
        check(path, str(path.relative_to(top)), known)
        count += 1
if count < 300:
    fail("src", count, "so few files were seen")
for name in NAMES_ASKED:
    if "tacho_mnemonic_name" not in (top / name).read_text():
        fail(name, "does not ask for names", "take it off the list")
print(f"{failures} failures")
sys.exit(failures > 0)
