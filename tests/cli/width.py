#!/usr/bin/env python3
"""width.py TACHO [EVERY]: what a report in text looks like on every core: no line is longer than a terminal's, the instruction
comes before its figures, ports are named by what they are for, AMD's cores have their own words, nothing is said twice.
EVERY: one of so many pairs of block and core (1)."""
import os
import pty
import re
import subprocess
import sys
import tempfile

TACHO = sys.argv[1]
EVERY = int(sys.argv[2]) if len(sys.argv) > 2 else 1
AMD = "ZEN"
BLOCKS = {
    "dot": ".L1: vmovups (%rsi,%rax), %ymm0; vfmadd231ps (%rdi,%rax), %ymm0, %ymm1; add $32, %rax; cmp %rcx, %rax; jne .L1",
    "loads": "vmovups (%rsi), %ymm0; vmovups 32(%rsi), %ymm1; vmovups 64(%rsi), %ymm2; vmovups 96(%rsi), %ymm3; vmovups 128(%rsi), %ymm4",
    "stores": "movq %rax, (%rdi); movq %rax, 8(%rdi); movq %rax, 16(%rdi); movq %rax, 24(%rdi)",
    "vectors": "paddd %xmm0, %xmm1; paddd %xmm0, %xmm2; paddd %xmm0, %xmm3; paddd %xmm0, %xmm4; paddd %xmm0, %xmm5",
    "shuffles": "pshufb %xmm0, %xmm1; pshufb %xmm0, %xmm2; pshufb %xmm0, %xmm3; pshufb %xmm0, %xmm4; pshufb %xmm0, %xmm5",
    "numbers": "imulq %rbx, %rax; imulq %rbx, %rcx; imulq %rbx, %rdx; imulq %rbx, %rsi; imulq %rbx, %rdi",
    "divisions": "divl %ecx; vdivpd %ymm0, %ymm1, %ymm2",
    "wide": "vmovdqu64 2147483647(%r12,%r13,8), %zmm29{%k1}{z}; vpdpbusd 123456789(%r12,%r13,8){1to16}, %zmm28, %zmm29{%k1}{z}",
    "gather": "vpcmpeqd %ymm1, %ymm1, %ymm1; vpgatherdd %ymm1, (%rdi,%ymm2,4), %ymm0",
    "counter": ".L1: add $8, %rax; cmp %rdx, %rax; jne .L1",
    "walk": ".L1: mov (%rax), %rax; test %rax, %rax; jne .L1",
    "memory": ".L1: addq $1, (%rdi); dec %rcx; jne .L1",
    "locked": "lock xaddq %rax, (%rdi); cpuid; rep movsb",
    "long": "; ".join(f"vfmadd231pd {8 * i}(%r8,%r9,2), %ymm{i % 12}, %ymm{12 + i % 3}" for i in range(40)),
}
failed = 0


def fail(what, text=""):
    global failed
    failed += 1
    print(f"failed: {what}\n{text}")


def run(*args, text=None, status=(0, 3)):
    done = subprocess.run([TACHO, *args], input=text, capture_output=True, text=True)
    if done.returncode not in status:
        fail(" ".join(args), done.stderr)
    return done.stdout


def check_lines(name, text, most=100):
    for line in text.splitlines():
        if len(line) > most:
            fail(f"{name}: {len(line)} columns", line)
        if line.endswith(" "):
            fail(f"{name}: blanks at the end", line)


def check_words(name, core, text):
    words = r"\bDSB\b|\bMITE\b|the busiest:" if core.startswith(AMD) else r"(?<!µ)op cache|the busiest:"
    for line in text.splitlines():
        if re.search(words, line):
            fail(f"{name}: another maker's words", line)


def check_table(name, text):
    head = re.search(r"^ +#  instruction .*$", text, re.M)
    if not head:
        fail(f"{name}: the instruction is not the first column", text)
    rows = text[text.find("iteration: by source"):].split("\n\n")[0].splitlines()
    columns = rows[1].split() if len(rows) > 1 else []
    known = len([row for row in rows if row.startswith("  ") and "?" not in row]) > 1
    if len(columns) != len(set(columns)) or known and not any(re.match(r"p[0-9a-f]|ALU|AGU|FP", c) for c in columns):
        fail(f"{name}: no ports", rows)


def check_ports(name, core, text):
    """The bottleneck: which ports, what needs them, how long."""
    named = re.search(r"^bottleneck +ports: (.*\n(?: {13}.*\n)*)", text, re.M)
    if named and not re.match(r"(the (\d+ )?[-a-z ]*(port|unit|ALU)s? \(p[0-9a-f, p-]+\)|(port|unit)s? p[0-9a-f, p-]+): .* needs? [\d.]+ cycles?$|"
                              r"\d+ stores? leaves? for the first-level cache in", " ".join(named[1].split())):
        fail(f"{name}: ports that tell nothing", named[0])


def check_advice(name, text):
    if name == "counter" and re.search(r"\(more accumulators\)", text):
        fail("counter: more accumulators are of no use to a counter", text)
    if name == "walk" and not re.search(r"to move it +several independent walks", text):
        fail("walk: not taken for one", text)
    if name == "memory" and re.search(r"\(more accumulators\)", text):
        fail("memory: accumulators", text)


cores = [line.split()[0] for line in run("arch", "--list").splitlines() if re.match(r"[A-Z]+\d* |[A-Z]{3}", line)]
cores = [core for core in cores if subprocess.run([TACHO, "arch", core], capture_output=True).returncode == 0]
if len(cores) < 20:
    fail("few cores", cores)
ports_seen = set()
with tempfile.TemporaryDirectory() as folder:
    for name, core in [(name, core) for name in BLOCKS for core in cores][::EVERY]:
        text = run("predict", "--ignore-isa", "-a", core, "-", text=BLOCKS[name].replace("; ", "\n") + "\n")
        label = f"{name} on {core}"
        check_lines(label, text)
        check_words(label, core, text)
        check_table(label, text)
        check_ports(label, core, text)
        check_advice(name, text)
        ports_seen.update(re.findall(r"ports: (?:the (?:\d+ )?)?([-a-z ]*(?:port|unit|ALU))", text))
    for kind in ("load port", "store-data port", "load unit", "vector unit", "port", "ALU"):
        if EVERY == 1 and kind not in ports_seen:
            fail(f"no block is limited by a {kind}: {sorted(ports_seen)}")

    # Several regions: warnings and legends once.
    two = "".join(f"# LLVM-MCA-BEGIN {n}\n{BLOCKS['stores'].replace('; ', chr(10))}\n# LLVM-MCA-END {n}\n" for n in "ab")
    for core in ("ICX", "SPR", "ZEN4"):
        text = run("predict", "-a", core, "-", text=two)
        for line in ("warning: two stores", "  rthr reciprocal", "carried over or estimated"):
            if text.count(line) > 1:
                fail(f"two regions on {core}: '{line}' more than once", text)
        if "carried over or estimated" not in text:
            fail(f"two regions on {core}: not said how sure the figures are", text)
    text = run("predict", "--ignore-isa", "-a", "all", "-", text=BLOCKS["gather"].replace("; ", "\n") + "\n")
    check_lines("gather on all", text)
    # Functions and callees with names of all lengths, in loops of which much is to be said, by what a column leaves.
    code = ".file 1 \"a_source_file_with_a_long_name.c\"\n"
    callees = []
    for n in range(4, 52, 3):
        function, callee = "f" * n, f"callee_of_{n}_" + "c" * n
        callees.append(callee)
        code += (f".globl {function}\n.type {function}, @function\n{function}:\n.loc 1 {1000 + n} 1\n"
                 f"test %rax, %rax\nje 2f\n1: mov (%rdi), %rsi\nlock addq $1, (%rsi)\npause\ncall {callee}\n"
                 f"{'test %rcx, %rcx; je 3f; inc %rax; jmp 4f; 3: inc %rbp; 4: ' * 9}\n"
                 "2: inc %rax\ndec %ebx\njne 1b\nret\n")
    for core in ("ZEN4", "all"):
        text = run("predict", "--loops", "--top", "0", "-a", core, "-", text=code)
        check_lines(f"long names on {core}", text)
        for callee in callees:
            if callee[:20] not in text:
                fail(f"{callee} on {core}: it is not there", text)

    # On a terminal: within its width.
    path = os.path.join(folder, "dot.s")
    with open(path, "w") as out:
        out.write(BLOCKS["dot"].replace("; ", "\n") + "\n")
    for columns, most in (("72", 72), ("160", 160)):
        parent, child = pty.openpty()
        done = subprocess.Popen([TACHO, "predict", "-a", "SPR", "--color", "never", path], stdout=child,
                                env={**os.environ, "COLUMNS": columns})
        os.close(child)
        seen = b""
        try:
            while part := os.read(parent, 65536):
                seen += part
        except OSError:
            pass  # the end, on Linux
        done.wait()
        text = seen.decode().replace("\r", "")
        check_lines(f"a terminal of {columns}", text, most)
        if ("rthr" in text) != (most > 100):
            fail(f"a terminal of {columns}: columns that have no room are left out, others not", text)
sys.exit(failed > 0)
