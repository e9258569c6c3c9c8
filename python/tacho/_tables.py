"""archs, arch, insn, assemble, parts, decode."""

from __future__ import annotations

from functools import partial
from typing import Any

from . import _native as n
from ._native import Buffer, Core, Part, ffi, lib
from ._results import Arch, Cost, InstructionForm, Latency, Parameter


def _arch(a: Any) -> Arch:
    aliases: list[str] = []
    parameters: dict[str, Parameter] = {}
    while (alias := lib.tacho_arch_alias(a, len(aliases))) != ffi.NULL:
        aliases.append(n.text(alias))
    for i in range(lib.tacho_arch_parameter_count()):
        p = ffi.new("tacho_arch_parameter *")
        lib.tacho_arch_parameter_get(i, p)
        parameters[n.text(p.name)] = Parameter(
            n.written(partial(lib.tacho_arch_parameter_text, a, i)),
            n.text(p.unit) or None, n.text(lib.tacho_arch_parameter_meaning(i)),
            n.text_or_none(lib.tacho_arch_param_source(a, p.name)))
    return Arch(n.text(lib.tacho_arch_name(a)), n.text(lib.tacho_arch_long_name(a)), tuple(aliases),
                n.text(lib.tacho_arch_table(a)), n.text(lib.tacho_compared_name(lib.tacho_arch_compared(a))) or None,
                parameters)


def archs() -> tuple[Arch, ...]:
    """The cores that this build knows.

    >>> "SKL" in [a.name for a in archs()]
    True
    """
    return tuple(_arch(lib.tacho_arch_get(i)) for i in range(lib.tacho_arch_count()))


def arch(name: Core = "native") -> Arch:
    """A core, by its name or an alias, or from a model: its file, or its text.

    >>> arch("skylake").parameters["issue_width"].value
    '4'
    """
    return _arch(n.find_arch(name))


def _cost(a: Any, form: Any, figures: Any, v: Any) -> Cost:
    return Cost(
        v.uops, v.retire_slots, v.uops_mite, v.uops_ms, bool(v.complex_decoder),
        tuple((g.count, "".join(format(i, "x") for i in range(lib.TACHO_MAX_PORTS) if g.ports >> i & 1))
              for g in (v.groups[i] for i in range(v.group_count))),
        v.div_cycles or None, v.tp_cycles or None,
        n.number(lib.tacho_form_latency(form, figures, ffi.addressof(v))),
        n.number(lib.tacho_form_throughput(a, form, ffi.addressof(v))))


def _known(cycles: int) -> int | None:
    return None if cycles == lib.TACHO_NO_LATENCY else cycles


def insn(form: str, arch: Core = "native") -> InstructionForm:
    """The figures of a form of an instruction on a core; names as `tacho insn` shows them, or uops.info's.

    >>> add = insn("ADD (R64, R64)", "SKL")
    >>> add.cost.ports, add.cost.latency
    (((1, '0156'),), 1.0)
    """
    n.needs_text(form, "a form of an instruction")
    a = n.find_arch(arch)
    error, id_ = n.new_error(), ffi.new("uint32_t *")
    n.check(lib.tacho_form_find(form.encode(), id_, error), error)
    c_form, f = ffi.new("tacho_form *"), ffi.new("tacho_figures *")
    lib.tacho_form_get(id_[0], c_form)
    name = n.written(lambda out, size: lib.tacho_form_name(id_[0], out, size))
    if lib.tacho_form_figures(a, id_[0], f):
        raise n.TachoError(f"{name} has no figures on {n.text(lib.tacho_arch_name(a))}", "unsupported")
    return InstructionForm(
        name, n.text(lib.tacho_arch_name(a)), _cost(a, c_form, f, f.base),
        _cost(a, c_form, f, f.indexed) if f.has_indexed else None,
        _cost(a, c_form, f, f.same_register) if f.has_same_register else None,
        tuple(Latency(l.source, l.target, _known(l.cycles), _known(l.address), _known(l.address_index),
                      _known(l.memory), _known(l.same_register))
              for l in (f.latencies[i] for i in range(f.latency_count))),
        n.text(lib.tacho_arch_source_text(a, f.source)),
        bool(lib.tacho_arch_source_fields(a, f.source, lib.TACHO_ORIGIN_SAME_CORE)))


def assemble(text: str, *, syntax: str = "auto") -> bytes:
    """The machine code of assembly text, in AT&T or Intel syntax ("att", "intel"; else by the text).

    >>> assemble("add rax, rbx; imul rax, rbx").hex()
    '4801d8480fafc3'
    >>> assemble("addd rax, rbx")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
      ...
    tacho.TachoError: line 1: ...
    """
    return n.assembled(text, syntax)


def parts(text: str, *, syntax: str = "auto") -> tuple[Part, ...]:
    """What of an assembly text is meant: the regions between its markers (LLVM-MCA's, OSACA's); else, of several
    blocks, the innermost loops, each along its likeliest path, the one that looks hottest first, as `tacho predict` has
    them; else all.

    >>> text = "f: xor eax, eax\\n1: inc eax\\n dec rdi\\n jnz 1b\\n ret\\ng: cdq\\n2: dec rsi\\n jnz 2b\\n ret"
    >>> [(part.kind, part.name, part.lines) for part in parts(text)]
    [('loop', 'f', (2, 4)), ('loop', 'g', (7, 8))]
    """
    return n.parts_of(text, syntax)


def decode(code: Buffer, *, syntax: str = "intel", address: int = 0) -> tuple[str, ...]:
    """The instructions of `code`, in Intel or AT&T syntax ("att").

    >>> decode(bytes.fromhex("4801d8480fafc3"))
    ('add rax, rbx', 'imul rax, rbx')
    """
    bytes_, size = n.code_of(n.assembled(code) if isinstance(code, str) else code)
    which = n.choice({"intel": lib.TACHO_SYNTAX_INTEL, "att": lib.TACHO_SYNTAX_ATT}, syntax, "syntax")
    decoded = ffi.gc(lib.tacho_insn_new(), lib.tacho_insn_free)
    result, at = [], 0
    while at < size:
        error = n.new_error()
        if lib.tacho_decode(decoded, bytes_ + at, size - at, error):
            raise n.TachoError(n.text(error.message), "input", at)
        result.append(n.written(
            lambda out, room: lib.tacho_insn_write(decoded, which, address + at, lib.TACHO_TARGETS_ABSOLUTE, out, room)))
        at += lib.tacho_insn_length(decoded)
    return tuple(result)
