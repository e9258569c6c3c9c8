// asking.js - what is typed goes to the worker: one request at a time, the newest next.

const now = { ready: false, archs: [], id: 0, asked: new Map(), held: null, busy: 0, shown: 0, sides: [], editors: [], timeline: false };

// The memory that is meant: of a machine by its core's name, or as it was pasted; "" where the page has none of a machine with
// the predicted core.
function memoryOf(arch) {
  if (state.machine === "described") return state.described.trim() && state.described.trim() + "\n";
  return state.machine || (now.memories.some((m) => m.core === arch) ? arch : "");
}

// "Zen 4 (ZEN4)"; "Golden Cove (client: Alder Lake, Raptor Lake; ADL)"
function nameOf(arch) {
  const { name } = now.archs.find((a) => a.arch === arch) || { name: "" };
  return !name ? arch : name.endsWith(")") ? name.slice(0, -1) + "; " + arch + ")" : name + " (" + arch + ")";
}

function taskOf(version, arch) {
  const text = state.code[version], task = { arch, input: "version " + "AB"[version] }; // the worker adds the part that is meant
  task.trace_iterations = Math.max(1, Math.min(20, Math.round(40000 / (text.length + 1)))); // some thousand µops, not more
  if (state.mode !== "auto") task.mode = state.mode;
  if (state.alignment) task.alignment = state.alignment;
  const memory = state.data === "L1" ? "" : memoryOf(arch);
  if (memory) Object.assign(task, { data: state.data, memory });
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

// `first`: only the cycles, which take less than a whole report, and then all.
function ask(first = false) {
  now.editors.forEach((e, n) => (state.code[n] = e.value));
  if (!now.ready) return;
  const wanted = sidesWanted(), tasks = [], broken = now.editors.map(refusal), id = ++now.id;
  for (const [n, side] of wanted.entries()) {
    if (broken[side.version]) continue;
    side.task = tasks.length;
    tasks.push({ ...taskOf(side.version, side.arch), call: n === state.show && !first ? "page" : "predict" });
  }
  now.asked.set(id, { id, first, wanted, broken, tasks, answers: [], parts: {}, begin: performance.now() });
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
