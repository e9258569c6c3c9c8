// fronts.mjs PACKAGE SOURCE INPUTS: what the npm package, and the playground's worker, say of texts. INPUTS is a JSON list of
// [text, core]; the answers go to standard output as JSON.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import vm from "node:vm";
const [folder, source, inputs] = process.argv.slice(2);
const list = JSON.parse(readFileSync(inputs, "utf8"));
const { load } = await import(folder + "/tacho.js");
const tacho = await load();

function npm([text, core]) {
  try {
    return { result: tacho.predict(text, core) };
  } catch (e) {
    return { error: e.message };
  }
}

// The worker as playground/build.sh puts it together, and a page that asks it one thing after the other.
async function playground() {
  const heard = [], waiting = [];
  const page = vm.createContext({
    console, URL, TextDecoder, TextEncoder, WebAssembly, Response, Blob, DecompressionStream, atob, performance, Uint8Array, ArrayBuffer,
    self: { location: "file:///" },
    postMessage: (data) => (waiting.length ? waiting.shift()(data) : heard.push(data)),
  });
  const next = () => (heard.length ? Promise.resolve(heard.shift()) : new Promise((done) => waiting.push(done)));
  const text = readFileSync(folder + "/tacho.js", "utf8").replace(/^export /gm, "").replace(/import\.meta\.url/g, "self.location");
  vm.runInContext(text + readFileSync(source + "/playground/worker.js", "utf8"), page);
  page.onmessage({ data: { module: gzipSync(readFileSync(folder + "/tacho.wasm")).toString("base64") } });
  const first = await next();
  if (!first.ready) throw new Error("the worker does not start: " + JSON.stringify(first));
  const answers = [];
  for (const [id, [assembly, arch]] of list.entries()) {
    page.onmessage({ data: { id, tasks: [{ call: "predict", arch, assembly, input: "version A", syntax: "auto" }] } });
    const { answer } = await next();
    const { result, error } = JSON.parse(answer);
    answers.push({ result, error: error && error.message });
  }
  return answers;
}

console.log(JSON.stringify({ npm: list.map(npm), playground: await playground() }));
