// package.mjs PACKAGE PROGRAM SOURCE: each function of the package says what the program says with --json, options have
// the same effect, and errors the same words.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import vm from "node:vm";

const [dir, program, source] = process.argv.slice(2);
const { load, TachoError } = await import(pathToFileURL(dir + "/tacho.js"));
const tacho = await load();
const scratch = mkdtempSync(join(tmpdir(), "tacho-wasm-"));
process.on("exit", () => rmSync(scratch, { recursive: true }));

const run = (...args) => execFileSync(program, args, { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
const json = (...args) => JSON.parse(run(...args, "--json"));
const blocks = readFileSync(source + "/examples/blocks.csv", "utf8").split("\n").map((l) => l.split(",")[0]).filter((h) => /^[0-9a-f]+$/.test(h));
const chain = "4801d84801c349ffcf75f5", input = "--hex";

for (const hex of [chain, ...blocks.slice(0, 12)])
  for (const arch of ["SKL", "ICX", "ZEN5"]) {
    const of = ["--hex", hex, "-a", arch];
    assert.deepEqual(tacho.explain({ hex }, arch, { input }), json("predict", ...of), hex + " on " + arch);
    assert.deepEqual(tacho.bounds({ hex }, arch, { input }), json("predict", "--bounds-only", ...of));
  }

// Without explanations, the same but for them.
const plain = tacho.predict({ hex: chain }, "SKL", { input });
assert.equal(plain.what_if, null);
assert.deepEqual({ ...plain, what_if: 0, advice: 0 }, { ...json("predict", "--hex", chain, "-a", "SKL"), what_if: 0, advice: 0 });
assert.deepEqual(tacho.predict(Uint8Array.from(Buffer.from(chain, "hex")), "SKL", { input }), plain);

// Options.
const load_add = "4803064883c608"; // add rax, [rsi]; add rsi, 8
for (const [options, ...words] of [
  [{ mode: "loop" }, "--mode", "loop"],
  [{ alignment: 61 }, "--alignment", "61"],
  [{ init: "same" }, "--init", "same"],
  [{ registers: { rsi: 4096, rax: "0xffffffffffffffff" } }, "--init", "rsi=4096,rax=0xffffffffffffffff"],
  [{ aliases: { rsi: ["rdi", 8] }, no_alias: true }, "--alias", "rsi=rdi+8", "--noalias"],
  [{ no_memory_deps: true, advance: true }, "--no-memory-deps", "--advance"],
  [{ iterations: 100 }, "--iterations", "100"],
  [{ elements: 3 }, "--elements", "3"],
  [{ variants: ["no_macro_fusion", "simple_front_end"] }, "--no-macro-fusion", "--simple-front-end"],
  [{ set: { issue_width: 2 } }, "--set", "issue_width=2"],
  [{ min_cycles: 700, min_iterations: 20 }, "--min-cycles", "700", "--min-iterations", "20"],
])
  assert.deepEqual(tacho.explain({ hex: load_add }, "SKL", { input, ...options }), json("predict", "--hex", load_add, "-a", "SKL", ...words), words.join(" "));
assert.equal(tacho.predict({ hex: "62f17c4858c0" }, "SKL", { ignore_isa: true }).unexecutable_instructions, 1);

// Data behind the first level: the memory of a machine that tacho knows, and one that is described.
{
  const loop = join(scratch, "triad.s"), made_up = source + "/tests/cli/memories/made-up.txt";
  const text = readFileSync(source + "/tests/cli/memories/triad.s", "utf8"), description = readFileSync(made_up, "utf8");
  writeFileSync(loop, text);
  for (const [arch, data, memory, name] of [["ZEN5", "L2", undefined, "ZEN5"], ["ZEN3", "memory", "zen3", "ZEN3"], ["SKX", "2M", description, made_up]]) {
    const result = tacho.explain(text, arch, { input: loop, data, memory });
    assert.deepEqual(result, json("predict", loop, "-a", arch, "--data", data, "--memory", name), name);
    assert.deepEqual(tacho.page(text, arch, { input: loop, data, memory }).report.data, result.data);
    assert.ok(result.data.cycles > result.cycles && result.data.levels.length >= 3);
  }
  assert.deepEqual(tacho.predict(text, "SKX", { data: "L2", memory: "ZEN5" }).warnings, ["the memory is that of a machine with ZEN5, the prediction is for SKX"]);
  assert.deepEqual(tacho.memories().map((m) => m.core), ["ZEN3", "ZEN5"]);
  const refuses = (message, options) => assert.throws(() => tacho.predict(text, "SKX", options), { message });
  refuses("memory: there is no description of the memory of a machine with SKX, only with ZEN3, ZEN5", { data: "L2" });
  refuses("memory: line 2: a line begins with processor, core, machine, level, tlb or point, or is a comment (#)", { data: "L2", memory: "tacho memory 1\nlevels\n" });
  refuses("data lie in L1, L2, memory, or are of a size such as 512K, not 'L3'", { data: "L3", memory: description });
}

// By what the playground compares two versions is what the program compares two INPUTs by: its pages have a version each
// from the module, and the rule once more.
{
  const versions = vm.createContext({});
  vm.runInContext(readFileSync(source + "/playground/versions.js", "utf8"), versions);
  const loops = ["addss xmm0, [rdi+rax*4]; inc rax", "vaddps ymm0, ymm0, [rdi+rax*4]; add rax, 8", "movdqu xmm0, [rdi+rax]; movdqu [rsi+rax], xmm0; add rax, 16",
    "addsd xmm0, [rdi+rax*8]; inc rax", "vpmovzxbd ymm0, [rdi+rax]; vmovdqu [rsi+rax*4], ymm0; add rax, 8", "mov rbx, [rbx]", "imul rax, rdx"]
    .map((insns) => "l: " + insns + "; cmp rax, rcx; jne l\n");
  const files = loops.map((text, k) => join(scratch, k + ".s")), seen = new Set();
  loops.forEach((text, k) => writeFileSync(files[k], text));
  for (const [a, first] of loops.entries())
    for (const [b, second] of loops.entries()) {
      const both = json("predict", files[a], files[b], "-a", "SKL"), work = versions.commonWork(tacho.predict(first, "SKL"), tacho.predict(second, "SKL"));
      assert.deepEqual(both.map((p) => p.compared.by), [work.word, work.word], first + second);
      assert.deepEqual(both.map((p) => p.cycles / p.compared.cycles), [work.a, work.b], first + second);
      seen.add(work.word);
    }
  assert.deepEqual([...seen].sort(), ["byte", "element", "iteration"]);
  const list = tacho.predict(loops[5], "SKL", { elements: 6 });
  assert.equal(versions.commonWork(list, tacho.predict(loops[1], "SKL")).word, "element");
}

// Models of cores.
const model = readFileSync(source + "/examples/bigger_rob.tacho", "utf8");
assert.deepEqual(tacho.explain({ hex: chain }, model, { input }), json("predict", "--hex", chain, "-a", source + "/examples/bigger_rob.tacho"));
assert.equal(tacho.predict({ hex: chain }, "inherit SKL\n", { set: { issue_width: 1 } }).arch, "model");
assert.deepEqual(tacho.arch(model), json("arch", source + "/examples/bigger_rob.tacho"));
assert.throws(() => tacho.predict({ hex: chain }, "inherit SKL\nrob_entries\t1\tuser\n"), { message: /line 2/ });

// Traces, and what pages are made of.
const file = join(scratch, "trace.json");
run("predict", "--hex", chain, "-a", "SKL", "--trace", file);
const trace = JSON.parse(readFileSync(file, "utf8"));
assert.deepEqual(tacho.trace({ hex: chain }, "SKL", { input }), trace);
const page = tacho.page({ hex: chain }, "SKL", { input });
assert.deepEqual(page.trace, trace);
assert.ok(page.report.graph.length && page.report.what_if.length);
assert.equal(tacho.trace({ hex: chain }, "SKL", { trace_iterations: 3 }).iterations, 3);

// The rest.
assert.deepEqual(tacho.deps({ hex: load_add }, { input }), json("deps", "--hex", load_add));
assert.deepEqual(tacho.insn("imul", "ICX"), json("insn", "imul", "-a", "ICX"));
assert.deepEqual(tacho.insn("ADD (R64, M64)", "SKL"), [json("insn", "ADD (R64, M64)", "-a", "SKL")]);
const found = tacho.forms("imul r64 i8", "ICX");
assert.deepEqual(found.forms.map((f) => f.form), ["IMUL (R64, M64, I8)", "IMUL (R64, R64, I8)"]);
assert.deepEqual(found.forms[1], tacho.insn("IMUL (R64, R64, I8)", "ICX")[0]);
assert.equal(tacho.forms("IMUL (R64, R64)", "ICX").forms[0].form, "IMUL (R64, R64)");
assert.ok(tacho.forms("add", "SKL").count > 100 && tacho.forms("add", "SKL").forms.length === 100);
assert.ok(tacho.forms("zmm", "SKL").count === 0 && tacho.forms("zmm", "SKX").count > 0);
assert.deepEqual(tacho.arch("skylake"), json("arch", "skylake"));
assert.deepEqual(tacho.archs(), json("arch"));
assert.equal(tacho.version, run("--version").split(" ")[1].trim());
assert.equal(tacho.words().bounds.dsb, "DSB");

// Assembly: the bytes, what was typed, markers, and the part of a text that is meant.
for (const name of ["chain.s", "dot.s", "dot4.s"]) {
  const path = join(source, "examples", name), text = readFileSync(path, "utf8");
  assert.deepEqual(tacho.explain(text, "SKX", { input: path }), json("predict", path, "-a", "SKX"), name);
}
assert.equal(tacho.assemble(readFileSync(source + "/examples/chain.s", "utf8")).hex, chain);
const { hex, statements, syntax } = tacho.assemble("l: addq %rbx, %rax\n  jmp l");
assert.deepEqual([hex, syntax, statements.map((x) => [x.kind, x.line, x.column, x.offset, x.bytes])],
  ["4801d8ebfb", "att", [["label", 1, 1, 0, 0], ["instruction", 1, 4, 0, 3], ["instruction", 2, 3, 3, 2]]]);
const loops = ".globl f, g\nf:\nxor eax, eax\n.L3: imul rdx, rdx\ndec rcx\njnz .L3\nret\ng: nop\n.L4: add rax, rbx\n dec rcx\n jnz .L4\nret";
assert.deepEqual(tacho.parts(loops), [{ kind: "loop", name: "f", line_first: 4, line_last: 6 }, { kind: "loop", name: "g", line_first: 9, line_last: 11 }]);
const ofPart = (part) => (({ cycles, warnings }) => [cycles, warnings.length])(tacho.predict(loops, "SKX", part && { part }));
assert.deepEqual([ofPart(), ofPart(1), ofPart(2)], [[3, 1], [3, 0], [1, 0]]);
assert.throws(() => tacho.predict(loops, "SKX", { part: 3 }), (e) => e.code === "usage" && /no part 3: the text has 2/.test(e.message));
assert.throws(() => tacho.predict("nop\n imulx rax, rbx", "SKX"), (e) => e.code === "input" && e.problems[0].line === 2 && e.problems[0].column === 2 && e.problems[0].length === 5);
assert.throws(() => tacho.predict("nop\nvaddps zmm0, zmm0, zmm0", "SKL"), (e) => e.code === "unsupported" && e.line === 2);
assert.throws(() => tacho.predict("# nothing", "SKX"), (e) => e.code === "input");
assert.throws(() => tacho.predict("nop\n# LLVM-MCA-BEGIN\n# LLVM-MCA-END", "SKX"), (e) => e.code === "input" && /the block is empty/.test(e.message));

// Errors.
const fails = (f, code, message, place) =>
  assert.throws(f, (e) => e instanceof TachoError && e.code === code && message.test(e.message) && (!place || e.offset === place.offset));
fails(() => tacho.predict({ hex: "90" }, "SKLX"), "usage", /no microarchitecture SKLX/);
fails(() => tacho.predict({ hex: "90" }), "usage", /no arch/);
fails(() => tacho.predict({ hex: "9006" }, "SKL"), "input", /not a valid instruction/, { offset: 1 });
fails(() => tacho.predict({ hex: "9" }, "SKL"), "input", /./);
fails(() => tacho.predict({ hex: "90" }, "SKL", { alignmen: 1 }), "usage", /did you mean alignment/);
fails(() => tacho.predict({ hex: "90" }, "SKL", { alignment: 64 }), "usage", /from 0 to 63/);
fails(() => tacho.predict({ hex: "90" }, "SKL", { mode: "fast" }), "usage", /"loop"/);
fails(() => tacho.predict({ hex: "90" }, "SKL", { set: { issue_width: 99999 } }), "usage", /issue_width/);
fails(() => tacho.predict({ hex: "62f17c4858c0" }, "SKL"), "unsupported", /AVX-512/);
fails(() => tacho.insn("imuul", "SKL"), "input", /did you mean/);
fails(() => tacho.predict({ hex: "90" }, "SKL", { registers: [1] }), "usage", /registers is an object/);
fails(() => tacho.predict("nop \0", "SKL"), "usage", /U\+0000/);
assert.match(tacho.ask("no JSON"), /"error"/);

// A second instance of the same module; memory does not grow from call to call.
const again = await load(await WebAssembly.compile(readFileSync(dir + "/tacho.wasm")));
assert.deepEqual(again.predict({ hex: chain }, "SKL", { input }), plain);
console.log("the package says what the program says");
