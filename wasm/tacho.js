// tacho.js - libtacho, compiled to WebAssembly, as functions of JavaScript. What goes in and comes out crosses as JSON;
// the objects are those of doc/JSON.md.

export class TachoError extends Error {
  constructor({ message, code, ...place }) {
    super(message);
    this.name = "TachoError";
    this.code = code;
    Object.assign(this, place); // line, column, length; offset; problems
  }
}

// The module asks for a clock and an output that it never needs: musl's random numbers and its assert.
function system(memory) {
  const view = () => new DataView(memory().buffer);
  return {
    clock_time_get: (id, precision, out) => (view().setBigUint64(out, 0n, true), 0),
    fd_close: () => 0,
    fd_seek: () => 70, // ESPIPE
    fd_write(fd, list, count, out) {
      const v = view(), bytes = [];
      for (let k = 0; k < count; k++) bytes.push(...new Uint8Array(memory().buffer, v.getUint32(list + 8 * k, true), v.getUint32(list + 8 * k + 4, true)));
      if (bytes.length) console.error(new TextDecoder().decode(new Uint8Array(bytes)));
      v.setUint32(out, bytes.length, true);
      return 0;
    },
  };
}

async function compiled(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (source === undefined) source = new URL("tacho.wasm", import.meta.url);
  if (source instanceof URL || typeof source === "string") {
    const url = new URL(source, import.meta.url);
    if (url.protocol === "file:" && typeof process === "object") source = await (await import("node:fs/promises")).readFile(url);
    else source = await fetch(url);
  }
  if (typeof Response === "function" && source instanceof Response) {
    if (!source.ok) throw new TachoError({ message: "cannot load " + source.url + ": status " + source.status, code: "system" });
    source = await source.arrayBuffer(); // whatever type the server says it has
  }
  return WebAssembly.compile(source);
}

const hexOf = (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");

function codeOf(code) {
  if (typeof code === "string") return { assembly: code };
  if (code instanceof ArrayBuffer) return { hex: hexOf(new Uint8Array(code)) };
  if (ArrayBuffer.isView(code)) return { hex: hexOf(new Uint8Array(code.buffer, code.byteOffset, code.byteLength)) };
  return code;
}

export class Tacho {
  #exports;

  constructor(instance) {
    this.#exports = instance.exports;
    this.#exports._initialize();
  }

  /** The answer to a request, as JSON text: `{"result": ...}` or `{"error": ...}`. */
  ask(text) {
    const e = this.#exports, bytes = new TextEncoder().encode(text);
    const at = e.tacho_room(bytes.length);
    if (!at) throw new TachoError({ message: "out of memory", code: "memory" });
    new Uint8Array(e.memory.buffer).set(bytes, at);
    const answer = e.tacho_call(at, bytes.length);
    if (!answer) throw new TachoError({ message: "out of memory", code: "memory" });
    return new TextDecoder().decode(new Uint8Array(e.memory.buffer, answer, e.tacho_answer_size()));
  }

  #call(call, request) {
    const { result, error } = JSON.parse(this.ask(JSON.stringify({ ...request, call })));
    if (error) throw new TachoError(error);
    return result;
  }

  predict(code, arch, options) { return this.#call("predict", { ...options, ...codeOf(code), arch }); }
  bounds(code, arch, options) { return this.#call("bounds", { ...options, ...codeOf(code), arch }); }
  explain(code, arch, options) { return this.#call("explain", { ...options, ...codeOf(code), arch }); }
  trace(code, arch, options) { return this.#call("trace", { ...options, ...codeOf(code), arch }); }
  page(code, arch, options) { return this.#call("page", { ...options, ...codeOf(code), arch }); }
  deps(code, options) { return this.#call("deps", { ...options, ...codeOf(code) }); }
  assemble(text, options) { return this.#call("assemble", { ...options, assembly: text }); }
  insn(form, arch) { return this.#call("insn", { form, arch }); }
  forms(search, arch) { return this.#call("forms", { search, arch }); }
  parts(text, options) { return this.#call("parts", { ...options, assembly: text }); }
  arch(arch) { return this.#call("arch", { arch }); }
  archs() { return this.#call("archs"); }
  memories() { return this.#call("memories"); }
  words() { return this.#call("words"); }
  get version() { return this.#call("version"); }
}

export async function load(source) {
  let instance = null;
  const imports = { wasi_snapshot_preview1: system(() => instance.exports.memory) };
  instance = await WebAssembly.instantiate(await compiled(source), imports);
  return new Tacho(instance);
}
