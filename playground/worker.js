// worker.js - predictions, beside the page, so that typing never waits for them. What comes in has an id; each answer
// has it, too, and is the module's own text, which the page parses.
let tacho = null, bytes = null;

async function bytesOf(text) {
  const packed = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

async function start(text) {
  bytes = await bytesOf(text);
  tacho = await load(bytes);
  postMessage({ ready: { version: tacho.version, archs: tacho.archs(), words: tacho.words() } });
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

// The tasks of a request in order; the page asks one request at a time.
async function work({ id, tasks }) {
  for (const [n, task] of tasks.entries()) postMessage({ id, answer: await ask(task), last: n + 1 === tasks.length });
}

onmessage = ({ data }) => {
  if (data.module) start(data.module).catch((e) => postMessage({ failed: String(e) }));
  else work(data);
};
