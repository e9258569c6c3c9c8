// sections.js - the report around the timeline: what limits the code, and the tables.

// What people read for the names of bounds, notes and slots; the same as in text.
let WORDS = $("words") && JSON.parse($("words").textContent);

// A text in the words of a core's vendor, which `of`, a report or a trace, has: AMD's cores have an op cache for the DSB.
const own = (of, text) => text.replace(/\w+/g, (word) => (WORDS.own[of.vendor] || {})[word] || word);
const boundWords = (r, name) => own(r, WORDS.bounds[name]);

// Where sections are added, unless it is the page itself.
let sectionsInto = null;

// What an instruction's text leads to: a function of the instruction and its report, or null.
let openFigures = null;

// `size`: "", "half" or "wide".
function section(title, size, ...children) {
  const it = make("section", { class: size, "aria-label": title }, make("h2", {}, title), ...children);
  (sectionsInto || $("sections")).append(it);
  return it;
}

// One whose contents are made when it comes near the view.
function sectionInView(title, size, build) {
  const it = section(title, size);
  new IntersectionObserver((seen, observer) => {
    if (!seen.some((s) => s.isIntersecting)) return;
    observer.disconnect();
    it.append(...build());
  }, { rootMargin: "300px" }).observe(it);
}

// What limits the code; where no single component does, which is nearest to it.
function limitsOf(r, none) {
  const nearest = r.next_limit ? "nearest limit: " + boundWords(r, r.next_limit.bound) + " at " + number(r.next_limit.cycles) : "";
  return (r.bottlenecks || []).map((b) => boundWords(r, b)).join(", ") || [none, nearest].filter((x) => x).join("; ");
}

// A list of facts, and the function that adds one unless it is empty.
function factList() {
  const list = make("dl", { class: "facts" });
  return [list, (name, value) => value && list.append(make("dt", {}, name), make("dd", {}, value))];
}

// Hides the columns in which no row has anything.
function hideEmpty(columns, rows, heads) {
  const whole = rows.filter((row) => row.children.length === columns);
  for (let k = 0; k < columns && whole.length; k++)
    if (whole.every((row) => !row.children[k].hasChildNodes() || (!row.children[k].textContent && !row.children[k].firstElementChild)))
      for (const cell of [heads[k], ...whole.map((row) => row.children[k])]) cell.hidden = true;
}

// A table that scrolls by itself, without its empty columns. A column is [words, class].
function wideTable(label, id, columns, rows, foot) {
  const heads = columns.map(([w, c]) => make("th", { class: c || "", scope: "col" }, w));
  hideEmpty(columns.length, [...rows, ...(foot ? foot.children : [])], heads);
  return make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
    make("table", { class: "code", id },
      make("thead", {}, make("tr", {}, ...heads)),
      make("tbody", {}, ...rows), foot));
}

const LONG = 150, LONG_ROW = 24; // rows of a table; pixels of each row of a longer one, as page.css has it

// The same for many rows, which `row` makes: those in view are drawn, between two rows as high as the others. `widest`:
// the number of the row whose text is longest, which decides how wide the columns are.
function longTable(label, id, columns, count, row, widest, foot) {
  const all = Array.from({ length: count <= LONG ? count : 0 }, (_, k) => row(k)), box = wideTable(label, id, columns, all, count <= LONG ? foot : null);
  if (count <= LONG) return box;
  box.querySelector("table").append(foot);
  const body = box.querySelector("tbody"), above = make("tr", { "aria-hidden": "true" }), below = make("tr", { "aria-hidden": "true" });
  const hidden = row(widest), part = 20;
  let drawn = -1;
  hidden.style.visibility = "collapse";
  box.classList.add("long");
  box.querySelector("table").setAttribute("aria-rowcount", count + 1);
  const draw = () => {
    const first = Math.max(0, Math.floor(box.scrollTop / LONG_ROW / part) * part - part);
    if (first === drawn) return;
    const last = Math.min(count, first + Math.ceil(window.innerHeight / LONG_ROW) + 3 * part);
    const rows = Array.from({ length: last - first }, (_, k) => row(first + k));
    rows.forEach((r, k) => r.setAttribute("aria-rowindex", first + k + 2));
    above.style.height = first * LONG_ROW + "px";
    below.style.height = (count - last) * LONG_ROW + "px";
    body.replaceChildren(hidden, above, ...rows, below);
    drawn = first;
  };
  box.addEventListener("scroll", draw);
  draw();
  return box;
}

// How busy a port is, as a background.
const heat = (v, most) => (v > 0 ? "background: color-mix(in srgb, var(--execute) " + Math.round((38 * v) / most) + "%, transparent)" : null);
const noteWords = (i) => i.notes.filter((x) => x !== "critical").map((x) => WORDS.notes[x]).join(", ");

// "0.5 cycles per element (8 elements of 4 bytes an iteration)", or per byte, as in text.
function elementsOf(r) {
  const e = r.elements ?? {}, word = e.count ? "element" : "byte", count = e.count || e.stream_bytes;
  if (!count) return "";
  const each = r.cycles / count;
  const bytes = !e.smallest_bytes ? "" : " of " + (e.largest_bytes > e.smallest_bytes ? e.smallest_bytes + " to " : "") + plural(e.largest_bytes, "byte");
  return (r.lower_bound ? "at least " : "") + number(each, each < 1 ? 3 : 2) + (each === 1 ? " cycle" : " cycles") + " per " + word + " (" + plural(count, word) + bytes + " an iteration)";
}

function facts(r) {
  const [list, add] = factList();
  add("no figures", r.missing);
  add("limited by", limitsOf(r, "no single limit: several components interact"));
  if (r.critical_cycle)
    add("critical dependency", "through " + r.critical_cycle.through.join(", ") + ", " + (r.critical_cycle.instructions.length === 1 ? "instruction " : "instructions ") +
      listed(r.critical_cycle.instructions) + ", " + plural(r.critical_cycle.iterations, "iteration") + " long");
  add("elements", elementsOf(r));
  add("µops from", own(r, r.source));
  add("mode", r.mode === "loop" ? "loop: the code jumps back to its start" : "copies of the code, one after the other");
  add("IPC", (r.lower_bound ? "at most " : "") + number(r.ipc) + (r.uops_per_cycle === null ? "" : "; µops issued a cycle: " + number(r.uops_per_cycle)));
  if (r.run) add("run", plural(r.run.iterations, "iteration") + ": " + plural(r.run.cycles, "cycle") + ", starting with an empty pipeline");
  if (r.compared_with !== "measurements") add("checked", r.compared_with === "model" ? "against another model of this core, never against measurements" :
    r.compared_with ? "against InstLatx64's latencies and throughputs only, never against measured blocks" : "never, neither against measurements of this core nor against another model");
  add("simulated", plural(r.simulated_cycles, "cycle") + ", " + plural(r.simulated_iterations, "iteration") +
    (r.period_iterations ? ", repeating after " + plural(r.period_iterations, "iteration") : ", no steady state found: an average"));
  return list;
}

// A row of bars: words, a figure, and the figure as a share of the full width.
const barRow = (words, value, share, kind, title) => make("tr", { class: kind || "", title }, make("th", { scope: "row" }, words),
  make("td", { class: "value" }, number(value)), make("td", {}, make("div", { class: "meter", style: "width: " + Math.min(100 * share, 100) + "%" })));

function boundBars(r) {
  const table = make("table", { class: "bars" });
  const values = Object.entries(r.bounds).filter(([, v]) => v !== null && v > 0);
  const most = Math.max(r.cycles, ...values.map(([name, v]) => (r.bounds_in_use.includes(name) ? v : 0)));
  const way = r.source === "mixed" ? "few µops come this way" : "µops come from the " + (r.source === "MITE" ? "decoders" : own(r, r.source));
  const row = (words, value, kind) => {
    const one = barRow(words, value, value / most, kind);
    if (kind === "unused") one.lastChild.replaceChildren(make("small", {}, "does not apply: " + way));
    table.append(one);
  };
  for (const [name, value] of values)
    row(boundWords(r, name), value, (r.bottlenecks || []).includes(name) ? "binds" : r.bounds_in_use.includes(name) ? "" : "unused");
  row("predicted", r.cycles, "total");
  return table;
}

// The µops of an iteration on each port; a port takes one a cycle.
function portBars(r) {
  const list = r.instructions || [], table = make("table", { class: "bars" });
  for (const p of Object.keys(list.length ? list[0].ports : {})) {
    const load = list.reduce((s, i) => s + i.ports[p], 0), share = load / r.cycles;
    if (load > 0)
      table.append(barRow("p" + Number(p).toString(16), load, share, share > 0.95 ? "binds" : "", Math.round(100 * share) + " % of the cycles"));
  }
  return table.rows.length ? table : null;
}

function slots(r) {
  const t = r.topdown;
  const parts = [["retiring", "retiring", "retired"], ["frontend", "front-end bound", "c3"], ["backend_core", "back-end bound: core", "port"],
    ["backend_dependencies", "back-end bound: dependencies", "c1"]];
  const bar = make("div", { class: "stack", role: "img", "aria-label": parts.map(([k, w]) => w + " " + Math.round(100 * t[k]) + " %").join(", ") });
  const list = make("ul", { class: "keylist" });
  for (const [key, words, name] of parts) {
    bar.append(make("div", { style: "width: " + 100 * t[key] + "%; background: var(--" + name + ")" }));
    list.append(make("li", {}, make("i", { style: "background: var(--" + name + ")" }), words + " " + Math.round(100 * t[key]) + " %"));
  }
  const lost = Object.entries(t.lost || {}).filter(([, v]) => v >= 0.005).sort((a, b) => b[1] - a[1]);
  const reasons = lost.map(([k, v]) => own(r, WORDS.slots[k]) + " " + Math.round(100 * v) + " %").join(", ");
  return [bar, list, reasons ? make("p", {}, "Empty slots are due to " + reasons) : null];
}

const SHOWN = 16; // of a longer list

// "1, 2, 3 ... (400 in all)"
const listed = (list) => list.slice(0, SHOWN).join(", ") + (list.length > SHOWN ? " ... (" + list.length + " in all)" : "");

// As it was typed, if it was.
function shown(i) {
  return i.source && i.source.text ? i.source.text : i.asm;
}

function criticalSteps(r) {
  const table = make("table", { class: "bars" });
  const all = r.critical_cycle.steps;
  for (const s of all.slice(0, SHOWN)) {
    const on = s.hands_on.join(", ") + (s.next_iteration ? ", to the next iteration" : "");
    table.append(make("tr", {}, make("td", { class: "value" }, s.latency === null ? "" : "+" + number(s.latency)),
      make("td", {}, make("code", {}, shown(r.instructions[s.instruction])), make("br"), make("small", {}, on))));
  }
  if (all.length > SHOWN) table.append(make("tr", {}, make("td", { class: "value" }, "..."), make("td", {}, all.length + " steps in all")));
  return table;
}

function whatIf(r) {
  const table = make("table", { class: "bars wraps" });
  const useful = r.what_if.filter((w) => w.gain > 0.005).sort((a, b) => b.gain - a.gain);
  table.append(barRow("the core as it is", r.cycles, 1, "total"));
  for (const w of useful)
    table.append(barRow(own(r, w.text), w.cycles, w.cycles / r.cycles, "", Math.round(100 * w.gain) + " % fewer cycles"));
  return useful.length ? table : make("p", {}, "No single change of the machine would make this code faster.");
}

// ---- instructions ----

function instructionTable(r) {
  const ports = Object.keys(r.instructions.length ? r.instructions[0].ports : {});
  const sources = [["dsb", "DSB"], ["mite", "MITE"], ["ms", "MS"], ["lsd", "LSD"]].filter(([k]) => r.instructions.some((i) => i.uops[k] > 0));
  const columns = [["#"], ["instruction", "asm"], ["latency"], ["reciprocal\nthroughput"], ...sources.map(([, w]) => [own(r, w)]), ["issued"], ["executed"], ...ports.map((p) => ["p" + Number(p).toString(16)]), ["critical\ncycle"], ["", "notes"]];
  const most = r.instructions.reduce((m, i) => Math.max(m, ...ports.map((p) => i.ports[p])), 0.01);
  const alone = (v) => (v === null ? "" : number(v));
  const amount = (v) => (v > 0 ? number(v) : "");
  const words = (i) => (openFigures && i.form ? make("button", { type: "button", class: "figures", title: "figures of " + i.form, onclick: () => openFigures(i, r) }, shown(i)) : shown(i));
  const row = (i, n) => make("tr", { class: i.notes.includes("critical") ? "critical" : "", "data-instruction": n },
    make("td", {}, String(n)), make("td", { class: "asm" }, words(i)), make("td", {}, alone(i.latency)), make("td", {}, alone(i.reciprocal_throughput)), ...sources.map(([k]) => make("td", {}, amount(i.uops[k]))), make("td", {}, amount(i.uops.issued)),
    make("td", {}, amount(i.uops.executed)), ...ports.map((p) => make("td", { style: heat(i.ports[p], most) }, amount(i.ports[p]))),
    make("td", {}, i.critical_latency === null ? "" : number(i.critical_latency)), make("td", { class: "notes" }, noteWords(i)));
  const sum = (f) => amount(r.instructions.reduce((s, i) => s + f(i), 0));
  const foot = make("tr", {}, make("td", {}, "sum"), make("td", { class: "asm" }), make("td"), make("td"), ...sources.map(([k]) => make("td", {}, sum((i) => i.uops[k]))),
    make("td", {}, sum((i) => i.uops.issued)), make("td", {}, sum((i) => i.uops.executed)),
    ...ports.map((p) => make("td", {}, sum((i) => i.ports[p]))), make("td"), make("td"));
  const widest = r.instructions.reduce((w, i, n) => (shown(i).length > shown(r.instructions[w]).length ? n : w), 0);
  return longTable("µops of each instruction", "instructions", columns, r.instructions.length, (n) => row(r.instructions[n], n), widest, make("tfoot", {}, foot));
}

// What limits the cycles with the data in a level: "bandwidth of L2".
const levelLimit = (l) => (l.limit === "core" ? "the core" : (l.limit === "transfer" ? "bandwidth" : "latency") + " of " + l.name);

// Cycles by the level that its streams come from (--data), as in text.
function dataSection(d) {
  const most = Math.max(...d.levels.map((l) => l.cycles)), scattered = d.scattered_loads + d.scattered_stores;
  const columns = [["data in", "asm"], ["cycles"], ["", "bar-cell"], ["transfers"], ["latency"], ["lines\nread"], ["lines\nwritten"], ["limited by", "notes"]];
  const figure = (v, known = v !== null) => make("td", {}, known ? number(v) : "");
  const rows = d.levels.map((l, n) => make("tr", { class: l.name === d.level ? "chosen" : "" }, make("td", { class: "asm" }, l.name), figure(l.cycles),
    make("td", { class: "bar-cell" }, make("div", { class: "meter", style: "width: " + (100 * l.cycles) / most + "%" })),
    figure(l.transfer_cycles, n > 0), figure(l.latency_cycles), figure(l.lines_read, n > 0), figure(l.lines_written, n > 0), make("td", { class: "notes" }, levelLimit(l))));
  section("With its data in each level, cycles per iteration", "wide", wideTable("levels of memory", "levels", columns, rows),
    make("p", { class: "soft" }, "Marked: as asked. Memory of " + d.machine + "; " + plural(d.streams.length, "stream") + ", " + number(d.bytes) + " bytes an iteration" +
      (scattered ? "; " + scattered + (scattered === 1 ? " access" : " accesses") + " at addresses that follow no stride" : "") + "."));
}

// What limits the code, and what would help.
function showLimits(r, title = "What limits it") {
  section(title, "", facts(r));
  section("Each component alone, cycles per iteration", "", boundBars(r));
  const ports = portBars(r);
  if (ports) section("Load of each port, µops per iteration", "", ports, make("p", { class: "soft" }, "Full width: a µop in every cycle."));
  if (r.topdown) section("Where the issue slots go", "", ...slots(r).filter((x) => x));
  if (r.critical_cycle && r.critical_cycle.steps)
    section("Critical dependency cycle, " + plural(r.critical_cycle.iterations, "iteration"), "", criticalSteps(r));
  if (r.advice && r.advice.length) section("What would help", "", make("ul", { class: "plain" }, ...r.advice.map((a) => make("li", {}, own(r, a.text)))));
  if (r.what_if && r.what_if.length) section("What if there were (simulated cycles per iteration)", "half", whatIf(r));
}

function showNotes(r) {
  if (r.warnings && r.warnings.length)
    section("Notes on the result", "wide", make("ul", { class: "warnings" }, ...r.warnings.map((w) => make("li", {}, own(r, w)))));
}

// The parts of a report, as functions that add them.
function sectionMakers(r) {
  const large = r.instructions.length > LONG;
  return [() => r.data && dataSection(r.data), () => showLimits(r), () => showNotes(r), () => section("µops of each instruction, per iteration", "wide", instructionTable(r)),
    () => r.graph && (large ? sectionInView("Dependencies", "wide", () => dependencyPicture(r)) : section("Dependencies", "wide", ...dependencyPicture(r))),
    () => section("How full the queues are", "half", occupancyPicture()),
    () => r.alignments && section("Cycles by the place of the code", "half", ...alignmentPicture(r))];
}

function showSections(r) {
  for (const f of sectionMakers(r)) f();
}
