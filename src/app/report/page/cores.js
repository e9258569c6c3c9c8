// cores.js - one code on several microarchitectures: side by side, and one of them in full.
const cores = data.cores;
const predicted = cores.filter((c) => c.report.cycles !== null);
let trace = null;

const inCores = (f) => cores.map((c, n) => f(c.report, n));

function showHeader() {
  const first = cores[0].report, name = [first.region, first.input].filter((x) => x).join(" in ");
  $("subject").textContent = name + " on " + inCores((r) => r.arch).join(", ");
  document.title = "tacho: " + name + " on " + plural(cores.length, "core");
  const order = [...predicted].sort((a, b) => a.report.cycles - b.report.cycles), best = order[0].report, worst = order[order.length - 1].report;
  $("answer").append(make("strong", {}, cyclesOf(best)));
  if (best.cycles === worst.cycles)
    $("answer").append(" cycles per iteration" + " on " + order.map((c) => c.report.arch).join(", "));
  else $("answer").append(" (" + best.arch + ") to ", make("strong", {}, cyclesOf(worst)), " (" + worst.arch + ") cycles per iteration");
}

const meter = (v, most) => make("div", { class: "meter", style: "width: " + (100 * v) / most + "%" });

function coreRow(r, n) {
  const most = Math.max(...predicted.map((c) => c.report.cycles)), name = make("button", { type: "button", class: "place", onclick: () => showCore(n) }, r.arch);
  if (r.cycles === null)
    return make("tr", { class: "refused", "data-core": n }, make("td", { class: "asm" }, r.arch), make("td", {}, "–"), make("td"), make("td"), make("td"),
      make("td", { class: "notes", colspan: 2 }, r.error || "not predicted"));
  return make("tr", { "data-core": n }, make("td", { class: "asm" }, name), make("td", {}, cyclesOf(r)), make("td", { class: "bar-cell" }, meter(r.cycles, most)),
    make("td", {}, r.cycles_exact && r.cycles_exact.includes("/") ? r.cycles_exact : ""), make("td", {}, number(r.ipc)), make("td", { class: "notes" }, r.source),
    make("td", { class: "notes" }, limitsOf(r, "no single component")));
}

// The bounds of all cores beside each other: a row a component.
function boundsTable() {
  const names = Object.keys(WORDS.bounds).filter((b) => predicted.some((c) => c.report.bounds[b] > 0));
  const most = Math.max(...predicted.flatMap((c) => [c.report.cycles, ...names.map((b) => c.report.bounds[b] || 0)]));
  const kind = (r, b) => ((r.bottlenecks || []).includes(b) ? "binds" : r.bounds_in_use.includes(b) ? "" : "unused");
  const cell = (v, k) => make("td", { class: "bound " + k }, v > 0 ? number(v) : "", v > 0 ? meter(v, most) : null);
  const rows = names.map((b) => make("tr", {}, make("td", { class: "notes" }, WORDS.bounds[b]), ...predicted.map((c) => cell(c.report.bounds[b], kind(c.report, b)))));
  rows.push(make("tr", { class: "total" }, make("td", { class: "notes" }, "predicted"), ...predicted.map((c) => cell(c.report.cycles, "total"))));
  return wideTable("bounds", "bounds", [["", "notes"], ...predicted.map((c) => [c.report.arch])], rows);
}

function showComparison() {
  const columns = [["core", "asm"], ["cycles"], ["", "bar-cell"], ["exactly"], ["IPC"], ["µops from", "notes"], ["limited by", "notes"]];
  $("sections").before(
    make("section", { "aria-label": "All cores" }, make("h2", {}, "Cycles per iteration; choose a core for its report"), wideTable("cores", "cores", columns, inCores(coreRow))),
    make("section", { "aria-label": "Bounds" }, make("h2", {}, "Each component alone, cycles per iteration"), boundsTable(),
      make("p", { class: "remark" }, "Bold: what limits the code there. Grey: a way that the µops do not take there.")),
    make("h2", { id: "place-title", class: "place-title" }));
}

function showCore(n) {
  const r = cores[n].report;
  for (const row of document.querySelectorAll("#cores tbody tr")) row.classList.toggle("chosen", +row.dataset.core === n);
  $("place-title").textContent = r.arch + ": " + cyclesOf(r) + " cycles per iteration";
  $("sections").replaceChildren();
  trace = cores[n].trace;
  showSections(r);
  resetTimeline();
}

function start() {
  document.body.classList.add("report");
  showHeader();
  showComparison();
  const wanted = Math.max(0, predicted.findIndex((c) => c.report.arch === wishes.get("core")));
  trace = predicted[wanted].trace;
  startTimeline();
  showCore(cores.indexOf(predicted[wanted]));
}
