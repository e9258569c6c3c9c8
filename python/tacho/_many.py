"""predict_many."""

from __future__ import annotations

import itertools
import os
import threading
from array import array
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Unpack, overload

from . import _html
from . import _native as n
from ._native import Buffer, Core, Cores, Part, TachoError, Value, ffi, lib, plain
from ._options import Options, check_names, predict_options, whole
from ._predict import bound_names, own_predictor, predict
from ._results import in_words

_CHUNK = 512  # blocks of one call: enough that calls cost nothing, few enough for threads to end together
_SHOWN, _SHOWN_IN_NOTEBOOKS = 10, 100  # entries of many that are shown


@dataclass(frozen=True, slots=True)
class Predicted(Value):
    """The prediction of one of many blocks on one core."""

    block: int  #: its number, from 0
    arch: str
    cycles: float | None  #: None where it cannot be predicted
    cycles_exact: Fraction | None
    lower_bound: bool
    bottlenecks: tuple[str, ...]
    error: TachoError | None
    note: str | None  #: which part of a text was taken, where there are several

    def __str__(self) -> str:
        said = self.error if self.cycles is None else in_words(self.cycles, self.lower_bound, self.bottlenecks)
        return f"block {self.block} on {self.arch}: {said}"


class Predictions(Sequence[Predicted]):
    """Predictions of many blocks: a sequence with a `Predicted` for each block and core (of each block all cores, in
    their order), and arrays of the same in columns.

    The arrays have the buffer protocol, so that `numpy.asarray(result.cycles)` copies nothing, and
    `pandas.DataFrame(result.columns())` makes a table.
    """

    def __init__(self, count: int, archs: tuple[str, ...]) -> None:
        #: names of the cores; entry i is of core i % len(archs) and block i // len(archs)
        self.archs = archs
        count *= len(archs)
        #: cycles per iteration; NaN where the block cannot be predicted
        self.cycles = array("d", bytes(8 * count))
        #: the same as a fraction; 0 / 0 where no steady state was found
        self.numerator, self.denominator = array("q", bytes(8 * count)), array("q", bytes(8 * count))
        #: 1 where instructions without figures are in it
        self.lower_bound = array("B", bytes(count))
        #: bits; see bottlenecks_of
        self.bottleneck_bits = array("I", bytes(4 * count))
        #: why a block cannot be predicted, by the number of its entry
        self.errors: dict[int, TachoError] = {}
        #: which part of a text was taken where there are several, by the number of the entry
        self.notes: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self.cycles)

    @overload
    def __getitem__(self, number: int) -> Predicted: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[Predicted, ...]: ...
    def __getitem__(self, number: int | slice) -> Predicted | tuple[Predicted, ...]:
        if isinstance(number, slice):
            return tuple(map(self._entry, range(len(self))[number]))
        return self._entry(range(len(self))[number])

    def _entry(self, number: int) -> Predicted:
        return Predicted(
            number // len(self.archs), self.archs[number % len(self.archs)], n.number(self.cycles[number]),
            self.exact_of(number), bool(self.lower_bound[number]), self.bottlenecks_of(number),
            self.errors.get(number), self.notes.get(number))

    def bottlenecks_of(self, number: int) -> tuple[str, ...]:
        """The bounds that limit entry `number`."""
        return bound_names(self.bottleneck_bits[number])

    def exact_of(self, number: int) -> Fraction | None:
        """The cycles of entry `number` as a fraction, where a steady state was found."""
        below = self.denominator[number]
        return Fraction(self.numerator[number], below) if below else None

    def columns(self) -> dict[str, Any]:
        """All by name, for a table: arrays, and lists of fractions, names and errors (None where there is none)."""
        rows = range(len(self))
        return {"block": array("q", (i // len(self.archs) for i in rows)),
                "arch": [self.archs[i % len(self.archs)] for i in rows],
                "cycles": self.cycles, "cycles_exact": [self.exact_of(i) for i in rows],
                "lower_bound": self.lower_bound,
                "bottlenecks": [" ".join(bound_names(mask)) for mask in self.bottleneck_bits],
                "error": [str(self.errors[i]) if i in self.errors else None for i in rows]}

    def to_dict(self) -> dict[str, Any]:
        """The columns as lists of plain values, which json.dumps takes."""
        return {name: plain(list(column)) for name, column in self.columns().items()}

    def head(self) -> str:
        """How many blocks, on which cores, and how many of them failed."""
        failed = f", {len(self.errors)} of {len(self)} results missing" if self.errors else ""
        return f"{len(self) // max(1, len(self.archs))} blocks on {', '.join(self.archs)}{failed}"

    def __repr__(self) -> str:
        shown = self[:_SHOWN]
        more = [f"  ... and {len(self) - len(shown)} more"] if len(self) > len(shown) else []
        return "\n".join([f"<Predictions of {self.head()}>", *(f"  {row}" for row in shown), *more])

    def _repr_html_(self) -> str:
        return _html.predictions(self, self[:_SHOWN_IN_NOTEBOOKS])


def _code_of_all(blocks: Iterable[Buffer]) -> tuple[list[Buffer], dict[int, TachoError], dict[int, str]]:
    """Code of all blocks; where a text does not assemble nothing, and the error; notes on parts that were chosen."""
    items: list[Buffer] = []
    errors: dict[int, TachoError] = {}
    notes: dict[int, str] = {}
    for block in blocks:
        try:
            item, note = n.chosen(block)
            if note:
                notes[len(items)] = note
            items.append(item)
        except TachoError as error:
            errors[len(items)] = error
            items.append(b"")  # which cannot be predicted either
    return items, errors, notes


def _c_struct(kind: str, arrays: Mapping[str, Any]) -> tuple[Any, list[Any]]:
    """A struct of pointers to arrays, and what it borrows."""
    kept = {name: ffi.from_buffer(data) for name, data in arrays.items()}
    return ffi.new(kind, {name: ffi.cast("void *", data) for name, data in kept.items()}), [arrays, kept]


def _c_blocks(items: Sequence[Buffer], alignment: int | None) -> tuple[Any, list[Any]]:
    """Blocks as C takes them, and what these borrow. `alignment`: of all, or each part its own."""
    pieces = [item.pieces if isinstance(item, Part) else () for item in items]
    own = [item.alignment if isinstance(item, Part) else 0 for item in items]
    code = [item.code if isinstance(item, Part) else item for item in items]
    return _c_struct("batch_blocks *", {
        "code": b"".join(code),  # type: ignore[arg-type]
        "starts": array("Q", itertools.accumulate((n.code_of(block)[1] for block in code), initial=0)),
        "alignments": array("B", own if alignment is None else [alignment] * len(items)),
        "pieces": ffi.buffer(ffi.new("tacho_piece[]", list(itertools.chain(*pieces)) or 1)),
        "piece_starts": array("Q", itertools.accumulate(map(len, pieces), initial=0))})


def predict_many(blocks: Iterable[Buffer], arch: Core | Cores = "native", *, threads: int | None = None,
                 bounds_only: bool = False, parameters: Mapping[str, object] | None = None,
                 **options: Unpack[Options]) -> Predictions:
    """Predicts many blocks, on one core or on each of a list, by several threads (default: as many as this process has
    processors).

    Options are those of `predict`. A block that cannot be predicted does not stop the others: its cycles are
    NaN, and `errors` says why.

    >>> result = predict_many([bytes.fromhex("480fafc3"), b"\\x06"], "SKL")
    >>> result
    <Predictions of 2 blocks on SKL, 1 of 2 results missing>
      block 0 on SKL: 3.00 cycles per iteration, limited by dependencies
      block 1 on SKL: not a valid instruction in 64-bit mode
    >>> list(result.cycles), result[0].bottlenecks, result.errors[1].kind
    ([3.0, nan], ('dependencies',), 'input')
    >>> [(p.block, p.arch, p.cycles) for p in predict_many(["imul rax, rax", "cdq"], ["SKL", "ICX"])]
    [(0, 'SKL', 3.0), (0, 'ICX', 3.0), (1, 'SKL', 1.0), (1, 'ICX', 1.0)]
    """
    check_names("predict_many", options, "threads", "bounds_only")
    if isinstance(blocks, (str, bytes, bytearray, memoryview)) or not isinstance(blocks, Iterable):
        raise TypeError("predict_many() takes a list of blocks; predict() takes one")
    if threads is not None and whole(threads, "threads") < 1:
        raise TachoError(f"threads is at least 1, not {threads}", "usage")
    names = n.cores_of(arch)
    items, not_assembled, notes = _code_of_all(blocks)
    cores = [n.find_arch(name, parameters) for name in names]
    o, kept = predict_options(options)
    o.details = False
    result = Predictions(len(items), tuple(n.text(lib.tacho_arch_name(core)) for core in cores))
    if not items:
        return result
    result.notes = {i * len(cores) + k: note for i, note in notes.items() for k in range(len(cores))}
    status = array("b", bytes(len(result)))
    c_blocks = _c_blocks(items, None if "alignment" not in options else o.alignment)
    c_results = _c_struct("batch_results *", {
        "cycles": result.cycles, "numerator": result.numerator, "denominator": result.denominator, "status": status,
        "bottlenecks": result.bottleneck_bits, "lower_bound": result.lower_bound})

    chunks = iter(range(0, len(items), _CHUNK))
    taking = threading.Lock()

    def work() -> None:
        predictor = own_predictor()
        while True:
            with taking:
                first = next(chunks, None)
            if first is None:
                return
            last = min(first + _CHUNK, len(items))
            lib.batch_predict(predictor, bounds_only, cores, len(cores), o, c_blocks[0], first, last, c_results[0])

    workers = threads or len(os.sched_getaffinity(0))
    with ThreadPoolExecutor(max_workers=workers) as pool:
        for done in [pool.submit(work) for _ in range(workers)]:
            done.result()
    del kept, c_blocks, c_results
    for i in (i for i, failed in enumerate(status) if failed):
        block, k = divmod(i, len(cores))
        if block in not_assembled:
            result.errors[i] = not_assembled[block]
            continue
        try:
            predict(items[block], names[k], parameters=parameters, **options)
        except TachoError as error:
            result.errors[i] = error
    return result
