"""deps."""

from __future__ import annotations

from collections.abc import Mapping

from . import _native as n
from ._native import Buffer, ffi, lib
from ._options import Aliases, Init, flag, in_range, set_state
from ._results import Dependency


def deps(code: Buffer, *, init: Init = "distinct", registers: Mapping[str, int] | None = None,
         aliases: Aliases | None = None, no_alias: bool = False, window: int = 512,
         memory: bool = True) -> tuple[Dependency, ...]:
    """Which instructions of a block, taken as the body of a loop, wait for which: through registers, flags, memory.

    >>> [(d.source, d.target, d.distance, d.kind) for d in deps(bytes.fromhex("48890648030648ffc0"))]
    [(2, 0, 1, 'register'), (0, 1, 0, 'memory'), (2, 1, 1, 'register'), (1, 2, 0, 'register')]
    """
    o = ffi.new("tacho_deps_options *")
    kept: list[object] = []
    lib.tacho_deps_options_init(o, ffi.sizeof("tacho_deps_options"))
    o.window = in_range(window, 1, 1 << 20, "window")
    o.no_memory = not flag(memory, "memory")
    set_state(o, kept, init, registers, aliases, no_alias)
    bytes_, size = n.code_of(code)
    out, error = ffi.new("tacho_deps **"), n.new_error()
    n.check(lib.tacho_deps_find(out, bytes_, size, o, error), error)
    found = ffi.gc(out[0], lib.tacho_deps_free)
    result = []
    for i in range(found.count):
        d = found.dependencies[i]
        kind = n.text(lib.tacho_dependency_kind_name(d.kind))
        of_memory = kind == "memory"
        result.append(Dependency(
            d.source, d.target, d.distance, kind,
            n.text(lib.tacho_reg_name(d.reg)) if kind == "register" else None, d.share,
            d.bytes if of_memory else None,
            (d.offset >= 0 and d.bytes == d.load_bytes) if of_memory else None))
    return tuple(result)
