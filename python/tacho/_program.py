"""measure, loops: what the program tacho does for the package, which has no sandbox and reads no object files."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from . import _html
from . import _native as n
from ._native import Buffer, TachoError, Value
from ._options import Init
from ._results import Instruction, Prediction


@dataclass(frozen=True, slots=True)
class Measurement(Value):
    """Cycles of a block on this machine: doc/JSON.md, `tacho measure --json`."""

    status: str  #: "ok", "unstable" (passes disagree), "unsupported", "crashed", "timeout", "rejected"
    cycles: float | None  #: per iteration; None unless ok or unstable
    uncertainty: float | None  #: cycles
    low: float | None  #: with `high`: where the cycles lie, as far as the passes show
    high: float | None
    mode: str  #: "loop" or "unroll"
    clock: str
    message: str | None  #: why there are no cycles
    notes: tuple[str, ...]

    def __str__(self) -> str:
        if self.cycles is None:
            return f"{self.status}: {self.message}"
        return f"{self.cycles:.2f} cycles per iteration, measured" + (" (unstable)" if self.status == "unstable" else "")

    def _repr_html_(self) -> str:
        return _html.measurement(self)


@dataclass(frozen=True, slots=True)
class Loop(Value):
    """An innermost loop of a file, along its likeliest path."""

    function: str | None
    section: str | None
    address: int | None  #: of its first instruction
    depth: int | None  #: 1: in no other loop
    source_file: str | None
    source_lines: tuple[int, int] | None  #: the first and the last, where the file has debug information
    code: bytes  #: of the path, in the order of execution; it may come from several places
    prediction: Prediction | None  #: None: it cannot be predicted
    error: str | None  #: why not


def _run(program: str, *args: str, stdin: bytes = b"") -> Any:
    """What the program writes as JSON. A result that says what failed is a result."""
    path = shutil.which(program)
    if not path:
        raise TachoError(f"there is no program {program!r} here, which this needs: build and install tacho, or say "
                         "where it is with program=", "system")
    done = subprocess.run([path, *args, "--json"], input=stdin, capture_output=True, check=False)
    try:
        return json.loads(done.stdout)
    except ValueError:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        why = said[-1].removeprefix("tacho: ") if said else f"{path} ended with status {done.returncode}"
        raise TachoError(why, "usage" if done.returncode == 2 else "system" if done.returncode < 0 else "input") from None


def measure(code: Buffer, *, mode: Literal["auto", "loop", "unroll"] = "auto", init: Init = "distinct",
            quick: bool = False, cpu: int | None = None, program: str = "tacho") -> Measurement:
    """Cycles of a block on this machine, measured by the program tacho in its sandbox.

    Of assembly text, the part is taken that `predict` takes. `quick`: fewer passes; `cpu`: a logical processor.
    A block that cannot be measured gives no error, but a `status`.
    """
    code, note = n.chosen(code)
    if isinstance(code, n.Part) and len(code.pieces) > 1:
        raise TachoError("the loop's path leaves out code that lies between, so it cannot run alone", "unsupported")
    bytes_, size = n.code_of(code)
    if not size:
        raise TachoError("no code", "input")
    m = _run(program, "measure", "--raw", "-", "--mode", mode, "--init", init, *(["--quick"] if quick else []),
             *(["--cpu", str(cpu)] if cpu is not None else []), stdin=bytes(n.ffi.buffer(bytes_, size)))
    return Measurement(m["status"], m["cycles"], m["uncertainty"], m["low"], m["high"], m["mode"], m["clock"],
                       m["message"], (*([note] if note else []), *m["notes"]))


def loops(file: str | os.PathLike[str], arch: str | os.PathLike[str] = "native", *, symbol: str | None = None,
          program: str = "tacho") -> tuple[Loop, ...]:
    """The innermost loops of an object file, executable or file of assembly text, hottest-looking first, with what
    the program tacho predicts for each; `symbol`: those of this function alone. `parts` finds those of a text without
    it.
    """
    name = os.fspath(file)
    result = _run(program, "predict", "--loops", "--top", "all", "--arch", os.fspath(arch),
                  *(["--symbol", symbol] if symbol is not None else []), f"./{name}" if name.startswith("-") else name)
    return tuple(map(_loop, result if isinstance(result, list) else [result]))


def _loop(o: dict[str, Any]) -> Loop:
    lines = o.get("source_first_line") and (o["source_first_line"], o["source_last_line"])
    return Loop(
        o.get("function"), o.get("section"), o.get("address"), o.get("depth"), o.get("source_file"), lines or None,
        bytes.fromhex("".join(i["hex"] for i in o.get("instructions", ()))),
        _prediction(o) if o["cycles"] is not None else None, o.get("error"))


def _prediction(o: dict[str, Any]) -> Prediction:
    """The fields are those of the program's JSON, but for a few that are written more simply here."""
    topdown = dict(o["topdown"])
    lost = topdown.pop("lost")
    del topdown["lost_to_ports"]
    work = o.get("elements") or {}
    same = ("arch", "cycles", "mode", "source", "compared_with", "lower_bound", "bounds_only", "bounds", "ipc",
            "uops_per_cycle")
    return Prediction(
        **{name: o[name] for name in same},
        cycles_exact=Fraction(o["cycles_exact"]) if o["cycles_exact"] else None,
        bottlenecks=tuple(o["bottlenecks"]), next_limit=o["next_limit"] and o["next_limit"]["bound"], topdown=topdown, lost=lost,
        critical_cycle=tuple(o["critical_cycle"]["instructions"]) if o["critical_cycle"] else (),
        instructions=tuple(
            Instruction(**{name: i[name] for name in (
                "asm", "hex", "offset", "form", "figures", "uops", "latency", "reciprocal_throughput", "critical_latency")},
                ports={format(int(port), "x"): uops for port, uops in i["ports"].items() if uops},
                notes=tuple(i["notes"])) for i in o["instructions"]),
        warnings=tuple(o["warnings"]), run_cycles=o["run"] and o["run"]["cycles"],
        elements=work.get("count"),
        element_bytes=(work["smallest_bytes"], work["largest_bytes"]) if work.get("smallest_bytes") else None,
        stream_bytes=work.get("stream_bytes"), cycles_per_element=work.get("cycles"),
        cycles_per_byte=work.get("cycles_per_byte"))
