// moving.js - details of what is pointed at or selected, and moving about in the timeline: keys, mouse, filter, start.

// ---- details ----

const EVENTS = [["predecoded", "predecoded", "iq"], ["queued", "into the µop queue", "idq"], ["issued", "issued", "operands"],
  ["ready", "operands ready", "port"], ["dispatched", "dispatched", "execute"], ["executed", "executed", "done"],
  ["retired", "retired", "retired"]];

function eventTable(u) {
  const table = make("table");
  let before = null;
  for (const [field, words, name] of EVENTS) {
    const cycle = u[field];
    if (cycle === null) continue;
    const swatch = make("span", { class: "swatch", style: "background: var(--" + name + ")" });
    table.append(make("tr", {}, make("td", {}, swatch, words), make("td", {}, String(cycle)),
      make("td", {}, before === null ? "" : "+" + (cycle - before))));
    before = cycle;
  }
  return table;
}

function producerItem(u, edge, k) {
  const p = trace.uops[edge.producer];
  const carrier = edge.register ? edge.register
    : edge.carrier === "internal" ? "same instruction" : edge.carrier;
  const back = u.iteration - edge.iteration;
  const where = back ? plural(back, "iteration") + " before" : "same iteration";
  const through = edge.through === null ? "" : ", through " + asm(trace.uops[edge.through]);
  return make("li", {}, make("button", { type: "button", class: k === u.waited_for ? "last" : "", onclick: () => goTo(p.number) },
    asm(p), make("br"), make("span", {}, carrier + through + ": ready in " + edge.ready + ", latency " + edge.latency + ", " + where)));
}

function uopDetails(u) {
  const kinds = { "store-address": "store address", "store-data": "store data", "stack-sync": "stack synchronisation",
    "high8-merge": "high-byte merge", "zero-idiom": "zero idiom, ended by the renamer", nop: "NOP, ended by the renamer",
    eliminated: "move, eliminated by the renamer", renamed: "ended by the renamer", unknown: "no figures known" };
  const parts = [make("h3", {}, asm(u)),
    make("p", {}, "iteration " + u.iteration + ", instruction " + u.instruction + ", µop " + u.uop + ": " + (kinds[u.kind] || u.kind) +
      (u.port === null ? "" : " on port " + u.port.toString(16) + " (of " + u.ports.map((p) => p.toString(16)).join(", ") + ")") + ", from the " + own(trace, u.source)),
    eventTable(u)];
  if (u.producers.length) {
    parts.push(make("h4", {}, "Needs results of"));
    parts.push(make("ul", {}, ...u.producers.map((e, k) => producerItem(u, e, k))));
  }
  if (u.waited_for !== null) parts.push(make("p", {}, "Framed: the one that came last. Enter goes there."));
  return parts;
}

function iterationDetails(it) {
  const table = make("table");
  for (const [words, value] of [["first cycle", it.from], ["last retirement", it.to], ["µops", it.uops.length]])
    table.append(make("tr", {}, make("td", {}, words), make("td", {}, String(value)), make("td")));
  const averaged = it.number >= trace.averaged_from && it.number < trace.averaged_to;
  return [make("h3", {}, "iteration " + it.number),
    make("p", {}, averaged ? "The result is the average of iterations " + trace.averaged_from + " to " + (trace.averaged_to - 1) + "."
      : "Before the averaged iterations (" + trace.averaged_from + " to " + (trace.averaged_to - 1) + ")."), table];
}

function showDetails() {
  const selected = view.rows[view.selected];
  const row = selected || (view.hover && view.hover.y > top() ? view.rows[rowAt(view.hover.y)] : null);
  if (!row) {
    $("details").replaceChildren(make("h3", {}, "Nothing selected"),
      make("p", {}, "Point at a µop, or click it to keep it and to see what it waited for. Arrow keys move."));
    return;
  }
  $("details").replaceChildren(...(row.u ? uopDetails(row.u) : iterationDetails(row.it)));
}

// ---- moving about ----

function select(row) {
  view.selected = row < 0 || !view.rows.length ? -1 : Math.min(row, view.rows.length - 1);
  reveal(view.selected);
  showDetails();
  draw();
}

function goTo(uop) {
  const it = view.iterations.find((i) => i.number === trace.uops[uop].iteration);
  if (view.rows[view.selected] && view.rows[view.selected].u) view.history.push(view.rows[view.selected].u.number);
  it.folded = false;
  if (view.terms.length && !view.terms.every((t) => t(trace.uops[uop]))) {
    $("filter").value = "";
    view.terms = [];
  }
  rebuild();
  select(view.rowOf.get(uop));
}

function back() {
  const uop = view.history.pop();
  if (uop === undefined) return;
  goTo(uop);
  view.history.pop();
}

function fold(it, folded) {
  it.folded = folded;
  const row = () => view.rows.findIndex((r) => r.it === it && !r.u);
  rebuild();
  select(row());
}

function toSteady() {
  const row = view.rows.findIndex((r) => !r.u && r.it.number >= trace.averaged_from);
  if (row < 0) return;
  $("timeline").scrollTop = row * ROW;
  view.scrolledTo = -1;
  follow();
  select(row);
}

const page = () => Math.max(1, Math.floor((view.height - top()) / ROW) - 1);
const KEYS = {
  ArrowDown: () => select(view.selected + 1),
  ArrowUp: () => select(Math.max(0, view.selected - 1)),
  PageDown: () => select(view.selected + page()),
  PageUp: () => select(Math.max(0, view.selected - page())),
  Home: () => select(0),
  End: () => select(view.rows.length - 1),
  ArrowLeft: (row) => (row && !row.u ? fold(row.it, true) : ($("timeline").scrollLeft -= 4 * view.cell)),
  ArrowRight: (row) => (row && !row.u ? fold(row.it, false) : ($("timeline").scrollLeft += 4 * view.cell)),
  Enter: (row) => {
    if (row && !row.u) fold(row.it, !row.it.folded);
    else if (row && row.u.waited_for !== null) goTo(row.u.producers[row.u.waited_for].producer);
  },
  Backspace: back,
  Escape: () => select(-1),
  "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), "0": () => zoom(0),
  s: toSteady,
};

function onKey(e) {
  if (e.ctrlKey || e.metaKey || e.altKey || !KEYS[e.key]) return;
  e.preventDefault();
  KEYS[e.key](view.rows[view.selected]);
}

function place(e) {
  const box = $("canvas").getBoundingClientRect();
  return { x: e.clientX - box.left, y: e.clientY - box.top };
}

function listenToMouse(box) {
  box.addEventListener("mousemove", (e) => {
    view.hover = place(e);
    showDetails();
    draw();
  });
  box.addEventListener("mouseleave", () => {
    view.hover = null;
    showDetails();
    draw();
  });
  box.addEventListener("click", (e) => {
    const p = place(e), row = rowAt(p.y);
    if (p.y < top() || p.x > view.width || p.y > view.height) return;
    if (!view.rows[row]) select(-1);
    else if (!view.rows[row].u && p.x < view.labels) fold(view.rows[row].it, !view.rows[row].it.folded);
    else select(row === view.selected ? -1 : row);
  });
  box.addEventListener("wheel", (e) => {
    if (!e.ctrlKey && !e.metaKey) return;
    e.preventDefault();
    zoom(Math.exp(-e.deltaY / 300), place(e).x);
  }, { passive: false });
  box.addEventListener("scroll", () => {
    follow();
    draw();
  });
}

function showLegend() {
  for (const [, , name, words, sign] of STAGES)
    $("legend").append(make("li", {}, make("i", { style: "background: var(--" + name + ")" }), make("b", {}, sign), " " + words));
  $("legend").append(make("li", {}, make("i", { style: "background: var(--retired); width: .3rem" }), make("b", {}, "R"), " retired"));
}

function startTimeline() {
  const box = $("timeline");
  showLegend();
  collectIterations();
  theme.listeners.push(readColours);
  readColours();
  if (wishes.get("zoom")) view.cell = Math.min(LARGEST, Math.max(SMALLEST, USUAL * (+wishes.get("zoom") || 1)));
  $("filter").value = wishes.get("filter") || "";
  setFilter($("filter").value);
  $("filter").addEventListener("input", () => setFilter($("filter").value));
  $("filter").addEventListener("keydown", (e) => {
    if (e.key === "Escape" || e.key === "Enter") box.focus();
  });
  $("fold").addEventListener("click", () => {
    const folded = !view.iterations.every((it) => it.folded);
    for (const it of view.iterations) it.folded = folded;
    rebuild();
  });
  $("steady").addEventListener("click", toSteady);
  $("in").addEventListener("click", () => zoom(1.25));
  $("out").addEventListener("click", () => zoom(0.8));
  $("usual").addEventListener("click", () => zoom(0));
  box.addEventListener("keydown", onKey);
  document.addEventListener("keydown", (e) => {
    if (e.key !== "/" || /INPUT|TEXTAREA|SELECT|DIALOG/.test(document.activeElement.tagName)) return;
    e.preventDefault();
    $("filter").focus();
  });
  listenToMouse(box);
  new ResizeObserver(resize).observe(box);
  if (wishes.has("uop") && trace.uops[+wishes.get("uop")]) goTo(+wishes.get("uop"));
}
