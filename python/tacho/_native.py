"""What all other modules need of the C library: errors, names of constants, options."""

from __future__ import annotations

import functools
import math
import os
import pathlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from ._tacho import ffi, lib


class _Sized(Protocol):
    """What has the buffer protocol has no type of its own before Python 3.12; NumPy's arrays have this."""

    @property
    def nbytes(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an assembly text whose cycles somebody may want to know; all functions take it as code."""

    kind: str  #: "marked": between markers; "loop": an innermost loop of a text with several blocks; "straight": it
    #: has no loop, and is taken as one block; "all"
    name: str  #: of the marker; of the label before; "" none
    code: bytes
    alignment: int  #: of its first byte from a 64-byte boundary, where the text begins at one
    lines: tuple[int, int] | None  #: the first and the last of its instructions, from 1


Buffer: TypeAlias = str | Part | bytes | bytearray | memoryview | _Sized
Core: TypeAlias = str | os.PathLike[str]
"""A core's name; or a model of one: a file (a path, or text with "/" or ".tacho" at its end), or its text (some lines)."""

__all__ = ["Buffer", "Core", "Part", "TachoError", "check", "ffi", "lib"]


class TachoError(ValueError):
    """Something cannot be predicted, or an argument is wrong.

    `kind` says what: "input" (not code), "usage" (an argument), "memory", "limit" (too long), "unsupported" (an
    instruction that the core cannot execute, or has no figures for). `offset` is the place in the code, or None.
    """

    __module__ = "tacho"

    def __init__(self, message: str, kind: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.offset = offset

    def __reduce__(self) -> tuple[type[TachoError], tuple[str, str, int | None]]:
        return type(self), (str(self), self.kind, self.offset)


def constants(prefix: str) -> dict[str, int]:
    """The library's constants that begin so, by the rest of their names in lower case."""
    return {name[len(prefix):].lower(): getattr(lib, name) for name in dir(lib) if name.startswith(prefix)}


KINDS = {value: name for name, value in constants("TACHO_ERR_").items()}
PARTS = {value: name for name, value in constants("TACHO_PART_").items()}
MODES = constants("TACHO_MODE_")
INITS = constants("TACHO_INIT_")
UNKNOWNS = constants("TACHO_UNKNOWN_")
NOTES = {
    {"fused_into_prev": "fused_into_previous"}.get(name, name): bit
    for name, bit in sorted(constants("TACHO_NOTE_").items(), key=lambda item: item[1])
}
REGISTERS = ("rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15").split()


def text(chars: Any) -> str:
    return str(ffi.string(chars).decode())


def text_or_none(chars: Any) -> str | None:
    return text(chars) if chars else None


def number(value: float) -> float | None:
    """A number that C has as NaN where there is none."""
    return None if math.isnan(value) else value


def written(write: Callable[[Any, int], Any], size: int = 1024) -> str:
    """What a C function writes to a buffer that it is given."""
    out = ffi.new("char[]", size)
    write(out, size)
    return text(out)


def check(status: int, error: Any) -> None:
    if status:
        raise TachoError(text(error.message), KINDS.get(status, "usage"), error.offset if error.offset >= 0 else None)


def new_error() -> Any:
    return ffi.new("tacho_error *", {"offset": -1})


def version() -> str:
    return text(lib.tacho_version())


def choice(values: Mapping[str, int], value: str, what: str) -> int:
    try:
        return values[value]
    except KeyError:
        raise TachoError(f"{what} is one of {', '.join(values)}, not {value!r}", "usage") from None


def bits(values: Iterable[str], name: Callable[[int], str], count: int, what: str) -> int:
    names = {name(i): 1 << i for i in range(count)}
    result = 0
    for value in [values] if isinstance(values, str) else values:
        result |= choice(names, value, what)
    return result


def register(name: str) -> int:
    return choice({r: i for i, r in enumerate(REGISTERS)}, name.lower(), "a register")


@functools.lru_cache(maxsize=16)
def _loaded(model: bytes, name: bytes) -> Any:
    """The core that a model describes; it lives as long as what is returned, and copies of it longer."""
    o = ffi.new("tacho_arch_load_options *")
    lib.tacho_arch_load_options_init(o, ffi.sizeof("tacho_arch_load_options"))
    o.name = kept = ffi.new("char[]", name)
    out, error = ffi.new("tacho_arch **"), new_error()
    status = lib.tacho_arch_load(out, model, len(model), o, error)
    del kept
    check(status, error)
    return ffi.gc(out[0], lib.tacho_arch_free)


def _found(name: Core) -> Any:
    if isinstance(name, str) and "\n" in name:
        return _loaded(name.encode(), b"model")
    if not isinstance(name, str) or "/" in name or name.endswith(".tacho"):
        path = pathlib.Path(name)
        try:
            return _loaded(path.read_bytes(), path.name.removesuffix(".tacho").encode())
        except OSError as e:
            raise TachoError(f"{path}: {e.strerror}", "usage") from e
    error = new_error()
    found = lib.tacho_arch_find(name.encode(), error)
    if not found:
        raise TachoError(text(error.message), "usage")
    return found


def find_arch(name: Core, parameters: Mapping[str, object] | None = None) -> Any:
    """The core; with parameters a changed copy of it, which lives as long as what is returned."""
    error, found = new_error(), _found(name)
    if not parameters:
        return found
    copy = lib.tacho_arch_copy(found)
    if not copy:
        raise MemoryError
    copy = ffi.gc(copy, lib.tacho_arch_free)
    for key, value in parameters.items():
        value = {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else value
        check(lib.tacho_arch_parameter_set(copy, key.encode(), str(value).encode(), error), error)
    check(lib.tacho_arch_check(copy, error), error)
    return copy


def code_of(code: Buffer) -> tuple[Any, int]:
    """The bytes and their number; what is returned keeps them alive."""
    if isinstance(code, str):
        code = chosen(code)[0]
    view = memoryview(code.code if isinstance(code, Part) else code)  # type: ignore[arg-type]
    view = view.cast("B") if view.nbytes else memoryview(b"")
    return ffi.from_buffer("uint8_t[]", view), view.nbytes


def chosen(code: Buffer) -> tuple[Buffer, str]:
    """Of a text the part that is meant, and a sentence if it is one of several; else the code itself."""
    if not isinstance(code, str):
        return code, ""
    parts, note = _parts(code, "auto")
    return parts[0], note


def _assembly(text: str, syntax: str) -> tuple[Any, bytes]:
    """What a text was assembled to, and its bytes."""
    o = ffi.new("tacho_assemble_options *")
    lib.tacho_assemble_options_init(o, ffi.sizeof("tacho_assemble_options"))
    o.syntax = choice(constants("TACHO_SYNTAX_"), syntax, "syntax")
    data = text.encode()
    out, error = ffi.new("tacho_assembly **"), new_error()
    status = lib.tacho_assemble(out, data, len(data), o, error)
    assembly = ffi.gc(out[0], lib.tacho_assembly_free)
    if status:
        raise TachoError(str(ffi.string(error.message).decode()), KINDS.get(status, "usage"))
    return assembly, data


def _parts(text: str, syntax: str) -> tuple[tuple[Part, ...], str]:
    assembly, data = _assembly(text, syntax)
    count, error = ffi.new("size_t *"), new_error()
    check(lib.tacho_assembly_parts(assembly, data, len(data), ffi.NULL, 0, count, error), error)
    found = ffi.new("tacho_part[]", count[0])
    check(lib.tacho_assembly_parts(assembly, data, len(data), found, count[0], count, error), error)
    if found[0].start == found[0].end:
        raise TachoError("the text has no instructions", "input")
    return tuple(
        Part(PARTS[p.kind], str(ffi.string(p.name).decode(errors="replace")),
             bytes(ffi.buffer(assembly.sections[p.section].bytes + p.start, p.end - p.start)) if p.end else b"",
             p.start % 64, (p.line_first, p.line_last) if p.line_first else None)
        for p in found), written(lambda out, size: lib.tacho_parts_note(found, count[0], out, size))


def parts_of(text: str, syntax: str = "auto") -> tuple[Part, ...]:
    """What of a text is meant; at least one."""
    return _parts(text, syntax)[0]


def assembled(text: str, syntax: str = "auto") -> bytes:
    """The machine code of all of an assembly text."""
    assembly, _ = _assembly(text, syntax)
    sections = [assembly.sections[i] for i in range(assembly.section_count)]
    return b"".join(bytes(ffi.buffer(s.bytes, s.byte_count)) for s in sections if s.executable and s.byte_count)


def predict_options(
    *, mode: str = "auto", init: str = "distinct", alignment: int = 0, unknown: str | int = "warn",
    memory_deps: bool = True, ignore_isa: bool = False, advance: bool = False, variants: Iterable[str] = (),
    registers: Mapping[str, int] | None = None, aliases: Mapping[str, str | tuple[str, int]] | None = None,
    no_alias: bool = False, mispredicted: Iterable[int] = (), iterations: int = 0,
) -> tuple[Any, list[Any]]:
    """The C struct of options, and what it borrows."""
    o = ffi.new("tacho_predict_options *")
    kept: list[Any] = []
    lib.tacho_predict_options_init(o, ffi.sizeof("tacho_predict_options"))
    o.mode = choice(MODES, mode, "mode")
    o.init = choice(INITS, init, "init")
    o.alignment = in_range(alignment, 0, 63, "alignment")
    if isinstance(unknown, str):
        o.unknown = choice({k: v for k, v in UNKNOWNS.items() if k != "latency"}, unknown, "unknown")
    else:
        o.unknown = lib.TACHO_UNKNOWN_LATENCY
        o.unknown_latency = in_range(unknown, 1, lib.TACHO_MAX_UNKNOWN_LATENCY, "unknown")
    o.no_memory_deps = not memory_deps
    o.ignore_isa = ignore_isa
    o.advance = advance
    o.no_alias = no_alias
    o.run_iterations = in_range(iterations, 0, lib.TACHO_MAX_RUN_ITERATIONS, "iterations")
    o.variants = bits(variants, lambda i: text(lib.tacho_variant_name(i)), lib.TACHO_VARIANT_COUNT, "a variant")
    set_state(o, kept, registers, aliases)
    wrong = sorted(set(mispredicted))
    if wrong:
        kept.append(ffi.new("uint32_t[]", wrong))
        o.mispredicted, o.mispredicted_count = kept[-1], len(wrong)
    return o, kept


def set_state(o: Any, kept: list[Any], registers: Mapping[str, int] | None,
              aliases: Mapping[str, str | tuple[str, int]] | None) -> None:
    """What is known of the registers before the first iteration."""
    if registers:
        values = ffi.new("uint64_t[16]")
        for name, value in registers.items():
            values[register(name)] = value & (2**64 - 1)
            o.known_mask |= 1 << register(name)
        o.known_values = values
        kept.append(values)
    if aliases:
        known = {name: (to, 0) if isinstance(to, str) else to for name, to in aliases.items()}
        pairs = [(register(name), register(base), offset) for name, (base, offset) in known.items()]
        kept.append(ffi.new("tacho_alias[]", pairs))
        o.aliases, o.alias_count = kept[-1], len(pairs)


def in_range(value: int, low: int, high: int, what: str) -> int:
    if not low <= value <= high:
        raise TachoError(f"{what} is {low} to {high}, not {value}", "usage")
    return value
