"""What the functions return: plain values, copied out of the library's memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from . import _html
from ._native import Value


@dataclass(frozen=True, slots=True)
class Instruction(Value):
    """What the simulation saw of one instruction; numbers of µops are averages per iteration."""

    asm: str
    hex: str
    offset: int
    form: str | None  #: its form in the instruction table
    figures: str | None  #: where its figures come from
    uops: dict[str, float]  #: fused, delivered by "mite", "ms", "dsb", "lsd"; "issued"; unfused: "executed"
    ports: dict[str, float]  #: µops executed on each port
    latency: float | None  #: of the instruction alone
    reciprocal_throughput: float | None
    critical_latency: float | None  #: cycles that it adds to the critical dependency cycle
    notes: tuple[str, ...]


def in_words(cycles: float, lower_bound: bool, bottlenecks: tuple[str, ...]) -> str:
    least = "at least " if lower_bound else ""
    limits = ", ".join(bottlenecks) or "no single component"
    return f"{least}{cycles:.2f} cycles per iteration, limited by {limits}"


class _MadeLater(Value):
    """Has fields that are made when somebody first asks for one: they take longer than the prediction itself."""

    __slots__ = ("_make",)
    _make: Callable[[], Any]

    if not TYPE_CHECKING:  # for which all fields are there
        def __getattr__(self, name: str) -> Any:
            if name != "instructions":
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            object.__setattr__(self, name, self._make())
            return getattr(self, name)


@dataclass(frozen=True, slots=True)
class Prediction(_MadeLater):
    """Cycles of a block, and what limits it."""

    arch: str
    cycles: float  #: per iteration
    cycles_exact: Fraction | None  #: None where no steady state was found
    mode: str  #: "loop" or "unroll"
    source: str  #: where µops come from: "MITE", "DSB", "LSD", "mixed"
    compared_with: str | None  #: what this core's predictions were compared with: "measurements", "model" ...
    lower_bound: bool  #: instructions without figures are in it, or left out
    bounds_only: bool
    bounds: dict[str, float | None]  #: cycles, if that component alone limited the code
    bottlenecks: tuple[str, ...]  #: names of bounds; none where no single component explains the result
    next_limit: str | None  #: the bound that limits next
    topdown: dict[str, float | None]  #: shares of issue slots
    lost: dict[str, float | None]  #: shares of empty issue slots by reason
    critical_cycle: tuple[int, ...]  #: numbers of the instructions along it
    ipc: float | None
    uops_per_cycle: float | None
    instructions: tuple[Instruction, ...]
    warnings: tuple[str, ...]
    run_cycles: int | None  #: of `iterations` from an empty pipeline on, where these were asked for
    elements: int | None  #: that an iteration works on; None where not known, and of many predictions
    element_bytes: tuple[int, int] | None  #: of an element, the smallest and the largest
    stream_bytes: int | None  #: that an iteration takes from, or puts to, each stream
    cycles_per_element: float | None
    cycles_per_byte: float | None  #: of a stream

    def _later(self, make: Callable[[], tuple[Instruction, ...]]) -> Prediction:
        """The same, but its instructions are made by `make` when they are asked for."""
        object.__setattr__(self, "_make", make)
        object.__delattr__(self, "instructions")
        return self

    def __str__(self) -> str:
        return f"{self.arch}: {in_words(self.cycles, self.lower_bound, self.bottlenecks)}"

    def _repr_html_(self) -> str:
        return _html.prediction(self)


@dataclass(frozen=True, slots=True)
class WhatIf(Value):
    """A part of the machine taken as ideal, simulated."""

    what: str
    text: str
    cycles: float
    gain: float  #: 1 - cycles / those of the code as it is
    instruction: int | None


@dataclass(frozen=True, slots=True)
class Advice(Value):
    """A change of the code that a simulation shows to help."""

    kind: str
    text: str
    instructions: tuple[int, ...]
    cycles_before: float
    cycles_after: float


@dataclass(frozen=True, slots=True)
class Explanation(Value):
    """A prediction, and what would make the code faster: the largest gain first."""

    prediction: Prediction
    what_if: tuple[WhatIf, ...]
    advice: tuple[Advice, ...]

    def __str__(self) -> str:
        return "\n".join([str(self.prediction), *(f"  - {a.text}" for a in self.advice)])

    def _repr_html_(self) -> str:
        return _html.explanation(self)


@dataclass(frozen=True, slots=True)
class Dependency(Value):
    """`target` needs what `source` wrote `distance` iterations before."""

    source: int
    target: int
    distance: int
    kind: str  #: "register", "flags", "memory"
    register: str | None
    share: float  #: of the iterations
    bytes: int | None  #: memory: that are read of what the store wrote
    forwards: bool | None  #: memory: the store's data can be forwarded to the load


@dataclass(frozen=True, slots=True)
class Latency(Value):
    """Cycles from one operand to another; None where not known."""

    source: int
    target: int
    cycles: int | None
    address: int | None
    address_index: int | None
    memory: int | None
    same_register: int | None


@dataclass(frozen=True, slots=True)
class Cost(Value):
    """µops of an instruction in one variant of its operands."""

    uops: int
    retire_slots: int
    uops_mite: int
    uops_ms: int
    complex_decoder: bool
    ports: tuple[tuple[int, str], ...]  #: so many µops on these ports
    div_cycles: int | None
    tp_cycles: int | None
    latency: float | None
    reciprocal_throughput: float | None


@dataclass(frozen=True, slots=True)
class InstructionForm(Value):
    """A form of an instruction on a core."""

    form: str
    arch: str
    cost: Cost
    cost_indexed: Cost | None
    cost_same_register: Cost | None
    latencies: tuple[Latency, ...]
    source: str
    derived: bool  #: not measured on this core


@dataclass(frozen=True, slots=True)
class Parameter(Value):
    """A parameter of a core's pipeline."""

    value: str
    unit: str | None
    meaning: str
    source: str | None


@dataclass(frozen=True, slots=True)
class Arch(Value):
    """A core."""

    name: str
    long_name: str
    aliases: tuple[str, ...]
    table: str
    compared_with: str | None
    parameters: dict[str, Parameter]
