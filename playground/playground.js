// playground.js - the page: what is typed goes to the worker, and its answers are shown by the parts that all pages share.
let trace = null;
const now = { ready: false, archs: [], id: 0, waiting: null, again: false, sides: [], editors: [], timeline: false };

// ---- asking ----

function taskOf(version, arch) {
  const text = state.code[version], task = { arch, input: "version " + "AB"[version] };
  task.trace_iterations = Math.max(1, Math.min(20, Math.round(40000 / (text.length + 1)))); // some thousand µops, not more
  if (state.mode !== "auto") task.mode = state.mode;
  if (state.alignment) task.alignment = state.alignment;
  if (now.editors[version].hex) return { ...task, hex: readHex(text).digits };
  return { ...task, assembly: text, syntax: state.syntax };
}

const labelOf = (version, arch) => (state.code.length > 1 ? "AB"[version] + (state.cores.length > 1 ? " on " + arch : "") : arch);

// All that is to be shown: one side a version and core. Those whose report is not shown in full need no trace.
function sidesWanted() {
  const wanted = [];
  for (const arch of state.cores) for (let version = 0; version < state.code.length; version++) wanted.push({ version, arch, label: labelOf(version, arch) });
  state.show = Math.min(state.show, wanted.length - 1);
  return wanted;
}

function ask() {
  now.editors.forEach((e, n) => (state.code[n] = e.value));
  if (!now.ready) return;
  if (now.waiting) { // the newest is asked when this one has been answered
    now.again = true;
    return;
  }
  const wanted = sidesWanted(), tasks = [];
  const broken = now.editors.map((e) => (e.hex ? readHex(e.value).problem : null));
  for (const [n, side] of wanted.entries()) {
    if (broken[side.version]) continue;
    side.task = tasks.length;
    tasks.push({ ...taskOf(side.version, side.arch), call: n === state.show ? "page" : "predict" });
  }
  now.waiting = { id: ++now.id, wanted, broken, answers: [], begin: performance.now() };
  if (!tasks.length) return answered();
  worker.postMessage({ id: now.id, tasks });
}

function onAnswer({ id, answer, last }) {
  if (!now.waiting || id !== now.waiting.id) return;
  now.waiting.answers.push(JSON.parse(answer));
  if (last) answered();
}

// ---- showing ----

// An error as a problem in the text.
function problemOf(editor, error) {
  if (error.problems) return error.problems;
  if (error.at !== undefined) return [{ ...lineOf(editor.value, error.at), length: error.length, message: error.message }];
  if (error.line) return [{ line: error.line, column: error.column || 1, length: error.length || 200, message: error.message }];
  if (editor.hex && error.offset >= 0) {
    const { places } = readHex(editor.value), at = places[2 * error.offset] ?? 0;
    return [{ ...lineOf(editor.value, at), length: 2, message: error.message }];
  }
  return [{ line: 0, column: 1, length: 0, message: error.message }];
}

function answered() {
  const { wanted, broken, answers, begin } = now.waiting;
  now.waiting = null;
  now.sides = wanted.map((side) => {
    const { result, error } = side.task === undefined ? { error: broken[side.version] } : answers[side.task];
    if (error) return { ...side, error, report: { arch: side.arch, cycles: null, error: error.message }, trace: null };
    return { ...side, report: result.report || result, trace: result.trace || null };
  });
  if (now.again) {
    now.again = false;
    setTimeout(ask); // what is shown now is of a text that has changed since: show it, and go on
  }
  show();
  document.documentElement.dataset.answered = String(now.id);
  document.documentElement.dataset.milliseconds = (performance.now() - begin).toFixed(1);
  saveLinkSoon();
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

function showAnswer() {
  const side = now.sides[state.show], answer = $("answer");
  if (!side || side.error) {
    answer.replaceChildren(state.code[0].trim() ? side && side.error ? "No prediction: " + side.error.message : "" : "Type some assembly, or choose an example");
    return;
  }
  const r = side.report;
  answer.replaceChildren(make("strong", {}, cyclesOf(r)), " cycles per iteration on " + r.arch + (state.code.length > 1 ? ", version " + "AB"[side.version] : "") + ", " + (r.mode === "loop" ? "loop" : "unrolled copies") +
    (r.bottlenecks.length ? "; limited by " + limitsOf(r, "") : "") + (r.missing ? ": " + r.missing : ""));
  document.title = "tacho: " + cyclesOf(r) + " cycles on " + r.arch;
}

function showSides() {
  const several = sides.length > 1 && predictedSides().length > 0;
  $("sides").replaceChildren(...(several ? sidesSections("Side by side", state.code.length > 1 ? "version" : "core", choose) : []));
  if (several) markSide(state.show);
  const [a, b] = [0, 1].map((v) => now.sides.find((s) => s.version === v && s.arch === (now.sides[state.show] || {}).arch && !s.error));
  $("versions").replaceChildren(...(a && b ? [versionsSection(a.report, b.report)] : []));
  $("place-title").hidden = !several;
}

function show() {
  sides = now.sides;
  showProblems();
  const side = now.sides[state.show], good = side && !side.error;
  showAnswer();
  $("results").classList.toggle("stale", !good && now.timeline);
  $("results").classList.toggle("empty", !now.timeline && !good);
  now.editors.forEach((e, n) => e.showReport(good ? (now.sides.find((s) => s.version === n && s.arch === side.arch) || {}).report : null));
  if (!good && !predictedSides().length) return;
  showSides();
  if (!good) return;
  $("place-title").textContent = (sides.length === state.code.length && sides.length > 1 ? "Version " : "") + side.label + ": " + cyclesOf(side.report) + " cycles per iteration";
  trace = side.trace;
  $("sections").replaceChildren();
  showSections(side.report);
  if (now.timeline) resetTimeline();
  else startTimeline();
  now.timeline = true;
}

function choose(n) {
  state.show = n;
  ask();
  $("place-title").scrollIntoView({ block: "nearest" });
}

// The line of the instruction that is pointed at in a table or picture.
function pointAt(e) {
  const row = e.target.closest("#sections table.code tbody tr, #sections .arcs g"), side = now.sides[state.show];
  if (!side || side.error) return;
  const i = row && [...row.parentNode.children].filter((x) => x.tagName === row.tagName).indexOf(row);
  const instruction = row && side.report.instructions[i];
  now.editors[side.version].point(instruction && instruction.source ? instruction.source.line : 0);
}

// ---- choices ----

let timer = 0;
function typed() {
  clearTimeout(timer);
  timer = setTimeout(ask, 5); // several keys of one moment are one question
}

function setVersions() {
  while (now.editors.length > state.code.length) now.editors.pop().element.remove();
  while (now.editors.length < state.code.length) {
    const e = new Editor(now.editors.length, typed);
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
    } }, a.arch)));
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
  Object.assign(state, { code: [...e.code], cores: [...e.cores], syntax: e.syntax || "auto", mode: "auto", alignment: 0, show: 0 });
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
    state.show = 0;
    setVersions();
    if (state.code.length > 1) now.editors[1].area.focus();
    ask();
  });
  $("share").addEventListener("click", copyLink);
  $("results").addEventListener("mouseover", pointAt);
  window.addEventListener("hashchange", () => {
    if (location.hash === saved || !fromLink(location.hash)) return;
    showState();
    ask();
  });
  theme.listeners.push(() => now.ready && saveLinkSoon());
}

const worker = new Worker(URL.createObjectURL(new Blob([$("worker").textContent], { type: "text/javascript" })));

worker.onmessage = ({ data }) => {
  if (data.failed) return problem(data.failed);
  if (!data.ready) return onAnswer(data);
  WORDS = data.ready.words;
  Object.assign(now, { ready: true, archs: data.ready.archs });
  const known = new Set(now.archs.map((a) => a.arch));
  state.cores = state.cores.filter((c) => known.has(c));
  if (!state.cores.length) state.cores = ["SKX"];
  $("version").textContent = "tacho " + data.ready.version + ".";
  showCores();
  ask();
};
worker.onerror = (e) => problem(e.message || "the simulator could not be started");
worker.postMessage({ module: $("module").textContent });

if (!fromLink(location.hash)) Object.assign(state, { code: [...EXAMPLES[0].code], cores: [...EXAMPLES[0].cores] });
startFrame();
listen();
showState();
document.documentElement.dataset.ready = "yes";
