// showing.js - the worker's answers, by the parts that all pages share.
let trace = null;

// An error as a problem in the text.
function problemOf(editor, error) {
  if (error.empty) return [];
  if (error.problems && error.problems.some((p) => error.message.includes(p.message))) return error.problems; // else one message is about all of it
  if (error.at !== undefined) return [{ ...lineOf(editor.value, error.at), length: error.length, message: error.message }];
  if (error.line) return [{ line: error.line, column: error.column || 1, length: error.length || 200, message: error.message }];
  if (editor.hex && error.offset >= 0) {
    const { places = [] } = readHex(editor.value), at = places[2 * error.offset] ?? 0; // the text may be another by now
    return [{ ...lineOf(editor.value, at), length: 2, message: error.message }];
  }
  return [{ line: 0, column: 1, length: 0, message: error.message }];
}

// Notes without hints to options of the program, which a page does not have: "... (--alignment all shows each)".
function forPage(report) {
  return { ...report, warnings: report.warnings.map((w) => w.replace(/ \(--[^()]*\)/g, "")) };
}

function answered({ id, first, wanted, broken, answers, parts, begin }) {
  if (id < now.shown) return; // a newer one was answered at once
  for (const older of [...now.asked.keys()]) if (older <= id) now.asked.delete(older);
  now.shown = id;
  now.parts = parts;
  now.sides = wanted.map((side) => {
    const { result, error } = side.task === undefined ? { error: broken[side.version] } : answers[side.task];
    if (error) return { ...side, error, report: { arch: side.arch, cycles: null, error: error.message }, trace: null };
    return { ...side, report: forPage(result.report || result), trace: result.trace || null };
  });
  if (first && answers.length) return showFirst();
  document.documentElement.dataset.milliseconds = (performance.now() - begin).toFixed(1);
  show(id);
}

// The cycles, and when they are seen the rest.
function showFirst() {
  showAnswer();
  const rest = () => {
    document.documentElement.dataset.first = performance.now().toFixed(0);
    ask();
  };
  if (document.hidden) rest();
  else requestAnimationFrame(() => setTimeout(rest));
}

// What links ask for and do not get.
function showRemarks() {
  now.editors.forEach((e) => {
    const asked = state.part[e.number], count = e.parts.length;
    if (count && asked > count && asked > 1) {
      if (now.fromLink) state.remarks.push("it asks for loop " + asked + ", and the text has " + count);
      state.part[e.number] = Math.max(1, e.part);
    }
  });
  now.fromLink = false;
  $("remarks").hidden = !state.remarks.length;
  $("remarks").textContent = "This link: " + state.remarks.join("; ") + ".";
}

function showProblems() {
  now.editors.forEach((editor, n) => {
    const own = now.sides.filter((s) => s.version === n), wrong = own.filter((s) => s.error);
    const codes = new Set(), problems = [];
    for (const s of wrong)
      if ((wrong.length === own.length || s.error.code !== "unsupported") && !codes.has(s.error.message)) {
        codes.add(s.error.message);
        problems.push(...problemOf(editor, s.error));
      }
    editor.showProblems(problems);
  });
}

// What a model would answer that only takes the largest of the bounds, without simulating.
function boundsAlone(r) {
  const most = Math.max(...r.bounds_in_use.map((b) => r.bounds[b] || 0)), names = r.bounds_in_use.filter((b) => r.bounds[b] > most - 0.005);
  return most > 0 ? number(most) + (number(most) === "1" ? " cycle" : " cycles") + " (" + names.map((b) => boundWords(r, b)).join(", ") + ")" : "";
}

function showAnswer() {
  const side = now.sides[state.show], answer = $("answer");
  if (!side || side.error) {
    answer.replaceChildren(side ? (side.error.empty ? "" : "No prediction: ") + side.error.message : "");
    return;
  }
  const r = side.report;
  answer.replaceChildren(make("strong", {}, cyclesOf(r)), " cycles per iteration on " + nameOf(r.arch) + (state.code.length > 1 ? ", version " + "AB"[side.version] : "") + ", " + (r.mode === "loop" ? "loop" : "unrolled copies") +
    (r.bottlenecks.length ? "; limited by " + limitsOf(r, "") : "; no single limit") + (r.missing ? ": " + r.missing : ""));
  if (r.data) answer.append(make("span", { class: "with-data" }, "With its data in " + r.data.level + ": ", make("strong", {}, number(r.data.cycles)), ", limited by " + levelLimit(r.data.levels.find((l) => l.name === r.data.level))));
  if (boundsAlone(r)) answer.append(make("span", { class: "bounds-alone" }, "Bounds alone, without a simulation: " + boundsAlone(r)));
  document.title = "tacho: " + cyclesOf(r) + " cycles on " + nameOf(r.arch);
}

function showSides() {
  const several = sides.length > 1 && predictedSides().length > 0;
  $("sides").replaceChildren(...(several ? sidesSections("Side by side", state.code.length > 1 ? "version" : "core", choose) : []));
  if (several) markSide(state.show);
  const [a, b] = [0, 1].map((v) => now.sides.find((s) => s.version === v && s.arch === (now.sides[state.show] || {}).arch && !s.error));
  $("versions").replaceChildren(...(a && b ? [versionsSection(a.report, b.report)] : []));
  $("place-title").hidden = !several;
}

const LONGEST = 12; // milliseconds of drawing before keys may come in
const turn = () => new Promise((done) => setTimeout(done));

// The sections of a report, made beside the page and put into it at once. @return whether nothing newer came in between
async function drawSections(report, id) {
  const made = document.createDocumentFragment();
  let begin = performance.now();
  for (const f of sectionMakers(report)) {
    if (performance.now() - begin > LONGEST) {
      await turn();
      begin = performance.now();
    }
    if (now.shown !== id) return false;
    sectionsInto = made;
    f();
    sectionsInto = null;
  }
  $("sections").replaceChildren(made);
  return true;
}

// First the answer, and what it says of the lines; then the rest.
async function show(id) {
  sides = now.sides;
  showProblems();
  const side = now.sides[state.show], good = side && !side.error;
  showAnswer();
  $("results").classList.toggle("stale", !good && now.timeline);
  $("results").classList.toggle("empty", !now.timeline && !good);
  now.editors.forEach((e, n) => {
    const parts = now.parts[n] || [];
    e.showParts(parts, Math.min(state.part[n], parts.length) || 1);
    e.showReport(good ? (now.sides.find((s) => s.version === n && s.arch === side.arch) || {}).report : null);
    e.drawView();
  });
  showRemarks();
  if (good || predictedSides().length) showSides();
  if (good) {
    $("place-title").textContent = (sides.length === state.code.length && sides.length > 1 ? "Version " : "") + side.label + ": " + cyclesOf(side.report) + " cycles per iteration";
    trace = side.trace;
    if (side.report.instructions.length > LONG) await turn();
    if (!(await drawSections(side.report, id))) return;
    if (now.timeline) resetTimeline();
    else startTimeline();
    now.timeline = true;
  }
  document.documentElement.dataset.answered = String(id);
  saveLinkSoon();
}

function choose(n) {
  state.show = n;
  ask();
  $("place-title").scrollIntoView({ block: "nearest" });
}

// The line of the instruction that is pointed at in a table or picture.
function pointAt(e) {
  const row = e.target.closest("#sections [data-instruction]"), side = now.sides[state.show];
  if (!side || side.error) return;
  const instruction = row && side.report.instructions[row.dataset.instruction];
  now.editors[side.version].point(instruction && instruction.source ? instruction.source.line : 0);
}
