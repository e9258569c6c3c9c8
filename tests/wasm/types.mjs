// types.mjs PACKAGE SOURCE DIRECTORY: by TypeScript's compiler, results have exactly the fields of tacho.d.ts, and names that
// nobody knows are errors. DIRECTORY has the package in node_modules.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [dir, source, scratch] = process.argv.slice(2);
const { load } = await import(pathToFileURL(dir + "/tacho.js"));
const tacho = await load();

// Literals: the compiler looks for fields that are missing, too many, or of another type, at all depths.
const text = "l: mov rax, [rsi] # load\n add rax, rbx\n mov [rdi], rax\n mov al, [rdi]\n xor ecx, ecx\n vaddps ymm0, ymm0, [rsi]\n dec r15\n jnz l";
const model = readFileSync(source + "/examples/bigger_rob.tacho", "utf8");
const set = { issue_width: 3 }, variants = ["no_macro_fusion"];
const results = [
  ...["SKL", "ZEN5", "ADL-P"].flatMap((a) => [["Prediction", tacho.explain(text, a, { iterations: 10 })], ["Page", tacho.page(text, a, { trace_iterations: 3 })]]),
  ["Prediction", tacho.predict({ hex: "4801d84801c349ffcf75f5" }, model, { set, variants })], ["Prediction", tacho.bounds(text, "SKL")],
  ["Prediction", tacho.explain({ hex: "48f7f1" }, "ICX", { advance: true })], ["Trace", tacho.trace({ hex: "50 58 e800000000" }, "SKL")],
  ["Deps", tacho.deps(text)], ["Deps", tacho.deps({ hex: "4801d8488907488b07" })],
  ["Prediction", tacho.predict("l: mov rax, [rsi+rdx*8]\nadd rbx, [rax]\ninc rdx\njnz l", "SKL", { data: "L3", memory: "ZEN3" })],
  ["InstructionForm[]", tacho.insn("vpaddd", "SKL")], ["InstructionForm[]", tacho.insn("div", "ZEN4")],
  ["Arch[]", tacho.archs()], ["Arch", tacho.arch("SKL")], ["Arch", tacho.arch(model)], ["Assembly", tacho.assemble(text)],
];
const right = [
  'import { load, Prediction, Page, Trace, Deps, InstructionForm, Arch, Assembly } from "tacho";',
  ...results.map(([type, value], k) => `export const r${k}: ${type} = ${JSON.stringify(value)};`),
  'const t = await load(); const p = t.predict("nop", "SKL", { mode: "loop", registers: { rdi: 1 } });',
  'export const all = [p.cycles, p.bounds.dsb, p.topdown?.lost.rob, p.instructions[0].ports[0], t.words().bounds.issue, t.insn("add", "SKL")[0].cost?.uops];',
];
const wrong = [
  "p.cyles", "p.bounds.dbs", "p.bounds_in_us", "p.topdown?.lost.robe", "p.topdown?.front_end", "p.instructions[0].latncy", "p.instructions[0].ports.p0",
  "p.instructions[0].uops.mitte", "p.next_limit?.bounds", "p.what_if?.[0].cycle", 't.trace("nop", "SKL").uops[0].producer', 't.trace("nop", "SKL").cycle.robs',
  't.page("nop", "SKL").report.graphs', 't.page("nop", "SKL").report.graph[0].too', 't.deps("nop").dependencies[0].carier', 't.insn("add", "SKL")[0].costs',
  't.insn("add", "SKL")[0].cost?.uop', 't.arch("SKL").parameter', 't.words().note', 't.predict("nop", "SKL", { alignmnt: 1 })', 't.predict("nop", "SKL", { mode: "lop" })',
  't.predict("nop", "SKL", { variants: ["no_fusion"] })', 't.predict("nop", "SKL", { registers: { rdo: 1 } })', 't.deps("nop", { windw: 1 })', 't.predct("nop", "SKL")',
  't.predict("nop", "SKL", { data: 3 })', 'p.data?.levels[0].cycle', 't.memories()[0].name',
];
writeFileSync(join(scratch, "right.ts"), right.join("\n"));
writeFileSync(join(scratch, "wrong.ts"), ['import { load } from "tacho"; const t = await load(); const p = t.predict("nop", "SKL"); export const all = [', ...wrong.map((w) => w + ","), "];"].join("\n"));
const ran = spawnSync("tsc", ["--strict", "--noEmit", "--target", "es2022", "--module", "es2022", "--moduleResolution", "node", "--pretty", "false", "right.ts", "wrong.ts"], { cwd: scratch, encoding: "utf8" });
assert.doesNotMatch(ran.stdout, /^error/m);
const at = (file) => new Set([...ran.stdout.matchAll(new RegExp(`^${file}\\.ts\\((\\d+),`, "gm"))].map((m) => Number(m[1])));
assert.deepEqual([...at("right")], [], ran.stdout.slice(0, 4000));
assert.deepEqual(wrong.filter((w, k) => !at("wrong").has(k + 2)), [], "these pass");
console.log(`types: ${results.length} results have the fields of tacho.d.ts, ${wrong.length} wrong names are errors`);
