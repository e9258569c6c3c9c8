# %% [markdown]
# How far are predictions from measured cycles? A CSV file with the columns hex and cycles, and if there is one,
# flags (rows that have any are left out): `tacho measure --batch` writes such a file.
#
#     python3 errors.py FILE.csv [ARCH [loop|unroll]]
#
# With matplotlib it also draws FILE.png.

# %%
import collections
import csv
import math
import pathlib
import sys

import tacho

path = pathlib.Path(sys.argv[1])
arch = sys.argv[2] if len(sys.argv) > 2 else "native"
mode = sys.argv[3] if len(sys.argv) > 3 else "auto"

# %%
with path.open(newline="") as file:
    rows = [row for row in csv.DictReader(file) if row["cycles"] and not row.get("flags")]
measured = [float(row["cycles"]) for row in rows]
predicted = tacho.predict_many([bytes.fromhex(row["hex"]) for row in rows], arch, mode=mode, init="same",
                               ignore_isa=True).cycles

# %%
errors = [100 * (p / m - 1) for p, m in zip(predicted, measured) if m > 0 and not math.isnan(p)]
if not errors:
    sys.exit(f"{path}: no row with cycles that can be predicted")
print(f"{len(errors)} blocks: mean error {sum(map(abs, errors)) / len(errors):.2f} %, "
      f"{100 * sum(abs(e) <= 1 for e in errors) / len(errors):.1f} % within 1 %")

# %%
EDGE, STEP = 12, 2
counts = collections.Counter(max(-EDGE, min(EDGE, STEP * round(e / STEP))) for e in errors)
for middle in range(-EDGE, EDGE + 1, STEP):
    beyond = "<=" if middle == -EDGE else ">=" if middle == EDGE else "  "
    share = counts[middle] / len(errors)
    print(f"{beyond} {middle:+4d} %  {100 * share:5.1f} %  {'#' * round(60 * share)}")

# %%
try:
    import matplotlib
except ImportError:
    sys.exit()
matplotlib.use("agg")
import matplotlib.pyplot as plot  # noqa: E402

figure, axes = plot.subplots()
axes.scatter(measured, predicted, s=4, alpha=0.3)
axes.set(xscale="log", yscale="log", xlabel="measured cycles", ylabel="predicted cycles", title=f"{path.name}, {arch}")
axes.axline((1, 1), slope=1, linewidth=0.5)
figure.savefig(path.with_suffix(".png").name, dpi=150)
print(f"drawn: {path.with_suffix('.png').name}")
