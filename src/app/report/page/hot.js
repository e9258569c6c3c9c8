// hot.js - the hot places of a program: a table of all, and one of them in full: its instructions under their source
// lines, with samples and predicted ports, what limits it, and its timeline.
const hot = data.hot;
let trace = null;

const percent = (v) => (100 * v).toFixed(1) + " %";
const hexOf = (n) => "0x" + n.toString(16);
const baseName = (path) => path.slice(path.lastIndexOf("/") + 1);
const roundOf = (p) => (p.kind === "loop" ? "iteration" : "execution");

function nameOf(p) {
  const r = p.prediction;
  return r.function && r.start >= r.function_address ? r.function + "+" + hexOf(r.start - r.function_address) : hexOf(r.start);
}

function linesOf(r) {
  if (!r.source_file) return "";
  const last = r.source_last_line > r.source_first_line ? "–" + r.source_last_line : "";
  return baseName(r.source_file) + ":" + r.source_first_line + last;
}

function showHeader() {
  const subject = hot.file || (hot.pid ? "process " + hot.pid : hot.command.join(" "));
  $("subject").textContent = "hot: " + subject;
  document.title = "tacho hot: " + subject;
  const first = hot.places[0];
  if (!first) return $("answer").append(make("strong", {}, String(hot.samples)), " samples by " + hot.event);
  $("answer").append(make("strong", {}, percent(first.share)), " of the " + sampled() + " in the hottest " + first.kind + ", " + nameOf(first) + " in " + baseName(first.object) + ": " +
    (first.prediction.cycles === null ? "not predicted" : cyclesOf(first.prediction) + " cycles per " + roundOf(first) + " predicted for " + hot.arch) +
    ". " + shareWords(first));
}

// What the shares are of: a file may have samples of any event.
function sampled() {
  return hot.via !== "file" || /^(.*\/)?(cpu-)?cycles\b(?!-)|clock/.test(hot.event) ? "time" : "samples of " + hot.event;
}

// What so many samples prove of a share.
function shareWords(p) {
  const few = p.share_high - p.share_low > 0.1;
  return percent(p.share_low) + " to " + percent(p.share_high) + " with 95 % confidence, by " + plural(hot.samples, "sample") + (few ? ": few; " + (hot.file ? "more of them say more" : "a longer run, or a higher --frequency, says more") : "");
}

function runFacts() {
  const [list, add] = factList();
  add("sampled", hot.samples + " times" + (hot.frequency ? ", " + Math.round(hot.frequency) + " a second of processor time" : "") + "; " + hot.lost + " lost");
  add("not better because", hot.not_better_because);
  add("where samples lie", hot.skid);
  add("run", hot.processes + (hot.processes === 1 ? " process" : " processes") + ", " + plural(hot.threads, "further thread") +
    (hot.user_seconds === null ? "" : "; " + hot.user_seconds.toFixed(2) + " s of a processor in the program, " + hot.system_seconds.toFixed(2) + " s in the kernel"));
  if (hot.windows) add("windows", hot.windows + ", of " + plural(hot.window_insns, "instruction") + " executed one by one");
  else if (hot.no_windows) add("windows", "none: " + hot.no_windows);
  add("in these places", percent(hot.covered) + (hot.elsewhere > 0 ? "; " + percent(hot.elsewhere) + " in code that is not analysed" : ""));
  if (!hot.native) add("predictions", "for " + hot.arch + ", which is not this machine's microarchitecture");
  return list;
}

function shareBars(rows) {
  const table = make("table", { class: "bars" });
  for (const [name, share, title] of rows.slice(0, 8))
    table.append(make("tr", {}, make("th", { scope: "row", title, class: "cut" }, name), make("td", { class: "value" }, percent(share)),
      make("td", {}, make("div", { class: "meter", style: "width: " + 100 * share + "%" }))));
  return table;
}

// The picture; its points lead to their places.
function rooflineSection() {
  const picture = document.importNode(new DOMParser().parseFromString(data.roofline, "image/svg+xml").documentElement, true);
  for (const g of picture.querySelectorAll(".point")) g.addEventListener("click", () => showPlace(+g.dataset.place));
  return make("section", { "aria-label": "Roofline" }, make("h2", {}, "Roofline"), picture);
}

// What the threads did, where that was looked at.
function threadsSection() {
  if (!hot.waiting) return [];
  const box = make("div"), t = hot.waiting;
  box.innerHTML = data.strip;
  const columns = [["waits for", "words"], ["seconds"], ["not used"], ["threads"], ["in", "notes"], ["held in", "notes"]];
  const place = (p) => (p ? (p.function ? p.function + (p.function.includes("(") ? "" : "()") : p.object ? hexOf(p.address) : "?") + (p.source_file ? " (" + baseName(p.source_file) + ":" + p.source_line + ")" : "") + (p.call ? " waiting in " + p.call : "") : "");
  const row = (w) => make("tr", {}, make("td", { class: "words" }, w.text), make("td", {}, number(w.seconds)), make("td", {}, number(w.lost)), make("td", {}, String(w.threads)),
    make("td", { class: "notes" }, place(w.places[0])), make("td", { class: "notes" }, place(w.holders[0])));
  return [make("section", { "aria-label": "Threads" }, make("h2", {}, "Threads"), make("p", {}, t.text + "."), box,
    wideTable("What threads wait for", "waits", columns, t.waits.slice(0, 12).map(row)))];
}

// A share as a bar, its interval as a line on it.
function shareBar(p) {
  return make("div", { class: "share", title: shareWords(p) },
    make("div", { class: "meter", style: "width: " + 100 * p.share + "%" }),
    make("i", { style: "left: " + 100 * p.share_low + "%; width: " + 100 * (p.share_high - p.share_low) + "%" }));
}

function placeRow(p) {
  const r = p.prediction;
  const button = make("button", { type: "button", class: "place", onclick: () => showPlace(p.place) }, nameOf(p));
  return make("tr", { "data-place": p.place }, make("td", {}, String(p.place)), make("td", { class: "asm" }, p.kind + " ", button), make("td", { class: "bar-cell" }, shareBar(p)), make("td", {}, percent(p.share)), make("td", { class: "notes" }, percent(p.share_low) + " to " + percent(p.share_high)),
    make("td", {}, String(p.samples)), make("td", {}, r.error ? "" : cyclesOf(r)), make("td", {}, number(p.observed_cycles)),
    make("td", { class: "notes" }, baseName(p.object)), make("td", { class: "notes" }, linesOf(r)), make("td", { class: "notes" }, p.limited_by));
}

function worthRow(w) {
  const p = hot.places[w.place];
  const button = make("button", { type: "button", class: "place", onclick: () => showPlace(w.place) }, nameOf(p));
  const limited = w.limited ? "of the part that is predicted: " + number(w.cycles_before) + " of " + number(p.observed_cycles) + " observed cycles" : "";
  return make("tr", {}, make("td", {}, percent(w.worth)), make("td", { class: "notes" }, percent(w.worth_low) + " to " + percent(w.worth_high)),
    make("td", { class: "asm" }, button), make("td", {}, number(w.cycles_before) + " → " + number(w.cycles_after)), make("td", { class: "words" }, w.text, limited ? make("small", {}, " (" + limited + ")") : null));
}

// All advice, by what it is worth for the whole program.
function worthSection() {
  if (!hot.worth.length) return [];
  const columns = [["worth"], ["95 %", "notes"], ["place", "asm"], ["cycles"], ["advice", "words"]];
  return [make("section", { "aria-label": "Worth" }, make("h2", {}, "What each advice is worth for the whole program"),
    wideTable("Worth of each advice", "worth", columns, hot.worth.map(worthRow)),
    make("p", { class: "remark" }, "The simulated gain times the place's share of the processor time. Those on one place do not add up."))];
}

function showPlaces() {
  const columns = [["#"], ["place", "asm"], ["share", "bar-cell"], [""], ["95 %", "notes"], ["samples"], ["predicted"], ["observed"], ["file", "notes"], ["source", "notes"],
    ["limited by", "notes"]];
  $("sections").before(...threadsSection(),
    make("section", { "aria-label": "Hot places" }, make("h2", {}, "Innermost loops, and blocks outside of them; cycles per iteration (execution)"),
      wideTable("Hot places", "places", columns, hot.places.map(placeRow)),
      ...hot.warnings.map((w) => make("p", { class: "remark" }, w))), rooflineSection(),
    make("h2", { id: "place-title", class: "place-title" }));
  $("timeline-section").after(...worthSection(),
    make("div", { class: "overview" },
      make("section", { "aria-label": "The run" }, make("h2", {}, "The run"), runFacts()),
      make("section", { "aria-label": "Files" }, make("h2", {}, "Files"), shareBars(hot.objects.map((o) => [o.name, o.share, o.path]))),
      make("section", { "aria-label": "Functions" }, make("h2", {}, "Functions"),
        shareBars(hot.functions.map((f) => [f.name || hexOf(f.start), f.share, (f.name || "") + " in " + f.object])))));
}

// ---- one place ----

function codeRow(c, r, ports, most) {
  const i = c.instruction === null || !r.instructions ? null : r.instructions[c.instruction];
  const port = (v) => make("td", { style: heat(v, most) }, v > 0 ? number(v) : "");
  const notes = i ? noteWords(i) : r.instructions ? "not on the predicted path" : "";
  return make("tr", { class: (i && i.notes.includes("critical") ? "critical" : "") + (i || !r.instructions ? "" : " aside") },
    make("td", { class: "notes" }, c.address.toString(16)), make("td", { class: "asm" }, c.asm),
    make("td", { class: "bar-cell" }, make("div", { class: "share" }, make("div", { class: "meter hot", style: "width: " + 100 * c.share + "%" }))),
    make("td", {}, c.samples ? percent(c.share) : ""), make("td", {}, c.samples ? String(c.samples) : ""), ...ports.map((p) => port(i ? i.ports[p] : 0)),
    make("td", {}, i && i.critical_latency !== null ? number(i.critical_latency) : ""),
    make("td", { class: "notes" }, notes));
}

function codeTable(p) {
  const r = p.prediction, first = (r.instructions || [])[0], ports = first ? Object.keys(first.ports) : [];
  const most = Math.max(...(r.instructions || []).flatMap((i) => ports.map((q) => i.ports[q])), 0.01);
  const columns = [["address", "notes"], ["instruction", "asm"], ["share", "bar-cell"], [""], ["samples"], ...ports.map((q) => ["p" + Number(q).toString(16)]), ["critical\ncycle"], ["", "notes"]];
  const rows = [];
  let line = "", at = 0, leftOut = 0;
  const shown = new Set();
  for (const b of r.blocks) { // what control was never seen in, and what is not predicted, is left out
    const first = at;
    while (at < p.code.length && p.code[at].address < b.end) at++;
    const block = p.code.slice(first, at);
    if (b.on_path || block.some((c) => c.samples)) for (const c of block) shown.add(c);
    else leftOut += block.length;
  }
  for (const c of shown) {
    const here = c.source_file ? c.source_file + ":" + c.source_line : line;
    if (here !== line)
      rows.push(make("tr", { class: "source" }, make("td", { colspan: columns.length, class: "asm" },
        make("small", {}, baseName(c.source_file) + ":" + c.source_line), " ", make("code", {}, c.source || ""))));
    line = here;
    rows.push(codeRow(c, r, ports, most));
  }
  if (leftOut)
    rows.push(make("tr", { class: "source" }, make("td", { colspan: columns.length, class: "asm" },
      make("small", {}, plural(leftOut, "instruction") + " in blocks without samples left out"))));
  return wideTable("instructions, samples and ports", null, columns, rows);
}

const observedBy = {
  lbr: "from the processor's branch records",
  count: "from its share of the time, divided by its executions",
  progress: "from how far its registers advanced between samples",
};
function observedFacts(p) {
  const [list, add] = factList();
  add("predicted", cyclesOf(p.prediction) + " cycles per " + roundOf(p));
  add("observed", number(p.observed_cycles) + " cycles, " + observedBy[p.observed_by] + (p.observed_low === null ? "" : "; " + number(p.observed_low) + " to " + number(p.observed_high)));
  if (p.executions !== null) add("executed", p.executions + " times");
  if (p.observed_to_predicted !== null) add("gap", number(p.observed_to_predicted) + " times the prediction");
  add("which points at", p.points_at);
  return list;
}

const upTo = (least, most) => most === null ? "not known" : least < 0.005 && most >= 0.005 ? "up to " + number(most) :
  most - least > 0.05 * most ? number(least) + " to " + number(most) : number(most);
function causeTable(p) {
  const columns = [["cycles per\n" + roundOf(p)], ["each"], ["cause", "asm"], ["", "words"]];
  const rows = p.causes.filter((c) => c.told).map((c) => make("tr", {}, make("td", {}, upTo(c.least, c.most)),
    make("td", {}, upTo(c.cycles_least, c.cycles_most)), make("td", { class: "asm" }, c.kind), make("td", { class: "words" }, c.text)));
  return wideTable("causes seen in windows", null, columns, rows);
}

function bytesOf(bytes) {
  const unit = Math.min(3, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  return +(bytes / 1000 ** unit).toPrecision(3) + " " + ["bytes", "KB", "MB", "GB"][unit];
}

// What it accesses, and what it waits for.
function memorySection(p) {
  const m = p.memory, cycles = (v) => make("td", {}, v > 0 ? number(v) : "");
  const columns = [["instruction", "asm"], ["does"], ["pattern", "notes"], ["touches"], ["level"], ["waits\ncycles"], ["of these\nTLB"]];
  const rows = m.operands.map((o, i) => make("tr", { class: i === m.operand ? "critical" : "" },
    make("td", { class: "asm" }, (p.code.find((c) => c.address === o.address) || { asm: "" }).asm),
    make("td", {}, o.loads && o.stores ? "changes" : o.stores ? "writes" : "reads"),
    make("td", { class: "notes" }, o.pattern + (o.stride ? " of " + o.stride + " bytes" : "")),
    make("td", {}, o.footprint_bytes === null ? "" : bytesOf(o.footprint_bytes)), make("td", {}, o.level || ""), cycles(o.cycles), cycles(o.tlb_cycles)));
  const advice = m.advice.map((a) => make("li", {}, a.text + ": about " + number(a.cycles_after) + " cycles in place of " + number(p.observed_cycles)));
  section("Memory", "wide", m.limit ? make("p", {}, p.points_at) : null, wideTable("operands in memory", null, columns, rows),
    make("ul", { class: "remarks" }, ...advice));
}

function showPlaceSections(p) {
  const r = p.prediction;
  $("sections").replaceChildren();
  section("Samples of each instruction, and the µops predicted on each port", "wide", codeTable(p));
  if (p.observed_cycles !== null) section("Observed and predicted", "", observedFacts(p));
  if (p.memory.operands.length) memorySection(p);
  if (p.causes.some((c) => c.told)) section("What windows show", "wide", causeTable(p));
  if (r.error) section("Not predicted", "", make("p", {}, r.error));
  // Where it takes its time for something else, changes of the code are no advice.
  const other = p.memory.limit || p.contradicted;
  if (r.cycles !== null && other) showLimits({ ...r, advice: [], what_if: [] }, "What limits the prediction");
  else if (r.cycles !== null) showLimits(r);
  showNotes(r);
}

function showTimeline(n) {
  trace = data.traces[n] || null;
  $("timeline-section").hidden = !trace;
  if (!trace) return;
  resetTimeline();
}

function showPlace(n) {
  const p = hot.places[n];
  for (const row of document.querySelectorAll("#places tbody tr")) row.classList.toggle("chosen", +row.dataset.place === n);
  $("place-title").textContent = "[" + n + "] " + p.kind + " " + nameOf(p) + " in " + baseName(p.object) + ": " + percent(p.share) + " of the samples" +
    (linesOf(p.prediction) ? ", " + linesOf(p.prediction) : "");
  showPlaceSections(p);
  showTimeline(n);
}

function start() {
  document.body.classList.add("report");
  showHeader();
  showPlaces();
  const wanted = Math.min(+(wishes.get("place") || 0), hot.places.length - 1);
  trace = data.traces[wanted] || data.traces.find((t) => t) || null;
  if (trace) startTimeline();
  else $("timeline-section").hidden = true;
  if (wanted >= 0) showPlace(wanted);
}
