// cores.js - one code on several microarchitectures: side by side, and one of them in full.
const cores = data.cores;
sides = cores.map((c) => ({ ...c, label: c.report.arch }));
const predicted = predictedSides();
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

function showComparison() {
  $("sections").before(...sidesSections("All cores", "core", showCore), make("h2", { id: "place-title", class: "place-title" }));
}

function showCore(n) {
  const r = cores[n].report;
  markSide(n);
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
  showCore(sides.indexOf(predicted[wanted]));
}
