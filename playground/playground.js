// playground.js - the page begins, and the choices that somebody makes in it.

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
  showData();
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

// Where the data lie, and the machine whose memory that is.
function showData() {
  const level = LEVELS.find((l) => l.toLowerCase() === state.data.toLowerCase());
  $("data").value = level || "size";
  $("size").value = level ? "" : state.data;
  $("machine").value = state.machine;
  $("described").value = state.described;
  $("size").parentNode.hidden = Boolean(level);
  $("machine").parentNode.hidden = level === "L1";
  $("described").parentNode.hidden = level === "L1" || state.machine !== "described";
  const without = level === "L1" || !now.ready ? [] : state.cores.filter((core) => !memoryOf(core));
  $("no-memory").textContent = without.length ? "This page has no description of a machine with " + without.map(nameOf).join(", ") + ": choose another one, or describe it." : "";
}

function listenToData() {
  const changed = (values) => (Object.assign(state, values, { remarks: [] }), showData(), ask());
  $("data").addEventListener("change", (e) => changed({ data: e.target.value === "size" ? "512K" : e.target.value }));
  $("size").addEventListener("change", (e) => changed({ data: e.target.value.trim() || "512K" }));
  $("machine").addEventListener("change", (e) => changed({ machine: e.target.value }));
  $("described").addEventListener("input", (e) => changed({ described: e.target.value }));
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
  Object.assign(state, { code: [...e.code], part: [1, 1], remarks: [], cores: [...e.cores], syntax: e.syntax || "auto", mode: "auto", alignment: 0, data: "L1", show: 0 });
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
  listenToData();
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
  if (state.machine && state.machine !== "described" && !now.memories.some((m) => m.core === state.machine)) {
    state.remarks.push("this page does not know the memory of a machine '" + state.machine + "'");
    state.machine = "";
  }
  if (unknown.length) state.remarks.push("this page does not know the " + (unknown.length > 1 ? "cores " : "core ") + unknown.join(", ") + "; it shows " + state.cores.map(nameOf).join(", "));
}

function take({ data }) {
  if (data.failed) return problem(data.failed);
  if (data.figures) return data.figures === figures.id && showFigures(JSON.parse(data.answer));
  if (!data.ready) return onAnswer(data);
  WORDS = data.ready.words;
  Object.assign(now, { ready: true, archs: data.ready.archs, memories: data.ready.memories });
  $("machine").lastElementChild.before(...now.memories.map((m) => make("option", { value: m.core }, m.processor + ", " + nameOf(m.core))));
  knownCores();
  startFigures();
  $("version").textContent = "tacho " + data.ready.version + ".";
  showCores();
  ask(true);
}

worker.onerror = (e) => problem(e.message || "the simulator could not be started");
now.fromLink = await fromLink(location.hash);
if (!now.fromLink) Object.assign(state, { code: [...EXAMPLES[0].code], cores: [...EXAMPLES[0].cores] });
startFrame();
listen();
showState();
worker.onmessage = take;
begun.then(take);
document.documentElement.dataset.ready = "yes";
