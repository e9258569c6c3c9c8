"""The options of predictions: what they are called, which values they take, and the C struct that they make."""

from __future__ import annotations

import difflib
import operator
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar

from . import _native as n
from ._native import ffi, lib

T = TypeVar("T")
Init: TypeAlias = Literal["distinct", "aligned", "same"]
Aliases: TypeAlias = Mapping[str, str | tuple[str, int]]


class Options(TypedDict, total=False):
    """The options of `predict` and its relatives, all by name.

    A name that is none of these is a TypeError, and an error in pyright and mypy (before mypy 1.7 with
    --enable-incomplete-feature=Unpack).
    """

    mode: Literal["auto", "loop", "unroll"]  #: auto: a loop where the code ends in a branch
    init: Init  #: what is assumed of the registers before the first iteration
    registers: Mapping[str, int] | None  #: known values of general registers: {"rdi": 0x1000}
    aliases: Aliases | None  #: pointers known by others: {"rsi": ("rdi", 8)} or {"rsi": "rdi"}
    no_alias: bool  #: all other pointers lead to different places
    alignment: int  #: of the first byte from a 64-byte boundary, 0 to 63
    unknown: Literal["warn", "skip", "error"] | int  #: instructions without figures; a number: cycles of each
    memory_deps: bool  #: False: loads never wait for stores
    ignore_isa: bool  #: predict what the core cannot execute as if it could
    advance: bool  #: addresses move on after each iteration
    variants: Iterable[str]  #: parts of the model replaced by simpler ones: {"no_macro_fusion"}
    mispredicted: Iterable[int]  #: numbers of branches that are never foreseen
    iterations: int  #: also say how long so many iterations take from an empty pipeline on
    elements: int  #: that an iteration works on, where known better than found; 0: as found
    details: bool  #: False: no instructions, top-down shares, critical cycle and warnings; much faster


_NAMES = frozenset(Options.__annotations__)
_OTHERS = ("code", "arch", "parameters")
_MODES = n.constants("TACHO_MODE_")
_UNKNOWNS = {name: value for name, value in n.constants("TACHO_UNKNOWN_").items() if name != "latency"}
_INITS = n.constants("TACHO_INIT_")
_VARIANTS = {n.text(lib.tacho_variant_name(i)): 1 << i for i in range(lib.TACHO_VARIANT_COUNT)}
_REGISTERS = {name: i for i, name in enumerate("rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15".split())}


def check_names(function: str, options: Mapping[str, object], *others: str) -> None:
    """Refuses a name that is no option: a misspelt one must not look as if it had no effect."""
    for name in options:
        if name not in _NAMES:
            near = difflib.get_close_matches(name, (*_NAMES, *_OTHERS, *others), n=1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(Options.__annotations__)}"
            raise TypeError(f"{function}() has no option {name!r}{hint}")


def predict_options(options: Options) -> tuple[Any, list[Any]]:
    """The C struct of options whose names are right, and what it borrows."""
    o = ffi.new("tacho_predict_options *")
    kept: list[Any] = []
    lib.tacho_predict_options_init(o, ffi.sizeof("tacho_predict_options"))
    if not options:
        return o, kept
    o.mode = n.choice(_MODES, options.get("mode", "auto"), "mode")
    o.alignment = in_range(options.get("alignment", 0), 0, 63, "alignment")
    unknown = options.get("unknown", "warn")
    if isinstance(unknown, str):
        o.unknown = n.choice(_UNKNOWNS, unknown, "unknown")
    else:
        o.unknown = lib.TACHO_UNKNOWN_LATENCY
        o.unknown_latency = in_range(unknown, 1, lib.TACHO_MAX_UNKNOWN_LATENCY, "unknown")
    o.no_memory_deps = not flag(options.get("memory_deps", True), "memory_deps")
    o.ignore_isa = flag(options.get("ignore_isa", False), "ignore_isa")
    o.advance = flag(options.get("advance", False), "advance")
    o.run_iterations = in_range(options.get("iterations", 0), 0, lib.TACHO_MAX_RUN_ITERATIONS, "iterations")
    o.elements = in_range(options.get("elements", 0), 0, 2**32 - 1, "elements")
    o.details = flag(options.get("details", True), "details")
    variants = options.get("variants", ())
    for variant in [variants] if isinstance(variants, str) else several(variants, "variants"):
        o.variants |= n.choice(_VARIANTS, variant, "a variant")
    set_state(o, kept, options.get("init", "distinct"), options.get("registers"), options.get("aliases"),
              options.get("no_alias", False))
    wrong = sorted({in_range(number, 0, 2**32 - 1, "a number in mispredicted")
                    for number in several(options.get("mispredicted", ()), "mispredicted")})
    if wrong:
        kept.append(ffi.new("uint32_t[]", wrong))
        o.mispredicted, o.mispredicted_count = kept[-1], len(wrong)
    return o, kept


def set_state(o: Any, kept: list[Any], init: str, registers: Mapping[str, int] | None, aliases: Aliases | None,
              no_alias: bool) -> None:
    """What is known of the registers before the first iteration."""
    o.init = n.choice(_INITS, init, "init")
    o.no_alias = flag(no_alias, "no_alias")
    if registers:
        values = ffi.new("uint64_t[16]")
        for name, value in _by_register(registers, "registers"):
            values[_register(name)] = in_range(value, -2**63, 2**64 - 1, f"the value of {name}") & (2**64 - 1)
            o.known_mask |= 1 << _register(name)
        o.known_values = values
        kept.append(values)
    if aliases:
        pairs = [_alias(name, to) for name, to in _by_register(aliases, "aliases")]
        kept.append(ffi.new("tacho_alias[]", pairs))
        o.aliases, o.alias_count = kept[-1], len(pairs)


def _by_register(values: Mapping[str, Any], what: str) -> Iterable[tuple[str, Any]]:
    if not isinstance(values, Mapping):
        raise TypeError(f"{what} are a mapping from names of registers, not {values!r}")
    return values.items()


def _alias(name: str, to: str | tuple[str, int]) -> tuple[int, int, int]:
    match to:
        case str():
            base, offset = to, 0
        case (base, offset):
            pass
        case _:
            raise TypeError(f"the alias of {name} is a register, or one and a distance in bytes, not {to!r}")
    return _register(name), _register(base), in_range(offset, -2**63, 2**63 - 1, f"the distance of {name}")


def _register(name: str) -> int:
    return n.choice(_REGISTERS, name.lower() if isinstance(name, str) else name, "a register")


def whole(value: int, what: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{what} is a whole number, not {value!r}") from None


def in_range(value: int, low: int, high: int, what: str) -> int:
    value = whole(value, what)
    if not low <= value <= high:
        raise n.TachoError(f"{what} is {low} to {high}, not {value}", "usage")
    return value


def flag(value: bool, what: str) -> bool:
    """Not by truth: what says "no" would count as true."""
    if value not in (False, True):
        raise TypeError(f"{what} is True or False, not {value!r}")
    return bool(value)


def several(values: Iterable[T], what: str) -> Iterable[T]:
    if not isinstance(values, Iterable):
        raise TypeError(f"{what} are several, as a list or a set, not {values!r}")
    return values
