// playground.js - the page: what is typed goes to the worker, and its answers are shown by the parts that all pages share.
let trace = null;
const now = { ready: false, archs: [], id: 0, asked: new Map(), held: null, busy: 0, shown: 0, sides: [], editors: [], timeline: false };

// "Zen 4 (ZEN4)"; "Golden Cove (client: Alder Lake, Raptor Lake; ADL)"
function nameOf(arch) {
  const { name } = now.archs.find((a) => a.arch === arch) || { name: "" };
  return !name ? arch : name.endsWith(")") ? name.slice(0, -1) + "; " + arch + ")" : name + " (" + arch + ")";
}

// ---- asking ----

function taskOf(version, arch) {
  const text = state.code[version], task = { arch, input: "version " + "AB"[version] }; // the worker adds the part that is meant
  task.trace_iterations = Math.max(1, Math.min(20, Math.round(40000 / (text.length + 1)))); // some thousand µops, not more
  if (state.mode !== "auto") task.mode = state.mode;
  if (state.alignment) task.alignment = state.alignment;
  if (now.editors[version].hex) return { ...task, hex: readHex(text).digits };
  return { ...task, assembly: text, syntax: state.syntax, part: state.part[version] };
}

const labelOf = (version, arch) => (state.code.length > 1 ? "AB"[version] + (state.cores.length > 1 ? " on " + nameOf(arch) : "") : nameOf(arch));

// All that is to be shown: one side a version and core. Those whose report is not shown in full need no trace.
function sidesWanted() {
  const wanted = [];
  for (const arch of state.cores) for (let version = 0; version < state.code.length; version++) wanted.push({ version, arch, label: labelOf(version, arch) });
  state.show = Math.min(state.show, wanted.length - 1);
  return wanted;
}

// What cannot be asked about: no problem where the box is empty.
function refusal(editor) {
  return !editor.value.trim() ? { empty: true, message: "Type or paste some assembly, or choose an example" } : editor.hex ? readHex(editor.value).problem : null;
}

function ask() {
  now.editors.forEach((e, n) => (state.code[n] = e.value));
  if (!now.ready) return;
  const wanted = sidesWanted(), tasks = [], broken = now.editors.map(refusal), id = ++now.id;
  for (const [n, side] of wanted.entries()) {
    if (broken[side.version]) continue;
    side.task = tasks.length;
    tasks.push({ ...taskOf(side.version, side.arch), call: n === state.show ? "page" : "predict" });
  }
  now.asked.set(id, { id, wanted, broken, tasks, answers: [], parts: {}, begin: performance.now() });
  if (!tasks.length) return answered(now.asked.get(id));
  now.held = now.asked.get(id); // in place of an older one that waits
  if (!now.busy) send();
}

// The worker does a task at a time; after each it gets what is newer.
function send() {
  const { id, tasks } = now.held;
  now.held = null;
  now.busy = id;
  worker.postMessage({ id, tasks });
}

// What the worker has dropped for a newer request is never answered.
function onAnswer({ id, answer, parts, last }) {
  if (last && id === now.busy) now.busy = 0;
  if (now.held) send();
  const request = now.asked.get(id);
  if (!request) return;
  const { version } = request.wanted.find((side) => side.task === request.answers.length);
  request.parts[version] = parts;
  request.answers.push(JSON.parse(answer));
  if (last) setTimeout(answered, 0, request); // keys come in between reading and showing it
}

// ---- showing ----

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

function answered({ id, wanted, broken, answers, parts, begin }) {
  if (id < now.shown) return; // a newer one was answered at once
  for (const older of [...now.asked.keys()]) if (older <= id) now.asked.delete(older);
  now.shown = id;
  now.parts = parts;
  now.sides = wanted.map((side) => {
    const { result, error } = side.task === undefined ? { error: broken[side.version] } : answers[side.task];
    if (error) return { ...side, error, report: { arch: side.arch, cycles: null, error: error.message }, trace: null };
    return { ...side, report: forPage(result.report || result), trace: result.trace || null };
  });
  document.documentElement.dataset.milliseconds = (performance.now() - begin).toFixed(1);
  show(id);
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
  return most > 0 ? number(most) + (number(most) === "1" ? " cycle" : " cycles") + " (" + names.map((b) => WORDS.bounds[b]).join(", ") + ")" : "";
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

// ---- choices ----

function choosePart(version, part) {
  state.part[version] = part;
  ask();
  const { line_first: line } = now.editors[version].parts[part - 1];
  if (line) now.editors[version].showLine(line);
}

let timer = 0;
function typed() {
  state.remarks = [];
  clearTimeout(timer);
  timer = setTimeout(ask, 5); // several keys of one moment are one question
}

function setVersions() {
  while (now.editors.length > state.code.length) now.editors.pop().element.remove();
  while (now.editors.length < state.code.length) {
    const n = now.editors.length, e = new Editor(n, typed, (part) => choosePart(n, part));
    now.editors.push(e);
    $("editors").append(e.element);
  }
  now.editors.forEach((e, n) => {
    e.title.hidden = state.code.length === 1;
    if (e.value !== state.code[n] || !e.value) e.value = state.code[n];
  });
  const two = state.code.length > 1;
  $("compare").setAttribute("aria-pressed", String(two));
  $("compare").textContent = two ? "Close version B" : "Compare with a second version";
}

function showCores() {
  const legend = $("choices").firstElementChild;
  $("choices").replaceChildren(legend, ...now.archs.map((a) => make("button", { type: "button", title: a.name, "aria-pressed": String(state.cores.includes(a.arch)),
    onclick: () => {
      const on = state.cores.includes(a.arch);
      if (on && state.cores.length === 1) return;
      state.cores = now.archs.map((x) => x.arch).filter((x) => (x === a.arch ? !on : state.cores.includes(x)));
      state.show = 0;
      showCores();
      ask();
    } }, a.name.replace(/: [^)]*/, ""), " ", make("code", {}, a.arch))));
}

// The controls say what the state is.
function showState() {
  setVersions();
  $("syntax").value = state.syntax;
  $("mode").value = state.mode;
  $("alignment").value = state.alignment;
  showCores();
  now.editors.forEach((e) => e.draw());
}

function takeExample(e) {
  Object.assign(state, { code: [...e.code], part: [1, 1], remarks: [], cores: [...e.cores], syntax: e.syntax || "auto", mode: "auto", alignment: 0, show: 0 });
  showState();
  ask();
}

function listen() {
  $("examples").append(make("option", { value: "" }, "choose ..."), ...EXAMPLES.map((e, n) => make("option", { value: n }, e.name)));
  $("examples").addEventListener("change", (e) => e.target.value && takeExample(EXAMPLES[+e.target.value]));
  for (const name of ["syntax", "mode"])
    $(name).addEventListener("change", (e) => {
      state[name] = e.target.value;
      now.editors.forEach((x) => x.draw());
      ask();
    });
  $("alignment").addEventListener("input", (e) => {
    state.alignment = Math.min(63, Math.max(0, Math.round(+e.target.value || 0)));
    ask();
  });
  $("compare").addEventListener("click", () => {
    state.code = state.code.length > 1 ? [state.code[0]] : [state.code[0], state.code[0]];
    state.part[1] = state.part[0];
    state.show = 0;
    setVersions();
    if (state.code.length > 1) now.editors[1].area.focus();
    ask();
  });
  $("share").addEventListener("click", copyLink);
  $("results").addEventListener("mouseover", pointAt);
  window.addEventListener("hashchange", async () => {
    if (location.hash === saved) return;
    saved = location.hash;
    if (!(await fromLink(saved))) return;
    now.fromLink = true;
    knownCores();
    showState();
    ask();
  });
  theme.listeners.push(() => now.ready && saveLinkSoon());
}

// The cores of a link that this page knows; without any, the usual one.
function knownCores() {
  if (!now.ready) return;
  const known = new Set(now.archs.map((a) => a.arch)), wanted = state.cores.map((c) => c.toUpperCase());
  const unknown = state.cores.filter((c, n) => !known.has(wanted[n]));
  state.cores = [...new Set(wanted.filter((c) => known.has(c)))];
  if (!state.cores.length) state.cores = ["SKX"];
  if (unknown.length) state.remarks.push("this page does not know the " + (unknown.length > 1 ? "cores " : "core ") + unknown.join(", ") + "; it shows " + state.cores.map(nameOf).join(", "));
}

const worker = new Worker(URL.createObjectURL(new Blob([$("worker").textContent], { type: "text/javascript" })));

worker.onmessage = ({ data }) => {
  if (data.failed) return problem(data.failed);
  if (data.figures) return data.figures === figures.id && showFigures(JSON.parse(data.answer));
  if (!data.ready) return onAnswer(data);
  WORDS = data.ready.words;
  Object.assign(now, { ready: true, archs: data.ready.archs });
  knownCores();
  startFigures();
  $("version").textContent = "tacho " + data.ready.version + ".";
  showCores();
  ask();
};
worker.onerror = (e) => problem(e.message || "the simulator could not be started");
now.fromLink = await fromLink(location.hash);
if (!now.fromLink) Object.assign(state, { code: [...EXAMPLES[0].code], cores: [...EXAMPLES[0].cores] });
startFrame();
listen();
showState();
worker.postMessage({ module: $("module").textContent });
document.documentElement.dataset.ready = "yes";
