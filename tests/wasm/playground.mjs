// playground.mjs INDEX CHROMIUM PROGRAM DIRECTORY SOURCE: what a visitor does in the playground, opened as a file: typing, a link to it in
// another browser, mistakes, colours, a phone, several cores, two versions. Its results are the program's.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { Browser } from "./browser.mjs";

const [index, chromium, program, profile, source] = process.argv.slice(2);
const url = pathToFileURL(index).href;
const browser = new Browser(chromium, profile);
process.on("exit", () => browser.child.kill());
const json = (...args) => JSON.parse(execFileSync(program, ["predict", "--json", ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
const link = (fields) => "#" + new URLSearchParams(fields);
const answered = (page, n = 1) => page.until(`+document.documentElement?.dataset.answered >= ${n}`);
const again = async (page, act) => { // after the answer to what `act` does
  const before = +(await page.get("document.documentElement.dataset.answered || 0"));
  await act();
  await answered(page, before + 1);
};
const text = (page, selector) => page.get(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? null`);
const click = (page, selector) => page.get(`document.querySelector(${JSON.stringify(selector)}).click()`);
const pages = [];
const open = async (hash, options) => {
  const page = await browser.open(url + hash, options);
  pages.push(page);
  return page;
};
const chain = "4801d8 4801c3 49ffcf 75f5";
const example = (page, n) => again(page, () => page.get(`(() => { const s = document.querySelector("#examples"); s.value = ${n}; s.dispatchEvent(new Event("change")); })()`));

// It opens, and answers.
{
  const page = await open("");
  await answered(page);
  const [seen, whole] = await page.get("[+document.documentElement.dataset.first, Math.round(performance.now())]");
  console.log("cycles seen after", seen, "ms, the whole report after", whole, "ms");
  assert.ok(seen > 0 && seen < whole, "the cycles come before the report");
  assert.match(await text(page, "#answer"), /^2 cycles per iteration on Skylake \(server; SKX\), loop; limited by dependencies\s+Bounds alone, without a simulation: 2 cycles \(dependencies\)$/);
  for (const title of ["What limits it", "Each component alone", "Where the issue slots go", "Dependencies", "How full the queues are", "Timeline", "µops of each instruction"])
    assert.ok((await text(page, "#results")).includes(title), title);
  assert.ok(await page.get("document.querySelector('canvas').width > 100"));
  // Every control has a name.
  const nameless = await page.get(`[...document.querySelectorAll("button, select, input, textarea, [tabindex='0']")].filter((e) =>
    !(e.innerText || e.getAttribute("aria-label") || e.labels?.length || e.title)).map((e) => e.outerHTML.slice(0, 80))`);
  assert.deepEqual(nameless, []);
  await page.close();
}

// Typing; the link; somebody else opens it.
{
  const page = await open(link({ code: "4801d8", cores: "SKL" }));
  await answered(page);
  assert.match(await text(page, "#answer"), /^1 cycles per iteration on Skylake \(client; SKL\)/);
  await page.get("document.querySelector('textarea').focus(), document.querySelector('textarea').setSelectionRange(99, 99)");
  await again(page, () => page.type(" 4801c3"));
  await page.until("document.querySelector('#answer').innerText.startsWith('2 cycles')");
  const wanted = json("--hex", "4801d8 4801c3", "-a", "SKL");
  assert.equal(await text(page, "#answer strong"), String(wanted.cycles));
  await page.until("document.querySelectorAll('#instructions tbody tr').length === 2");
  await again(page, () => page.get("document.querySelectorAll('#choices button')[0].click()"));
  await page.get("document.querySelector('#theme').click()");
  await page.until("location.hash.includes('theme=dark')");
  const state = "JSON.stringify([document.querySelector('textarea').value, document.documentElement.dataset.theme, document.querySelector('#answer').innerText, document.querySelector('#cores').innerText])";
  const address = await page.get("location.href"), before = await page.get(state);
  assert.ok(address.startsWith(url + "#code="));
  const other = await browser.open(address);
  pages.push(other);
  await answered(other);
  assert.equal(await other.get(state), before);
  assert.match(before, /dark/);
  // Going back in the history of the address shows what was there.
  await again(other, () => other.get("location.hash = '#code=90&cores=SKL'"));
  assert.equal(await other.get("document.querySelector('textarea').value"), "90");
  // Tab leaves the editor.
  await other.get("document.querySelector('textarea').focus()");
  await other.key("Tab");
  assert.notEqual(await other.get("document.activeElement.tagName"), "TEXTAREA");
  await page.close();
  await other.close();
}

// Mistakes are marked where they are, and what was right before stays on the page.
{
  const page = await open(link({ code: "4801d8\n4801c3", cores: "SKL", syntax: "hex" }));
  await answered(page);
  await page.get("document.querySelector('textarea').focus(), document.querySelector('textarea').setSelectionRange(99, 99)");
  await again(page, () => page.type("\n0"));
  await page.until("document.querySelector('.problems button')");
  assert.match(await text(page, ".problems button"), /^line 3: half a byte/);
  assert.equal(await text(page, ".layers mark"), "0");
  assert.equal(await page.get("document.querySelector('textarea').getAttribute('aria-invalid')"), "true");
  assert.ok(await page.get("document.querySelector('.gutter').children[2].classList.contains('wrong')"));
  assert.ok(await page.get("document.querySelector('#results').classList.contains('stale')"));
  await click(page, ".problems button");
  assert.deepEqual(await page.get("[document.activeElement.selectionStart, document.activeElement.selectionEnd]"), [14, 15]);
  await again(page, () => page.type("06")); // in place of what is selected
  await page.until("document.querySelector('.problems button')?.innerText.includes('not a valid')");
  assert.match(await text(page, ".problems button"), /^line 3: .*not a valid instruction/);
  await again(page, async () => (await page.key("Backspace"), await page.key("Backspace")));
  await page.until("!document.querySelector('.problems button') && !document.querySelector('.stale')");
  // What one core cannot execute is no mistake where another one can.
  await again(page, () => page.get("location.hash = '#code=62f17c4858c0&syntax=hex&cores=SKL,SKX'"));
  await page.until("document.querySelectorAll('#cores tbody tr').length === 2");
  assert.match(await text(page, "#cores tr.refused"), /SKL.*AVX-512/);
  assert.equal(await text(page, ".problems button"), null);
  await page.close();
}

// Versions that work on more in an iteration are compared by element; of a scalar and an eight-wide loop both take 4 cycles.
{
  const loop = (insns) => ".intel_syntax noprefix\n1: " + insns + "\ncmp rax, rcx\njne 1b\n";
  const page = await open(link({ code: loop("addss xmm0, [rdi+rax*4]\ninc rax"), second: loop("vaddps ymm0, ymm0, [rdi+rax*4]\nadd rax, 8"), cores: "SKL" }));
  await answered(page);
  assert.match(await text(page, "#versions h2"), /^B is 8 times as fast as A per element on Skylake \(client; SKL\)/);
  assert.match(await text(page, "#versions table"), /cycles per element\s+4\s+0\.5\s/);
  await again(page, () => page.get("location.hash += '&data=memory&machine=ZEN5'"));
  await page.until("/cycles per element, data in memory\\s+4\\s/.test(document.querySelector('#versions table')?.innerText)");
  await example(page, 1);
  assert.match(await text(page, "#versions table"), /cycles per element\s+0\.5\s+0\.125\s/);
  await page.close();
}

// Several cores, two versions.
{
  const page = await open(link({ code: chain, second: chain.replace("4801c3 ", ""), cores: "SKL,ZEN5", syntax: "hex" }));
  await answered(page);
  assert.equal(await page.get("document.querySelectorAll('#cores tbody tr').length"), 4);
  assert.match(await text(page, "#versions h2"), /^B is 2 times as fast as A per iteration on Skylake \(client; SKL\)/);
  assert.match(await text(page, ".difference .gone"), /- add rbx, rax/);
  await again(page, () => page.get("[...document.querySelectorAll('#cores button')].find((b) => b.innerText === 'B on Zen 5 (ZEN5)').click()"));
  await page.until("document.querySelector('#place-title').innerText.startsWith('B on Zen 5 (ZEN5)')");
  assert.equal(await text(page, "#answer strong"), String(json("--hex", chain.replace("4801c3 ", ""), "-a", "ZEN5").cycles));
  await again(page, () => click(page, "#compare"));
  assert.equal(await page.get("document.querySelectorAll('#editors textarea').length"), 1);
  await page.close();
}

// Assembly: both syntaxes; the line of a mistake, the loop of a function, what stands between markers.
{
  const page = await open(link({ code: "l: addq %rbx, %rax\n   addq %rax, %rbx\n   decq %r15\n   jnz l", cores: "SKX" }));
  await answered(page);
  assert.match(await text(page, "#answer"), /^2 cycles/);
  assert.ok(await page.get("document.querySelector('.gutter').children[1].classList.contains('critical')"));
  assert.equal(await page.get("document.querySelectorAll('.ports .row i').length"), 4 * 8);
  const shows = async (code, pattern) => {
    await again(page, () => page.get("location.hash = " + JSON.stringify(link({ code, cores: "SKX" }))));
    await page.until(`${pattern}.test(document.querySelector("#answer").innerText + document.querySelector("#results").innerText + document.querySelector(".problems").innerText)`);
  };
  await shows("l: add rax, rbx\nadd rbx, rax\ndec r15\njnz l", "/2 cycles/");
  await shows("add rax, rbx\nimulx rbx, rax", "/line 2: .*imulx/");
  assert.equal(await text(page, ".layers mark"), "imulx");
  await shows("f: xor eax, eax\n.L3: imul rdx, rdx\ndec rcx\njnz .L3\nret", "/its innermost loop, in f, lines 2 to 4/");
  assert.match(await text(page, "#answer"), /^3 cycles/);
  await shows("imul rax, rax\n# LLVM-MCA-BEGIN\nadd rax, rbx\n# LLVM-MCA-END\nimul rax, rax", "/^1 cycles/");
  await page.close();
}

// Several loops: one is chosen with the keyboard, its lines are marked, the link has the choice.
const loops = ".globl dot, sum\ndot:\n xor eax, eax\n.L3: imul rdx, rdx\n dec rcx\n jnz .L3\n ret\nsum:\n.L5: add rax, [rdi]\n add rdi, 8\n cmp rdi, rsi\n jne .L5\n ret\n";
const marked = (page) => page.get("[...document.querySelectorAll('.gutter .chosen')].map((e) => e.textContent).join()");
{
  const page = await open(link({ code: loops, cores: "SKX" }));
  await answered(page);
  assert.match(await text(page, "#answer"), /^3 cycles/);
  assert.equal(await page.get("document.querySelector('.picker select').labels[0].innerText.trim().split('\\n')[0]"), "Loop (2 in the text)");
  assert.deepEqual(await page.get("[...document.querySelector('.picker select').options].map((o) => o.text)"), ["1: dot, lines 4 to 6", "2: sum, lines 9 to 12"]);
  assert.equal(await marked(page), "4,5,6");
  await page.get("document.querySelector('.picker select').focus()");
  await again(page, () => page.key("ArrowDown"));
  await page.until("document.querySelector('#instructions')?.innerText.includes('cmp rdi, rsi')");
  assert.equal(await marked(page), "9,10,11,12");
  const answer = await text(page, "#answer");
  await page.until("location.hash.includes('part=2')");
  const other = await open(new URL(await page.get("location.href")).hash);
  await answered(other);
  assert.equal(await text(other, "#answer"), answer);
  assert.equal(await marked(other), "9,10,11,12");
  // One loop: nothing to choose from.
  await again(page, () => page.get("location.hash = " + JSON.stringify(link({ code: "l: dec rcx\njnz l", cores: "SKX" }))));
  await page.until("document.querySelector('.picker').hidden && getComputedStyle(document.querySelector('.picker')).display === 'none'");
  // What a link asks for and does not get is said.
  await again(page, () => page.get("location.hash = " + JSON.stringify(link({ code: loops, cores: "ZEN9,SKX", part: 7, mode: "lop" }))));
  await page.until("!document.querySelector('#remarks').hidden");
  assert.match(await text(page, "#remarks"), /^This link: its mode 'lop' is none of auto, loop, unroll; this page does not know the core ZEN9; it shows Skylake \(server; SKX\); it asks for loop 7, and the text has 2\.$/);
  await page.close();
  await other.close();
}

// An empty box is no error. Long code stands packed in the link; a damaged link is said.
{
  const page = await open(link({ code: "  \n", cores: "SKX" }));
  await answered(page);
  assert.match(await text(page, "#answer"), /^Type or paste/);
  assert.deepEqual([await text(page, ".problems"), await page.get("document.querySelector('textarea').getAttribute('aria-invalid')")], ["", "false"]);
  const long = loops.repeat(20), plain = link({ code: long, cores: "SKX" });
  await again(page, () => page.get("location.hash = " + JSON.stringify(plain)));
  await page.until("location.hash.startsWith('#z=')");
  const packed = await page.get("location.hash");
  assert.ok(packed.length < plain.length / 5, packed.length + " of " + plain.length);
  const other = await open(packed);
  await answered(other);
  assert.equal(await other.get("document.querySelector('textarea').value"), long);
  await again(other, () => other.get("location.hash = " + JSON.stringify("#z=" + packed.slice(30))));
  await other.until("!document.querySelector('#remarks').hidden");
  assert.match(await text(other, "#remarks"), /damaged/);
  await page.close();
  await other.close();
}

// Two thousand lines: what is in view is in the document, and scrolling brings the rest.
{
  const page = await open(link({ code: Array.from({ length: 2000 }, (_, k) => "add rax, " + k).join("\n"), cores: "SKX" }));
  await answered(page);
  const seen = "[document.querySelectorAll('.gutter div').length, document.querySelectorAll('.layers pre div').length, document.querySelectorAll('#instructions tbody tr').length]";
  const counts = await page.get(seen);
  assert.ok(Math.min(...counts) > 20 && Math.max(...counts) < 200, counts.join());
  assert.ok((await page.get("document.querySelector('textarea').offsetHeight")) > 2000 * 15);
  await page.get("document.querySelector('.pane').scrollTop = 1e9");
  await page.until("document.querySelector('.layers pre').innerText.includes('add rax, 1999')");
  await page.get("document.querySelector('#instructions').scrollIntoView({ behavior: 'instant' })");
  await page.until("(document.querySelector('.scroll.long').scrollTop += 5000, document.querySelector('#instructions').innerText.includes('add rax, 1999'))");
  assert.ok(Math.max(...(await page.get(seen))) < 200);
  assert.ok(await page.get("document.querySelector('.facts').textContent.includes('... (2000 in all)')"));
  // The line stands where its text stands.
  assert.ok(Math.abs(await page.get("document.querySelector('.layers pre div:last-child').getBoundingClientRect().bottom - document.querySelector('.gutter div:last-child').getBoundingClientRect().bottom")) < 2);
  await page.close();
}

// From an instruction to its figures; other forms are found by words.
{
  const page = await open(link({ code: "imul rax, rbx\nadd rcx, [rdi]", cores: "SKX" }));
  await answered(page);
  await page.get("document.querySelector('#instructions button').focus()");
  await page.key("Enter", { text: "\r" });
  await page.until("document.querySelector('#figures-rows tr.chosen')");
  const insn = JSON.parse(execFileSync(program, ["insn", "IMUL (R64, R64)", "-a", "SKX", "--json"], { encoding: "utf8" }));
  const shown = (await text(page, "#figures-rows tr.chosen")) + (await text(page, "#figures-rows tr.chosen + tr"));
  assert.ok(shown.startsWith("IMUL (R64, R64)") && shown.includes("1*p1") && shown.includes("R64 (1st): 3 from R64 (1st), 3 from R64 (2nd)") && shown.includes(insn.source), shown);
  assert.equal(await page.get("document.activeElement.id"), "figures-search");
  await page.get("document.activeElement.value = 'imul r64 m64', document.activeElement.dispatchEvent(new Event('input'))");
  await page.until("document.querySelector('#figures-count').innerText.startsWith('4 forms')");
  assert.ok((await text(page, "#figures-rows")).includes("IMUL (R64, M64)"));
  await page.get("document.querySelector('#figures-search').value = 'imull', document.querySelector('#figures-search').dispatchEvent(new Event('input'))");
  await page.until("document.querySelector('#figures-count').innerText.startsWith('0 forms')");
  await page.close();
}

// Notes name no option of the program.
{
  const page = await open(link({ code: "l: dec rax\njnz l", cores: "SKL" }));
  await answered(page);
  const [warning] = await page.get("[...document.querySelectorAll('.warnings li')].map((e) => e.textContent)");
  assert.match(warning, /from 1 to 2 cycles$/);
  await page.close();
}

// At 1,400 pixels the instructions are not cut.
{
  const page = await open(link({ code: "l: vfmadd231ps zmm0, zmm1, zmmword ptr [rsi + rax*8 + 1024]\nadd rax, 8\ncmp rax, rdx\njne l", cores: "SKX" }), { width: 1400, height: 900 });
  await answered(page);
  const cut = await page.get(`(() => { const box = document.querySelector("#instructions").parentNode.getBoundingClientRect();
    return [...document.querySelectorAll("#instructions td.asm button")].filter((b) => b.getBoundingClientRect().right > box.right).length; })()`);
  assert.equal(cut, 0);
  await page.close();
}

// Options.
{
  const page = await open(link({ code: "4801d8", cores: "SKL", mode: "loop", alignment: 61 }));
  await answered(page);
  const wanted = json("--hex", "4801d8", "-a", "SKL", "--mode", "loop", "--alignment", "61");
  assert.equal(await text(page, "#answer strong"), String(wanted.cycles));
  await page.close();
}

// Data behind the first level: a level of a machine that the page knows, a size in one that is described; the link has it.
{
  const code = readFileSync(source + "/tests/cli/memories/triad.s", "utf8"), made_up = source + "/tests/cli/memories/made-up.txt";
  const set = (page, id, value, event) => page.get(`(() => { const e = document.querySelector("#${id}"); e.value = ${JSON.stringify(value)}; e.dispatchEvent(new Event("${event}")); })()`);
  const rows = (page) => page.get(`[...document.querySelectorAll("#levels tbody tr")].map((r) => [...r.cells].map((c) => c.innerText))`);
  const loop = source + "/tests/cli/memories/triad.s", figure = (x) => String(Math.round(100 * x) / 100);
  const shows = async (page, arch, data, memory) => {
    const { data: wanted } = json(loop, "-a", arch, "--data", data, "--memory", memory);
    await page.until(`document.querySelector(".with-data strong")?.innerText === ${JSON.stringify(figure(wanted.cycles))}`);
    await page.until("document.querySelector('#levels')");
    const seen = await rows(page);
    assert.deepEqual(seen.map((r) => r.slice(0, 2)), wanted.levels.map((l) => [l.name, figure(l.cycles)]));
    assert.deepEqual(seen.slice(1).map((r) => r.slice(5, 7)), wanted.levels.slice(1).map((l) => [figure(l.lines_read), figure(l.lines_written)]));
    assert.equal(await text(page, "#levels tr.chosen td"), wanted.level);
    return wanted;
  };
  const page = await open(link({ code, cores: "ZEN5" }));
  await answered(page);
  assert.deepEqual([await rows(page), await page.get("document.querySelector('#machine').offsetWidth")], [[], 0]);
  await again(page, () => set(page, "data", "L2", "change"));
  await shows(page, "ZEN5", "L2", "ZEN5");
  assert.match(await text(page, "#results"), /Memory of AMD EPYC; 3 streams, 96 bytes an iteration\./);
  // Without a description of such a machine there is the prediction alone, and what is missing.
  await again(page, () => page.get("[...document.querySelectorAll('#choices button')].find((b) => b.innerText.includes('SKX')).click()"));
  assert.match(await text(page, "#no-memory"), /no description of a machine with Skylake \(server; SKX\):/);
  assert.deepEqual(await page.get("[...document.querySelectorAll('#cores tbody tr')].map((r) => r.cells[3].innerText)"), ["", figure(json(loop, "-a", "ZEN5", "--data", "L2", "--memory", "ZEN5").data.cycles) + " in L2"]);
  await again(page, () => page.get("[...document.querySelectorAll('#choices button')].find((b) => b.innerText.includes('ZEN5')).click()"));
  await again(page, () => set(page, "machine", "ZEN3", "change"));
  await shows(page, "SKX", "L2", "ZEN3");
  assert.match(await text(page, ".warnings"), /the memory is that of a machine with ZEN3, the prediction is for SKX/);
  await again(page, () => set(page, "data", "size", "change"));
  await again(page, () => set(page, "machine", "described", "change"));
  await again(page, () => set(page, "described", "tacho memory 1\nlevels", "input"));
  await page.until("document.querySelector('.problems button')?.innerText.startsWith('memory: line 2:')");
  await again(page, () => set(page, "described", readFileSync(made_up, "utf8"), "input"));
  await again(page, () => set(page, "size", "2M", "change"));
  const { level } = await shows(page, "SKX", "2M", made_up);
  assert.equal(level, "memory");
  await page.until("location.hash.includes('memory=') && location.hash.includes('data=2M')");
  const other = await open(new URL(await page.get("location.href")).hash, { width: 380, height: 740 });
  await answered(other);
  await shows(other, "SKX", "2M", made_up);
  assert.ok((await other.get("document.documentElement.scrollWidth")) <= 380, "wider than a phone");
  await again(other, () => other.get("location.hash = " + JSON.stringify(link({ code, cores: "ZEN5", data: "L2", machine: "ZEN9" }))));
  assert.match(await text(other, "#remarks"), /does not know the memory of a machine 'ZEN9'/);
  await page.close();
  await other.close();
}

// Both colour schemes, as the system and the link say; on a phone nothing is wider than the screen.
for (const scheme of ["light", "dark"]) {
  const page = await open(link({ code: chain, cores: "SKL,ICX" }), { width: 380, height: 740, scheme });
  await answered(page);
  assert.equal(await page.get("document.documentElement.dataset.theme"), scheme);
  assert.ok((await page.get("document.documentElement.scrollWidth")) <= 380, "wider than a phone");
  assert.ok(await page.get("document.querySelector('textarea').getBoundingClientRect().width > 200"));
  await page.close();
}

// Every example.
{
  const page = await open("");
  await answered(page);
  const count = await page.get("document.querySelector('#examples').options.length - 1");
  for (let n = 0; n < count; n++) {
    await example(page, n);
    const name = await page.get(`document.querySelector("#examples").options[${n + 1}].text`);
    assert.equal(await text(page, ".problems"), "", name);
  }

  // Thirty instructions, a key after the other.
  const block = "4801d8".repeat(10) + "480fafc3".repeat(10) + "48ffc1".repeat(10);
  await again(page, () => page.get(`location.hash = "#cores=SKX&syntax=hex&code=" + ${JSON.stringify(block)}`));
  const times = [];
  for (let k = 0; k < 30; k++) {
    const t = await page.get(`new Promise((done) => {
      const area = document.querySelector("textarea"), before = +document.documentElement.dataset.answered, start = performance.now();
      area.value = area.value.trim() + " ".repeat(${k % 2});
      area.dispatchEvent(new Event("input"));
      const look = () => +document.documentElement.dataset.answered > before ? requestAnimationFrame(() => done(performance.now() - start)) : setTimeout(look, 1);
      look();
    })`);
    times.push(t);
  }
  times.sort((a, b) => a - b);
  console.log("30 instructions: from a key to the answer", times[15].toFixed(1), "ms (median),", times[28].toFixed(1), "ms (second longest of 30)");
  await page.close();
}

// Nothing was asked of anybody, and nothing failed unseen.
for (const page of pages) {
  assert.deepEqual(page.errors, []);
  assert.deepEqual(page.requests.filter((r) => !/^(file|data|blob|about):/.test(r)), []);
}
await browser.close();
console.log("the playground does what it is to do");
process.exit(0);
