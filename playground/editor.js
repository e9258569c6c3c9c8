// editor.js - a text area above its own text in colours, with line numbers, marks of problems and of the chosen loop, and
// the ports that each line's instruction uses. The text area stays the one that is typed in: keys, undo and screen readers
// work as ever. Beside it only the lines in view are drawn: a key must not wait for the rest.

const LINE_PATTERN = /(#.*$|\/\/.*$|;.*$)|([A-Za-z_.$?@][\w.$?@]*:)|([^#;\/]+|.)/g;
const SPARE_LINES = 12; // drawn above and below what is in view

// One line as parts: [class, text].
function colourLine(line, hex) {
  if (hex) return [["", line]];
  const parts = [];
  for (const [, comment, label, rest] of line.matchAll(LINE_PATTERN)) {
    if (comment !== undefined) parts.push(["comment", comment]);
    else if (label !== undefined) parts.push(["label", label]);
    else {
      const word = /^(\s*)(\.?[A-Za-z][\w.]*)(.*)$/s.exec(rest), first = !parts.some(([c, t]) => c !== "label" && t.trim());
      if (word && first) parts.push(["", word[1]], [word[2].startsWith(".") ? "comment" : "mnemonic", word[2]], ["", word[3]]);
      else parts.push(["", rest]);
    }
  }
  return parts;
}

// The parts with [from, to) of the line marked.
function markParts(parts, marks) {
  const out = [];
  let at = 0;
  for (const [kind, text] of parts) {
    let done = 0;
    for (const { from, to } of marks) {
      const a = Math.max(from - at, done), b = Math.min(to - at, text.length);
      if (a >= b) continue;
      out.push([kind, text.slice(done, a), false], [kind, text.slice(a, b), true]);
      done = b;
    }
    out.push([kind, text.slice(done), false]);
    at += text.length;
  }
  return out.filter(([, text]) => text);
}

// How many characters wide it is, with tabs to every eighth one.
function columnsOf(line) {
  if (!line.includes("\t")) return line.length;
  let n = 0;
  for (const c of line) n += c === "\t" ? 8 - (n % 8) : 1;
  return n;
}

class Editor {
  // `changed` is called when somebody has typed, `chosen` with the number of the part, from 1, when somebody has chosen one.
  constructor(n, changed, chosen) {
    Object.assign(this, { number: n, lines: [""], problems: [], parts: [], part: 1, pointed: 0, byLine: new Map(), portNames: [], most: 1, scrolled: 0 });
    this.area = make("textarea", { spellcheck: "false", autocapitalize: "off", autocomplete: "off", autocorrect: "off", wrap: "off",
      "aria-label": "Code, version " + "AB"[n], "aria-describedby": "problems-" + n, id: "code-" + n });
    this.text = make("pre", { "aria-hidden": "true" });
    this.gutter = make("div", { class: "gutter", "aria-hidden": "true" });
    this.ports = make("div", { class: "ports", "aria-hidden": "true", hidden: "" });
    this.list = make("ul", { class: "problems", id: "problems-" + n, "aria-live": "polite" });
    this.title = make("h2", {}, "Version " + "AB"[n]);
    this.choice = make("select", { id: "part-" + n, onchange: () => chosen(this.choice.selectedIndex + 1) });
    this.picker = make("label", { class: "picker", hidden: "" }, make("span"), this.choice);
    this.pane = make("div", { class: "pane", onscroll: () => this.scroll() }, this.gutter, make("div", { class: "layers" }, this.text, this.area), this.ports);
    this.element = make("div", { class: "edit" }, this.title, this.picker, this.pane, this.list);
    this.area.addEventListener("input", () => {
      this.problems = [];
      this.draw();
      changed();
    });
    window.addEventListener("resize", () => {
      this.row = 0;
      this.draw();
    });
  }

  get value() {
    return this.area.value;
  }

  set value(text) {
    this.area.value = text;
    this.problems = [];
    this.draw();
  }

  get hex() {
    return isHex(this.value);
  }

  // Where it is scrolled to is asked for then only: at each key it would make the browser lay out the page.
  scroll() {
    this.scrolled = this.pane.scrollTop;
    if (this.first !== this.inView()[0]) this.drawView();
  }

  inView() {
    this.row = this.row || parseFloat(getComputedStyle(this.pane).lineHeight) || 20;
    const even = (n) => n - (n % SPARE_LINES); // so that it is not drawn again for each line
    const first = even(Math.max(0, Math.floor(this.scrolled / this.row) - SPARE_LINES));
    return [first, Math.min(this.lines.length, first + Math.ceil(window.innerHeight / this.row) + 3 * SPARE_LINES)];
  }

  draw() {
    const text = this.value;
    this.lines = text.split("\n");
    this.isHex = isHex(text);
    this.pane.style.setProperty("--lines", this.lines.length);
    this.pane.style.setProperty("--digits", String(this.lines.length).length);
    const wide = this.lines.reduce((most, l) => Math.max(most, columnsOf(l)), 0) + 4 + "ch";
    if (this.text.style.minWidth !== wide) this.text.style.minWidth = wide;
    this.drawView();
  }

  drawView() {
    const [first, last] = this.inView(), { line_first: from, line_last: to } = this.markedPart() || {};
    this.first = first;
    this.pane.style.setProperty("--above", first);
    const gutter = [], text = [], ports = [];
    for (let n = first + 1; n <= last; n++) {
      const wrong = this.problems.filter((p) => p.line === n), here = this.byLine.get(n), chosen = n >= from && n <= to;
      const classes = { wrong: wrong.length, chosen, at: n === this.pointed, critical: here && here.some((i) => i.notes.includes("critical")) };
      gutter.push(make("div", { class: Object.keys(classes).filter((c) => classes[c]).join(" ") }, String(n)));
      const marks = wrong.map((p) => ({ from: p.column - 1, to: p.column - 1 + p.length }));
      text.push(make("div", { class: chosen ? "chosen" : "" }, ...markParts(colourLine(this.lines[n - 1], this.isHex), marks).map(([kind, part, bad]) => {
        const inner = bad ? make("mark", {}, part) : part;
        return kind ? make("span", { class: kind }, inner) : inner;
      })));
      if (this.portNames.length) ports.push(make("div", { class: "row" }, ...(here ? this.portNames.map((p) => this.portCell(p, here)) : [])));
    }
    this.gutter.replaceChildren(...gutter);
    this.text.replaceChildren(...text);
    if (this.portNames.length) this.ports.replaceChildren(this.ports.firstChild, ...ports);
  }

  portCell(p, here) {
    const v = here.reduce((s, i) => s + i.ports[p], 0);
    return make("i", v > 0 ? { title: "port " + Number(p).toString(16) + ": " + number(v),
      style: "background: color-mix(in srgb, var(--execute) " + Math.round(15 + (85 * v) / this.most) + "%, var(--faint))" } : {});
  }

  // What the next three are told is drawn by drawView. Problems: {line, column, length, message}, from 1.
  showProblems(problems) {
    this.problems = problems;
    this.area.setAttribute("aria-invalid", String(problems.length > 0));
    const more = problems.length - 20;
    this.list.replaceChildren(...problems.slice(0, 20).map((p) => make("li", {},
      make("button", { type: "button", onclick: () => this.select(p) }, (p.line ? "line " + p.line + ": " : "") + p.message))));
    if (more > 0) this.list.append(make("li", {}, "and " + plural(more, "problem") + " more"));
  }

  // ---- loops, or regions between markers ----

  markedPart() {
    const part = this.parts[this.part - 1];
    return part && (part.kind === "loop" || part.kind === "marked") ? part : null;
  }

  // The parts of the text, and the number of the one that the report is about.
  showParts(parts, part) {
    const word = parts.length && parts[0].kind === "marked" ? "Region" : "Loop";
    Object.assign(this, { parts, part });
    this.picker.hidden = parts.length < 2;
    this.picker.firstChild.textContent = word + " (" + parts.length + " in the text)";
    const words = parts.map((p, k) => k + 1 + ": " + (p.name ? p.name + ", " : "") + (p.line_first ? "lines " + p.line_first + " to " + p.line_last : "empty"));
    if (words.join("\n") !== [...this.choice.options].map((o) => o.text).join("\n")) this.choice.replaceChildren(...words.map((w) => make("option", {}, w)));
    this.choice.selectedIndex = part - 1;
  }

  showLine(line) {
    const y = (line - 1) * this.row;
    if (y < this.pane.scrollTop || y + 2 * this.row > this.pane.scrollTop + this.pane.clientHeight) this.pane.scrollTop = Math.max(0, y - this.pane.clientHeight / 3);
  }

  select({ line, column = 1, length = 0 }) {
    const from = this.lines.slice(0, line - 1).reduce((n, l) => n + l.length + 1, 0) + column - 1;
    this.area.focus();
    this.area.setSelectionRange(from, from + length);
    this.showLine(line);
  }

  point(line) {
    if (line === this.pointed) return;
    this.pointed = line;
    this.drawView();
  }

  // What the lines cost: of a report whose instructions know their lines, or null.
  showReport(report) {
    const known = report && report.cycles !== null ? report.instructions.filter((i) => i.source && i.source.line) : [];
    this.ports.hidden = !known.length;
    this.byLine = new Map();
    for (const i of known) this.byLine.set(i.source.line, [...(this.byLine.get(i.source.line) || []), i]);
    this.portNames = known.length ? Object.keys(known[0].ports) : [];
    this.most = known.reduce((most, i) => Math.max(most, ...this.portNames.map((p) => i.ports[p])), 0.01);
    this.ports.style.setProperty("--port", this.portNames.length > 10 ? ".5rem" : ".8rem");
    this.ports.replaceChildren(make("div", { class: "row head" }, ...this.portNames.map((p) => make("span", {}, Number(p).toString(16)))));
  }
}

// A place in a text as a line and a column, from 1.
function lineOf(text, at) {
  const before = text.slice(0, at).split("\n");
  return { line: before.length, column: before[before.length - 1].length + 1 };
}
