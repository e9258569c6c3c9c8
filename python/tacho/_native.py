"""What all other modules need of the C library: errors, names of constants, cores, code."""

from __future__ import annotations

import functools
import os
import pathlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar, Protocol, TypeAlias

from ._tacho import ffi, lib


class _Sized(Protocol):
    """What has the buffer protocol has no type of its own before Python 3.12; NumPy's arrays have this."""

    @property
    def nbytes(self) -> int: ...


class Value:
    """What all results are: plain values, which can be written as JSON."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """The fields by name, as json.dumps takes them: fractions as text ("7/3"), NaN as None, code in hex."""
        return {f.name: plain(getattr(self, f.name)) for f in fields(self)}


@dataclass(frozen=True, slots=True)
class Part(Value):
    """A part of an assembly text whose cycles somebody may want to know; all functions take it as code."""

    kind: str  #: "marked": between markers; "loop": an innermost loop of a text with several blocks; "straight": it
    #: has no loop, and is taken as one block; "all"
    name: str  #: of the marker; of the label before; "" none
    code: bytes  #: of a loop the likeliest path through it
    alignment: int  #: of its first byte from a 64-byte boundary, where the text begins at one
    lines: tuple[int, int] | None  #: the first and the last of its instructions, from 1
    pieces: tuple[tuple[int, int], ...] = ()  #: of a loop, where its path lies: offsets in `code`, and addresses


Buffer: TypeAlias = str | Part | bytes | bytearray | memoryview | _Sized
Core: TypeAlias = str | os.PathLike[str]
"""A core's name; or a model of one: a file (a path, or text with "/" or ".tacho" at its end), or its text (some lines)."""
Cores: TypeAlias = list[str] | list[os.PathLike[str]] | list[Core] | tuple[Core, ...]
"""Several cores: a list or tuple of them."""

__all__ = ["Buffer", "Core", "Cores", "Part", "TachoError", "check", "ffi", "lib"]


class TachoError(ValueError):
    """Something cannot be predicted, or an argument is wrong.

    `kind` says what: "input" (not code), "usage" (an argument), "memory", "limit" (too long), "unsupported" (an
    instruction that the core cannot execute, or has no figures for), "system" (the program that `measure` and `loops`
    need is not here, or failed). `offset` is the place in the code, or None.
    """

    __module__ = "tacho"

    def __init__(self, message: str, kind: str, offset: int | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.offset = offset

    def __reduce__(self) -> tuple[type[TachoError], tuple[str, str, int | None]]:
        return type(self), (str(self), self.kind, self.offset)


def plain(value: Any) -> Any:
    """A value of a result as JSON has it."""
    match value:
        case Value():
            return value.to_dict()
        case float():
            return number(value)
        case Fraction():
            return str(value)
        case bytes():
            return value.hex()
        case TachoError():
            return {"message": str(value), "kind": value.kind, "offset": value.offset}
        case tuple() | list():
            return [plain(v) for v in value]
        case dict():
            return {key: plain(v) for key, v in value.items()}
    return value


def constants(prefix: str) -> dict[str, int]:
    """The library's constants that begin so, by the rest of their names in lower case."""
    return {name[len(prefix):].lower(): getattr(lib, name) for name in dir(lib) if name.startswith(prefix)}


KINDS = {value: name for name, value in constants("TACHO_ERR_").items()}
PARTS = {value: name for name, value in constants("TACHO_PART_").items()}


def no_memory() -> Any:
    raise MemoryError


def text(chars: Any) -> str:
    return str(ffi.string(chars).decode())


def text_or_none(chars: Any) -> str | None:
    return text(chars) if chars else None


def number(value: float) -> float | None:
    """A number that C has as NaN where there is none."""
    return value if value == value else None


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


def needs_text(value: object, what: str) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{what} is text, not {type(value).__name__}")


def version() -> str:
    return text(lib.tacho_version())


def choice(values: Mapping[str, int], value: str, what: str) -> int:
    try:
        return values[value]
    except (KeyError, TypeError):
        raise TachoError(f"{what} is one of {', '.join(values)}, not {value!r}", "usage") from None


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


_named: dict[str, Any] = {}  # cores that were found by name, which all live as long as the library


def _found(name: Core) -> Any:
    if isinstance(name, str) and name in _named:
        return _named[name]
    if isinstance(name, str) and "\n" in name:
        return _loaded(name.encode(), b"model")
    if isinstance(name, os.PathLike) or isinstance(name, str) and ("/" in name or name.endswith(".tacho")):
        path = pathlib.Path(name)
        try:
            return _loaded(path.read_bytes(), path.name.removesuffix(".tacho").encode())
        except OSError as e:
            raise TachoError(f"{path}: {e.strerror}", "usage") from e
    needs_text(name, "the name of a core")
    error = new_error()
    found = lib.tacho_arch_find(name.encode(), error)
    if not found:
        raise TachoError(text(error.message), "usage")
    return _named.setdefault(name, found)


def cores_of(arch: Core | Cores) -> Sequence[Core]:
    if isinstance(arch, (list, tuple)) and not arch:
        raise TachoError("an empty list of cores", "usage")
    return arch if isinstance(arch, (list, tuple)) else (arch,)


def find_arch(name: Core, parameters: Mapping[str, object] | None = None) -> Any:
    """The core; with parameters a changed copy of it, which lives as long as what is returned."""
    found = _found(name)
    if not parameters:
        return found
    error = new_error()
    copy = lib.tacho_arch_copy(found)
    if not copy:
        raise MemoryError
    copy = ffi.gc(copy, lib.tacho_arch_free)
    for key, value in parameters.items():
        value = {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else value
        check(lib.tacho_arch_parameter_set(copy, str(key).encode(), str(value).encode(), error), error)
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
    note = ""
    if isinstance(code, str):
        (code, *_), note = _parts(code, "auto")
    if isinstance(code, Part) and code.kind == "loop" and not code.code:
        raise TachoError("no path through the loop was found", "input")
    return code, note


def _assembly(source: str, syntax: str) -> tuple[Any, bytes]:
    """What a text was assembled to, and its bytes."""
    needs_text(source, "assembly")
    o = ffi.new("tacho_assemble_options *")
    lib.tacho_assemble_options_init(o, ffi.sizeof("tacho_assemble_options"))
    o.syntax = choice(constants("TACHO_SYNTAX_"), syntax, "syntax")
    data = source.encode()
    out, error = ffi.new("tacho_assembly **"), new_error()
    status = lib.tacho_assemble(out, data, len(data), o, error)
    assembly = ffi.gc(out[0], lib.tacho_assembly_free)
    if status:
        raise TachoError(text(error.message), KINDS.get(status, "usage"))
    return assembly, data


def _parts(source: str, syntax: str) -> tuple[tuple[Part, ...], str]:
    assembly, data = _assembly(source, syntax)
    out, error = ffi.new("tacho_parts **"), new_error()
    check(lib.tacho_assembly_parts(out, assembly, data, len(data), error), error)
    found = ffi.gc(out[0], lib.tacho_parts_free)
    return tuple(
        Part(PARTS[p.kind], str(ffi.string(p.name).decode(errors="replace")),
             bytes(ffi.buffer(p.code, p.code_bytes)) if p.code else b"",
             p.alignment,
             (p.line_first, p.line_last) if p.line_first else None,
             tuple((p.pieces[i].code_offset, p.pieces[i].address) for i in range(p.piece_count)))
        for p in (found.parts[i] for i in range(found.count))), written(
            lambda out, size: lib.tacho_parts_note(found, 0, out, size))


def parts_of(text: str, syntax: str = "auto") -> tuple[Part, ...]:
    """What of a text is meant; at least one."""
    return _parts(text, syntax)[0]


def from_hex(digits: str) -> bytes:
    """Machine code from hexadecimal digits, written as the program's --hex takes them: "48 01 d8", "0x48, 0x01".

    Text as code is always assembly, as there is text that is both (`fadd`, `dec`): so digits have this function.

    >>> from_hex("4801d8 480fafc3")
    b'H\\x01\\xd8H\\x0f\\xaf\\xc3'
    """
    needs_text(digits, "machine code in hexadecimal digits")
    text_, error = digits.encode(), new_error()
    out = ffi.new("uint8_t[]", len(text_) // 2 + 1)
    size = lib.tacho_hex_decode(out, text_, len(text_), error)
    check(min(size, 0), error)
    return bytes(ffi.buffer(out, size))


def assembled(text: str, syntax: str = "auto") -> bytes:
    """The machine code of all of an assembly text."""
    assembly, _ = _assembly(text, syntax)
    sections = [assembly.sections[i] for i in range(assembly.section_count)]
    return b"".join(bytes(ffi.buffer(s.bytes, s.byte_count)) for s in sections if s.executable and s.byte_count)
