#!/usr/bin/env python3
"""run.py BUILD [--every|--sieve] [--host NAME]: the tests whose output can depend on the processor, on each recorded one.

The program asks CPUID in one place (src/base/ask_cpuid.c); the tests' own (hosted.c) answers there for the host of
TACHO_TEST_HOST, and says whether it was asked. All transcripts are run on the first host, and those that asked on all;
the tests of tests.txt, which take longer (scripts, and transcripts that measure), on ALONE, with --every on all. --sieve
writes tests.txt anew: the scripts of suite `cli` that asked, and the transcripts that it has.
What runs code runs it on the real machine. The last line is "N passed, N failed"."""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LIST = HERE / "tests.txt"
ALONE = "unknown-amd"  # where most can go wrong
SKIPPED = 77
SECONDS = 300


def tests_of(build):
    """Name -> (command, environment, folder), with the tests' own program in the program's place."""
    text = subprocess.run(["meson", "introspect", build, "--tests"], capture_output=True, text=True, check=True).stdout
    program, own = str(build / "tacho"), str(build / "tests" / "hosts" / "tacho")
    found = {}
    for test in json.loads(text):
        if not any(suite.endswith("cli") for suite in test["suite"]):
            continue
        env = {**os.environ, **test["env"]}
        env["PATH"] = str(build / "tests" / "hosts") + ":" + env["PATH"]
        command = [own if word in (program, "./tacho") else word for word in test["cmd"]]
        found[test["name"]] = (command, env, test["workdir"] or build)
    return found


def is_transcript(command):
    return any(word.endswith(".t") for word in command)


def run(test, host):
    """Status, what it said, and whether it asked what processor this is."""
    command, env, folder = test
    with tempfile.TemporaryDirectory() as scratch:
        asked = pathlib.Path(scratch) / "asked"
        env = {**env, "TACHO_TEST_HOST": str(host), "TACHO_TEST_ASKED": str(asked)}
        try:
            done = subprocess.run(command, env=env, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, errors="replace", timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return 1, f"not ended after {SECONDS} s", True
        return done.returncode, done.stdout, asked.exists()


def record_is_kept(build, host):
    """What is recorded of a recorded host is what was recorded."""
    def rows(text):
        return [line for line in text.splitlines() if not line.startswith("#")]

    own = build / "tests" / "hosts" / "record-host"
    text = subprocess.run([own], env={**os.environ, "TACHO_TEST_HOST": str(host)},
                          capture_output=True, text=True, check=False).stdout
    return rows(text) == rows(host.read_text())


class Count:
    passed = failed = 0
    again = None  # what failed, to be tried once more when nothing else runs: some measure on this machine

    def say(self, host, name, status, text):
        if status not in (0, SKIPPED) and self.again is not None:
            self.again.append((name, host))
            return
        if status in (0, SKIPPED):
            self.passed += 1
            return
        self.failed += 1
        print(f"failed: {name} on {host.stem}\n{text}", flush=True)


def run_all(pool, pairs, count):
    """@return the names of tests that asked."""
    jobs = {pool.submit(run, test, host): (name, host) for name, test, host in pairs}
    asked = set()
    for job in concurrent.futures.as_completed(jobs):
        name, host = jobs[job]
        status, text, has_asked = job.result()
        count.say(host, name, status, text)
        if has_asked:
            asked.add(name)
    return asked


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    hosts = sorted(HERE.glob("*.txt"))
    hosts.remove(LIST)
    if "--host" in sys.argv:
        hosts = [h for h in hosts if h.stem == sys.argv[sys.argv.index("--host") + 1]]
    tests, count = tests_of(build), Count()
    listed = LIST.read_text().split()
    wrong = [name for name in listed if name not in tests]
    if wrong or not hosts:
        sys.exit(f"{LIST}: no such test: {' '.join(wrong)}" if wrong else "no such host")
    for host in hosts:
        count.say(host, "record-host", 0 if record_is_kept(build, host) else 1, "")
    count.again = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        if "--sieve" in sys.argv:
            asked = run_all(pool, [(n, t, hosts[0]) for n, t in tests.items()], count)
            LIST.write_text("".join(f"{n}\n" for n in sorted(asked) if n in listed or not is_transcript(tests[n][0])))
        else:
            longer = [(n, tests[n], h) for h in hosts for n in listed if h.stem == ALONE or "--every" in sys.argv]
            transcripts = sorted(n for n, t in tests.items() if is_transcript(t[0]))
            asked = sorted(run_all(pool, [(n, tests[n], hosts[0]) for n in transcripts], count))
            print(f"{len(asked)} of {len(transcripts)} transcripts asked what processor this is: {' '.join(asked)}", flush=True)
            run_all(pool, longer + [(n, tests[n], host) for host in hosts[1:] for n in asked if n not in listed], count)
    failed, count.again = count.again, None
    for name, host in failed:
        print(f"once more: {name} on {host.stem}", flush=True)
        count.say(host, name, *run(tests[name], host)[:2])
    print(f"{count.passed} passed, {count.failed} failed")
    return count.failed > 0


if __name__ == "__main__":
    sys.exit(main())
