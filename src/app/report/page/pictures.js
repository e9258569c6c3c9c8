// pictures.js - the pictures of the report: dependencies as arcs, queues over time, places of the code.

const LINE = 24, CHARACTER = 7.4;

const edgeWords = (r, e) => e.name + ", latency " + e.latency + (e.distance ? ", " + plural(e.distance, "iteration") + " later" : "") + ": " +
  shown(r.instructions[e.from]) + " → " + shown(r.instructions[e.to]);

const edgeColour = (e) => "var(--" + (e.critical ? "critical" : e.carrier === "memory" ? "c2" : e.carrier === "flags" ? "c1" : "c0") + ")";

// The corners of an edge's curve. To the right they go down within an iteration, those on the left to a later one.
function curveOf(e, left, right) {
  const self = e.from === e.to, y0 = (e.from + 0.5) * LINE + (self ? -5 : 4), y1 = (e.to + 0.5) * LINE + (self ? 5 : -4);
  const x = e.distance ? left - 6 : right + 6, reach = 26 + 19 * Math.sqrt(Math.abs(e.to - e.from));
  return { x, y0, y1, bend: e.distance ? x - reach : x + reach, tip: e.distance ? x - 6 : x + 6 };
}

function arc(r, e, c) {
  const path = svg("path", { d: `M${c.x} ${c.y0} C${c.bend} ${c.y0} ${c.bend} ${c.y1} ${c.tip} ${c.y1}`, fill: "none" });
  const head = svg("path", { d: `M${c.x} ${c.y1} L${c.tip} ${c.y1 - 3.5} L${c.tip} ${c.y1 + 3.5} Z`, stroke: "none" });
  path.style.cssText = "stroke: " + edgeColour(e) + "; stroke-width: " + (e.critical ? 2.2 : 1.2) + (e.distance ? "; stroke-dasharray: 5 3" : "");
  head.style.fill = edgeColour(e);
  return svg("g", { "data-from": e.from, "data-to": e.to }, svg("title", {}, edgeWords(r, e)), path, head);
}

// A label somewhere on its curve where no other one is; else, or where it says the same as another one of that
// instruction, hidden until its instruction is pointed at.
function label(e, c, taken) {
  const words = e.name + " " + e.latency, width = words.length * 6 + 4;
  let place = null, at;
  const again = !e.critical && taken.some((b) => b.from === e.from && b.words === words && b.left === !!e.distance);
  for (const t of again ? [0.5] : [0.5, 0.36, 0.64, 0.24, 0.76]) {
    const s = 1 - t, mid = 3 * s * t;
    const x = s ** 3 * c.x + mid * c.bend + t ** 3 * c.x, y = s ** 3 * c.y0 + mid * (s * c.y0 + t * c.y1) + t ** 3 * c.y1;
    at = { x0: e.distance ? x - width : x, x1: e.distance ? x : x + width, x, y, from: e.from, words, left: !!e.distance };
    const box = at;
    if (again || taken.some((b) => b.x0 < box.x1 && box.x0 < b.x1 && Math.abs(b.y - box.y) < 12)) continue;
    place = box;
    taken.push(box);
    break;
  }
  const text = svg("text", { x: at.x + (e.distance ? -4 : 4), y: at.y + 3.5, "font-size": 10.5, "text-anchor": e.distance ? "end" : "start",
    "data-from": e.from, "data-to": e.to, "data-hidden": place ? "no" : "yes" }, words);
  text.style.cssText = "fill: " + edgeColour(e) + "; stroke: var(--panel); stroke-width: 3px; paint-order: stroke; pointer-events: none; visibility: " +
    (place ? "visible" : "hidden");
  return text;
}

function lightUp(picture, i) {
  for (const g of picture.querySelectorAll("[data-from]")) {
    const mine = i !== null && (+g.dataset.from === i || +g.dataset.to === i);
    g.style.opacity = i === null || mine ? 1 : 0.1;
    if (g.dataset.hidden === "yes") g.style.visibility = mine ? "visible" : "hidden";
  }
}

function dependencyPicture(r) {
  const n = r.instructions.length;
  if (n > 500 || r.graph.length > 3000)
    return [make("p", {}, "Too many for a picture here (" + plural(r.graph.length, "dependency").replace("ys", "ies") + "); tacho predict --graph FILE.svg draws them.")];
  const longest = Math.max(...r.instructions.map((i) => shown(i).length)) + 4;
  const span = (carried) => Math.max(0, ...r.graph.filter((e) => !e.distance !== carried).map((e) => Math.abs(e.to - e.from)));
  const margin = (carried) => 100 + 16 * Math.sqrt(span(carried));
  const left = margin(true), right = left + longest * CHARACTER + 20, width = right + margin(false);
  const picture = svg("svg", { viewBox: `0 0 ${width} ${n * LINE + 4}`, role: "img",
    "aria-label": "dependencies between the instructions; the tables of --graph FILE.dot have them as text" });
  picture.style.cssText = "width: " + width + "px; max-width: none; margin: 0 auto";
  r.instructions.forEach((i, k) => {
    const critical = i.notes.includes("critical");
    const back = svg("rect", { x: left, y: k * LINE + 2, width: right - left, height: LINE - 4, rx: 5 });
    back.style.cssText = "fill: var(--faint); stroke: var(--" + (critical ? "critical" : "line") + ")";
    const number_ = svg("text", { x: left + 26, y: (k + 0.5) * LINE + 4, "text-anchor": "end", "font-size": 11 }, String(k));
    number_.style.fill = "var(--soft)";
    const text = svg("text", { x: left + 36, y: (k + 0.5) * LINE + 4, "font-size": 12 }, shown(i));
    text.style.cssText = "font-family: var(--mono); fill: var(--text)";
    const row = svg("g", { "data-instruction": k }, back, number_, text);
    row.addEventListener("mouseenter", () => lightUp(picture, k));
    row.addEventListener("mouseleave", () => lightUp(picture, null));
    picture.append(row);
  });
  const inOrder = [...r.graph].sort((a, b) => a.critical - b.critical);
  picture.append(...inOrder.map((e) => arc(r, e, curveOf(e, left, right))));
  const taken = [];
  picture.append(...inOrder.reverse().map((e) => label(e, curveOf(e, left, right), taken)));
  const key = make("figcaption", {}, "Right: within an iteration. Left, dashed: into a later one. Labels: what carries the value, and cycles. " +
    "Red: the critical cycle. Green: through memory; orange: flags. Point at an instruction to see its own.");
  return [make("figure", {}, make("div", { class: "arcs", tabindex: "0", role: "region", "aria-label": "Dependencies" }, picture), key)];
}

// ---- charts ----

const CHART = { width: 720, height: 270, left: 46, right: 12, top: 10, bottom: 40 };

function ticks(most, count) {
  const rough = most / count, power = 10 ** Math.floor(Math.log10(rough || 1));
  const step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= rough) || 1;
  const list = [];
  for (let t = 0; t <= most + 1e-9; t += step) list.push(+t.toFixed(9));
  return list;
}

// Axes, and functions from values to places.
function chart(label, mostX, mostY, wordsX, wordsY, stepsX) {
  const c = CHART, picture = svg("svg", { viewBox: `0 0 ${c.width} ${c.height}`, role: "img", "aria-label": label });
  const x = (v) => c.left + ((c.width - c.left - c.right) * v) / mostX;
  const y = (v) => c.height - c.bottom - ((c.height - c.top - c.bottom) * v) / mostY;
  const text = (at, words, anchor) => {
    const t = svg("text", { ...at, "font-size": 11, "text-anchor": anchor }, words);
    t.style.fill = "var(--soft)";
    picture.append(t);
  };
  for (const t of ticks(mostY, 5)) {
    const line = svg("line", { x1: c.left, x2: c.width - c.right, y1: y(t), y2: y(t) });
    line.style.stroke = "var(--line)";
    picture.append(line);
    text({ x: c.left - 6, y: y(t) + 4 }, String(t), "end");
  }
  for (const t of stepsX || ticks(mostX, 8)) text({ x: x(t), y: c.height - c.bottom + 16 }, String(t), "middle");
  text({ x: (c.left + c.width - c.right) / 2, y: c.height - 6 }, wordsX, "middle");
  text({ x: 12, y: c.height / 2 - 10, transform: `rotate(-90 12 ${c.height / 2 - 10})` }, wordsY, "middle");
  return { picture, x, y };
}

function occupancyPicture() {
  const n = trace.cycle.rob.length, bucket = Math.max(1, Math.ceil(n / 1400));
  const { picture, x, y } = chart("how full the queues are in each cycle", n, 100, "cycle", "full, %");
  const key = make("ul", { class: "keylist" });
  const averaged = trace.cycle.iterations.findIndex((k) => k >= trace.averaged_from);
  if (averaged > 0) {
    const line = svg("line", { x1: x(averaged), x2: x(averaged), y1: y(0), y2: y(100), "stroke-dasharray": "3 3" });
    line.style.stroke = "var(--soft)";
    const words = svg("text", { x: x(averaged) + 5, y: y(4), "font-size": 11 }, "averaged from here");
    words.style.fill = "var(--soft)";
    picture.append(line, words);
  }
  for (const [queue, words, name] of QUEUES) {
    let d = "";
    for (let t = 0; t < n; t += bucket) {
      const value = Math.max(...trace.cycle[queue].slice(t, t + bucket));
      d += (t ? "L" : "M") + x(t).toFixed(1) + " " + y((100 * value) / trace.sizes[queue]).toFixed(1) + "H" + x(t + bucket).toFixed(1);
    }
    const path = svg("path", { d, fill: "none", "stroke-width": 1.6 });
    path.style.stroke = "var(--" + name + ")";
    picture.append(path);
    key.append(make("li", {}, make("i", { style: "background: var(--" + name + ")" }), words + " (" + trace.sizes[queue] + ")"));
  }
  return make("figure", {}, picture, key);
}

const SOURCE_COLOURS = { MITE: "c1", DSB: "c0", LSD: "c2", mixed: "c3" };

// "0-15, 32-47" of the places that are like this one.
function placesLike(list, like) {
  const same = (a) => a.cycles === like.cycles && a.source === like.source;
  const parts = [];
  for (let k = 0; k < list.length; k++) {
    if (!same(list[k])) continue;
    const first = k;
    while (k + 1 < list.length && same(list[k + 1])) k++;
    parts.push(first === k ? String(k) : first + "-" + k);
  }
  return parts.join(", ");
}

function alignmentPicture(r) {
  const list = r.alignments, most = Math.max(...list.map((a) => a.cycles)) * 1.06 || 1;
  const steps = [0, 8, 16, 24, 32, 40, 48, 56];
  const { picture, x, y } = chart("cycles per iteration for each start of the code", 64, most, "start of the code after a 64-byte boundary, bytes",
    "cycles per iteration", steps.map((s) => s + 0.5).map((s) => s - 0.5));
  list.forEach((a, k) => {
    const bar = svg("rect", { x: x(k) + 1, y: y(a.cycles), width: x(1) - x(0) - 2, height: y(0) - y(a.cycles) },
      svg("title", {}, k + ": " + number(a.cycles) + " cycles, µops from " + own(r, a.source)));
    bar.style.fill = "var(--" + SOURCE_COLOURS[a.source] + ")";
    picture.append(bar);
  });
  const key = make("ul", { class: "keylist" });
  for (const source of ["MITE", "DSB", "LSD", "mixed"])
    if (list.some((a) => a.source === source))
      key.append(make("li", {}, make("i", { style: "background: var(--" + SOURCE_COLOURS[source] + ")" }), "µops from: " + own(r, source)));
  const groups = new Map();
  for (const a of list) groups.set(a.cycles + a.source, a);
  const table = make("table", { class: "bars" });
  for (const a of [...groups.values()].sort((p, q) => p.cycles - q.cycles).slice(0, 12))
    table.append(make("tr", {}, make("td", { class: "value" }, a.cycles_exact || number(a.cycles)), make("th", { scope: "row" }, own(r, a.source)),
      make("td", {}, "at " + placesLike(list, a))));
  return [make("figure", {}, picture, key), table];
}
