"""The extension module, as cffi makes it of the C headers (../bindings.py)."""

from typing import Any

ffi: Any
lib: Any
