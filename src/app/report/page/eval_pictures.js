// eval_pictures.js - an evaluation's pictures: heat maps, errors, groups.

// ---- heat maps: blocks by measured and predicted cycles ----

const HEAT = { left: 26, top: 6, side: 300, bottom: 32, levels: 16 };

function heatPlace(cycles) {
  const h = 0.5 / data.heat.bins_per_cycle;
  return ((cycles + h) / (data.heat.cycles + 2 * h)) * HEAT.side;
}

// One path for all bins of a colour.
function heatCells(map, most) {
  const size = HEAT.side / (data.heat.cycles * data.heat.bins_per_cycle + 1), paths = Array(HEAT.levels + 1).fill("");
  for (const [x, y, n] of map.bins) {
    const level = most > 1 ? Math.round((HEAT.levels * Math.log(n)) / Math.log(most)) : 0;
    paths[level] += "M" + (HEAT.left + x * size).toFixed(2) + " " + (HEAT.top + HEAT.side - (y + 1) * size).toFixed(2) +
      "h" + size.toFixed(2) + "v" + size.toFixed(2) + "h" + (-size).toFixed(2) + "z";
  }
  return paths.map((d, k) => d && svg("path", { d, class: "h" + k, "shape-rendering": "crispEdges" })).filter((p) => p);
}

function heatAxes() {
  const all = svg("g", {}), end = HEAT.top + HEAT.side;
  all.append(svg("rect", { x: HEAT.left, y: HEAT.top, width: HEAT.side, height: HEAT.side, class: "back" }));
  for (let c = 0; c <= data.heat.cycles; c += 2) {
    const x = HEAT.left + heatPlace(c), y = end - heatPlace(c);
    all.append(svg("line", { x1: x, x2: x, y1: HEAT.top, y2: end, class: "grid" }), svg("line", { x1: HEAT.left, x2: HEAT.left + HEAT.side, y1: y, y2: y, class: "grid" }));
    all.append(svg("text", { x, y: end + 14, "text-anchor": "middle" }, String(c)), svg("text", { x: HEAT.left - 6, y: y + 4, "text-anchor": "end" }, String(c)));
  }
  all.append(svg("text", { x: HEAT.left + HEAT.side / 2, y: end + 28, "text-anchor": "middle" }, reference + " cycles"));
  all.append(svg("text", { x: -(HEAT.top + HEAT.side / 2), y: 9, transform: "rotate(-90)", "text-anchor": "middle" }, "predicted"));
  all.append(svg("line", { x1: HEAT.left, y1: end, x2: HEAT.left + HEAT.side, y2: HEAT.top, class: "diagonal" }));
  return all;
}

// Where there are few blocks each is a point, which the pointer and the arrow keys lead to; the caption names it.
function heatPoints(map, picture, caption, rest) {
  const list = map.points.map(([block, measured, predicted]) => {
    const asm = data.heat.block_asm[block], x = HEAT.left + heatPlace(measured), y = HEAT.top + HEAT.side - heatPlace(predicted);
    const words = reference + " " + number(measured) + ", predicted " + number(predicted) + " (" + (predicted < measured ? "" : "+") + number((100 * (predicted - measured)) / measured, 1) + " %)";
    return { x, y, text: words + ": " + asm.slice(0, 4).join("; ") + (asm.length > 4 ? "; …" : ""), circle: svg("circle", { cx: x, cy: y, r: 3.2, class: "point" }, svg("title", {}, words + "\n" + asm.join("\n"))) };
  }).sort((a, b) => a.x - b.x || b.y - a.y);
  let chosen = -1;
  const choose = (k) => {
    if (chosen >= 0) list[chosen].circle.classList.remove("chosen");
    chosen = k;
    caption.textContent = k < 0 ? rest : list[k].text;
    if (k >= 0) list[k].circle.classList.add("chosen");
  };
  const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };
  picture.setAttribute("tabindex", "0");
  picture.setAttribute("role", "application");
  picture.setAttribute("aria-label", picture.getAttribute("aria-label") + "; arrow keys go from block to block");
  caption.setAttribute("aria-live", "polite");
  picture.addEventListener("keydown", (e) => {
    if (e.key === "Escape") choose(-1);
    else if (steps[e.key] && list.length) choose(chosen < 0 ? (steps[e.key] > 0 ? 0 : list.length - 1) : (chosen + steps[e.key] + list.length) % list.length);
    else return;
    e.preventDefault();
  });
  picture.addEventListener("mousemove", (e) => {
    const at = new DOMPoint(e.clientX, e.clientY).matrixTransform(picture.getScreenCTM().inverse());
    const far = (q) => Math.hypot(q.x - at.x, q.y - at.y);
    const nearest = list.reduce((best, q, k) => (best < 0 || far(q) < far(list[best]) ? k : best), -1);
    choose(nearest >= 0 && far(list[nearest]) < 8 ? nearest : -1);
  });
  picture.addEventListener("mouseleave", () => choose(-1));
  picture.lastElementChild.before(...list.map((q) => q.circle));
}

function heatMap(p, i, most) {
  const map = data.heat.maps[i], caption = make("figcaption"), counts = new Map(map.bins.map(([x, y, n]) => [x + "," + y, n]));
  const picture = svg("svg", { viewBox: "0 0 " + (HEAT.left + HEAT.side + 6) + " " + (HEAT.top + HEAT.side + HEAT.bottom), role: "img",
    "aria-label": p.name + ": blocks by " + reference + " and predicted cycles" }, heatAxes(), ...(map.points ? [] : heatCells(map, most)),
    svg("rect", { x: HEAT.left, y: HEAT.top, width: HEAT.side, height: HEAT.side, class: "frame" }));
  const rest = grouped(map.blocks) + " blocks" + (map.beyond ? ", " + grouped(map.beyond) + " predicted beyond" : "");
  caption.textContent = rest;
  if (map.points) heatPoints(map, picture, caption, rest);
  else picture.addEventListener("mousemove", (e) => {
    const at = new DOMPoint(e.clientX, e.clientY).matrixTransform(picture.getScreenCTM().inverse());
    const bin = (v) => Math.floor((v / HEAT.side) * (data.heat.cycles * data.heat.bins_per_cycle + 1));
    const x = bin(at.x - HEAT.left), y = bin(HEAT.top + HEAT.side - at.y), n = counts.get(x + "," + y);
    caption.textContent = n ? reference + " about " + (x / data.heat.bins_per_cycle).toFixed(2) + ", predicted " +
      (y / data.heat.bins_per_cycle).toFixed(2) + ": " + plural(n, "block") : rest;
  });
  if (!map.points) picture.addEventListener("mouseleave", () => { caption.textContent = rest; });
  return make("figure", {}, make("h3", {}, keyOf(i), p.name),
    make("p", {}, "MAPE " + percent(p.mape) + " %, tau " + tau(p.kendall_tau)), picture, caption);
}

function heatScale(most) {
  const bar = svg("svg", { viewBox: "0 0 17 1", preserveAspectRatio: "none", "aria-hidden": "true" });
  for (let k = 0; k <= HEAT.levels; k++) bar.append(svg("rect", { x: k, y: 0, width: 1.02, height: 1, class: "h" + k }));
  return make("div", { class: "scale" }, "1", bar, grouped(most) + " blocks (logarithmic)");
}

function heatMaps() {
  const most = Math.max(1, ...data.heat.maps.flatMap((m) => m.bins.map((b) => b[2]))), few = data.heat.block_asm !== null;
  section((reference === "measured" ? "Measured" : "Reference") + " and predicted cycles", make("p", { class: "lead" }, grouped(data.heat.measured) + " of " + grouped(data.blocks) +
    " blocks: those of up to " + data.heat.cycles + " " + reference + " cycles" + (few ? "; point at one, or use the arrow keys, to see its code" : ", in bins of 1/" + data.heat.bins_per_cycle) +
    ". On the line both are equal; above it the prediction is too high."), few ? null : heatScale(most),
    make("div", { class: "heats" + (predictors.length < 4 ? " few" : "") }, ...predictors.map((p, i) => heatMap(p, i, most))));
}

// ---- errors ----

const CURVE = { width: 760, height: 360, left: 40, right: 22, top: 10, bottom: 44 };

function curvePlaces() {
  const e = data.errors.at, low = Math.log(e[0]), span = Math.log(e[e.length - 1]) - low;
  const w = CURVE.width - CURVE.left - CURVE.right, h = CURVE.height - CURVE.top - CURVE.bottom;
  return { x: (error) => CURVE.left + (w * (Math.log(error) - low)) / span, y: (share) => CURVE.top + h * (1 - share),
    error: (x) => Math.exp(low + (span * (x - CURVE.left)) / w) };
}

function curveAxes(place) {
  const all = svg("g", {}), bottom = CURVE.height - CURVE.bottom;
  for (let s = 0; s <= 100; s += 20) {
    const y = place.y(s / 100);
    all.append(svg("line", { x1: CURVE.left, x2: CURVE.width - CURVE.right, y1: y, y2: y, class: "grid" }),
      svg("text", { x: CURVE.left - 7, y: y + 4, "text-anchor": "end" }, String(s)));
  }
  for (let e = 0.1; e < 1001; e *= 10) {
    const x = place.x(e / 100);
    all.append(svg("line", { x1: x, x2: x, y1: CURVE.top, y2: bottom, class: "grid" }), svg("text", { x, y: bottom + 16, "text-anchor": "middle" }, number(e, 1)));
  }
  all.append(svg("text", { x: (CURVE.left + CURVE.width) / 2, y: CURVE.height - 6, "text-anchor": "middle" }, "error, % of the " + reference + " cycles"));
  all.append(svg("text", { x: -(CURVE.top + bottom) / 2, y: 11, transform: "rotate(-90)", "text-anchor": "middle" }, "% of blocks"));
  return all;
}

function curveLegend(curves, at) {
  const values = predictors.map(() => make("td"));
  const head = make("th", { scope: "col" });
  const rows = predictors.map((p, i) => make("tr", {}, make("td", { class: "name" }, make("label", {},
    make("input", { type: "checkbox", checked: "", onchange: (e) => { curves[i].style.display = e.target.checked ? "" : "none"; } }),
    keyOf(i), p.name)), values[i]));
  const show = (k) => {
    head.textContent = "within " + number(100 * data.errors.at[k], data.errors.at[k] < 0.1 ? 2 : 0) + " %";
    predictors.forEach((p, i) => { values[i].textContent = data.errors.shares[i] ? (100 * data.errors.shares[i][k]).toFixed(1) + " %" : "–"; });
  };
  show(at);
  return { show, table: make("div", { class: "scroll" }, make("table", { class: "data" },
    make("thead", {}, make("tr", {}, make("th", { scope: "col", class: "name" }, "predictor"), head)), make("tbody", {}, ...rows))) };
}

function errorCurves() {
  const place = curvePlaces(), e = data.errors.at;
  const curves = predictors.map((p, i) => svg("path", { class: "curve", style: "stroke: " + colourOf(i), "stroke-dasharray": i >= 8 ? "7 4" : "none",
    d: (data.errors.shares[i] || []).map((s, k) => (k ? "L" : "M") + place.x(e[k]).toFixed(1) + " " + place.y(s).toFixed(1)).join("") }));
  const usual = e.findIndex((v) => v > 0.0999), legend = curveLegend(curves, usual);
  const line = svg("line", { y1: CURVE.top, y2: CURVE.height - CURVE.bottom, class: "at" });
  const show = (k) => {
    line.setAttribute("x1", place.x(e[k]));
    line.setAttribute("x2", place.x(e[k]));
    legend.show(k);
  };
  const picture = svg("svg", { viewBox: "0 0 " + CURVE.width + " " + CURVE.height, role: "img", "aria-label": "shares of the blocks by error" },
    svg("rect", { x: CURVE.left, y: CURVE.top, width: CURVE.width - CURVE.left - CURVE.right, height: CURVE.height - CURVE.top - CURVE.bottom, class: "back" }),
    curveAxes(place), line, ...[...curves].reverse());
  picture.addEventListener("mousemove", (event) => {
    const error = place.error(new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse()).x);
    const k = e.findIndex((v) => v >= error);
    show(k < 0 ? e.length - 1 : k);
  });
  picture.addEventListener("mouseleave", () => show(usual));
  show(usual);
  section("How many blocks are predicted to within an error", make("p", { class: "lead" },
    "Of the blocks that a predictor has an answer for. The table follows the pointer."),
    make("div", { class: "curves" }, make("figure", {}, picture), legend.table));
}

// ---- groups: mean errors with intervals ----

function keyList() {
  return make("ul", { class: "keylist dotkeys" }, ...predictors.map((p, i) => make("li", {}, keyOf(i), p.name)));
}

// A scale over all of a grouping's figures, in shares of the width; logarithmic where they differ much.
function dotScale(all) {
  const tops = all.map((s) => (s.mape_interval ? s.mape_interval[1] : s.mape)), most = Math.max(...tops, 1e-9);
  const least = Math.min(...all.map((s) => s.mape).filter((v) => v > 0));
  if (most > 30 * least) {
    const low = Math.log(least * 0.8), span = Math.log(most * 1.15) - low, ticks = [];
    for (let d = 1e-6; d < most; d *= 10) for (const k of most < 1000 * least ? [1, 2, 5] : [1]) if (k * d >= least * 0.8 && k * d <= most * 1.15) ticks.push(k * d);
    return { at: (v) => Math.max(0, Math.log(Math.max(v, 1e-12)) - low) / span, ticks };
  }
  const step = [1, 2, 5, 10].map((k) => k * 10 ** Math.floor(Math.log10(most / 4))).find((s) => most / s <= 8), ticks = [];
  for (let k = 0; k * step <= most * 1.05; k++) ticks.push(k * step);
  return { at: (v) => v / (most * 1.05), ticks };
}

function dotPlot(grouping) {
  const all = predictors.flatMap((p) => p.groupings[grouping.name]).filter((s) => s.mape !== null);
  if (!all.length) return null;
  const scale = dotScale(all), share = (v) => (100 * scale.at(v)).toFixed(3) + "%";
  const height = Math.max(1.9, 0.75 * predictors.length + 0.6);
  const plot = make("div", { class: "dots", role: "img", "aria-label": "mean errors by " + grouping.name + "; the table below has the numbers" });
  grouping.groups.forEach((g, k) => {
    const strip = make("div", { class: "strip", style: "height: " + height + "rem" }, ...scale.ticks.map((t) => make("span", { class: "tick", style: "left: " + share(t) })));
    predictors.forEach((p, i) => {
      const s = p.groupings[grouping.name][k], top = "top: " + (((i + 0.5) * 80) / predictors.length + 10).toFixed(2) + "%; background: " + colourOf(i) + "; ";
      if (s.mape === null) return;
      const words = p.name + ", " + g.group + ": " + percent(s.mape) + " %";
      if (s.mape_interval)
        strip.append(make("span", { class: "bar", title: words, style: top + "left: " + share(s.mape_interval[0]) + "; width: " +
          (100 * (scale.at(s.mape_interval[1]) - scale.at(s.mape_interval[0]))).toFixed(3) + "%" }));
      strip.append(make("span", { class: "dot" + second(i), title: words, style: top + "left: " + share(s.mape) }));
    });
    plot.append(make("div", { class: "name" }, g.group + " ", make("small", {}, grouped(g.blocks))), strip);
  });
  plot.append(make("div"), make("div", { class: "axis" }, ...scale.ticks.map((t) => make("span", { style: "left: " + share(t) }, number(100 * t, 4) + " %"))));
  return plot;
}
