"""Writes the C source of the extension module from libtacho's own headers: python3 bindings.py CC INCLUDE OUT

cffi reads declarations without preprocessor directives and function bodies; what these are is taken from the
preprocessed headers, so that nothing is described twice. Values of constants and layouts of structs are left
to the C compiler.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import cffi

HERE = pathlib.Path(__file__).parent
# Standard headers stand for themselves: cffi knows their types.
STANDARD = ("stdbool.h", "stddef.h", "stdint.h")


def preprocessed(cc, include):
    """The public headers' declarations, as text for cffi."""
    with tempfile.TemporaryDirectory() as empty:
        for name in STANDARD:
            pathlib.Path(empty, name).touch()
        text = subprocess.run(
            [*cc, "-E", "-P", "-nostdinc", "-U__GNUC__", "-I", empty, "-I", include, "-x", "c", "-"],
            input="#include <tacho/tacho.h>\n", capture_output=True, text=True, check=True
        ).stdout
    text = re.sub(r"static inline [^{;]*\{[^}]*\}", "", text)
    # An enum's values may be expressions, which cffi leaves to the compiler where they are written "...".
    return re.sub(r"=[^,}]*<<[^,}]*", "= ...", text)


def main():
    *cc, include, out = sys.argv[1:]
    ffi = cffi.FFI()
    ffi.cdef(preprocessed(cc, include))
    ffi.cdef((HERE / "batch.h").read_text())
    ffi.set_source("tacho._tacho", "#include <tacho/tacho.h>\n#include \"batch.h\"")
    ffi.emit_c_code(out)


if __name__ == "__main__":
    main()
