// playground.mjs INDEX CHROMIUM DIRECTORY TOP: see bench/playground.
import { pathToFileURL } from "node:url";
import { Browser } from "../tests/wasm/browser.mjs";

const [index, chromium, directory, top] = process.argv.slice(2);
const browser = new Browser(chromium, directory), url = pathToFileURL(index).href;
const lines = (n) => Array.from({ length: n }, (_, k) => ["add rax, rbx", "imul rcx, rdx", "mov r8, [rsi + " + 8 * (k % 9) + "]", "vaddps ymm1, ymm2, ymm3", "inc r9"][k % 5]).join("\n");
const ms = (x) => x.toFixed(0).padStart(5) + " ms";
const spread = (times) => {
  const t = [...times].sort((a, b) => a - b);
  return "median " + ms(t[t.length >> 1]) + ", longest " + ms(t[t.length - 1]) + " of " + t.length;
};

// Of each key: from the event to the frame that shows it, counted in the page.
const WATCH = `(() => {
  const now = window.measured = { keys: [], answers: [], asked: 0 };
  document.querySelector("textarea").addEventListener("input", (e) => {
    const { timeStamp } = e;
    if (!now.asked) now.asked = timeStamp;
    requestAnimationFrame(() => { const c = new MessageChannel(); c.port1.onmessage = () => now.keys.push(performance.now() - timeStamp); c.port2.postMessage(0); });
  }, true);
  new MutationObserver(() => requestAnimationFrame(() => { if (now.asked) now.answers.push(performance.now() - now.asked); now.asked = 0; }))
    .observe(document.documentElement, { attributeFilter: ["data-answered"] });
})()`;

// Processor time of the page's own thread, which depends less on what else the machine does: of each task that it works on,
// of which keys wait for one; and of the worker's thread.
const traced = [];
browser.listeners.push((m) => m.method === "Tracing.dataCollected" && traced.push(...m.params.value));
async function tasksOf(act) {
  traced.length = 0;
  await browser.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: ["toplevel", "__metadata"], excludedCategories: ["*"] } });
  await act();
  const ended = new Promise((done) => browser.listeners.push((m) => m.method === "Tracing.tracingComplete" && done()));
  await browser.send("Tracing.end");
  await ended;
  const thread = (name) => new Set(traced.filter((e) => e.name === "thread_name" && e.args.name === name).map((e) => e.pid + ":" + e.tid));
  const times = (threads) => traced.filter((e) => e.name.endsWith("RunTask") && threads.has(e.pid + ":" + e.tid)).map((e) => (e.tdur || 0) / 1000);
  return { page: times(thread("CrRendererMain")), worker: times(thread("DedicatedWorker thread")) };
}

async function profiled(page, act) {
  if (!+top) return act();
  await page.send("Profiler.enable");
  await page.send("Profiler.start");
  await act();
  const { profile } = await page.send("Profiler.stop"), self = new Map();
  const names = new Map(profile.nodes.map((n) => [n.id, n.callFrame.functionName + ":" + (n.callFrame.lineNumber + 1)]));
  profile.samples.forEach((s, k) => self.set(names.get(s), (self.get(names.get(s)) || 0) + profile.timeDeltas[k] / 1000));
  for (const [name, t] of [...self].sort((a, b) => b[1] - a[1]).slice(0, +top)) console.log("     " + ms(t) + "  " + name);
}

for (const [n, pause] of [[30, 250], [2000, 250]]) {
  let page, opened;
  const first = await tasksOf(async () => {
    page = await browser.open(url + "#" + new URLSearchParams({ code: lines(n), cores: "SKX" }));
    await page.until("document.documentElement?.dataset.answered >= 1", 120);
    opened = await page.get("[+document.documentElement.dataset.first, performance.now()]");
  });
  const cpu = ({ page, worker }, count) => "processor time of the page " + ms(page.reduce((s, t) => s + t, 0) / count) + ", of the worker " + ms(worker.reduce((s, t) => s + t, 0) / count);
  console.log(String(n).padStart(4), "lines: cycles seen after", ms(opened[0]) + ", first report after", ms(opened[1]) + ";", cpu(first, 1));
  await page.get(WATCH);
  await page.get("document.querySelector('textarea').focus(), document.querySelector('textarea').setSelectionRange(9e9, 9e9)");
  const tasks = await tasksOf(() => profiled(page, async () => {
    for (const c of "\nadd rax, rbx\ndec rdx ") {
      await page.type(c);
      await new Promise((done) => setTimeout(done, pause));
    }
    await page.until("!measured.asked", 120);
  }));
  const { keys, answers } = await page.get("measured");
  console.log("           a key is shown after", spread(keys));
  console.log("           answered after      ", spread(answers));
  console.log("           a key:              ", cpu(tasks, keys.length) + "; longest task of the page", ms(Math.max(...tasks.page)));
  await page.close();
}
{
  const page = await browser.open(url);
  await page.until("document.documentElement?.dataset.answered >= 1");
  console.log("the page itself: cycles seen after", ms(+(await page.get("document.documentElement.dataset.first"))) + ", the whole report after", ms(await page.get("performance.now()")));
}
await browser.close();
process.exit(0);
