// browser.mjs - Chromium without a window, told what to do through a pipe (its DevTools protocol).
import { spawn } from "node:child_process";

export class Browser {
  #waiting = new Map();
  #next = 0;

  constructor(command, profile) {
    const args = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars", "--remote-debugging-pipe", "--user-data-dir=" + profile];
    this.child = spawn(command, args, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], env: { ...process.env, HOME: profile } });
    this.listeners = [];
    let rest = "";
    const input = this.child.stdio[4];
    input.setEncoding("utf8");
    input.on("data", (text) => {
      const messages = (rest + text).split("\0");
      rest = messages.pop();
      for (const m of messages) this.#take(JSON.parse(m));
    });
    this.child.on("exit", () => {
      for (const { fail } of this.#waiting.values()) fail(new Error("the browser has ended"));
    });
  }

  #take(m) {
    if (m.id === undefined) return this.listeners.forEach((f) => f(m));
    const { done, fail, method } = this.#waiting.get(m.id);
    this.#waiting.delete(m.id);
    if (m.error) fail(new Error(method + ": " + m.error.message));
    else done(m.result);
  }

  send(method, params = {}, sessionId = undefined) {
    return new Promise((done, fail) => {
      this.#waiting.set(++this.#next, { done, fail, method });
      this.child.stdio[3].write(JSON.stringify({ id: this.#next, method, params, sessionId }) + "\0");
    });
  }

  /** A page of its own, with nothing of other pages. */
  async open(url, { width = 1280, height = 900, scheme = "light" } = {}) {
    const { browserContextId } = await this.send("Target.createBrowserContext");
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank", browserContextId });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    for (const domain of ["Runtime", "Page", "Network", "Log"]) await page.send(domain + ".enable");
    await page.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 500 });
    await page.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
    await page.send("Page.navigate", { url });
    return page;
  }

  /** Ends it, and waits until it has written all that it writes. */
  async close() {
    const ended = new Promise((done) => this.child.on("exit", done));
    this.child.kill();
    await ended;
  }
}

export class Page {
  constructor(browser, sessionId, targetId) {
    Object.assign(this, { browser, sessionId, targetId, requests: [], errors: [] });
    browser.listeners.push((m) => {
      if (m.sessionId !== sessionId) return;
      if (m.method === "Network.requestWillBeSent") this.requests.push(m.params.request.url);
      if (m.method === "Runtime.exceptionThrown") this.errors.push(m.params.exceptionDetails.exception?.description || m.params.exceptionDetails.text);
      if (m.method === "Log.entryAdded" && m.params.entry.level === "error") this.errors.push(m.params.entry.text);
    });
  }

  send(method, params) {
    return this.browser.send(method, params, this.sessionId);
  }

  /** The value of an expression there. */
  async get(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true, userGesture: true });
    if (exceptionDetails) throw new Error(expression + ": " + (exceptionDetails.exception?.description || exceptionDetails.text));
    return result.value;
  }

  async until(expression, seconds = 30) {
    const end = Date.now() + 1000 * seconds;
    while (!(await this.get(expression))) {
      if (Date.now() > end) throw new Error("never: " + expression + "; " + this.errors.join("; "));
      await new Promise((done) => setTimeout(done, 10));
    }
  }

  /** Text at the caret, as somebody types it: one character after the other. */
  async type(text) {
    for (const c of text)
      if (c === "\n") await this.key("Enter", { text: "\r" });
      else await this.send("Input.dispatchKeyEvent", { type: "char", text: c });
  }

  async key(key, more = {}) {
    const code = { Enter: 13, Tab: 9, Backspace: 8 }[key];
    await this.send("Input.dispatchKeyEvent", { type: more.text ? "keyDown" : "rawKeyDown", key, code: key, windowsVirtualKeyCode: code, ...more });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, code: key, windowsVirtualKeyCode: code });
  }

  async picture(clip) {
    const { data } = await this.send("Page.captureScreenshot", { format: "png", ...(clip && { clip: { x: 0, y: 0, scale: 1, ...clip } }) });
    return Buffer.from(data, "base64");
  }

  async close() {
    await this.browser.send("Target.closeTarget", { targetId: this.targetId });
  }
}
