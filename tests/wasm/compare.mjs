// compare.mjs PACKAGE PROGRAM BLOCKS ARCH,...: predictions by the module are those that the program makes of the same
// blocks, in all columns; says how many and how fast.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [dir, program, blocks, archs] = process.argv.slice(2);
const { load } = await import(pathToFileURL(dir + "/tacho.js"));
const tacho = await load();

const child = spawn(program, ["predict", "--batch", blocks, "-a", archs], { stdio: ["ignore", "pipe", "inherit"] });
const ended = new Promise((done) => child.on("close", done));
const empty = (v) => (v === null || v === undefined ? "" : v);
const cell = {
  cycles: (p, wanted) => (Math.abs(p.cycles - wanted) < 5.1e-7 ? wanted : p.cycles), // CSV has six decimals
  cycles_exact: (p) => empty(p.cycles_exact),
  mode: (p) => p.mode,
  arch: (p) => p.arch,
  source: (p) => p.source,
  bottlenecks: (p) => p.bottlenecks.join(";"),
  unknown: (p) => String(p.unknown),
  lower_bound: (p) => String(p.lower_bound),
};
let columns = null, rows = 0, refused = 0, different = 0, spent = 0;
for await (const line of createInterface({ input: child.stdout })) {
  const row = line.split(",");
  if (!columns) {
    columns = row;
    continue;
  }
  const wanted = Object.fromEntries(columns.map((name, k) => [name, row[k]]));
  rows++;
  const start = performance.now();
  let got;
  try {
    got = tacho.predict({ hex: wanted.hex }, wanted.arch);
  } catch (e) {
    got = e;
  }
  spent += performance.now() - start;
  if (got instanceof Error ? wanted.cycles !== "" : wanted.cycles === "") {
    different++;
    console.log(`${wanted.hex} on ${wanted.arch}: ${got instanceof Error ? got.message : got.cycles}, the program: ${line}`);
  } else if (got instanceof Error) {
    refused++;
  } else
    for (const name of Object.keys(cell).filter((n) => n in wanted))
      if (cell[name](got, wanted[name]) !== wanted[name]) {
        if (different++ < 20) console.log(`${wanted.hex} on ${wanted.arch}: ${name} is ${cell[name](got, wanted[name])}, the program: ${wanted[name]}`);
        break;
      }
}
const status = await ended;
console.log(`${rows} predictions, ${refused} refused by both, ${different} different; ${Math.round((1000 * rows) / spent)} a second`);
process.exit(different || !rows || status > 3 ? 1 : 0);
