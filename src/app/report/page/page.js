// page.js - what is around the timeline.
const trace = data.trace;

function showHeader() {
  const name = [trace.region, trace.input].filter((x) => x).join(" in ");
  $("subject").textContent = name + " on " + trace.arch;
  document.title = "tacho: " + name + " on " + trace.arch;
  const exact = !trace.missing && trace.cycles_exact && trace.cycles_exact.includes("/") ? " (exactly " + trace.cycles_exact + ")" : "";
  const mode = trace.mode === "loop" ? "loop" : "unrolled copies";
  $("answer").append(make("strong", {}, cyclesOf(trace)), " cycles per iteration" + exact + ", " + mode + (trace.missing ? ": " + trace.missing : ""));
  if (data.report) document.body.classList.add("report");
}

function start() {
  showHeader();
  if (data.report) showSections(data.report);
  startTimeline();
}
