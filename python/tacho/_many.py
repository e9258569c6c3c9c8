"""predict_many."""

from __future__ import annotations

import itertools
import os
import threading
from array import array
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from . import _native as n
from ._native import Buffer, Core, Part, TachoError, ffi, lib
from ._predict import bound_names, own_predictor, predict

_CHUNK = 512  # blocks of one call: enough that calls cost nothing, few enough for threads to end together


class Predictions:
    """Predictions of many blocks: arrays with an entry for each, in their order.

    The arrays have the buffer protocol, so that `numpy.asarray(result.cycles)` copies nothing, and
    `pandas.DataFrame(result.columns())` makes a table.
    """

    def __init__(self, count: int) -> None:
        #: cycles per iteration; NaN where the block cannot be predicted
        self.cycles = array("d", bytes(8 * count))
        #: 1 where instructions without figures are in it
        self.lower_bound = array("B", bytes(count))
        #: bits; see bottlenecks_of
        self.bottleneck_bits = array("I", bytes(4 * count))
        #: why a block cannot be predicted, by its number
        self.errors: dict[int, TachoError] = {}

    def __len__(self) -> int:
        return len(self.cycles)

    def bottlenecks_of(self, number: int) -> tuple[str, ...]:
        """The bounds that limit block `number`."""
        return bound_names(self.bottleneck_bits[number])

    def columns(self) -> dict[str, Any]:
        """The arrays by name."""
        return {"cycles": self.cycles, "lower_bound": self.lower_bound,
                "bottlenecks": [" ".join(bound_names(mask)) for mask in self.bottleneck_bits]}


def predict_many(blocks: Iterable[Buffer], arch: Core = "native", *, threads: int | None = None,
                 bounds_only: bool = False, parameters: Mapping[str, object] | None = None,
                 **options: Any) -> Predictions:
    """Predicts many blocks on several threads (default: as many as this process has processors).

    Options are those of `predict`. A block that cannot be predicted does not stop the others: its cycles are
    NaN, and `errors` says why.

    >>> result = predict_many([bytes.fromhex("480fafc3"), b"\\x06"], "SKL")
    >>> list(result.cycles)
    [3.0, nan]
    >>> result.bottlenecks_of(0), result.errors[1].kind
    (('dependencies',), 'input')
    """
    items: list[Buffer] = []
    not_assembled: dict[int, TachoError] = {}
    for block in blocks:
        try:
            items.append(n.chosen(block)[0])
        except TachoError as error:
            not_assembled[len(items)] = error
            items.append(b"")  # which cannot be predicted either
    arch_ = n.find_arch(arch, parameters)
    o, kept = n.predict_options(**options)
    o.details = False
    o.bounds_only = bounds_only
    result = Predictions(len(items))
    if not items:
        return result
    status = array("b", bytes(len(items)))
    places = array("B", (item.alignment if isinstance(item, Part) and "alignment" not in options else o.alignment
                         for item in items))
    items = [item.code if isinstance(item, Part) else item for item in items]
    code = b"".join(items)  # type: ignore[arg-type]
    starts = array("Q", itertools.accumulate((n.code_of(item)[1] for item in items), initial=0))
    c = [ffi.from_buffer(kind, data) for kind, data in (
        ("uint8_t[]", code), ("uint64_t[]", starts), ("uint8_t[]", places), ("double[]", result.cycles), ("int8_t[]", status),
        ("uint32_t[]", result.bottleneck_bits), ("uint8_t[]", result.lower_bound))]

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
            lib.batch_predict(predictor, arch_, o, *c[:3], first, last, *c[3:])

    workers = threads or len(os.sched_getaffinity(0))
    with ThreadPoolExecutor(max_workers=workers) as pool:
        for done in [pool.submit(work) for _ in range(workers)]:
            done.result()
    del kept
    if status.count(0) < len(items):
        for i in (i for i, failed in enumerate(status) if failed):
            if i in not_assembled:
                result.errors[i] = not_assembled[i]
                continue
            try:
                predict(items[i], arch, parameters=parameters, **options)
            except TachoError as error:
                result.errors[i] = error
    return result
