#!/usr/bin/env python3
"""version.py SOURCE VERSION: what says a version by itself says that of meson.build: the first section of
NEWS.md, debian/changelog, and CITATION.cff. The rest (libraries, manual pages, packages of
Python and npm) takes it from the build."""
import pathlib
import re
import sys

source, version = pathlib.Path(sys.argv[1]), sys.argv[2]
SAYS = {
    "NEWS.md": r"^## (\S+) \(",
    "debian/changelog": r"^tacho \(([^)]*)\)",
    "CITATION.cff": r"^version: *\"?([^\s\"]+)",
}
failures = 0
for name, pattern in SAYS.items():
    found = re.search(pattern, (source / name).read_text(), re.M)
    if not found or found[1] != version:
        failures += 1
        print(f"failed: {name} says {found[1] if found else 'no version'}, meson.build {version}")
for page in sorted((source / "man").glob("*.[1-9]")):
    if '"tacho @version@"' not in page.read_text().splitlines()[0]:
        failures += 1
        print(f"failed: {page.name}: its first line does not take the version (\"tacho @version@\")")
sys.exit(failures > 0)
