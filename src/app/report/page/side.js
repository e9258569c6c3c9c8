// side.js - results side by side: one code on several cores, or several versions of it. A side has a label, a report, and
// a trace unless the report is an error.
let sides = [];

const predictedSides = () => sides.filter((s) => s.report.cycles !== null);
const meter = (v, most) => make("div", { class: "meter", style: "width: " + (100 * v) / most + "%" });

function sideRow({ label, report: r }, n, choose) {
  const most = Math.max(...predictedSides().map((s) => s.report.cycles)), name = make("button", { type: "button", class: "place", onclick: () => choose(n) }, label);
  if (r.cycles === null)
    return make("tr", { class: "refused", "data-core": n }, make("td", { class: "asm" }, label), make("td", {}, "–"), make("td"), make("td"), make("td"), make("td"),
      make("td", { class: "notes", colspan: 2 }, r.error || "not predicted"));
  return make("tr", { "data-core": n }, make("td", { class: "asm" }, name), make("td", {}, cyclesOf(r)), make("td", { class: "bar-cell" }, meter(r.cycles, most)),
    make("td", {}, r.data ? number(r.data.cycles) + " in " + r.data.level : ""), make("td", {}, r.cycles_exact && r.cycles_exact.includes("/") ? r.cycles_exact : ""), make("td", {}, number(r.ipc)), make("td", { class: "notes" }, own(r, r.source)),
    make("td", { class: "notes" }, limitsOf(r, "no single limit")));
}

// A row a side; `first` is what the sides are.
function sidesTable(first, choose) {
  const columns = [[first, "asm"], ["cycles"], ["", "bar-cell"], ["with\nits data"], ["exactly"], ["IPC"], ["µops from", "notes"], ["limited by", "notes"]];
  return wideTable(first + "s", "cores", columns, sides.map((s, n) => sideRow(s, n, choose)));
}

// The bounds of all sides beside each other: a row a component.
function sidesBounds() {
  const shown = predictedSides();
  const names = Object.keys(WORDS.bounds).filter((b) => shown.some((s) => s.report.bounds[b] > 0));
  const most = Math.max(...shown.flatMap((s) => [s.report.cycles, ...names.map((b) => s.report.bounds[b] || 0)]));
  const kind = (r, b) => ((r.bottlenecks || []).includes(b) ? "binds" : r.bounds_in_use.includes(b) ? "" : "unused");
  const cell = (v, k) => make("td", { class: "bound " + k }, v > 0 ? number(v) : "", v > 0 ? meter(v, most) : null);
  const rows = names.map((b) => make("tr", {}, make("td", { class: "notes" }, [...new Set(shown.map((s) => boundWords(s.report, b)))].join(", ")), ...shown.map((s) => cell(s.report.bounds[b], kind(s.report, b)))));
  rows.push(make("tr", { class: "total" }, make("td", { class: "notes" }, "predicted"), ...shown.map((s) => cell(s.report.cycles, "total"))));
  return wideTable("bounds", "bounds", [["", "notes"], ...shown.map((s) => [s.label])], rows);
}

function sidesSections(title, first, choose) {
  return [make("section", { "aria-label": title }, make("h2", {}, "Cycles per iteration; choose a " + first + " for its report"), sidesTable(first, choose)),
    make("section", { "aria-label": "Bounds" }, make("h2", {}, "Each component alone, cycles per iteration"), sidesBounds(),
      make("p", { class: "remark" }, "Bold: what limits the code there. Grey: does not apply, as the µops come another way."))];
}

function markSide(n) {
  for (const row of document.querySelectorAll("#cores tbody tr")) row.classList.toggle("chosen", +row.dataset.core === n);
}
