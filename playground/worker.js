// worker.js - predictions, beside the page, so that typing never waits for them. What comes in has an id; each answer
// has it, too, and is the module's own text, which the page parses.
let tacho = null;

async function bytesOf(text) {
  const packed = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

async function start(text) {
  tacho = await load(await bytesOf(text));
  postMessage({ ready: { version: tacho.version, archs: tacho.archs(), words: tacho.words() } });
}

// The tasks of a request in order; a newer request waits until they are done, which takes milliseconds.
function work({ id, tasks }) {
  for (const [n, task] of tasks.entries()) {
    const begin = performance.now(), answer = tacho.ask(JSON.stringify(task));
    postMessage({ id, n, last: n + 1 === tasks.length, answer, time: performance.now() - begin });
  }
}

onmessage = ({ data }) => {
  if (data.module) start(data.module).catch((e) => postMessage({ failed: String(e) }));
  else work(data);
};
