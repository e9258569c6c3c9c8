#!/usr/bin/env python3
"""Checks the layout of src: includes lead to the same room or to one before it, modules of a room do not include each
other, and no file name stands twice."""
import collections
import pathlib
import re
import sys

ROOMS = ["base", "x86", "model", "binary", "machine", "study", "program", "learn", "app"]  # in reading order
PUBLIC = {  # the rooms of the headers in include/tacho
    "base": "error options version",
    "x86": "arch assemble decode extension insndb",
    "model": "deps explain predict state trace",
    "binary": "code extract loops",
    "machine": "characterise doctor measure memory trial",
    "study": "cluster deps_run eval kernels loop_data models stats suite",
    "program": "bias compare hot hot_causal hot_causes hot_diff hot_memory hot_threads",
    "learn": "learn",
    "app": "tacho tools",  # all of them
}
CIRCLES = {}  # modules of a room that include each other, and why; none do
top = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
failures = 0


def fail(text):
    global failures
    failures += 1
    print("failed:", text)


def files(*endings):
    skipped = {".git", "corpus", "subprojects"}
    for path in sorted(top.rglob("*")):
        parts = path.relative_to(top).parts
        if path.suffix in endings and not skipped & set(parts) and not any(p.startswith("build") and p != "build.c" for p in parts):
            yield path


def includes(path):
    return re.findall(r'^#include "([^"]+)"', path.read_text(), re.M)


def room_of_public(name):
    for number, room in enumerate(ROOMS):
        if name.removesuffix(".h") in PUBLIC[room].split():
            return number
    fail(f"include/tacho/{name} has no room")
    return len(ROOMS)


def check_public():
    for path in (top / "include" / "tacho").glob("*.h"):
        room = room_of_public(path.name)
        for included in includes(path):
            if room_of_public(included.removeprefix("tacho/")) > room:
                fail(f"{path}: {included} is of a later room")


def check_rooms():
    rooms = {p.name for p in (top / "src").iterdir() if p.is_dir()}
    if rooms != set(ROOMS):
        fail(f"the rooms of src are {sorted(rooms)}")
    count = 0
    for path in (top / "src").rglob("*.[ch]"):
        room = ROOMS.index(path.relative_to(top / "src").parts[0])
        for included in includes(path):
            other = included.split("/")[0]
            if other == "tacho":
                if room_of_public(included.removeprefix("tacho/")) > room:
                    fail(f"{path}: {included} is of a later room")
                continue
            count += 1
            if "/" not in included and (top / "kernels" / included).exists():
                continue  # of the kernels' own runtime
            if other not in ROOMS:
                fail(f"{path}: {included} does not begin with a room")
            elif ROOMS.index(other) > room:
                fail(f"{path}: {included} is in a later room")
    if count < 500:
        fail(f"only {count} includes were seen")


def led_to(module, leads):
    """The modules that a module's headers come from, and those that theirs do."""
    found, wanted = set(), [module]
    while wanted:
        new = leads[wanted.pop()] - found
        found |= new
        wanted += new
    return found


def check_circles():
    """Modules of a room do not include each other."""
    leads = collections.defaultdict(set)
    for path in (top / "src").rglob("*.[ch]"):
        own = path.relative_to(top / "src").parts[:2]
        for included in includes(path):
            other = tuple(included.split("/")[:2])
            if other[0] == own[0] and other != own and included.count("/") >= 2:
                leads[own].add(other)
    reached = {module: led_to(module, leads) for module in list(leads)}
    circles = {" ".join([m[0], *sorted({m[1]} | {o[1] for o in r if m in reached.get(o, ())})]) for m, r in reached.items() if m in r}
    for circle in circles - set(CIRCLES):
        fail(f"modules of a room that include each other: {circle}")
    for circle in set(CIRCLES) - circles:
        fail(f"no longer a circle: {circle}")


def check_names():
    places = collections.defaultdict(list)
    for path in files(".c", ".h", ".py", ".sh", ".js", ".css"):
        places[path.name].append(str(path))
    for name, paths in places.items():
        if len(paths) > 1:
            fail(f"one name for several files: {' '.join(paths)}")


def check_stages():
    """From bytes to µops: no stage knows of the memory of instructions, which stands around them (block.h)."""
    around = {"block.c", "cache.h", "cache.c", "cache_parts.h", "kept.c"}
    block = top / "src" / "model" / "block"
    for path in block.glob("*.[ch]"):
        if path.name not in around and any("cache" in included for included in includes(path)):
            fail(f"{path}: a stage that knows of the memory of instructions")
    if not any("cache.h" in included for included in includes(block / "block.c")):
        fail("block.c does not ask the memory of instructions")


check_public()
check_rooms()
check_circles()
check_stages()
check_names()
print(f"{failures} failures")
sys.exit(failures > 0)
