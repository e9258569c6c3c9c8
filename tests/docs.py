#!/usr/bin/env python3
"""docs.py ROOT: Markdown has at most 100 columns, and what the documents name exists: files, links, headings, names
of the source with an underscore; and a name that is said to be in a file is. Drawings suit light and dark pages.

A table row cannot be wrapped and may have 160 columns, as may a line of code; a longer row becomes a list.
A file that is named without its folder (`steady.c`) exists somewhere in the tree. Comments and tables of tests
that refer to a page (doc/ACCURACY) are looked at, too, and files that comments of the source name."""
import functools
import pathlib
import re
import sys
import xml.etree.ElementTree

top = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
SKIPPED = {".git", ".cache", "corpus", "subprojects"}
ROOMS = "base|x86|model|binary|machine|study|program|learn|app"
FOLDERS = "src|tests|doc|data|gen|bench|fuzz|include|examples|kernels|man"
PLACEHOLDER = re.compile(r"\b(NAME|ARCH|ROOM|TARGET|DIR|FILE|NEW|N|X)\b|[*<>{}%]|\.\.\.")
# Files that a reader makes, or that another project has.
NOT_OURS = {"a.c", "b.c", "main.c", "name.c", "program.c", "f.c", "file.c", "my.c", "x.c", "kernel.c", "foo.c"}
failures = 0


def fail(path, number, text):
    global failures
    failures += 1
    print(f"failed: {path.relative_to(top)}:{number}: {text}")


def files():
    for path in sorted(top.rglob("*")):
        parts = path.relative_to(top).parts
        if not SKIPPED & set(parts) and not parts[0].startswith("build") and path.is_file():
            yield path


@functools.cache
def built():
    """What the build makes of bench/ and gen/: programs that are named like files there."""
    builds = "".join(path.read_text() for path in files() if path.name == "meson.build")
    return set(re.findall(r"executable\('([\w-]+)'", builds))


def is_there(name):
    ends_well = any((top / (name + end)).exists() for end in ("", ".md"))
    return ends_well or (name.startswith(("bench/", "gen/")) and name.rpartition("/")[2] in built())


@functools.cache
def names_of_files():
    return {path.name for path in files()}


def check_width(path, number, line, in_code):
    table = re.match(r"\s*\|", line)
    limit = 160 if table or in_code else 100
    if len(line) > limit:
        fail(path, number, f"{len(line)} columns, at most {limit}" + (": make it a list" if table else ""))


def slug(heading):
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def headings(path):
    return {slug(line.lstrip("#")) for line in path.read_text().splitlines() if line.startswith("#")}


def check_links(path, number, line):
    for target in re.findall(r"\]\(([^)\s]+)\)", line):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        other = (path.parent / file).resolve() if file else path
        if not other.exists():
            fail(path, number, f"a link leads to {target}, which is not there")
        elif anchor and anchor not in headings(other):
            fail(path, number, f"{other.name} has no heading #{anchor}")


def check_paths(path, number, line):
    line = re.sub(r"\]\([^)]*\)", "]", line)
    for name in re.findall(rf"(?<![\w./-])((?:{FOLDERS})/[\w./+*<>{{}}%-]*)", line):
        name = name.rstrip(".")
        if not PLACEHOLDER.search(name) and not is_there(name):
            fail(path, number, f"there is no {name}")
    for name in re.findall(rf"(?<![\w./-])((?:{ROOMS})/[\w./-]*\w\.[ch])\b", line):
        if not (top / "src" / name).exists():
            fail(path, number, f"there is no src/{name}")
    for name in re.findall(r"(?<![\w./-])([\w-]+\.[ch])\b", line):
        if name not in names_of_files() and name not in NOT_OURS and not PLACEHOLDER.search(name.replace("_", " ")):
            fail(path, number, f"no file is called {name}")


@functools.cache
def names_in_source():
    sources = (path for path in files() if path.suffix in {".c", ".h", ".py", ".sh", ".build", ".txt", ".map"})
    names = {name for path in sources for name in re.findall(r"\w+", path.read_text(errors="replace"))}
    return names | {f"{name[:-8]}_options_init" for name in names if name.endswith("_options")}  # a macro makes them


def check_names(path, number, line):
    for name in re.findall(r"`([a-z]\w*_\w+)(?:\(\))?`", line):
        if name not in names_in_source() and not PLACEHOLDER.search(name.replace("_", " ")):
            fail(path, number, f"nothing in the source is called {name}")
    for names, file in re.findall(r"((?:`\w+`(?:, | and )?)+) in \[[^]]*\]\(([^)#]+\.[ch])\)", line):
        text = (path.parent / file).read_text() if (path.parent / file).exists() else ""
        for name in re.findall(r"\w+", names.replace(" and ", " ")):
            if not re.search(rf"\b{name}\b", text):
                fail(path, number, f"{name} is not in {file}")


def check_page(path):
    fenced = False
    if "$TMP" in path.read_text() and "$ TMP=${TMP:-" not in path.read_text():
        fail(path, 1, "$TMP is used, and not set where a reader would: $ TMP=${TMP:-$(mktemp -d)}")
    for number, line in enumerate(path.read_text().splitlines(), 1):
        fence = re.match(r"\s*(```|~~~)", line)
        fenced ^= bool(fence)
        in_code = fenced or bool(fence) or line.startswith("    ")
        check_width(path, number, line, in_code)
        if not in_code:
            check_links(path, number, line)
            check_paths(path, number, line)
            check_names(path, number, line)


def check_comments(path):
    """A comment that names a file without its folder means one beside it, or else one by its whole name."""
    beside = {other.name for other in path.parent.iterdir()}
    text = path.read_text()
    for token in re.finditer(r"""'\\?.'|"(?:\\.|[^"\\\n])*"|/\*.*?\*/""", text, re.DOTALL):
        for name in re.findall(r"(?<![\w./<-])([a-z][\w-]*\.[ch])\b", token[0] if token[0].startswith("/*") else ""):
            known = name in names_of_files() | NOT_OURS and not any(other.endswith("_" + name) for other in beside)
            if name not in beside and not known:
                fail(path, text.count("\n", 0, token.start()) + 1, f"a comment names {name}, which is not there")


def check_references(path):
    try:
        lines = path.read_text().splitlines()
    except UnicodeDecodeError:
        return
    for number, line in enumerate(lines, 1):
        for name in re.findall(r"\bdoc/((?:rooms/)?[A-Za-z][\w-]*(?:\.[a-z]+)?)", line.replace("\\-", "-")):
            if not PLACEHOLDER.search(name) and not is_there("doc/" + name):
                fail(path, number, f"there is no doc/{name}")


def check_drawing(path):
    """A drawing is XML with a title and colours for dark pages, on paper of its own; a page shows it."""
    text = path.read_text()
    root = xml.etree.ElementTree.fromstring(text)
    if not any(child.tag.endswith("}title") and child.text for child in root):
        fail(path, 1, "no title")
    if "prefers-color-scheme: dark" not in text or 'class="paper"' not in text:
        fail(path, 1, "no colours for dark pages")
    if not any(f"{path.name})" in page.read_text() for page in (top / "doc").rglob("*.md")):
        fail(path, 1, "no page shows it")


pages = 0
for path in files():
    if path.suffix == ".svg" and path.parent == top / "doc" / "explain":
        check_drawing(path)
    if path.suffix == ".md":
        pages += 1
        check_page(path)
        continue
    if path.suffix in {".c", ".h"} and path.relative_to(top).parts[0] == "src":
        check_comments(path)
    if path.suffix in {".c", ".h", ".py", ".sh", ".txt", ".t", ".build", ".1", ".3"} and path != top / "tests" / "docs.py":
        check_references(path)
if pages < 20:
    print(f"failed: only {pages} pages were seen")
    failures += 1
print(f"{pages} pages, {failures} failures")
sys.exit(failures > 0)
