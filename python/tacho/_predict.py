"""predict, bounds, explain."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeVar, Unpack, overload

from . import _native as n
from ._native import Buffer, Core, Cores, ffi, lib
from ._options import Options, check_names, predict_options
from ._results import Advice, Explanation, Instruction, Prediction, WhatIf

T = TypeVar("T")

# Branch targets are offsets in the code.
_LISTING = ffi.new("tacho_listing *")
_own = threading.local()  # a predictor and an explainer may be used by one thread at a time


def own_predictor() -> Any:
    if not hasattr(_own, "predictor"):
        _own.predictor = ffi.gc(lib.tacho_predictor_new() or n.no_memory(), lib.tacho_predictor_free)
    return _own.predictor


def _explainer() -> Any:
    if not hasattr(_own, "explainer"):
        _own.explainer = ffi.gc(lib.tacho_explainer_new() or n.no_memory(), lib.tacho_explainer_free)
    return _own.explainer


@overload
def predict(code: Buffer, arch: Core = "native", *, parameters: Mapping[str, object] | None = None,
            **options: Unpack[Options]) -> Prediction: ...
@overload
def predict(code: Buffer, arch: Cores, *, parameters: Mapping[str, object] | None = None,
            **options: Unpack[Options]) -> tuple[Prediction, ...]: ...
def predict(code: Buffer, arch: Core | Cores = "native", *, parameters: Mapping[str, object] | None = None,
            **options: Unpack[Options]) -> Prediction | tuple[Prediction, ...]:
    """Predicts how many core cycles an iteration of `code` takes on `arch`.

    Of text with markers (LLVM-MCA's, OSACA's) what stands between them is meant, of text with several blocks its
    innermost loop that looks hottest: the first of those that `parts` lists, which `warnings` then says;
    `predict(parts(text)[1])` takes another one.

    `arch` is a name or alias as `archs` lists them, or "native", or a list of such: then the result is a tuple, with a
    prediction for each. `parameters` changes parameters of the core, for what-if runs.

    Options, all by name (a misspelt one is a TypeError):
      mode          "auto" (a loop where the code ends in a branch), "loop", "unroll"
      init          "distinct", "aligned", "same": what is assumed of the registers before the first iteration
      registers     known values of general registers: {"rdi": 0x1000}
      aliases       pointers known by others: {"rsi": ("rdi", 8)} or {"rsi": "rdi"}
      no_alias      all other pointers lead to different places
      alignment     of the first byte from a 64-byte boundary, 0 to 63
      unknown       instructions without figures: "warn", "skip", "error", or cycles that each is to take
      memory_deps   False: loads never wait for stores
      ignore_isa    predict what the core cannot execute as if it could
      advance       addresses move on after each iteration
      variants      parts of the model replaced by simpler ones: {"no_macro_fusion"}
      mispredicted  numbers of branches that are never foreseen
      iterations    also say how long so many iterations take from an empty pipeline on
      details       False: no instructions, top-down shares, critical cycle and warnings; much faster
      elements      that an iteration works on, where known better than found

    >>> predict(bytes.fromhex("4801c3480fafc3"), "SKL").bounds["dependencies"]
    4.0
    >>> print(predict(bytes.fromhex("4801d8"), "ICX"))
    ICX: 1.00 cycles per iteration, limited by dependencies
    >>> [p.cycles for p in predict("imul rax, rbx; nop", ["SKL", "ZEN5"])]
    [3.0, 3.0]
    >>> predict("nop", "SKL", alignmnt=3)
    Traceback (most recent call last):
      ...
    TypeError: predict() has no option 'alignmnt'; did you mean 'alignment'?
    >>> predict(b"\\x06", "SKL")
    Traceback (most recent call last):
      ...
    tacho.TachoError: not a valid instruction in 64-bit mode
    """
    check_names("predict", options)
    return _on_each(arch, lambda a: _run(code, a, parameters, options, bounds_only=False)[0])


@overload
def bounds(code: Buffer, arch: Core = "native", *, parameters: Mapping[str, object] | None = None,
           **options: Unpack[Options]) -> Prediction: ...
@overload
def bounds(code: Buffer, arch: Cores, *, parameters: Mapping[str, object] | None = None,
           **options: Unpack[Options]) -> tuple[Prediction, ...]: ...
def bounds(code: Buffer, arch: Core | Cores = "native", *, parameters: Mapping[str, object] | None = None,
           **options: Unpack[Options]) -> Prediction | tuple[Prediction, ...]:
    """The same by bounds alone, without simulation: a lower limit, in a part of the time.

    >>> bounds(bytes.fromhex("480fafc3"), "SKL").cycles
    3.0
    """
    check_names("bounds", options)
    return _on_each(arch, lambda a: _run(code, a, parameters, options, bounds_only=True)[0])


@overload
def explain(code: Buffer, arch: Core = "native", *, parameters: Mapping[str, object] | None = None,
            **options: Unpack[Options]) -> Explanation: ...
@overload
def explain(code: Buffer, arch: Cores, *, parameters: Mapping[str, object] | None = None,
            **options: Unpack[Options]) -> tuple[Explanation, ...]: ...
def explain(code: Buffer, arch: Core | Cores = "native", *, parameters: Mapping[str, object] | None = None,
            **options: Unpack[Options]) -> Explanation | tuple[Explanation, ...]:
    """A prediction, and what would help: repeated with parts of the machine ideal, and with the code changed.

    >>> explanation = explain(bytes.fromhex("48031e480fafd8"), "SKL")
    >>> explanation.what_if[0].what
    'dependencies'
    """
    check_names("explain", options)
    return _on_each(arch, lambda a: _explained(*_run(code, a, parameters, options, bounds_only=False)))


def _on_each(arch: Core | Cores, function: Callable[[Core], T]) -> T | tuple[T, ...]:
    return tuple(map(function, n.cores_of(arch))) if isinstance(arch, (list, tuple)) else function(arch)


def _explained(prediction: Prediction, c: _Call) -> Explanation:
    error, out = n.new_error(), ffi.new("const tacho_explanation **")
    status = lib.tacho_explain(_explainer(), c.result, c.code, c.size, c.options, out, error)
    n.check(status, error)
    e = out[0]
    what_if = [WhatIf(n.text(lib.tacho_what_name(w.what)), n.text(w.text), w.cycles, w.gain,
                      w.instruction if w.instruction >= 0 else None)
               for w in e.what_ifs[0:e.what_if_count]]
    advice = [Advice(n.text(a.kind), n.text(a.text), tuple(a.instructions[0:a.instruction_count]),
                     a.cycles_before, a.cycles_after)
              for a in e.advice[0:e.advice_count]]
    return Explanation(prediction, tuple(sorted(what_if, key=lambda w: -w.gain)),
                       tuple(sorted(advice, key=lambda a: a.cycles_after / a.cycles_before)))


class _Call:
    """What a prediction was made of; the result lives until the thread's next prediction."""

    def __init__(self, code: Buffer, arch: Core, parameters: Mapping[str, object] | None, options: Options) -> None:
        self.arch = n.find_arch(arch, parameters)
        code, self.note = n.chosen(code)
        if isinstance(code, n.Part):
            options = options.copy()
            options.setdefault("alignment", code.alignment)
            if code.pieces and options.get("mode", "auto") == "auto":
                options["mode"] = "loop"
        self.code, self.size = n.code_of(code)
        self.options, self.kept = predict_options(options)
        if isinstance(code, n.Part) and code.pieces and options["mode"] == "loop":
            self.kept.append(ffi.new("tacho_piece[]", code.pieces))
            self.options.pieces, self.options.piece_count = self.kept[-1], len(code.pieces)
        self.result: Any = None


def _run(code: Buffer, arch: Core, parameters: Mapping[str, object] | None, options: Options,
         bounds_only: bool) -> tuple[Prediction, _Call]:
    c = _Call(code, arch, parameters, options)
    c.options.listing = _LISTING
    error, out = n.new_error(), ffi.new("const tacho_prediction **")
    predict = lib.tacho_predict_bounds if bounds_only else lib.tacho_predict
    n.check(predict(own_predictor(), c.arch, c.code, c.size, c.options, out, error), error)
    c.result = out[0]
    return _copied(c.result, c.note), c


_BOUNDS = tuple(n.text(lib.tacho_bound_name(i)) for i in range(lib.TACHO_BOUND_COUNT))
_REASONS = tuple(n.text(lib.tacho_slot_reason_name(i)) for i in range(lib.TACHO_SLOT_REASON_COUNT))
_TOPDOWN = ("retiring", "frontend", "backend_core", "backend_dependencies")
_UOPS = ("mite", "ms", "dsb", "lsd", "issued", "executed")
_PORTS = tuple(format(i, "x") for i in range(lib.TACHO_MAX_PORTS))
_NOTES = {
    {"fused_into_prev": "fused_into_previous"}.get(name, name): bit
    for name, bit in sorted(n.constants("TACHO_NOTE_").items(), key=lambda item: item[1])
}
_mode = functools.cache(lambda mode: n.text(lib.tacho_mode_name(mode)))
_source = functools.cache(lambda source: n.text(lib.tacho_uop_source_name(source)))
_compared = functools.cache(lambda compared: n.text(lib.tacho_compared_name(compared)) or None)


def _numbers(names: tuple[str, ...], values: Any) -> dict[str, float | None]:
    return {name: value if value == value else None for name, value in zip(names, values)}


def _copied(p: Any, note: str) -> Prediction:
    next_limit, den, t, e = lib.tacho_prediction_next_limit(p), p.cycles_den, p.topdown, p.elements
    elements, smallest, stream = e.count, e.smallest_bytes, e.stream_bytes
    prediction = Prediction(
        arch=n.text(lib.tacho_arch_name(p.arch)),
        cycles=p.cycles,
        cycles_exact=Fraction(p.cycles_num, den) if den else None,
        mode=_mode(p.mode),
        source=_source(p.source),
        compared_with=_compared(lib.tacho_arch_compared(p.arch)),
        lower_bound=lib.tacho_prediction_is_lower_bound(p),
        bounds_only=p.bounds_only,
        bounds=_numbers(_BOUNDS, p.bounds),
        bottlenecks=bound_names(p.bottlenecks),
        next_limit=_BOUNDS[next_limit] if next_limit >= 0 else None,
        topdown=_numbers(_TOPDOWN, (t.retiring, t.frontend, t.backend_core, t.backend_dependencies)),
        lost=_numbers(_REASONS, t.lost),
        critical_cycle=tuple(p.critical_cycle[0:p.critical_cycle_length]),
        ipc=n.number(lib.tacho_prediction_ipc(p)),
        uops_per_cycle=n.number(lib.tacho_prediction_uops_per_cycle(p)),
        instructions=(),
        warnings=(*((note,) if note else ()), *(n.text(p.warnings[i]) for i in range(p.warning_count))),
        run_cycles=p.run_cycles if p.run_iterations else None,
        elements=elements or None,
        element_bytes=(smallest, e.largest_bytes) if smallest else None,
        stream_bytes=stream or None,
        cycles_per_element=n.number(lib.tacho_prediction_cycles_per(p, lib.TACHO_WORK_ELEMENT)) if elements else None,
        cycles_per_byte=n.number(lib.tacho_prediction_cycles_per(p, lib.TACHO_WORK_BYTE)) if stream else None,
    )
    return prediction._later(_described(p)) if p.instruction_count else prediction


@functools.cache
def bound_names(mask: int) -> tuple[str, ...]:
    return tuple(name for i, name in enumerate(_BOUNDS) if mask >> i & 1)


def _described(p: Any) -> Callable[[], tuple[Instruction, ...]]:
    """What makes the instructions, of a copy of all that the library says of them."""
    count, width = p.instruction_count, lib.DESCRIBED_NUMBERS
    room = ffi.new("double[]", count * width)
    text = lib.describe(p, _LISTING, room) or n.no_memory()
    words = n.text(text)
    lib.described_free(text)

    def make() -> tuple[Instruction, ...]:
        lines, numbers = iter(words.split("\n")), ffi.unpack(room, count * width)
        return tuple(_instruction(*four, numbers[i * width:(i + 1) * width])
                     for i, four in zip(range(count), zip(lines, lines, lines, lines)))

    return make


def _instruction(asm: str, code: str, form: str, figures: str, numbers: list[float]) -> Instruction:
    return Instruction(
        asm, code, int(numbers[0]), form or None, figures or None, dict(zip(_UOPS, numbers[2:8])),
        {name: uops for name, uops in zip(_PORTS, numbers[11:]) if uops > 0},
        n.number(numbers[8]), n.number(numbers[9]), n.number(numbers[10]), _note_names(int(numbers[1])))


@functools.cache
def _note_names(mask: int) -> tuple[str, ...]:
    return tuple(name for name, bit in _NOTES.items() if mask & bit)
