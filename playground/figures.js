// figures.js - the table of instructions: µops, ports, latencies by operand and source of every form on a core, searched by
// words of its name, in the page itself.
const figures = { id: 0, timer: 0, chosen: null, goTo: false };

const portWords = (cost) => cost.ports.map((g) => g.uops + "*p" + g.ports.map((p) => p.toString(16)).join("")).join(" + ") || "none";

// A line for each operand that is written: "R64 (1st): 1 from R64 (1st), 6 from the address of M64 (2nd)".
function latencyLines(latencies) {
  const targets = new Map();
  for (const l of latencies) {
    const ways = [["", l.cycles], ["the address of ", l.address], ["the index of ", l.address_index], ["the data of ", l.memory]];
    const words = ways.filter(([, cycles]) => cycles !== null).map(([of, cycles]) => number(cycles) + " from " + of + l.source_name);
    if (l.same_register !== null) words.push(number(l.same_register) + " where both are one register");
    targets.set(l.target_name, [...(targets.get(l.target_name) || []), ...words]);
  }
  return [...targets].map(([target, words]) => target + ": " + words.join(", "));
}

// What it costs in another case than the usual one.
const otherCost = (words, cost) => (cost ? words + ": " + portWords(cost) + (cost.latency === null ? "" : ", latency " + number(cost.latency)) : null);

// Two rows: the figures, and where they are from.
function figuresRows(f) {
  const c = f.cost, others = [otherCost("with an index register", f.cost_indexed), otherCost("both operands one register", f.cost_same_register)].filter((x) => x);
  const lines = (list) => list.flatMap((words, k) => (k ? [make("br"), words] : [words]));
  const row = make("tr", { class: f.form === figures.chosen ? "chosen" : "" }, make("td", { class: "asm" }, f.form), make("td", {}, number(c.retire_slots)), make("td", {}, number(c.uops)),
    make("td", { class: "asm on-ports" }, ...lines([portWords(c), ...others])), make("td", {}, number(c.latency)), make("td", {}, number(c.reciprocal_throughput)),
    make("td", { class: "latencies" }, ...lines(latencyLines(f.latencies))));
  return [row, make("tr", { class: "from" }, make("td", { class: "words", colspan: row.children.length }, "source: " + f.source + (f.derived ? " (not measured on this core)" : "")))];
}

function showFigures({ result, error }) {
  const columns = [["form", "asm"], ["µops\nissued"], ["executed"], ["ports", "asm on-ports"], ["latency"], ["reciprocal\nthroughput"], ["latencies by operand, cycles", "latencies"]];
  $("figures-count").textContent = error ? error.message : result.count > result.forms.length ? plural(result.count, "form") + "; the first " + result.forms.length
    : plural(result.count, "form") + (result.count ? "" : " with figures on this core");
  $("figures-table").replaceChildren(...(error || !result.count ? [] : [wideTable("figures of instructions", "figures-rows", columns, result.forms.flatMap(figuresRows))]));
  if (figures.goTo) toFigures();
}

function toFigures() {
  figures.goTo = false;
  $("figures-search").focus({ preventScroll: true });
  $("figures").scrollIntoView({ block: "start" });
}

function askFigures() {
  clearTimeout(figures.timer);
  const search = $("figures-search").value.trim();
  if (!search) {
    figures.id++;
    $("figures-count").textContent = "";
    $("figures-table").replaceChildren();
    return;
  }
  figures.timer = setTimeout(() => worker.postMessage({ figures: ++figures.id, task: { call: "forms", search, arch: $("figures-core").value } }), 120);
}

// The figures of an instruction of a report.
openFigures = (instruction, report) => {
  figures.chosen = instruction.form;
  $("figures-search").value = instruction.form;
  $("figures-core").value = report.arch;
  figures.goTo = true; // when there is something to see
  askFigures();
};

function startFigures() {
  $("figures-core").replaceChildren(...now.archs.map((a) => make("option", { value: a.arch }, nameOf(a.arch))));
  $("figures-core").value = state.cores[0];
  $("figures-search").addEventListener("input", () => {
    figures.chosen = null;
    askFigures();
  });
  $("figures-button").addEventListener("click", toFigures);
  $("figures-core").addEventListener("change", askFigures);
}
