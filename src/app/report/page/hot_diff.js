// hot_diff.js - two versions of a program: a table of what has changed, whose parts add up to the whole, and one place
// in full: why, and the code of both side by side.
const diff = data.diff;

const percent = (v) => (100 * v).toFixed(v > -0.0995 && v < 0.0995 ? 1 : 0) + " %";
const hexOf = (n) => "0x" + n.toString(16);
const baseName = (path) => path.slice(path.lastIndexOf("/") + 1);
const wordsOf = (v) => v.file || v.command.join(" ");
const unit = diff.unit === "s" ? " s" : " " + diff.unit;

// So many digits that the whole has four or five.
const most = Math.max(diff.whole.before, diff.whole.after);
const decimals = Math.min(6, Math.max(0, 3 - Math.floor(Math.log10(most || 1))));
const time = (v) => (v === null ? "" : v.toFixed(decimals));
const signed = (v) => (v === null ? "" : (v < 0 ? "−" : "+") + Math.abs(v).toFixed(decimals));
const between = (c, name, how) => (c[name + "_low"] === null ? "" : how(c[name + "_low"]) + " to " + how(c[name + "_high"]));

function nameOfPlace(p) {
  const at = p.prediction || p, start = at.start;
  const outer = at.function === null ? hexOf(start) : at.function;
  return p.inlined ? p.inlined + " (inlined into " + outer + ")" : outer;
}

function linesOf(p) {
  if (!p.source_file) return "";
  return baseName(p.source_file) + ":" + p.source_first_line + (p.source_last_line > p.source_first_line ? "–" + p.source_last_line : "");
}

const hasPlaces = (f) => diff.changes.some((c) => c.part === "places" && [...c.a, ...c.b].some((p) => p.object === f.object && p.start >= f.start && p.start < f.end));

function nameOf(c) {
  if (c.part === "other") return "all other code";
  if (c.part === "kernel") return "the kernel";
  const a = c.a[0], b = c.b[0], one = a || b;
  if (c.part === "function") return (hasPlaces(one) ? "rest of " : "function ") + (one.function === null ? hexOf(one.start) : one.function);
  const x = a ? nameOfPlace(a) : "", y = b ? nameOfPlace(b) : "";
  const several = c.a.length > 1 || c.b.length > 1 ? " (" + c.a.length + " → " + c.b.length + ")" : "";
  return one.kind + " " + (x && y && x !== y ? x + " → " + y : x || y) + several;
}

function showHeader() {
  const words = { same: "no difference beyond chance", faster: "B is faster", slower: "B is slower" };
  const told = (w, unit) => [make("strong", {}, signed(w.change) + unit), " a run" + (w.before > 0 ? ", " + (w.change < 0 ? "−" : "+") + percent(Math.abs(w.change) / w.before) : "") +
    (w.change_low === null ? "" : " (95 %: " + between(w, "change", signed) + ")") + (w.state ? ": " + words[w.state] : "")];
  $("subject").textContent = "hot: A " + wordsOf(diff.a) + "; B " + wordsOf(diff.b);
  document.title = "tacho hot: " + wordsOf(diff.a) + " and " + wordsOf(diff.b);
  $("answer").append(...told(diff.whole, unit), ...(diff.elapsed ? ["; elapsed ", ...told(diff.elapsed, " s")] : []));
}

function runFacts() {
  const [list, add] = factList();
  const w = diff.whole, interval = (name) => (w[name + "_low"] === null ? "" : " (95 %: " + between(w, name, time) + ")");
  add("A", wordsOf(diff.a) + ": " + time(w.before) + unit + " a run" + interval("before") + "; " + plural(diff.a.samples, "sample"));
  add("B", wordsOf(diff.b) + ": " + time(w.after) + unit + " a run" + interval("after") + "; " + plural(diff.b.samples, "sample"));
  add("runs", diff.runs + " of each" + (diff.runs > 1 ? ", in turns" : ": how much runs differ from each other is not known"));
  add("samples", "by " + diff.a.event);
  add("kernel", diff.kernel ? "" : "its time is not known, and not in these times");
  add("predictions", "for " + diff.arch + (diff.native ? "" : ", which is not this machine's microarchitecture"));
  return list;
}

const widestOf = (changes) => Math.max(...changes.map((c) => Math.max(Math.abs(c.change), Math.abs(c.change_low || 0), Math.abs(c.change_high || 0))), 1e-12);
const widest = widestOf(diff.changes);

// A change as a bar from the middle, its interval as a line on it.
function changeBar(c, most) {
  const at = (v) => 50 + (50 * v) / most, left = Math.min(at(0), at(c.change));
  return make("div", { class: "delta " + c.state, title: between(c, "change", signed) },
    make("div", { class: "meter", style: "left: " + left + "%; width: " + Math.abs(at(c.change) - at(0)) + "%" }),
    c.change_low === null ? null : make("i", { style: "left: " + at(c.change_low) + "%; width: " + (at(c.change_high) - at(c.change_low)) + "%" }));
}

const isFull = (c) => c.place_a !== null || c.place_b !== null;

function changeRow(c) {
  const name = isFull(c) ? make("button", { type: "button", class: "place", onclick: () => showChange(c.number) }, nameOf(c)) : nameOf(c);
  const places = c.part === "places" ? [c.a[0], c.b[0]].filter((p) => p) : [];
  return make("tr", { "data-change": c.number }, make("td", {}, String(c.number)), make("td", { class: "bar-cell" }, changeBar(c, widest)), make("td", {}, signed(c.change)),
    make("td", { class: "notes" }, between(c, "change", signed)), make("td", {}, c.share === null ? "" : Math.round(100 * c.share) + " %"), make("td", {}, time(c.before)), make("td", {}, time(c.after)),
    make("td", { class: "notes " + c.state }, c.state), make("td", { class: "asm" }, name), make("td", {}, number(c.predicted_a)), make("td", {}, number(c.predicted_b)),
    make("td", { class: "notes" }, places.length ? linesOf(places[places.length - 1]) : ""));
}

// ---- elapsed time, where threads were looked at ----

function roleOf(c) {
  if (c.first) return "the first thread";
  return (c.name === null ? "other threads" : c.name + (c.by_start ? "()" : "")) + ", " + number(c.threads_a) + " → " + number(c.threads_b) + " threads";
}

const partOf = (c) => ({ runs: "runs", spins: "only looks (spins)", ready: "ready, no processor", waits: "waits for " + (c.wait || "other things"), absent: "not there" })[c.part];

// Parts that are a hundredth of the run at least, below a line for each kind of threads.
function elapsedSection() {
  const e = diff.elapsed, rows = [], columns = [["", "bar-cell"], ["change, s"], ["95 %", "notes"], ["of it"], ["A, s"], ["B, s"], ["state", "notes"], ["thread", "words"]];
  if (!e) return [];
  const most = widestOf([...diff.threads, e]);
  const cells = (c, name) => [make("td", { class: "bar-cell" }, changeBar(c, most)), make("td", {}, signed(c.change)), make("td", { class: "notes" }, between(c, "change", signed)),
    make("td", {}, c.share === null ? "" : Math.round(100 * c.share) + " %"), make("td", {}, time(c.before)), make("td", {}, time(c.after)),
    make("td", { class: "notes " + (c.state || "") }, c.state || ""), make("td", { class: "words" }, name)];
  diff.threads.forEach((c, i) => {
    if (!i || roleOf(c) !== roleOf(diff.threads[i - 1])) rows.push(make("tr", {}, make("th", { colspan: columns.length, class: "words", scope: "rowgroup" }, roleOf(c))));
    if (Math.max(c.before, c.after) >= 0.01 * Math.max(e.before, e.after)) rows.push(make("tr", {}, ...cells(c, partOf(c))));
  });
  return [make("section", { "aria-label": "Elapsed time" }, make("h2", {}, "Where elapsed time is: of one thread of each kind, B less A; its parts add up to the run"),
    wideTable("Elapsed time", "elapsed", columns, rows, make("tfoot", {}, make("tr", { class: "whole" }, ...cells(e, "the run")))))];
}

function showChanges() {
  const columns = [["#"], ["", "bar-cell"], ["change," + unit], ["95 %", "notes"], ["of it"], ["A," + unit], ["B," + unit], ["state", "notes"], ["place", "asm"],
    ["cycles\nA"], ["cycles\nB"], ["source", "notes"]];
  const w = diff.whole;
  const foot = make("tfoot", {}, make("tr", { class: "whole" }, make("td"), make("td"), make("td", {}, signed(w.change)), make("td", { class: "notes" }, between(w, "change", signed)),
    make("td"), make("td", {}, time(w.before)), make("td", {}, time(w.after)), make("td", { class: "notes" }, w.state || ""), make("td", { class: "asm" }, "the whole"), make("td"), make("td"), make("td")));
  $("sections").before(
    make("section", { "aria-label": "The runs" }, make("h2", {}, "The runs"), runFacts()),
    make("section", { "aria-label": "Changes" }, make("h2", {}, "Where the change is: B less A, of a run; the parts add up to the whole"),
      wideTable("Changes", "changes", columns, diff.changes.map(changeRow), foot),
      make("p", { class: "remark" }, "Predicted cycles are those of an iteration (execution) of the first place of each."),
      ...diff.warnings.map((x) => make("p", { class: "remark" }, x.of.toUpperCase() + ": " + x.text))),
    ...elapsedSection(),
    make("h2", { id: "place-title", class: "place-title" }));
}

// ---- one change ----

function insnCells(p, n, right) {
  if (n === null) return [make("td", { class: right ? "right" : "" }), make("td"), make("td", { class: "asm" })];
  const c = p.code[n];
  return [make("td", { class: "here " + (right ? "right" : "") }, c.samples ? percent(c.share) : ""), make("td", { class: "notes here" }, c.address.toString(16)),
    make("td", { class: "asm here", title: c.source ? baseName(c.source_file) + ":" + c.source_line + " " + c.source : null }, c.asm)];
}

function codeTable(c) {
  const columns = [["share"], ["A", "notes"], ["instruction", "asm"], ["share"], ["B", "notes"], ["instruction", "asm"]];
  const rows = c.aligned.map((p) => make("tr", { class: p.a === null || p.b === null ? "alone" : p.same ? "" : "other" },
    ...insnCells(c.place_a, p.a, false), ...insnCells(c.place_b, p.b, true)));
  return wideTable("both codes", "both", columns, rows);
}

// The code of a place that has no counterpart.
function oneCode(p) {
  return wideTable("code", "both", [["share"], ["address", "notes"], ["instruction", "asm"]],
    p.code.map((c) => make("tr", {}, make("td", {}, c.samples ? percent(c.share) : ""), make("td", { class: "notes" }, c.address.toString(16)), make("td", { class: "asm" }, c.asm))));
}

function modelFacts(p) {
  const r = p.prediction, [list, add] = factList();
  if (r.error) add("not predicted", r.error);
  else {
    add("predicted", cyclesOf(r) + " cycles per " + (p.kind === "loop" ? "iteration" : "execution"));
    add("limited by", limitsOf(r, "no single component"));
    add("µops from", own(r, r.source));
  }
  add("observed", p.observed_cycles === null ? "" : number(p.observed_cycles) + " cycles");
  add("in", p.object);
  add("source", linesOf(r));
  return list;
}

function blockTable(c) {
  const rows = c.blocks.map((b) => make("tr", {}, make("td", {}, signed(b.change)), make("td", {}, time(b.before)), make("td", {}, time(b.after)),
    make("td", { class: "asm" }, (b.a[0] || b.b[0]).kind + " " + [b.a[0], b.b[0]].filter((p) => p).map((p) => hexOf(p.start)).join(" → ")),
    make("td", { class: "notes" }, !b.a.length ? "only in B" : !b.b.length ? "only in A" : ""), make("td", { class: "notes" }, linesOf(b.b[0] || b.a[0]))));
  return wideTable("blocks", "blocks", [["change," + unit], ["A," + unit], ["B," + unit], ["", "asm"], ["", "notes"], ["source", "notes"]], rows);
}

function showChange(n) {
  const c = diff.changes[n];
  for (const row of document.querySelectorAll("#changes tbody tr")) row.classList.toggle("chosen", +row.dataset.change === n);
  $("place-title").textContent = "[" + n + "] " + c.state + ": " + nameOf(c) + ": " + signed(c.change) + unit + " a run" +
    (c.share === null ? "" : ", " + Math.round(100 * c.share) + " % of the change");
  $("sections").replaceChildren();
  if (c.blocks.length) section("What the function consists of", "wide", blockTable(c));
  if (c.reasons.length) section(c.blocks.length ? "Why: the first of these" : "Why", "wide", make("ul", { class: "plain" }, ...c.reasons.map((r) => make("li", {}, r.text))));
  for (const [name, p] of [["A", c.place_a], ["B", c.place_b]])
    if (p) section(name + ": " + p.kind + " " + nameOfPlace(p), "half", modelFacts(p), p.prediction.topdown ? make("div", {}, ...slots(p.prediction).filter((x) => x)) : "");
  for (const [name, p] of [["A", c.place_a], ["B", c.place_b]])
    if (p && p.prediction.bounds) section("Each component alone in " + name + ", cycles per " + (p.kind === "loop" ? "iteration" : "execution"), "half", boundBars(p.prediction));
  if (c.aligned.length) section("The path of both, aligned: blue is on one side alone, yellow has other operands", "wide", codeTable(c));
  else if (isFull(c)) section("Its code", "wide", oneCode(c.place_a || c.place_b));
}

function start() {
  document.body.classList.add("report");
  showHeader();
  showChanges();
  const full = diff.changes.filter(isFull), wanted = full.find((c) => c.number === +wishes.get("change")) || full[0];
  if (wanted) showChange(wanted.number);
  else $("place-title").textContent = "No place differs by more than chance";
}
