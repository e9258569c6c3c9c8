"""Core cycles of x86-64 machine code, predicted: tacho's library.

>>> import tacho
>>> block = tacho.assemble("imul rax, rbx")
>>> prediction = tacho.predict(block, arch="SKL")
>>> prediction.cycles, prediction.bottlenecks
(3.0, ('dependencies',))
>>> list(tacho.predict_many([block, block * 2], arch="SKL").cycles)
[3.0, 6.0]

Code is assembly text, or machine code: anything with the buffer protocol, such as bytes, bytearray, memoryview,
a NumPy array of bytes. All functions
may be called from several threads at once; they give up Python's lock while they compute. What goes wrong is
raised as a TachoError. Cycles are core cycles per iteration; names in results are those of `tacho predict
--json` (doc/JSON.md).
"""

from ._native import Part, TachoError, version
from ._predict import bounds, explain, predict
from ._many import Predictions, predict_many
from ._deps import deps
from ._tables import arch, archs, assemble, decode, insn, parts
from ._results import (
    Advice, Arch, Cost, Dependency, Explanation, Instruction, InstructionForm, Latency, Parameter, Prediction,
    WhatIf,
)

__version__ = version()
__all__ = [
    "Advice", "Arch", "Cost", "Dependency", "Explanation", "Instruction", "InstructionForm", "Latency",
    "Parameter", "Part", "Prediction", "Predictions", "TachoError", "WhatIf", "arch", "archs", "assemble", "bounds", "decode",
    "deps", "explain", "insn", "parts", "predict", "predict_many",
]
