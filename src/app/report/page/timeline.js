// timeline.js - the timeline: rows of µops, columns of cycles, on a canvas that shows what is in view.

const STAGES = [ // from, to, colour, legend
  ["predecoded", "queued", "iq", "in the instruction queue", "P"],
  ["queued", "issued", "idq", "in the µop queue", "Q"],
  ["issued", "ready", "operands", "waits for operands", "I"],
  ["ready", "dispatched", "port", "waits for its port", "r"],
  ["dispatched", "executed", "execute", "is being executed", "D"],
  ["executed", "retired", "done", "done, waits to retire", "E"],
];
const ROW = 20, RULER = 24, STRIP = 66, USUAL = 13, SMALLEST = 0.5, LARGEST = 32;
const QUEUES = [["rob", "reorder buffer", "c0"], ["scheduler", "scheduler", "c1"], ["idq", "µop queue", "c2"],
  ["iq", "instruction queue", "c3"]];

const view = {
  rows: [], rowOf: new Map(), iterations: [], cell: USUAL, selected: -1, hover: null, history: [], terms: [],
  colours: {}, width: 0, height: 0, labels: 0, matching: 0, scrolledTo: 0,
};

const firstCycle = (u) => u.predecoded ?? u.queued ?? u.issued;

function asm(u) {
  return trace.instructions[u.instruction];
}

// ---- rows: an iteration's head, and its µops unless it is folded ----

function collectIterations() {
  for (const u of trace.uops) {
    let it = view.iterations[view.iterations.length - 1];
    if (!it || it.number !== u.iteration) {
      it = { number: u.iteration, uops: [], folded: wishes.has("fold"), from: Infinity, to: 0 };
      view.iterations.push(it);
    }
    it.uops.push(u);
    it.from = Math.min(it.from, firstCycle(u));
    it.to = Math.max(it.to, u.retired);
  }
}

// After another trace has taken the place of the one that was shown.
function resetTimeline() {
  Object.assign(view, { rows: [], iterations: [], selected: -1, hover: null, history: [], scrolledTo: 0, cell: USUAL });
  view.rowOf.clear();
  $("timeline").scrollTop = $("timeline").scrollLeft = 0;
  collectIterations();
  rebuild();
}

// One word of the filter as a function of a µop.
function term(word) {
  let m;
  if ((m = /^p(\d+)$/i.exec(word))) return (u) => u.port === +m[1];
  if ((m = /^i(\d+)(?:-(\d+))?$/i.exec(word))) return (u) => u.iteration >= +m[1] && u.iteration <= +(m[2] ?? m[1]);
  if ((m = /^#(\d+)$/.exec(word))) return (u) => u.instruction === +m[1];
  const text = word.toLowerCase();
  return (u) => asm(u).toLowerCase().includes(text) || u.kind.startsWith(text) || (u.source + " " + own(trace, u.source)).toLowerCase().split(" ").includes(text);
}

function setFilter(text) {
  view.terms = text.split(/\s+/).filter((w) => w).map(term);
  rebuild();
}

function rebuild() {
  const selected = view.rows[view.selected];
  view.rows = [];
  view.rowOf.clear();
  view.matching = 0;
  for (const it of view.iterations) {
    const uops = view.terms.length ? it.uops.filter((u) => view.terms.every((t) => t(u))) : it.uops;
    view.matching += uops.length;
    if (!uops.length) continue;
    const alone = view.terms.length && uops.length === 1; // no head for a single match
    if (!alone) view.rows.push({ it, count: uops.length });
    if (it.folded && !alone) continue;
    for (const u of uops) {
      view.rowOf.set(u.number, view.rows.length);
      view.rows.push({ it, u, alone });
    }
  }
  view.selected = selected ? view.rows.findIndex((r) => r.u === selected.u && r.it === selected.it) : -1;
  const folded = view.iterations.length > 0 && view.iterations.every((it) => it.folded);
  $("fold").textContent = folded ? "Unfold all" : "Fold all";
  const all = plural(trace.uops.length, "µop") + ", " + plural(view.iterations.length, "iteration");
  $("count").textContent = view.terms.length ? view.matching + " of " + all : all + ", " + plural(trace.cycle.rob.length, "cycle");
  resize();
  showDetails();
}

// ---- geometry ----

function contentWidth() {
  return view.labels + (trace.cycle.rob.length + 4) * view.cell;
}

function resize() {
  const box = $("timeline"), canvas = $("canvas"), scale = window.devicePixelRatio || 1;
  view.width = box.clientWidth;
  view.height = box.clientHeight;
  view.labels = Math.round(Math.min(340, view.width * 0.42));
  canvas.width = Math.round(view.width * scale);
  canvas.height = Math.round(view.height * scale);
  canvas.style.width = view.width + "px";
  canvas.style.height = view.height + "px";
  $("space").style.width = Math.max(contentWidth(), view.width) + "px";
  $("space").style.height = Math.max(top() + view.rows.length * ROW + 8, view.height) + "px";
  paint(); // at once: a new size has cleared the canvas
}

const top = () => RULER + STRIP;
const xOf = (cycle) => view.labels + cycle * view.cell - $("timeline").scrollLeft;
const yOf = (row) => top() + row * ROW - $("timeline").scrollTop;
const rowAt = (y) => Math.floor((y - top() + $("timeline").scrollTop) / ROW);
const cycleAt = (x) => Math.floor((x - view.labels + $("timeline").scrollLeft) / view.cell);

function zoom(factor, x) {
  const box = $("timeline"), at = x === undefined ? (view.width + view.labels) / 2 : Math.max(x, view.labels);
  const cycle = (at - view.labels + box.scrollLeft) / view.cell;
  view.cell = Math.min(LARGEST, Math.max(SMALLEST, factor === 0 ? USUAL : view.cell * factor));
  $("space").style.width = Math.max(contentWidth(), view.width) + "px";
  box.scrollLeft = cycle * view.cell - (at - view.labels);
  draw();
}

// The timeline runs down to the right: scrolling down brings the rows' cycles into view.
function follow() {
  const box = $("timeline"), row = view.rows[Math.max(0, rowAt(top() + 1))];
  if (!row || box.scrollTop === view.scrolledTo) return;
  view.scrolledTo = box.scrollTop;
  const from = row.u ? firstCycle(row.u) : row.it.from, to = row.u ? row.u.retired : row.it.to;
  const left = box.scrollLeft, right = left + view.width - view.labels;
  if (from * view.cell < left || Math.min(to, from + 8) * view.cell > right || from * view.cell > left + (right - left) / 3)
    box.scrollLeft = Math.max(0, (from - 2) * view.cell);
}

function reveal(row) {
  const box = $("timeline"), r = view.rows[row];
  if (!r) return;
  const y = row * ROW, page = view.height - top();
  if (y < box.scrollTop + ROW) box.scrollTop = Math.max(0, y - ROW * 2);
  else if (y + ROW * 2 > box.scrollTop + page) box.scrollTop = y - page + ROW * 3;
  view.scrolledTo = box.scrollTop;
  const from = r.u ? firstCycle(r.u) : r.it.from, to = r.u ? r.u.retired : from;
  const left = box.scrollLeft / view.cell, span = (view.width - view.labels) / view.cell;
  if (from >= left && to <= left + span) return;
  const wanted = to - from < span - 2 ? from - 2 : (r.u.dispatched ?? r.u.issued) - span * 0.7;
  box.scrollLeft = Math.max(0, wanted * view.cell);
}

// ---- drawing ----

function readColours() {
  for (const c of ["back", "panel", "text", "soft", "line", "faint", "accent", "mark", "iq", "idq", "operands", "port", "execute",
    "done", "retired", "on-dark", "on-light", "critical", "c0", "c1", "c2", "c3", "mono", "sans"])
    view.colours[c] = colour(c);
  draw();
}

let drawing = false;
function draw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => { drawing = false; paint(); });
}

function paint() {
  const g = $("canvas").getContext("2d"), scale = window.devicePixelRatio || 1, c = view.colours;
  g.setTransform(scale, 0, 0, scale, 0, 0);
  g.textBaseline = "middle";
  g.fillStyle = c.panel;
  g.fillRect(0, 0, view.width, view.height);
  const first = Math.max(0, rowAt(top())), last = Math.min(view.rows.length - 1, rowAt(view.height));
  g.save();
  g.beginPath();
  g.rect(0, top(), view.width, view.height - top());
  g.clip();
  paintGrid(g, first, last);
  for (let r = first; r <= last; r++) view.rows[r].u ? paintUop(g, r) : paintIteration(g, r);
  paintLinks(g);
  for (let r = first; r <= last; r++) paintLabel(g, r);
  g.restore();
  paintStrip(g);
  paintRuler(g);
  g.fillStyle = c.line;
  g.fillRect(view.labels - 1, 0, 1, view.height);
  g.fillRect(0, top() - 1, view.width, 1);
}

function gridStep() {
  for (const step of [1, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]) if (step * view.cell >= 44) return step;
  return 10000;
}

function eachTick(f) {
  const step = gridStep(), left = Math.max(0, cycleAt(view.labels)), end = cycleAt(view.width);
  for (let t = Math.floor(left / step) * step; t <= end; t += step) if (t >= left) f(t, xOf(t));
}

function paintGrid(g, first, last) {
  const c = view.colours;
  for (let r = first; r <= last; r++) {
    if (r === view.selected) g.fillStyle = c.mark;
    else if (!view.rows[r].u) g.fillStyle = c.faint;
    else continue;
    g.fillRect(0, yOf(r), view.width, ROW);
  }
  g.fillStyle = c.line;
  eachTick((t, x) => g.fillRect(Math.round(x), top(), 1, view.height));
  if (view.hover && view.hover.x >= view.labels) {
    g.globalAlpha = 0.5;
    g.fillRect(xOf(cycleAt(view.hover.x)), top(), Math.max(1, view.cell), view.height);
    g.globalAlpha = 1;
  }
}

function segment(g, from, to, y, h, fill) {
  const a = Math.max(xOf(from), view.labels - 4), b = Math.min(xOf(to), view.width + 4);
  if (b < view.labels || a > view.width) return;
  g.fillStyle = fill;
  g.fillRect(a, y, Math.max(b - a, 1), h);
}

function letter(g, cycle, y, text, fill) {
  const x = xOf(cycle) + view.cell / 2;
  if (x < view.labels || x > view.width) return;
  g.fillStyle = fill;
  g.fillText(text, x, y + ROW / 2 + 0.5);
}

function paintUop(g, r) {
  const u = view.rows[r].u, c = view.colours, y = yOf(r), thin = y + 6, bar = y + 3;
  if (u.predecoded !== null) segment(g, u.predecoded, u.queued, thin, ROW - 12, c.iq);
  if (u.queued !== null) segment(g, u.queued, u.issued, thin, ROW - 12, c.idq);
  if (u.port === null) {
    segment(g, u.issued, u.retired, thin, ROW - 12, c.done);
  } else {
    segment(g, u.issued, u.ready, thin, ROW - 12, c.operands);
    segment(g, u.ready, u.dispatched, bar, ROW - 6, c.port);
    segment(g, u.dispatched, u.executed, bar, ROW - 6, c.execute);
    segment(g, u.executed, u.retired, thin, ROW - 12, c.done);
  }
  segment(g, u.retired, u.retired + Math.min(1, 3 / view.cell), bar, ROW - 6, c.retired);
  if (view.cell < 9) return;
  g.font = "600 " + Math.min(11, view.cell - 1) + "px " + c.mono;
  g.textAlign = "center";
  for (const [from, , , , sign] of STAGES) {
    if (u[from] === null || (from === "ready" && u.ready === u.dispatched)) continue;
    letter(g, u[from], y, sign, sign === "D" || sign === "r" ? c["on-dark"] : c["on-light"]);
  }
  if (view.cell >= 12) letter(g, u.retired, y, "R", c.retired);
}

function paintIteration(g, r) {
  const it = view.rows[r].it, c = view.colours, y = yOf(r);
  if (!it.folded) {
    segment(g, it.from, it.to, y + ROW - 4, 2, c.idq);
    return;
  }
  for (const u of it.uops) {
    segment(g, firstCycle(u), u.issued, y + 6, ROW - 12, c.iq);
    if (u.port === null) continue;
    g.globalAlpha = 0.3;
    segment(g, u.dispatched, u.executed, y + 3, ROW - 6, c.execute);
    g.globalAlpha = 1;
  }
  segment(g, it.to, it.to + Math.min(1, 3 / view.cell), y + 3, ROW - 6, c.retired);
}

// What the selected µop waited for, and what that waited for, back to the start.
function chainOf(u) {
  const chain = [];
  for (let k = 0; u && u.waited_for !== null && k < 400; k++) {
    const edge = u.producers[u.waited_for], producer = trace.uops[edge.producer];
    chain.push([producer, u, edge]);
    u = producer;
  }
  return chain;
}

function paintLinks(g) {
  const row = view.rows[view.selected];
  if (!row || !row.u) return;
  g.strokeStyle = view.colours.critical;
  g.lineWidth = 1.5;
  g.save();
  g.beginPath();
  g.rect(view.labels, top(), view.width - view.labels, view.height);
  g.clip();
  for (const [producer, consumer, edge] of chainOf(row.u)) {
    const a = view.rowOf.get(producer.number), b = view.rowOf.get(consumer.number);
    if (a === undefined || b === undefined) break;
    if (yOf(b) < top() - ROW) break;
    const memory = edge.carrier === "memory";
    const x0 = xOf(memory ? producer.dispatched + 0.5 : edge.ready), y0 = yOf(a) + ROW / 2;
    const x1 = xOf(memory ? edge.ready : consumer.dispatched), y1 = yOf(b) + ROW / 2;
    g.beginPath();
    g.moveTo(x0, y0);
    g.bezierCurveTo(x0 + 10, y0 + (y1 - y0) * 0.35, x1 - 10, y1 - (y1 - y0) * 0.35, x1, y1);
    g.stroke();
    g.beginPath();
    g.arc(x0, y0, 2.5, 0, 7);
    g.fillStyle = view.colours.critical;
    g.fill();
  }
  g.restore();
}

function clipped(g, text, x, y, width) {
  let t = text;
  if (g.measureText(t).width > width) {
    const fits = Math.max(1, Math.floor((t.length * width) / g.measureText(t).width) - 1);
    t = t.slice(0, fits) + "…";
  }
  g.fillText(t, x, y);
}

function paintLabel(g, r) {
  const row = view.rows[r], c = view.colours, y = yOf(r) + ROW / 2 + 0.5;
  g.fillStyle = r === view.selected ? c.mark : row.u ? c.panel : c.faint;
  g.fillRect(0, yOf(r), view.labels, ROW);
  g.textAlign = "left";
  if (!row.u) {
    g.font = "600 12px " + c.sans;
    g.fillStyle = c.text;
    const averaged = row.it.number >= trace.averaged_from && row.it.number < trace.averaged_to;
    g.fillText((row.it.folded ? "▸" : "▾") + "  iteration " + row.it.number, 10, y);
    g.font = "11.5px " + c.sans;
    g.fillStyle = c.soft;
    g.textAlign = "right";
    g.fillText((averaged ? "averaged · " : "") + plural(row.count, "µop"), view.labels - 10, y);
    return;
  }
  const u = row.u, wide = view.labels > 240;
  if (wide) {
    g.font = "11px " + c.mono;
    g.fillStyle = c.soft;
    g.textAlign = "right";
    g.fillText(row.alone ? "i" + row.it.number : u.uop ? "" : String(u.instruction), 38, y);
    g.textAlign = "left";
  }
  g.font = "12px " + c.mono;
  g.fillStyle = u.uop ? c.soft : c.text;
  clipped(g, asm(u), wide ? 48 : 12, y, view.labels - (wide ? 48 : 12) - 84);
  g.font = "11px " + c.mono;
  g.textAlign = "right";
  g.fillStyle = u.port === null ? c.soft : c.accent;
  g.fillText(u.port === null ? u.kind : shortKind(u) + "p" + u.port.toString(16), view.labels - 10, y);
}

function shortKind(u) {
  return { load: "load ", "store-address": "sta ", "store-data": "std ", "stack-sync": "sync ", "high8-merge": "merge " }[u.kind] || "";
}

function paintStrip(g) {
  const c = view.colours, h = STRIP - 12, base = RULER + STRIP - 5;
  g.fillStyle = c.panel;
  g.fillRect(0, 0, view.width, top());
  g.save();
  g.beginPath();
  g.rect(view.labels, RULER, view.width - view.labels, STRIP);
  g.clip();
  const from = Math.max(0, cycleAt(view.labels)), to = Math.min(trace.cycle.rob.length - 1, cycleAt(view.width) + 1);
  const step = Math.max(1, Math.floor(1 / view.cell));
  for (const [queue, , name] of QUEUES) {
    g.strokeStyle = c[name];
    g.lineWidth = 1.4;
    g.beginPath();
    for (let t = from; t <= to; t += step) {
      const y = base - (h * trace.cycle[queue][t]) / trace.sizes[queue];
      g.lineTo(xOf(t), y);
      g.lineTo(xOf(t + step), y);
    }
    g.stroke();
  }
  g.restore();
  g.fillStyle = c.line;
  g.fillRect(view.labels, base, view.width, 1);
  g.fillRect(view.labels, base - h, view.width, 1);
  g.textAlign = "left";
  g.font = "11px " + c.sans;
  const at = view.hover && view.hover.x >= view.labels ? cycleAt(view.hover.x) : -1;
  QUEUES.forEach(([queue, words, name], k) => {
    const x = 10 + (k % 2) * (view.labels / 2 - 4), y = RULER + 10 + (k >> 1) * 29;
    const value = trace.cycle[queue][at];
    g.fillStyle = c[name];
    g.fillRect(x, y - 4, 9, 9);
    g.fillStyle = c.text;
    clipped(g, words, x + 14, y + 1, view.labels / 2 - 30);
    g.fillStyle = c.soft;
    g.fillText((value === undefined ? "" : value + " of ") + trace.sizes[queue], x + 14, y + 14);
  });
}

function paintRuler(g) {
  const c = view.colours;
  g.font = "11px " + c.mono;
  g.textAlign = "left";
  g.fillStyle = c.soft;
  g.fillText("cycle", 10, RULER / 2 + 1);
  g.save();
  g.beginPath();
  g.rect(view.labels, 0, view.width, top());
  g.clip();
  eachTick((t, x) => {
    g.fillStyle = c.line;
    g.fillRect(Math.round(x), RULER - 5, 1, 5);
    g.fillStyle = c.soft;
    g.fillText(String(t), x + 3, RULER / 2 + 1);
  });
  if (view.hover && view.hover.x >= view.labels) {
    const t = cycleAt(view.hover.x), x = xOf(t);
    g.fillStyle = c.accent;
    g.fillRect(x, 2, Math.max(30, view.cell), RULER - 6);
    g.fillStyle = c.panel;
    g.fillText(String(t), x + 3, RULER / 2 + 0.5);
  }
  g.restore();
}
