"""Core cycles of x86-64 machine code, predicted: tacho's library.

>>> import tacho
>>> block = tacho.assemble("imul rax, rbx")
>>> prediction = tacho.predict(block, arch="SKL")
>>> prediction.cycles, prediction.bottlenecks
(3.0, ('dependencies',))
>>> list(tacho.predict_many([block, block * 2], arch="SKL").cycles)
[3.0, 6.0]

Code is assembly text, or machine code: anything with the buffer protocol, such as bytes, bytearray, memoryview,
a NumPy array of bytes; `from_hex` makes bytes of hexadecimal digits. All functions
may be called from several threads at once; they give up Python's lock while they compute. What goes wrong is
raised as a TachoError. Cycles are core cycles per iteration; names in results are those of `tacho predict
--json` (doc/JSON.md); `to_dict` of a result gives what json.dumps takes, and notebooks show tables.
"""

from ._native import Part, TachoError, from_hex, version
from ._options import Options
from ._predict import bounds, explain, predict
from ._many import Predicted, Predictions, predict_many
from ._deps import deps
from ._program import Loop, Measurement, loops, measure
from ._tables import arch, archs, assemble, decode, insn, parts
from ._results import (
    Advice, Arch, Cost, Dependency, Explanation, Instruction, InstructionForm, Latency, Parameter, Prediction,
    WhatIf,
)

__version__ = version()
__all__ = [
    "Advice", "Arch", "Cost", "Dependency", "Explanation", "Instruction", "InstructionForm", "Latency", "Loop",
    "Measurement", "Options", "Parameter", "Part", "Predicted", "Prediction", "Predictions", "TachoError", "WhatIf",
    "arch", "archs", "assemble", "bounds", "decode", "deps", "explain", "from_hex", "insn", "loops", "measure", "parts",
    "predict", "predict_many",
]
