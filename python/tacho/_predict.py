"""predict, bounds, explain."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from . import _native as n
from ._native import Buffer, Core, ffi, lib
from ._results import Advice, Explanation, Instruction, Prediction, WhatIf

# Branch targets are offsets in the code.
_LISTING = ffi.new("tacho_listing *")
_own = threading.local()  # a predictor and an explainer may be used by one thread at a time


def own_predictor() -> Any:
    if not hasattr(_own, "predictor"):
        _own.predictor = ffi.gc(lib.tacho_predictor_new() or _no_memory(), lib.tacho_predictor_free)
    return _own.predictor


def _explainer() -> Any:
    if not hasattr(_own, "explainer"):
        _own.explainer = ffi.gc(lib.tacho_explainer_new() or _no_memory(), lib.tacho_explainer_free)
    return _own.explainer


def _no_memory() -> Any:
    raise MemoryError


def predict(code: Buffer, arch: Core = "native", *, parameters: Mapping[str, object] | None = None,
            **options: Any) -> Prediction:
    """Predicts how many core cycles an iteration of `code` takes on `arch`.

    Of text with markers (LLVM-MCA's, OSACA's) what stands between them is meant, of text with several blocks its
    innermost loop: the first of those that `parts` lists, which `warnings` then says; `predict(parts(text)[1])` takes
    another one.

    `arch` is a name or alias as `archs` lists them, or "native"; `parameters` changes its parameters, for
    what-if runs.

    Options, all by name:
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

    >>> predict(bytes.fromhex("4801c3480fafc3"), "SKL").bounds["dependencies"]
    4.0
    >>> print(predict(bytes.fromhex("4801d8"), "ICX"))
    ICX: 1.00 cycles per iteration, limited by dependencies
    >>> predict(b"\\x06", "SKL")
    Traceback (most recent call last):
      ...
    tacho.TachoError: not a valid instruction in 64-bit mode
    """
    return _run(code, arch, parameters, options, bounds_only=False)[0]


def bounds(code: Buffer, arch: Core = "native", *, parameters: Mapping[str, object] | None = None,
           **options: Any) -> Prediction:
    """The same by bounds alone, without simulation: a lower limit, in a small part of the time.

    >>> bounds(bytes.fromhex("480fafc3"), "SKL").cycles
    3.0
    """
    return _run(code, arch, parameters, options, bounds_only=True)[0]


def explain(code: Buffer, arch: Core = "native", *, parameters: Mapping[str, object] | None = None,
            **options: Any) -> Explanation:
    """A prediction, and what would help: repeated with parts of the machine ideal, and with the code changed.

    >>> explanation = explain(bytes.fromhex("48031e480fafd8"), "SKL")
    >>> max(explanation.what_if, key=lambda w: w.gain).what
    'dependencies'
    """
    prediction, c = _run(code, arch, parameters, options, bounds_only=False)
    error, out = n.new_error(), ffi.new("const tacho_explanation **")
    status = lib.tacho_explain(_explainer(), c.result, c.code, c.size, c.options, out, error)
    n.check(status, error)
    e = out[0]
    return Explanation(
        prediction,
        tuple(WhatIf(n.text(lib.tacho_what_name(w.what)), n.text(w.text), w.cycles, w.gain,
                     w.instruction if w.instruction >= 0 else None)
              for w in e.what_ifs[0:e.what_if_count]),
        tuple(Advice(n.text(a.kind), n.text(a.text), tuple(a.instructions[0:a.instruction_count]),
                     a.cycles_before, a.cycles_after)
              for a in e.advice[0:e.advice_count]),
    )


class _Call:
    """What a prediction was made of; the result lives until the thread's next prediction."""

    def __init__(self, code: Buffer, arch: Core, parameters: Mapping[str, object] | None,
                 options: dict[str, Any]) -> None:
        self.arch = n.find_arch(arch, parameters)
        code, self.note = n.chosen(code)
        if isinstance(code, n.Part):
            options = {"alignment": code.alignment, **options}
        self.code, self.size = n.code_of(code)
        self.options, self.kept = n.predict_options(**options)
        self.result: Any = None


def _run(code: Buffer, arch: Core, parameters: Mapping[str, object] | None, options: dict[str, Any],
         bounds_only: bool) -> tuple[Prediction, _Call]:
    c = _Call(code, arch, parameters, options)
    c.options.bounds_only = bounds_only
    c.options.listing = _LISTING
    error, out = n.new_error(), ffi.new("const tacho_prediction **")
    n.check(lib.tacho_predict(own_predictor(), c.arch, c.code, c.size, c.options, out, error), error)
    c.result = out[0]
    return _copied(c.result, c.note), c


def _copied(p: Any, note: str) -> Prediction:
    next_limit = lib.tacho_prediction_next_limit(p)
    reasons = [n.text(lib.tacho_slot_reason_name(i)) for i in range(lib.TACHO_SLOT_REASON_COUNT)]
    return Prediction(
        arch=n.text(lib.tacho_arch_name(p.arch)),
        cycles=p.cycles,
        cycles_exact=Fraction(p.cycles_num, p.cycles_den) if p.cycles_den else None,
        mode=n.text(lib.tacho_mode_name(p.mode)),
        source=n.text(lib.tacho_uop_source_name(p.source)),
        compared_with=n.text(lib.tacho_compared_name(lib.tacho_arch_compared(p.arch))) or None,
        lower_bound=lib.tacho_prediction_is_lower_bound(p),
        bounds_only=p.bounds_only,
        bounds={n.text(lib.tacho_bound_name(i)): n.number(p.bounds[i]) for i in range(lib.TACHO_BOUND_COUNT)},
        bottlenecks=bound_names(p.bottlenecks),
        next_limit=n.text(lib.tacho_bound_name(next_limit)) if next_limit >= 0 else None,
        topdown={name: n.number(getattr(p.topdown, name))
                 for name in ("retiring", "frontend", "backend_core", "backend_dependencies")},
        lost={name: n.number(p.topdown.lost[i]) for i, name in enumerate(reasons)},
        critical_cycle=tuple(p.critical_cycle[0:p.critical_cycle_length]),
        ipc=n.number(lib.tacho_prediction_ipc(p)),
        uops_per_cycle=n.number(lib.tacho_prediction_uops_per_cycle(p)),
        instructions=tuple(_instruction(p.arch, p.instructions[i]) for i in range(p.instruction_count)),
        warnings=(*((note,) if note else ()), *(n.text(p.warnings[i]) for i in range(p.warning_count))),
        run_cycles=p.run_cycles if p.run_iterations else None,
    )


def bound_names(mask: int) -> tuple[str, ...]:
    return tuple(n.text(lib.tacho_bound_name(i)) for i in range(lib.TACHO_BOUND_COUNT) if mask >> i & 1)


def _instruction(arch: Any, r: Any) -> Instruction:
    return Instruction(
        asm=n.written(lambda out, size: lib.tacho_listing_write(_LISTING, r.insn, r.code_offset, out, size)),
        hex=bytes(ffi.buffer(lib.tacho_insn_bytes(r.insn), lib.tacho_insn_length(r.insn))).hex(),
        offset=r.code_offset,
        form=n.written(lambda out, size: lib.tacho_form_name(r.form.id, out, size)) if r.has_form else None,
        figures=n.text(lib.tacho_arch_source_text(arch, r.source)) if r.has_form else None,
        uops={"mite": r.uops_mite, "ms": r.uops_ms, "dsb": r.uops_dsb, "lsd": r.uops_lsd,
              "issued": r.uops_issued, "executed": r.uops_executed},
        ports={format(i, "x"): r.ports[i] for i in range(lib.TACHO_MAX_PORTS) if r.ports[i] > 0},
        latency=n.number(r.latency),
        reciprocal_throughput=n.number(r.reciprocal_throughput),
        critical_latency=n.number(r.critical_latency),
        notes=tuple(name for name, bit in n.NOTES.items() if r.notes & bit),
    )
