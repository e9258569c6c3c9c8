// editor.js - a text area above its own text in colours, with line numbers, marks of problems, and the ports that each
// line's instruction uses. The text area stays the one that is typed in: keys, undo and screen readers work as ever.

const LINE_PATTERN = /(#.*$|\/\/.*$|;.*$)|([A-Za-z_.$?@][\w.$?@]*:)|([^#;\/]+|.)/g;

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

class Editor {
  // `changed` is called when somebody has typed.
  constructor(n, changed) {
    this.problems = [];
    this.area = make("textarea", { spellcheck: "false", autocapitalize: "off", autocomplete: "off", autocorrect: "off", wrap: "off",
      "aria-label": "Code, version " + "AB"[n], "aria-describedby": "problems-" + n, id: "code-" + n });
    this.text = make("pre", { "aria-hidden": "true" });
    this.gutter = make("div", { class: "gutter", "aria-hidden": "true" });
    this.ports = make("div", { class: "ports", "aria-hidden": "true", hidden: "" });
    this.list = make("ul", { class: "problems", id: "problems-" + n, "aria-live": "polite" });
    this.title = make("h2", {}, "Version " + "AB"[n]);
    this.element = make("div", { class: "edit" }, this.title,
      make("div", { class: "pane" }, this.gutter, make("div", { class: "layers" }, this.text, this.area), this.ports), this.list);
    this.area.addEventListener("input", () => {
      this.problems = [];
      this.draw();
      changed();
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

  draw() {
    const hex = this.hex, lines = this.value.split("\n");
    this.text.replaceChildren(...lines.flatMap((line, k) => {
      const marks = this.problems.filter((p) => p.line === k + 1).map((p) => ({ from: p.column - 1, to: p.column - 1 + p.length }));
      const nodes = markParts(colourLine(line, hex), marks).map(([kind, text, wrong]) => {
        const inner = wrong ? make("mark", {}, text) : text;
        return kind ? make("span", { class: kind }, inner) : inner;
      });
      return [...nodes, "\n"];
    }));
    while (this.gutter.children.length > lines.length) this.gutter.lastChild.remove();
    while (this.gutter.children.length < lines.length) this.gutter.append(make("div", {}, String(this.gutter.children.length + 1)));
    for (let k = 0; k < lines.length; k++) this.gutter.children[k].classList.toggle("wrong", this.problems.some((p) => p.line === k + 1));
  }

  // Problems: {line, column, length, message}, from 1.
  showProblems(problems) {
    this.problems = problems;
    this.area.setAttribute("aria-invalid", String(problems.length > 0));
    this.list.replaceChildren(...problems.slice(0, 20).map((p) => make("li", {},
      make("button", { type: "button", onclick: () => this.select(p) }, (p.line ? "line " + p.line + ": " : "") + p.message))));
    this.draw();
  }

  select({ line, column = 1, length = 0 }) {
    const lines = this.value.split("\n");
    const from = lines.slice(0, line - 1).reduce((n, l) => n + l.length + 1, 0) + column - 1;
    this.area.focus();
    this.area.setSelectionRange(from, from + length);
    this.gutter.children[line - 1]?.scrollIntoView({ block: "nearest" });
  }

  point(line) {
    for (const [k, div] of [...this.gutter.children].entries()) div.classList.toggle("at", k + 1 === line);
  }

  // What the lines cost: of a report whose instructions know their lines, or null.
  showReport(report) {
    const known = report && report.cycles !== null ? report.instructions.filter((i) => i.source && i.source.line) : [];
    this.ports.hidden = !known.length;
    const byLine = new Map();
    for (const i of known) byLine.set(i.source.line, [...(byLine.get(i.source.line) || []), i]);
    for (const [k, div] of [...this.gutter.children].entries())
      div.classList.toggle("critical", (byLine.get(k + 1) || []).some((i) => i.notes.includes("critical")));
    if (!known.length) return;
    const ports = Object.keys(known[0].ports), most = Math.max(...known.flatMap((i) => ports.map((p) => i.ports[p])), 0.01);
    this.ports.style.setProperty("--port", ports.length > 10 ? ".5rem" : ".8rem");
    const head = make("div", { class: "row head" }, ...ports.map((p) => make("span", {}, Number(p).toString(16))));
    const rows = this.value.split("\n").map((line, k) => {
      const here = byLine.get(k + 1);
      if (!here) return make("div", { class: "row" });
      return make("div", { class: "row" }, ...ports.map((p) => {
        const v = here.reduce((s, i) => s + i.ports[p], 0);
        return make("i", { title: v > 0 ? "port " + Number(p).toString(16) + ": " + number(v) : null, style: v > 0 ? "background: color-mix(in srgb, var(--execute) " + Math.round(15 + (85 * v) / most) + "%, var(--faint))" : null });
      }));
    });
    this.ports.replaceChildren(head, ...rows);
  }
}

// Whether a text is machine code in hexadecimal digits: pairs of them, with at least one digit below a.
function isHex(text) {
  if (state.syntax !== "auto") return state.syntax === "hex";
  const digits = text.replace(/^\s*#.*$/gm, "").replace(/0x|\\x|[\s,]/gi, "");
  return digits.length > 1 && /^[0-9a-f]+$/i.test(digits) && /\d/.test(digits);
}

// The digits, and where each is in the text, from 0; a character that is none is a problem.
function readHex(text) {
  const places = [];
  let digits = "";
  for (let k = 0; k < text.length; k++) {
    const c = text[k];
    if (c === "#") {
      while (k + 1 < text.length && text[k + 1] !== "\n") k++;
    } else if ((c === "0" || c === "\\") && /x/i.test(text[k + 1] || "") && digits.length % 2 === 0) k++;
    else if (/[0-9a-f]/i.test(c)) {
      digits += c;
      places.push(k);
    } else if (!/[\s,]/.test(c)) return { problem: { at: k, length: 1, message: "'" + c + "' is no hexadecimal digit" } };
  }
  if (digits.length % 2) return { problem: { at: places[places.length - 1], length: 1, message: "half a byte: digits come in pairs" } };
  return { digits, places };
}

// A place in a text as a line and a column, from 1.
function lineOf(text, at) {
  const before = text.slice(0, at).split("\n");
  return { line: before.length, column: before[before.length - 1].length + 1 };
}
