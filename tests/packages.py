#!/usr/bin/env python3
"""packages.py SOURCE BUILD: each file that is installed is in one of the Debian packages, and only one; each pattern of
debian/*.install finds something; and the packages are named as the libraries' SONAMEs want it."""
import fnmatch
import json
import pathlib
import re
import subprocess
import sys

source, build = map(pathlib.Path, sys.argv[1:3])


def introspect(what):
    return json.loads(subprocess.run(["meson", "introspect", what, str(build)], check=True, capture_output=True).stdout)


options = {option["name"]: option["value"] for option in introspect("--buildoptions")}


def in_package(path):
    """Where Debian has it: its libraries' folder, whatever that of this build is."""
    inside = pathlib.Path(path).relative_to(options["prefix"])
    if inside.is_relative_to(options["libdir"]):
        inside = "lib/x86_64-linux-gnu" / inside.relative_to(options["libdir"])
    return f"usr/{inside}"


installed = sorted(map(in_package, introspect("--installed").values()))
patterns = [(file.stem, line) for file in sorted((source / "debian").glob("*.install"))
            for line in file.read_text().split()]
failures = 0


def fail(text):
    global failures
    failures += 1
    print("failed:", text)


def takes(pattern, path):
    """dh_install takes a folder whole; `*` does not go beyond it."""
    parts, wanted = path.split("/"), pattern.split("/")
    return len(parts) >= len(wanted) and all(map(fnmatch.fnmatchcase, parts, wanted))


for path in installed:
    packages = {package for package, pattern in patterns if takes(pattern, path)}
    if len(packages) != 1:
        fail(f"{path} is in {len(packages)} packages: {', '.join(sorted(packages)) or 'add it to debian/*.install'}")
for package, pattern in patterns:
    # Of the Python package there is nothing where it is not built.
    if not any(takes(pattern, path) for path in installed) and "python" not in pattern:
        fail(f"debian/{package}.install: nothing is installed as {pattern}")
number = introspect("--projectinfo")["version"].split(".")[0]
named = re.findall(r"^Package: lib[a-z-]*?(\d+)$", (source / "debian/control").read_text(), re.M)
if not named or set(named) != {number}:
    fail(f"debian/control: libraries' packages end in {named}, their SONAMEs in {number}")
print(f"{len(installed)} files, {len(patterns)} patterns, {failures} failures")
sys.exit(failures != 0)
