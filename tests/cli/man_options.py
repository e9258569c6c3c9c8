#!/usr/bin/env python3
"""man_options.py TACHO MAN: the manual pages describe no option that the program does not have, and say of
its values what is so; their lists of all options (man/list_options.sh) have what help and completion have."""
import pathlib
import re
import subprocess
import sys


def run(*words):
    return subprocess.run([sys.argv[1], *words], capture_output=True, text=True, check=True).stdout


def can_follow(*words):
    """What completion offers behind these words."""
    lines = run("completion", "--line", "--", *words, "").splitlines()[1:]
    return [line.partition("\t")[0] for line in lines]


def commands():
    return [c for c in can_follow() if c[0] != "-" and c not in ("help", "suite", "completion")] + \
        ["suite " + c for c in can_follow("suite")]


def values(command):
    """What completion knows: {--option: words of its value}, of those that take one."""
    return {name: can_follow(*command.split(), name) for name, (_, value) in of_help(command).items() if value}


def of_help(command):
    """{--option: (letter or None, whether it takes a value)}"""
    text = run("help", *command.split()).partition("  -h, --help")[0]
    rows = re.findall(r"^  (?:-(\w), |    )--([\w-]+)(?: ([^ a-z]\S*))?\s", text, re.M)
    return {"--" + name: (letter or None, bool(value)) for letter, name, value in rows}


def has(command, name):
    """The program knows it; other names of options are not in its help."""
    ends = subprocess.run([sys.argv[1], *command.split(), name], capture_output=True, text=True)
    return "unknown option" not in ends.stderr


def plain(line):
    line = re.sub(r'"', "", line)
    line = re.sub(r"^\.[A-Z]+ ", "", line)
    return re.sub(r"\\f.", "", line).replace("\\-", "-").replace("\\", "")


def heads(text):
    """The options that paragraphs of a page begin with: [(option, what follows it up to the next one)]"""
    found = []
    for head in re.findall(r"^\.TP(?: \d+)?\n(.*)$", text, re.M):
        for piece in re.split(r",\s+(?=-)|\s+and\s+(?=-)", plain(head)):
            match = re.match(r"(-{1,2}[\w-]+)\s*(.*)", piece.strip())
            if match:
                found.append(match.groups())
    return found


def check(command, text, known):
    """What a page says of options: each is there, and takes a value or none, of these words."""
    options = of_help(command)
    letters = {"-" + letter: value for letter, value in options.values() if letter}
    wrong = [] if len(letters) == sum(bool(letter) for letter, _ in options.values()) else ["a letter has two options"]
    for name, value in heads(text):
        if name not in options and name not in letters and not has(command, name):
            wrong.append(f"{name} is described, and the program does not have it")
        elif name in options and value and not options[name][1]:
            wrong.append(f"{name} takes no value, but stands before '{value}'")
        words = known.get(name, [])
        if "|" in value and set(words) - set(re.split(r"[^\w-]+", value)):
            wrong.append(f"{name}: '{value}' lacks some of {' '.join(words)}")
    return [f"tacho {command}: {w}" for w in wrong]


def check_list(command, page, known):
    """The list that list_options.sh makes has all options with their values."""
    listed = dict(heads(page))
    return [f"tacho {command}: {name} is not listed as it is"
            for name, (letter, value) in of_help(command).items()
            if name not in listed or bool(listed[name]) != value or value != (name in known)
            or (letter and "-" + letter not in listed)]


def section(page, title):
    match = re.search(rf"^\.S[SH] {title}$(.*?)^\.S[SH]", page, re.M | re.S)
    return match.group(1) if match else ""


def main(folder):
    wrong = []
    for command in commands():
        known = values(command)
        path = folder / f"tacho-{command.split()[0]}.1"
        page = path.read_text()
        made = subprocess.run(["sh", folder / "list_options.sh", sys.argv[1], path],
                              capture_output=True, text=True, check=True).stdout
        suite = command.startswith("suite ")
        wrong += check(command, section(page, f"tacho {command}") if suite else page, known)
        title = f"tacho {command}, all options" if suite else "ALL OPTIONS"
        wrong += check_list(command, section(made, title), known)
    print("\n".join(wrong))
    return bool(wrong) or not commands()


sys.exit(main(pathlib.Path(sys.argv[2])))
