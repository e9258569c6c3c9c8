// versions.js - two versions of the code: what changed in the text, and in the result.

const CONTEXT = 3; // lines around a change; more that are the same are only counted
const SLOW = 4e6; // pairs of lines that are not all compared

// [sign, line] of two lists of lines: what both begin and end with, and the difference of the rest.
function difference(a, b) {
  let same = 0, end = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same++;
  while (end < a.length - same && end < b.length - same && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const from = a.slice(same, a.length - end), to = b.slice(same, b.length - end);
  const middle = from.length * to.length > SLOW ? [...from.map((l) => ["-", l]), ...to.map((l) => ["+", l])] : differenceOfAll(from, to);
  return shorter([...a.slice(0, same).map((l) => [" ", l]), ...middle, ...a.slice(a.length - end).map((l) => [" ", l])]);
}

// Without the lines that are far from each change.
function shorter(lines) {
  const near = new Set(), out = [];
  lines.forEach(([sign], k) => {
    for (let n = k - CONTEXT; sign !== " " && n <= k + CONTEXT; n++) near.add(n);
  });
  for (let k = 0; k < lines.length; k++) {
    const first = k;
    while (k < lines.length && !near.has(k)) k++;
    if (k - first > 2 * CONTEXT) out.push([" ", "... " + plural(k - first, "instruction") + " the same"]);
    else out.push(...lines.slice(first, k));
    if (k < lines.length) out.push(lines[k]);
  }
  return out;
}

// The longest common subsequence of two lists of lines: [sign, line].
function differenceOfAll(a, b) {
  const length = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) length[i][j] = a[i] === b[j] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
  const out = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) out.push([" ", a[i++]]), j++;
    else if (i < a.length && (j === b.length || length[i + 1][j] >= length[i][j + 1])) out.push(["-", a[i++]]);
    else out.push(["+", b[j++]]);
  }
  return out;
}

const sumOf = (r, f) => r.instructions.reduce((s, i) => s + (f(i) || 0), 0);

// By what both are compared, and how much of it an iteration works on: the rule of tacho_prediction_common_work, once more, as
// each version has an answer of its own. tests/wasm/package.mjs holds it to the program's.
function commonWork(a, b) {
  const x = a.elements ?? {}, y = b.elements ?? {}, given = (e) => e.smallest_bytes === null;
  const alike = x.smallest_bytes === y.smallest_bytes && x.largest_bytes === y.largest_bytes;
  const field = x.count && y.count && (alike || given(x) || given(y)) ? "count" : "stream_bytes";
  if (!x[field] || !y[field] || x[field] === y[field]) return { word: "iteration", a: 1, b: 1 };
  return { word: field === "count" ? "element" : "byte", a: x[field], b: y[field] };
}

// Rows of [words, of A, of B, what is better: -1 less, 1 more, 0: it depends on how much an iteration does; decimals]; null:
// not known.
function quantities(a, b, work) {
  const both = (words, f, better = 0) => [words, f(a), f(b), better];
  const whole = work.word === "iteration";
  const rows = whole ? [] : [["cycles per " + work.word, a.cycles / work.a, b.cycles / work.b, -1, 3], [work.word + "s an iteration", work.a, work.b, 0]];
  rows.push(both("cycles per iteration", (r) => r.cycles, whole ? -1 : 0), both("instructions per cycle", (r) => r.ipc, 1), both("instructions", (r) => r.instructions.length),
    both("bytes of code", (r) => r.bytes), both("µops issued", (r) => sumOf(r, (i) => i.uops.issued)), both("µops executed", (r) => sumOf(r, (i) => i.uops.executed)));
  if (a.data && b.data) rows.push(["cycles per " + work.word + ", data in " + a.data.level, a.data.cycles / work.a, b.data.cycles / work.b, -1, whole ? 2 : 3]);
  for (const name of Object.keys(WORDS.bounds))
    if (a.bounds[name] > 0 || b.bounds[name] > 0) rows.push(both(boundWords(a, name) + " alone, cycles", (r) => r.bounds[name]));
  return rows;
}

function changeRow([words, before, after, better, decimals]) {
  const known = before !== null && after !== null, same = known && Math.abs(after - before) <= 0.005 * before;
  const part = known && before > 0 && !same ? Math.round((100 * (after - before)) / before) : null;
  const kind = !known || same || !better ? "" : (after - before) * better > 0 ? "better" : "worse";
  return make("tr", {}, make("td", { class: "notes" }, words), make("td", {}, before !== null ? number(before, decimals) : "–"), make("td", {}, after !== null ? number(after, decimals) : "–"),
    make("td", { class: kind }, same ? "same" : part === null ? "" : (part > 0 ? "+" : "") + part + " %"));
}

// `a` and `b`: reports on one core.
function versionsSection(a, b) {
  const work = commonWork(a, b), before = a.cycles / work.a, after = b.cycles / work.b;
  const answer = Math.abs(before - after) < 0.005 * before ? "Both take " + number(before) + " cycles"
    : after < before ? "B is " + number(before / after) + " times as fast as A" : "A is " + number(after / before) + " times as fast as B";
  const limits = make("tr", {}, make("td", { class: "notes" }, "limited by"), make("td", {}, limitsOf(a, "no single one")), make("td", {}, limitsOf(b, "no single one")), make("td"));
  const lines = difference(a.instructions.map(shown), b.instructions.map(shown));
  return make("section", { "aria-label": "What changed" }, make("h2", {}, answer + " per " + work.word + " on " + nameOf(a.arch)),
    wideTable("what changed", "changes", [["", "notes"], ["A"], ["B"], ["change"]], [...quantities(a, b, work).map(changeRow), limits]),
    make("div", { class: "difference", role: "region", "aria-label": "Instructions that changed", tabindex: "0" },
      ...lines.map(([sign, line]) => make("div", { class: sign === "-" ? "gone" : sign === "+" ? "new" : "" }, sign + " " + line))));
}
