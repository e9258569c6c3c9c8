"""The Python package says what the program says; its examples are true; what is wrong is refused.

python3 test_tacho.py SOURCE, with the package in PYTHONPATH and the program in PATH.
"""

import csv
import dataclasses
import doctest
import io
import json
import math
import os
import pathlib
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import xml.etree.ElementTree

import tacho
import tacho._deps
import tacho._many
import tacho._native
import tacho._predict
import tacho._tables


def plain(value: object) -> object:
    """To 12 digits, as the program writes numbers."""
    if isinstance(value, float):
        return float(f"{value:.12g}")
    return {k: plain(v) for k, v in value.items()} if isinstance(value, dict) else value


SOURCE = pathlib.Path(sys.argv.pop(1))
with (SOURCE / "examples/blocks.csv").open(newline="") as file:
    HEX = [row["hex"] for row in csv.DictReader(file)]
BLOCKS = [bytes.fromhex(digits) for digits in HEX]


def program(*args: str) -> str:
    """What the program prints; blocks that cannot be predicted are no failure here."""
    done = subprocess.run(["tacho", *args], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 3), done.stderr
    return done.stdout


class SameAsTheProgram(unittest.TestCase):
    def test_many(self) -> None:
        for arch in ("SKL", "ICX", "ZEN5"):
            rows = list(csv.DictReader(io.StringIO(
                program("predict", "--batch", str(SOURCE / "examples/blocks.csv"), "-a", arch, "--ignore-isa"))))
            result = tacho.predict_many(BLOCKS, arch, ignore_isa=True)
            self.assertEqual(len(result), len(rows))
            for i, row in enumerate(rows):
                if not row["cycles"]:
                    self.assertTrue(math.isnan(result.cycles[i]), row)
                    self.assertIn(i, result.errors)
                else:
                    self.assertAlmostEqual(result.cycles[i], float(row["cycles"]), delta=0.0051, msg=str(row))

    def test_one(self) -> None:
        for digits in HEX[:40]:
            theirs = json.loads(program("predict", "--hex", digits, "-a", "SKL", "--json"))
            try:
                mine = tacho.explain(bytes.fromhex(digits), "SKL")
            except tacho.TachoError as error:
                self.assertIn(str(error), theirs["error"])
                continue
            p = mine.prediction
            self.assertEqual(list(p.bottlenecks), theirs["bottlenecks"])
            self.assertEqual(str(p.cycles_exact) if p.cycles_exact is not None else None, theirs["cycles_exact"])
            self.assertEqual(p.source, theirs["source"])
            self.assertEqual([(i.asm, i.hex, i.form, sorted(i.notes)) for i in p.instructions],
                             [(i["asm"], i["hex"], i["form"], sorted(i["notes"])) for i in theirs["instructions"]])
            self.assertEqual(sorted(a.text for a in mine.advice), sorted(a["text"] for a in theirs["advice"]))
            self.assertEqual(sorted((w.what, w.cycles) for w in mine.what_if),
                             sorted((w["what"], w["cycles"]) for w in theirs["what_if"]))
            gains = [w.gain for w in mine.what_if], [a.cycles_before / a.cycles_after for a in mine.advice]
            self.assertEqual(gains, tuple(sorted(g, reverse=True) for g in gains))
            self.assertEqual(list(p.warnings), theirs["warnings"])

    def test_models(self) -> None:
        path = SOURCE / "examples/bigger_rob.tacho"
        text = path.read_text()
        for model in (path, str(path), text):
            p = tacho.predict("imul rax, rax; imul rcx, rcx; imul rdx, rdx; imul rdi, rdi", model)
            self.assertEqual((p.arch, p.cycles), ("SKL-bigger", 3.0))
            self.assertEqual(tacho.arch(model).parameters["rob_entries"].value, "512")
            self.assertIn("author", tacho.insn("IMUL (R64, R64)", model).source)
        changed = tacho.predict("nop", "inherit SKL\n", parameters={"issue_width": 1})
        self.assertEqual((changed.arch, changed.cycles), ("model", 1.0))
        for bad, words in (("inherit SKL\nrob_entries\t1\tuser", "line 2"), ("./none.tacho", "No such file")):
            with self.assertRaisesRegex(tacho.TachoError, words):
                tacho.predict("nop", bad)

    def test_deps(self) -> None:
        for digits in HEX[:40]:
            theirs = json.loads(program("deps", "--hex", digits, "--json"))["dependencies"]
            mine = tacho.deps(bytes.fromhex(digits))
            self.assertEqual([(d.source, d.target, d.distance, d.kind) for d in mine],
                             [(d["source"], d["target"], d["distance"], d["kind"]) for d in theirs])
            self.assertEqual([d.forwards for d in mine if d.kind == "memory"],
                             [d["forwards"] for d in theirs if d["kind"] == "memory"])

    def test_tables(self) -> None:
        theirs = json.loads(program("arch", "SKL", "--json"))
        mine = tacho.arch("skylake")
        self.assertEqual((mine.name, mine.long_name, list(mine.aliases)), (theirs["arch"], theirs["name"], theirs["aliases"]))
        self.assertEqual({name: p.value for name, p in mine.parameters.items()},
                         {name: p["set"] for name, p in theirs["parameters"].items()})
        self.assertEqual([a.name for a in tacho.archs()], [a["arch"] for a in json.loads(program("arch", "--json"))])
        for form in ("ADD (R64, M64)", "DIV (R32)", "VPGATHERDD (YMM, VSIB_YMM, YMM)"):
            theirs = json.loads(program("insn", form, "-a", "SKL", "--json"))
            mine = tacho.insn(form, "SKL")
            self.assertEqual((mine.form, mine.source, mine.derived), (theirs["form"], theirs["source"], theirs["derived"]))
            for cost, beside in ((mine.cost, theirs["cost"]), (mine.cost_indexed, theirs["cost_indexed"])):
                self.assertEqual(cost is None, beside is None)
                if cost is not None:
                    self.assertEqual((cost.uops, cost.retire_slots, cost.div_cycles), (
                        beside["uops"], beside["retire_slots"], beside["div_cycles"]))
            self.assertEqual([(p.source, p.target, p.cycles, p.address) for p in mine.latencies],
                             [(p["source"], p["target"], p["cycles"], p["address"]) for p in theirs["latencies"]])


class Options(unittest.TestCase):
    LOAD_STORE = bytes.fromhex("488907488b06")  # mov [rdi], rax; mov rax, [rsi]

    def test_they_count(self) -> None:
        def cycles(code: bytes = self.LOAD_STORE, **options: object) -> float:
            return tacho.predict(code, "SKL", mode="unroll", **options).cycles

        self.assertEqual(cycles(), 1)
        self.assertGreater(cycles(aliases={"rsi": "rdi"}), 3)
        self.assertEqual(cycles(aliases={"rsi": ("rdi", 64)}), 1)
        self.assertGreater(cycles(registers={"rsi": 64, "rdi": 64}), 3)
        self.assertEqual(cycles(aliases={"rsi": "rdi"}, memory_deps=False), 1)
        self.assertGreater(cycles(init="same"), 3)
        self.assertEqual(cycles(bytes.fromhex("480fafc3"), parameters={"issue_width": 8}), 3)
        self.assertEqual(tacho.predict(b"\x90", "SKL", iterations=100).run_cycles is None, False)

    def test_elements(self) -> None:
        def of(insns: str, **options: int) -> tuple[object, ...]:
            p = tacho.predict(f"l: {insns}; cmp rax, rcx; jne l", "SKL", **options)
            return p.elements, p.element_bytes, p.stream_bytes, p.cycles_per_element, p.cycles_per_byte

        vector = "vaddps ymm0, ymm0, [rdi+rax*4]; add rax, 8"
        self.assertEqual(of("addss xmm0, [rdi+rax*4]; inc rax"), (1, (4, 4), 4, 4, 1))
        self.assertEqual(of(vector), (8, (4, 4), 32, 0.5, 0.125))
        self.assertEqual(of(vector, elements=16), (16, None, None, 0.25, None))
        self.assertEqual(of("mov rax, [rax]"), (None, None, None, None, None))
        self.assertRaises(tacho.TachoError, of, vector, elements=-1)

    def test_what_is_wrong(self) -> None:
        for kind, arguments in (
            ("input", {"code": b"\x06"}), ("input", {"code": b""}), ("usage", {"arch": "NONE"}),
            ("usage", {"alignment": 64}), ("usage", {"mode": "turbo"}), ("usage", {"variants": ["fast"]}),
            ("usage", {"registers": {"eax": 1}}), ("usage", {"parameters": {"issue_width": 0}}),
            ("usage", {"unknown": 0}), ("limit", {"code": b"\x90" * 70000}),
            ("unsupported", {"code": bytes.fromhex("62f1fd4858c0")}),
        ):
            with self.subTest(arguments), self.assertRaises(tacho.TachoError) as raised:
                tacho.predict(**({"code": b"\x90", "arch": "SKL"} | arguments))
            self.assertEqual(raised.exception.kind, kind, raised.exception)
        with self.assertRaises(TypeError):
            tacho.predict(None, "SKL")  # type: ignore[arg-type]
        with self.assertRaisesRegex(TypeError, "alignment is a whole number, not '3'"):
            tacho.predict("nop", "SKL", alignment="3")  # type: ignore[call-overload]
        with self.assertRaises(tacho.TachoError) as raised:
            tacho.predict("add rax, rbx\nadde rax, rcx", "SKL")
        self.assertRegex(str(raised.exception), "^line 2: ")
        with self.assertRaises(tacho.TachoError) as at:
            tacho.decode(b"\x90\x06")
        self.assertEqual(at.exception.offset, 1)

    def test_wrong_types_are_said_in_sentences(self) -> None:
        for sentence, call in (
            ("memory_deps is True or False, not 'no'", lambda: tacho.predict("nop", "SKL", memory_deps="no")),
            ("details is True or False, not 'no'", lambda: tacho.predict("nop", "SKL", details="no")),
            ("memory is True or False, not 'no'", lambda: tacho.deps("nop", memory="no")),
            ("no_alias is True or False, not None", lambda: tacho.deps("nop", no_alias=None)),
            ("a number in mispredicted is 0 to 4294967295, not -1", lambda: tacho.predict("nop", "SKL", mispredicted=[-1])),
            ("a number in mispredicted is a whole number, not '1'", lambda: tacho.predict("nop", "SKL", mispredicted="1")),
            ("mispredicted are several, as a list or a set, not 1", lambda: tacho.predict("nop", "SKL", mispredicted=1)),
            ("variants are several, as a list or a set, not 1", lambda: tacho.predict("nop", "SKL", variants=1)),
            ("a register is one of rax, .*, not 1", lambda: tacho.predict("nop", "SKL", registers={1: 1})),
            ("the value of rdi is a whole number, not '1'", lambda: tacho.predict("nop", "SKL", registers={"rdi": "1"})),
            ("the value of rdi is .*, not 18446744073709551616", lambda: tacho.deps("nop", registers={"rdi": 2**64})),
            ("registers are a mapping from names of registers, not 5", lambda: tacho.predict("nop", "SKL", registers=5)),
            ("the distance of rsi is .*, not 1180591620717411303424", lambda: tacho.deps("nop", aliases={"rsi": ("rdi", 2**70)})),
            ("the alias of rsi is a register, or one and a distance", lambda: tacho.deps("nop", aliases={"rsi": 5})),
            ("mode is one of .*, not \\['loop'\\]", lambda: tacho.predict("nop", "SKL", mode=["loop"])),
            ("assembly is text, not bytes", lambda: tacho.parts(b"nop")), ("assembly is text, not bytes", lambda: tacho.assemble(b"nop")),
            ("machine code in hexadecimal digits is text, not int", lambda: tacho.from_hex(5)),
            ("the name of a core is text, not int", lambda: tacho.predict("nop", 5)),
            ("a form of an instruction is text, not int", lambda: tacho.insn(5, "SKL")),
            ("no parameter 1", lambda: tacho.predict("nop", "SKL", parameters={1: 1})),
            ("threads is a whole number, not '2'", lambda: tacho.predict_many(["nop"], "SKL", threads="2")),
            ("takes a list of blocks", lambda: tacho.predict_many(tacho.parts("nop")[0], "SKL")),
        ):
            with self.subTest(sentence), self.assertRaisesRegex((TypeError, tacho.TachoError), sentence):
                call()
        self.assertEqual(tacho.predict("nop", "SKL", registers={"RDI": -1}), tacho.predict("nop", "SKL", registers={"rdi": 2**64 - 1}))

    def test_an_empty_region_is_a_part(self) -> None:
        text = "# LLVM-MCA-BEGIN\n# LLVM-MCA-END\n# LLVM-MCA-BEGIN\nnop\n# LLVM-MCA-END\n"
        self.assertEqual([p.code for p in tacho.parts(text)], [b"", b"\x90"])
        self.assertEqual(list(tacho.predict_many(tacho.parts(text), "SKL").errors), [0])

    def test_a_misspelt_name_is_an_error_that_names_the_nearest(self) -> None:
        for function, options, near in (
            (tacho.predict, {"alignmnt": 3}, "alignment"), (tacho.bounds, {"arhc": "SKL"}, "arch"),
            (tacho.explain, {"paramters": {}}, "parameters"), (tacho.predict_many, {"thread": 2}, "threads"),
        ):
            with self.subTest(near), self.assertRaisesRegex(TypeError, f"did you mean '{near}'"):
                function("nop", **options)
        with self.assertRaisesRegex(TypeError, "there are mode, init, "):
            tacho.predict("nop", "SKL", zzzzz=1)

    def test_checkers_find_a_misspelt_name(self) -> None:
        """What mypy and pyright say, where they are installed, of a file in which every second line is wrong."""
        lines = ["import tacho", 'tacho.predict("nop", "SKL", mode="loop").cycles.hex()', 'tacho.predict("nop", "SKL", mod="loop")',
                 'tacho.predict("nop", ["SKL"])[0].cycles.hex()', 'tacho.bounds("nop", alignment="3")',
                 'tacho.predict_many(["nop"], threads=1)[0].arch.lower()', 'tacho.predict_many(["nop"], thread=1)',
                 'tacho.explain("nop", unknown=3).what_if', 'tacho.explain("nop", unknown="lenient")',
                 'tacho.deps("nop", init="same")', 'tacho.deps("nop", ini="same")']
        path = self.file("\n".join(lines) + "\n", "text.py")
        ran = 0
        for command in (["mypy", "--strict", "--enable-incomplete-feature=Unpack", "--cache-dir", "/dev/null", "--python-version", "3.11"],
                        ["pyright"]):
            if not shutil.which(command[0]):
                continue
            here = str(pathlib.Path(tacho.__file__).parents[1])
            # Of packages in PYTHONPATH mypy keeps errors to itself.
            env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"MYPYPATH": here}
            done = subprocess.run([*command, path], capture_output=True, text=True, check=False, cwd=here, env=env)
            found = {int(at) for at in re.findall(r"text[.]\w+:(\d+):(?:\d+)?[: -]+error", done.stdout)}
            self.assertEqual(found, {3, 5, 7, 9, 11}, done.stdout + done.stderr)
            if command[0] == "mypy":
                self.assertNotRegex(done.stdout, r"tacho/\w+[.]pyi?:\d+: error")
            ran += 1
        if not ran:
            self.skipTest("neither mypy nor pyright is installed")

    def test_several_cores(self) -> None:
        cores = ["SKL", "ZEN5", "ICX"]
        each = tacho.predict("imul rax, rbx; nop", cores)
        self.assertEqual([p.arch for p in each], cores)
        self.assertEqual([p.cycles for p in each], [tacho.predict("imul rax, rbx; nop", c).cycles for c in cores])
        self.assertEqual([e.prediction for e in tacho.explain("cdq", ("SKL", "ICX"))], list(tacho.predict("cdq", ["SKL", "ICX"])))
        blocks = ["nop", b"\x06", "cdq", tacho.parts("1: dec rdi; jnz 1b")[0]]
        many = tacho.predict_many(blocks, cores)
        self.assertEqual([(p.block, p.arch) for p in many], [(i, c) for i in range(4) for c in cores])
        self.assertEqual(sorted(many.errors), [3, 4, 5])
        for p in many:
            if p.error is None:
                alone = tacho.predict(blocks[p.block], p.arch)
                self.assertEqual((p.cycles, p.cycles_exact, p.bottlenecks, p.lower_bound),
                                 (alone.cycles, alone.cycles_exact, alone.bottlenecks, alone.lower_bound))
        self.assertEqual(str(many[-1]), str(many[11]))
        self.assertEqual(many[1:3], (many[1], many[2]))
        self.assertRegex(repr(many), "^<Predictions of 4 blocks on SKL, ZEN5, ICX, 3 of 12 results missing>\n  block 0 on SKL: 0.25")
        self.assertRegex(repr(tacho.predict_many(["nop"] * 1000, "SKL")), "and 990 more$")
        with self.assertRaises(IndexError):
            many[12]
        for function in (tacho.predict, tacho.explain):
            with self.assertRaisesRegex(tacho.TachoError, "empty list of cores"):
                function("nop", [])
        with self.assertRaisesRegex(tacho.TachoError, "empty list of cores"):
            tacho.predict_many(["nop"], [])

    def test_many_go_along_paths(self) -> None:
        """A loop in nine lines of code that are far from each other, which takes 6 cycles where they are together."""
        far = "".join(f".p2align 6\n{k}: add rcx, [rsi]\n jmp {k + 1}f\n" for k in range(3, 9))
        text = f"1: add rax, rbx\n jmp 3f\n2: dec rdi\n jnz 1b\n ret\n{far}.p2align 6\n9: jmp 2b\n"
        part, = tacho.parts(text)
        self.assertEqual(len(part.pieces), 9)
        self.assertEqual(list(tacho.predict_many(["nop", part, part.code, text], "ZEN4").cycles)[1:], [9, 6, 9])
        for options in ({}, {"mode": "unroll"}, {"alignment": 5}):
            self.assertEqual([p.cycles for p in tacho.predict_many(["nop", part], ["ZEN4", "SKL"], **options)][2:],
                             [tacho.predict(part, core, **options).cycles for core in ("ZEN4", "SKL")])

    def test_without_details(self) -> None:
        for digits in HEX[:40]:
            code = bytes.fromhex(digits)
            try:
                p = tacho.predict(code, "SKL")
            except tacho.TachoError:
                continue
            plain_ = tacho.predict(code, "SKL", details=False)
            self.assertLessEqual({b: c for b, c in plain_.bounds.items() if c is not None}.items(), p.bounds.items())
            for name in ("cycles", "cycles_exact", "bottlenecks", "next_limit", "mode", "source", "lower_bound"):
                self.assertEqual(getattr(plain_, name), getattr(p, name), (digits, name))
            self.assertEqual((plain_.instructions, plain_.topdown["retiring"], plain_.critical_cycle), ((), None, ()))
            json.dumps(plain_.to_dict(), allow_nan=False)
            xml.etree.ElementTree.fromstring(plain_._repr_html_())
        with self.assertRaisesRegex(tacho.TachoError, "details"):
            tacho.explain("nop", "SKL", details=False)

    def test_columns(self) -> None:
        many = tacho.predict_many(["cdq", "fooo", "imul rax, rbx"], ["SKL", "ICX"])
        table = many.columns()
        self.assertEqual({len(column) for column in table.values()}, {6})
        self.assertEqual(list(table["block"]), [0, 0, 1, 1, 2, 2])
        self.assertEqual(table["arch"], ["SKL", "ICX"] * 3)
        self.assertEqual(table["cycles_exact"], [1, 1, None, None, 3, 3])
        self.assertEqual([e is None for e in table["error"]], [True, True, False, False, True, True])
        self.assertRegex(table["error"][2], "fooo")

    def test_results_become_json(self) -> None:
        text = "movss xmm1, [rdi]; addss xmm0, xmm1; add rdi, 4"
        for result in (
            tacho.predict(text, "SKL", iterations=10), tacho.bounds(text, "SKL"), tacho.explain(text, "SKL"),
            tacho.predict_many([text, b"\x06"], "SKL"), tacho.predict_many([b"\x06"], "SKL")[0], tacho.deps(text)[0],
            tacho.insn("ADD (R64, M64)", "SKL"), tacho.arch("SKL"), tacho.parts(text)[0],
        ):
            with self.subTest(type(result)):
                self.assertEqual(json.loads(json.dumps(result.to_dict(), allow_nan=False)), result.to_dict())
        self.assertEqual(tacho.predict("nop", "SKL").to_dict()["cycles_exact"], "1/4")
        self.assertEqual(tacho.predict_many([b"\x06"], "SKL")[0].to_dict()["error"]["kind"], "input")

    def test_tables_for_notebooks(self) -> None:
        """Well-formed, nothing from elsewhere, and text that looks like tags is text."""
        text = "movss xmm1, [rdi]; addss xmm0, xmm1; add rdi, 4"
        many = tacho.predict_many([text, "fo"], ["SKL", "ZEN5"])
        for result, has in ((tacho.predict(text, "SKL"), ("addss xmm0, xmm1", "dependencies")),
                            (tacho.explain(text, "SKL"), ("what if there were", "accumulators")),
                            (tacho.bounds(text, "SKL"), ("addss",)), (many, ("ZEN5", "no such instruction: 'fo'")),
                            (tacho.predict("# LLVM-MCA-BEGIN <b>&\ncdq\n# LLVM-MCA-END\n" * 2, "SKL"), ("<b>&",))):
            with self.subTest(type(result)):
                page = result._repr_html_()
                said = "".join(xml.etree.ElementTree.fromstring(page).itertext())
                for words in has:
                    self.assertIn(words, said)
                for foreign in ("http", "src=", "<script", "class=", "<style"):
                    self.assertNotIn(foreign, page)

    def test_hex(self) -> None:
        for digits in ("4801d8480fafc3", "48 01 d8 48 0f af c3", "0x48,0x01,0xd8,0x48,0x0f,0xaf,0xc3", "4801D8\n480FAFC3"):
            self.assertEqual(tacho.from_hex(digits).hex(), "4801d8480fafc3")
        self.assertEqual(tacho.from_hex(""), b"")
        for wrong, at in (("480", 3), ("48 zz", 3), ("fadd\u00e9", 4)):
            with self.subTest(wrong), self.assertRaises(tacho.TachoError) as raised:
                tacho.from_hex(wrong)
            self.assertEqual((raised.exception.kind, raised.exception.offset), ("input", at))

    def test_many_wants_a_list(self) -> None:
        for one in ("nop", b"\x90"):
            with self.assertRaisesRegex(TypeError, "a list of blocks"):
                tacho.predict_many(one, "SKL")  # type: ignore[arg-type]
        with self.assertRaisesRegex(tacho.TachoError, "threads is at least 1"):
            tacho.predict_many(["nop"], "SKL", threads=0)

    def test_many_with_nothing(self) -> None:
        self.assertEqual(len(tacho.predict_many([], "SKL")), 0)
        self.assertEqual(list(tacho.predict_many([b"", b"\x90"], "SKL").errors), [0])

    def test_many_with_text_that_does_not_assemble(self) -> None:
        result = tacho.predict_many(["nop", "fooo", b"\x06", "imul rax, rax"], "SKL")
        self.assertEqual([round(c, 2) for c in result.cycles if c == c], [0.25, 3])
        self.assertEqual({i: e.kind for i, e in result.errors.items()}, {1: "input", 2: "input"})
        self.assertRegex(str(result.errors[1]), "fooo")

    def file(self, text: str, name: str = "text.s") -> str:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name, name)
        path.write_text(text)
        return str(path)

    def test_parts_are_those_of_the_program(self) -> None:
        """A compiler's output: three functions, two with a loop, one behind code that moves it about."""
        text = """
            .text
            .globl dot
    dot:    vxorps %xmm0, %xmm0, %xmm0
            xorl %eax, %eax
    .L3:    vmovss (%rdi,%rax,4), %xmm1
            vfmadd231ss (%rsi,%rax,4), %xmm1, %xmm0
            incq %rax
            cmpq %rax, %rdx
            jne .L3
            ret
            .globl mat
    mat:    testq %rdx, %rdx
            je .L1
    .L5:    mulsd %xmm0, %xmm0
            decq %rdx
            jne .L5
    .L1:    ret
            .globl none
    none:   leaq 1(%rdi), %rax
            ret
        """
        theirs = json.loads(program("predict", self.file(text), "-a", "SKL", "--json"))
        mine = tacho.parts(text)
        self.assertEqual([(p.kind, p.name) for p in mine], [("loop", "dot"), ("loop", "mat")])
        self.assertEqual(sorted(tacho.predict(p, "SKL").cycles for p in mine),
                         sorted(p["cycles"] for p in theirs))
        first = tacho.predict(text, "SKL")
        self.assertEqual(first.cycles, 4)
        self.assertRegex(first.warnings[0], "the hottest-looking of its 2 innermost loops, in dot, lines 6 to 10")
        self.assertEqual(list(tacho.predict_many([text, mine[1]], "SKL").cycles), [4, 4])

    def test_markers_are_honoured(self) -> None:
        text = "nop\n# LLVM-MCA-BEGIN one\nimul rax, rbx\n# LLVM-MCA-END\nnop\n# OSACA-BEGIN\nimul rax, rax\n" \
               "imul rax, rax\n# OSACA-END\nimul rcx, rax\n"
        self.assertEqual([(p.kind, p.name, p.lines, len(p.code)) for p in tacho.parts(text)],
                         [("marked", "one", (3, 3), 4), ("marked", "", (7, 8), 8)])
        self.assertEqual(tacho.predict(text, "SKL").cycles, 3)
        self.assertRegex(tacho.predict(text, "SKL").warnings[0], "first of 2 regions between markers: one")
        self.assertEqual(tacho.predict("# LLVM-MCA-BEGIN\nimul rax, rbx\n", "SKL").warnings, ())
        with self.assertRaisesRegex(tacho.TachoError, "the block is empty"):  # as the program says
            tacho.predict("nop\n# LLVM-MCA-BEGIN\n# LLVM-MCA-END\n", "SKL")

    def test_errors_pass_between_processes(self) -> None:
        with self.assertRaises(tacho.TachoError) as at:
            tacho.decode(b"\x90\x06")
        copy = pickle.loads(pickle.dumps(at.exception))
        self.assertEqual((type(copy), str(copy), copy.kind, copy.offset),
                         (tacho.TachoError, str(at.exception), at.exception.kind, 1))

    def test_instructions_are_of_their_own_prediction(self) -> None:
        first, again = (tacho.predict("imul rax, rbx\nnop", "SKL") for _ in range(2))
        tacho.predict("cdq", "ICX")  # what the library says next
        self.assertEqual([i.asm for i in pickle.loads(pickle.dumps(first)).instructions], ["imul rax, rbx", "nop"])
        self.assertEqual(first, again)
        with self.assertRaisesRegex(AttributeError, "'Prediction' object has no attribute 'instruction'"):
            first.instruction  # type: ignore[attr-defined]


class ByTheProgram(unittest.TestCase):
    def test_loops(self) -> None:
        path = str(SOURCE / "examples/dot.s")
        theirs = json.loads(program("predict", "--loops", "--top", "all", path, "-a", "SKL", "--json"))
        mine = tacho.loops(path, "SKL")
        self.assertEqual([(o.function, o.address) for o in mine], [(o["function"], o["address"]) for o in theirs])
        # A text's loop is the same by the library, in all that a prediction has.
        part = tacho.parts(pathlib.Path(path).read_text())[0]
        self.assertEqual(mine[0].code, part.code)
        ours, prediction = tacho.predict(part, "SKL"), mine[0].prediction
        assert prediction is not None
        for field in dataclasses.fields(prediction):
            if field.name not in ("instructions", "warnings"):
                self.assertEqual(plain(getattr(prediction, field.name)), plain(getattr(ours, field.name)), field.name)
        self.assertEqual([(i.hex, i.ports, i.notes) for i in prediction.instructions],
                         [(i.hex, plain(i.ports), i.notes) for i in ours.instructions])
        json.dumps(mine[0].to_dict(), allow_nan=False)

    def test_measure(self) -> None:
        refused = tacho.measure(b"\x06")
        self.assertEqual((refused.status, refused.cycles), ("rejected", None))
        self.assertRegex(str(refused), "not a valid instruction")
        measured = tacho.measure("imul rax, rbx\nimul rax, rbx", quick=True)
        self.assertTrue(measured.status)
        # What is unstable has a number only if some of its runs were alike.
        if measured.status != "unstable":
            self.assertEqual(measured.cycles is not None, measured.status == "ok", measured)
        if measured.status == "ok":
            self.assertGreater(measured.cycles, 2)

    def test_what_is_not_there(self) -> None:
        for kind, call in (("system", lambda: tacho.measure("nop", program="no-such-tacho")),
                           ("system", lambda: tacho.loops("x.o", program="no-such-tacho")),
                           ("input", lambda: tacho.loops("no-such-file.o")), ("input", lambda: tacho.measure(b""))):
            with self.assertRaises(tacho.TachoError) as raised:
                call()
            self.assertEqual(raised.exception.kind, kind, raised.exception)


class Threads(unittest.TestCase):
    def test_results_do_not_depend_on_them(self) -> None:
        one = tacho.predict_many(BLOCKS * 10, "SKL", threads=1)
        many = tacho.predict_many(BLOCKS * 10, "SKL", threads=7)
        self.assertEqual(one.cycles.tobytes(), many.cycles.tobytes())
        self.assertEqual(one.bottleneck_bits, many.bottleneck_bits)

    def test_each_has_its_predictor(self) -> None:
        wrong = []

        def run(code: bytes, cycles: float) -> None:
            for _ in range(200):
                if tacho.predict(code, "SKL").cycles != cycles:
                    wrong.append(code)

        threads = [threading.Thread(target=run, args=(bytes.fromhex("480fafc3") * n, 3.0 * n)) for n in (1, 2, 3, 4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


class Examples(unittest.TestCase):
    def test_docstrings(self) -> None:
        # Modules, as the package has functions of these names.
        for name in ("tacho", "tacho._deps", "tacho._many", "tacho._native", "tacho._predict", "tacho._tables"):
            result = doctest.testmod(sys.modules[name])
            self.assertGreater(result.attempted, 0)
            self.assertEqual(result.failed, 0, name)

    def test_page(self) -> None:
        result = doctest.testfile(str(SOURCE / "doc/PYTHON.md"), module_relative=False)
        notebook = doctest.testfile(str(SOURCE / "doc/howto/notebook.md"), module_relative=False)
        self.assertGreater(notebook.attempted, 5)
        self.assertEqual(notebook.failed, 0)
        self.assertGreater(result.attempted, 3)
        self.assertEqual(result.failed, 0)

    def test_errors(self) -> None:
        done = subprocess.run([sys.executable, SOURCE / "examples/python/errors.py", "/dev/stdin", "SKL"],
                              input="hex,cycles\n480fafc3,3.0\n4801c0,1.25\n", capture_output=True, text=True, check=False)
        self.assertIn("2 blocks: mean error 10.00 %, 50.0 % within 1 %", done.stdout, done.stderr)


if __name__ == "__main__":
    unittest.main()
