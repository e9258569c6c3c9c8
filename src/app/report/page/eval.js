// eval.js - an evaluation: its tables.

const predictors = data.predictors;
const reference = data.reference === "predicted" ? "reference" : "measured"; // cycles

function section(title, ...children) {
  $("sections").append(make("section", { class: "wide", "aria-label": title }, make("h2", {}, title), ...children));
}

const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
const percent = (v) => (v === null ? "–" : (100 * v).toFixed(2));
const tau = (v) => (v === null ? "–" : v.toFixed(4));

// Predictors are told apart by colour, and beyond the eighth by shape, too.
const colourOf = (i) => "var(--p" + (i % 8) + ")";
const second = (i) => (i >= 8 ? " second" : "");
const keyOf = (i) => make("i", { class: "key" + second(i), style: "background: " + colourOf(i) });

function withInterval(text, interval, show) {
  return interval ? [text + " ", make("small", {}, "[" + show(interval[0]) + ", " + show(interval[1]) + "]")] : [text];
}

// A table that is sorted by a click on a column's name. A column: {name, value (to sort by), show (nodes),
// best ("low", "high" or undefined), kind (a class)}.
function dataTable(columns, rows) {
  const body = make("tbody");
  const best = columns.map((c) => {
    const values = rows.map(c.value).filter((v) => v !== null);
    return c.best && values.length > 1 ? Math[c.best === "low" ? "min" : "max"](...values) : null;
  });
  const fill = (list) => body.replaceChildren(...list.map((row) => make("tr", {}, ...columns.map((c, k) =>
    make("td", { class: (c.kind || "") + (best[k] !== null && c.value(row) === best[k] ? " best" : "") },
      ...c.show(row))))));
  const heads = columns.map((c) => make("th", { scope: "col", class: (c.kind || "") + (c.wrap ? " wrap" : "") },
    make("button", { type: "button", onclick: () => sort(c) }, ...(c.head || [c.name]))));
  const sort = (c) => {
    const head = heads[columns.indexOf(c)], down = head.getAttribute("aria-sort") === "ascending";
    for (const h of heads) h.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const order = (a, b) => {
      const x = c.value(a), y = c.value(b);
      if (x === null || y === null) return (x === null) - (y === null);
      return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
    };
    fill([...rows].sort(order));
  };
  fill(rows);
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "table" },
    make("table", { class: "data" }, make("thead", {}, make("tr", {}, ...heads)), body));
}

function summary() {
  const figure = (name, field, best, show, interval) => ({ name, best, value: (p) => p[field],
    show: (p) => withInterval(show(p[field]), interval ? p[field + "_interval"] : null, show) });
  const count = (name, field) => ({ name, value: (p) => p[field], show: (p) => [grouped(p[field])] });
  const columns = [
    { name: "predictor", kind: "name", value: (p) => p.name.toLowerCase(), show: (p) => [keyOf(predictors.indexOf(p)), p.name] },
    count("blocks", "count"), count("failed", "failures"), ...(predictors.some((p) => p.lower_bounds) ? [count("lower bounds", "lower_bounds")] : []), figure("MAPE %", "mape", "low", percent, true),
    figure("median %", "median", "low", percent), figure("q1 %", "q1", null, percent), figure("q3 %", "q3", null, percent),
    figure("Kendall’s tau", "kendall_tau", "high", tau, true), figure("within 1 %", "within_1", "high", percent),
    figure("5 %", "within_5", "high", percent), figure("10 %", "within_10", "high", percent),
    figure("bias %", "bias", null, percent), figure("worst %", "worst", null, percent)];
  if (predictors.some((p) => p.seconds !== null))
    columns.push({ name: "seconds", value: (p) => p.seconds, show: (p) => [p.seconds === null ? "–" : number(p.seconds)] });
  section("Predictors", explained(), dataTable(columns, predictors));
}

function explained() {
  const o = data.options;
  let text = "Errors are in % of the " + reference + " cycles, over the blocks that a predictor has an answer for.";
  if (predictors.some((p) => p.mape_interval))
    text += " In brackets: " + number(100 * o.confidence, 3) + " % intervals of " + grouped(o.resamples) + " resamples (seed " + o.seed + ").";
  if (o.tau_step > 0) text += " For Kendall’s tau, cycles are rounded to multiples of " + number(o.tau_step, 6) + ".";
  const left = data.left_out.map((l) => make("li", {}, grouped(l.count) + (l.count === 1 ? " row" : " rows") + " left out: " + l.reason));
  return make("div", { class: "lead" }, text, left.length ? make("ul", {}, ...left) : null);
}

// ---- groups ----

function groupTable(grouping) {
  const rows = grouping.groups.map((g, k) => ({ name: g.group, blocks: g.blocks, place: k, of: predictors.map((p) => p.groupings[grouping.name][k]) }));
  const columns = [{ name: grouping.name, kind: "name", value: (r) => r.place, show: (r) => [r.name] },
    { name: "blocks", value: (r) => r.blocks, show: (r) => [grouped(r.blocks)] }];
  predictors.forEach((p, i) => columns.push({ name: p.name, wrap: true, head: [keyOf(i), p.name], value: (r) => r.of[i].mape,
    show: (r) => [percent(r.of[i].mape) + " ", make("small", {}, tau(r.of[i].kendall_tau))] }));
  return dataTable(columns, rows);
}

function groups() {
  for (const g of data.groupings)
    section("By " + g.name, make("p", { class: "lead" }, "Mean error (MAPE) in %" +
      (predictors.some((p) => p.groupings[g.name].some((s) => s.mape_interval)) ? ", with intervals" : "") + "; in the table also Kendall’s tau, small."),
      ...(predictors.length > 1 ? [keyList()] : []), dotPlot(g), groupTable(g));
}

// ---- the worst blocks ----

function worstTable(p) {
  const columns = [
    { name: reference, value: (b) => b.measured, show: (b) => [number(b.measured)] },
    { name: "predicted", value: (b) => b.predicted, show: (b) => [number(b.predicted)] },
    { name: "factor", value: (b) => b.predicted / b.measured, show: (b) => [number(b.predicted / b.measured)] },
    { name: "error %", value: (b) => b.error, show: (b) => [percent(b.error)] },
    { name: "block", kind: "left", value: (b) => b.hex.length, show: (b) => [make("pre", {}, b.asm.join("\n")), make("code", {}, b.hex)] },
    { name: "note", kind: "left note", value: (b) => b.note, show: (b) => [b.note || ""] }];
  return dataTable(columns, p.worst_blocks);
}

function worst() {
  const some = predictors.filter((p) => p.worst_blocks.length);
  if (some.length)
    section("Largest errors", ...some.map((p, k) => make("details", { class: "worst", open: k === 0 ? "" : null },
      make("summary", {}, keyOf(predictors.indexOf(p)), p.name + ": up to " + percent(p.worst) + " %"), worstTable(p))));
}

function failures() {
  const rows = [];
  for (const p of predictors) {
    for (const m of p.failure_messages) rows.push({ p, count: m.count, message: m.message || "no message" });
    if (p.failures_with_other_messages) rows.push({ p, count: p.failures_with_other_messages, message: "other messages" });
  }
  if (!rows.length) return;
  section("Why predictors failed", dataTable([
    { name: "predictor", kind: "name", value: (r) => predictors.indexOf(r.p), show: (r) => [keyOf(predictors.indexOf(r.p)), r.p.name] },
    { name: "blocks", value: (r) => r.count, show: (r) => [grouped(r.count)] },
    { name: "message", kind: "left message", value: (r) => r.message, show: (r) => [r.message] }], rows));
}
