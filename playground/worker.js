// worker.js - predictions, beside the page, so that typing never waits for them. What comes in has an id; each answer
// has it, too, and is the module's own text, which the page parses.
let tacho = null, bytes = null, newest = null, working = false;

function ofBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const letters = atob(text), packed = new Uint8Array(letters.length);
  for (let k = 0; k < packed.length; k++) packed[k] = letters.charCodeAt(k); // much faster than Uint8Array.from
  return packed;
}

async function bytesOf(text) {
  return new Response(new Blob([ofBase64(text.trim())]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

async function start(text) {
  bytes = await bytesOf(text);
  tacho = await load(bytes);
  postMessage({ ready: { version: tacho.version, archs: tacho.archs(), words: tacho.words(), memories: tacho.memories() } });
}

// A fault of the module leaves its memory as it was then: the next call gets a new one.
async function ask(task) {
  try {
    tacho = tacho || (await load(bytes));
    return tacho.ask(JSON.stringify(task));
  } catch (e) {
    tacho = null;
    return JSON.stringify({ error: { code: "failed", message: "the simulator has failed: " + e.message } });
  }
}

// Lets messages come in.
function turn() {
  const { port1, port2 } = new MessageChannel();
  return new Promise((done) => {
    port1.onmessage = () => (port1.close(), done());
    port2.postMessage(0);
  });
}

// The loops of the task's text; where there are several, `part` of the task says which of them it is about.
async function partsOf(task, known) {
  if (task.part === undefined || task.assembly === undefined) return [];
  if (!known.has(task.assembly)) known.set(task.assembly, JSON.parse(await ask({ call: "parts", assembly: task.assembly, syntax: task.syntax })).result || []);
  const parts = known.get(task.assembly);
  if (parts.length > 1) task.part = Math.min(task.part, parts.length);
  else delete task.part;
  return parts;
}

async function answer({ id, tasks }) {
  const known = new Map();
  for (const [n, task] of tasks.entries()) {
    if (n) await turn();
    if (newest) return; // nobody waits for this any more
    const parts = await partsOf(task, known);
    postMessage({ id, answer: await ask(task), parts, last: n + 1 === tasks.length });
  }
}

// The newest request; what is left of the one before it is dropped.
async function work() {
  working = true;
  while (newest) {
    const request = newest;
    newest = null;
    await answer(request);
  }
  working = false;
}

onmessage = async ({ data }) => {
  if (data.module) return start(data.module).catch((e) => postMessage({ failed: String(e) }));
  if (data.figures) return postMessage({ figures: data.figures, answer: await ask(data.task) });
  newest = data;
  if (!working) work();
};
