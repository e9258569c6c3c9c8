"""Results as notebooks show them: tables like those of the program's pages, self-contained, with all text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._many import Predicted, Predictions
    from ._program import Measurement
    from ._results import Explanation, Instruction, Prediction

# No classes or scripts, which would be those of the notebook. Colours are such as can be read on light and dark.
_LEFT = "text-align:left;padding:.15em .6em"
_RIGHT = "text-align:right;padding:.15em .6em"
_BAR = "display:inline-block;height:.7em;background:#0072b2;vertical-align:baseline"


class _Html(str):
    """Text that is HTML already."""


def _cell(value: object, tag: str = "td") -> str:
    if isinstance(value, _Html):
        return f'<{tag} style="{_LEFT}">{value}</{tag}>'
    if isinstance(value, float):
        return f'<{tag} style="{_RIGHT}">{value:.4g}</{tag}>'
    style = _RIGHT if isinstance(value, int) else _LEFT
    return f'<{tag} style="{style}">{"" if value is None else escape(str(value))}</{tag}>'


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    top = "".join(_cell(word, "th") for word in head)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _bar(value: float | None, most: float) -> _Html:
    return _Html(f'<span style="{_BAR};width:{12 * (value or 0) / (most or 1):.2f}em"></span>')


def _paragraph(text: object) -> str:
    return f"<p>{escape(str(text))}</p>"


def _list(lines: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<ul>{items}</ul>" if items else ""


def _bounds(p: Prediction) -> str:
    known = {name: cycles for name, cycles in p.bounds.items() if cycles is not None and cycles > 0}
    most = max(known.values(), default=1)
    return _table(["each component alone", "cycles", ""],
                  [(name, cycles, _bar(cycles, most)) for name, cycles in known.items()])


def _instructions(instructions: Sequence[Instruction]) -> str:
    ports = sorted({port for i in instructions for port in i.ports}, key=lambda port: int(port, 16))
    sources = [s for s in ("dsb", "mite", "ms", "lsd") if any(i.uops[s] > 0 for i in instructions)]
    return _table(
        ["#", "instruction", "latency", "reciprocal throughput", *(s.upper() for s in sources), *(f"p{p}" for p in ports),
         "critical", "notes"],
        [(k, _Html(f"<code>{escape(i.asm)}</code>"), i.latency, i.reciprocal_throughput,
          *(i.uops[s] if i.uops[s] > 0 else None for s in sources), *(i.ports.get(p) for p in ports),
          i.critical_latency, ", ".join(i.notes).replace("_", " ")) for k, i in enumerate(instructions)])


def prediction(p: Prediction) -> str:
    return f"<div>{_paragraph(p)}{_list(p.warnings)}{_bounds(p)}{_instructions(p.instructions)}</div>"


def explanation(e: Explanation) -> str:
    most = e.prediction.cycles
    useful = [w for w in e.what_if if w.gain > 0.005]
    what_if = _table(["what if there were", "cycles", ""], [(w.text, w.cycles, _bar(w.cycles, most)) for w in useful])
    return f"<div>{prediction(e.prediction)}{_list(a.text for a in e.advice)}" \
           f"{what_if if useful else ''}</div>"


def predictions(of: Predictions, shown: Sequence[Predicted]) -> str:
    most = max((p.cycles for p in shown if p.cycles is not None), default=1.0)
    table = _table(
        ["block", "core", "cycles", "", "limited by"],
        [(p.block, p.arch, p.cycles, _bar(p.cycles, most), p.error or ", ".join(p.bottlenecks)) for p in shown])
    more = _paragraph(f"and {len(of) - len(shown)} more") if len(of) > len(shown) else ""
    return f"<div>{_paragraph(of.head())}{table}{more}</div>"


def measurement(m: Measurement) -> str:
    return f"<div>{_paragraph(m)}{_list(m.notes)}</div>"
