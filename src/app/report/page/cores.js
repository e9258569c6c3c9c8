// cores.js - one code on several microarchitectures, or several loops or regions of an input on one: side by side, and
// one of them in full.
const cores = data.cores, reports = cores.map((c) => c.report);
const kind = reports.every((r) => r.arch === reports[0].arch) ? (reports[0].loop === undefined ? "region" : "loop") : "core";

function labelOf(r, n) {
  if (kind === "core") return r.arch;
  if (kind === "region") return r.region || "region " + n;
  const lines = r.first_line ? [r.first_line, r.last_line] : [r.source_first_line, r.source_last_line];
  const name = r.function ? r.function + "+0x" + (r.start - r.function_address).toString(16) : "0x" + r.start.toString(16);
  return name + (lines[0] ? ", " + (lines[1] > lines[0] ? "lines " + lines[0] + "–" + lines[1] : "line " + lines[0]) : "");
}

sides = cores.map((c, n) => ({ ...c, label: labelOf(c.report, n) }));
const predicted = predictedSides();
let trace = null;

function showHeader() {
  const first = reports[0], name = [kind === "core" ? first.region : "", first.input].filter((x) => x).join(" in ");
  $("subject").textContent = name + " on " + (kind === "core" ? sides.map((s) => s.label).join(", ") : first.arch);
  document.title = "tacho: " + name + " on " + (kind === "core" ? plural(cores.length, "core") : first.arch);
  if (kind !== "core") return $("answer").append(make("strong", {}, String(cores.length)), " " + kind + "s" + (kind === "loop" ? ", hottest-looking first" : ""));
  const order = [...predicted].sort((a, b) => a.report.cycles - b.report.cycles), best = order[0].report, worst = order[order.length - 1].report;
  $("answer").append(make("strong", {}, cyclesOf(best)));
  if (best.cycles === worst.cycles)
    $("answer").append(" cycles per iteration" + " on " + order.map((c) => c.report.arch).join(", "));
  else $("answer").append(" (" + best.arch + ") to ", make("strong", {}, cyclesOf(worst)), " (" + worst.arch + ") cycles per iteration");
}

function showComparison() {
  const all = sidesSections("All " + kind + "s", kind, showCore); // bounds are compared of the same code alone
  $("sections").before(...(kind === "core" ? all : all.slice(0, 1)), make("h2", { id: "place-title", class: "place-title" }));
}

function showCore(n) {
  const r = reports[n];
  markSide(n);
  $("place-title").textContent = sides[n].label + ": " + cyclesOf(r) + " cycles per iteration";
  $("sections").replaceChildren();
  trace = cores[n].trace;
  showSections(r);
  resetTimeline();
}

function start() {
  document.body.classList.add("report");
  showHeader();
  showComparison();
  const wanted = Math.max(0, predicted.findIndex((s) => s.label === wishes.get(kind)));
  trace = predicted[wanted].trace;
  startTimeline();
  showCore(sides.indexOf(predicted[wanted]));
}
