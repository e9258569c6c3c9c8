// Appended to a page as another module: does what a user would, and leaves what there is to see in
// <ol id="seen">. page.sh compares.
const seen = document.createElement("ol");
seen.id = "seen";
document.body.append(seen);
const note = (what, value) => {
  const li = document.createElement("li");
  li.textContent = what + ": " + value;
  seen.append(li);
};
const el = (id) => document.getElementById(id);
const key = (k) => el("timeline").dispatchEvent(new KeyboardEvent("keydown", { key: k, bubbles: true, cancelable: true }));
const details = () => [...el("details").querySelectorAll("h3, p")].slice(0, 2).map((e) => e.textContent.split(":")[0]).join(" | ");
const filter = (text) => {
  el("filter").value = text;
  el("filter").dispatchEvent(new Event("input"));
};

// How many colours the canvas shows: a blank one has one.
function colours() {
  const c = el("canvas"), pixels = new Uint32Array(c.getContext("2d").getImageData(0, 0, c.width, c.height).data.buffer);
  return new Set(pixels).size;
}

const frame = () => new Promise((done) => setTimeout(done, 100));

async function act() {
  await frame();
  note("drawn", colours() > 8);
  note("all", el("count").textContent);
  key("ArrowDown");
  note("first row", details().split(" | ")[0]);
  key("ArrowLeft");
  note("folded", el("space").offsetHeight < 20000 && el("details").textContent.includes("iteration 0"));
  key("ArrowRight");
  key("ArrowDown");
  note("first µop", details());
  filter("imul i3-6");
  note("filter", el("count").textContent);
  key("Home");
  note("first match", details());
  key("Enter");
  note("waited for", details());
  key("Backspace");
  note("back", details());
  filter("p1 nothing");
  note("no match", el("count").textContent);
  filter("");
  key("End");
  note("last row", details());
  const width = el("space").offsetWidth;
  el("in").click();
  note("zoomed in", el("space").offsetWidth > width);
  key("0");
  note("usual size", el("space").offsetWidth === width);
  const height = el("space").offsetHeight;
  el("fold").click();
  note("all folded", el("space").offsetHeight < height && el("fold").textContent);
  const before = getComputedStyle(document.body).backgroundColor;
  el("theme").click();
  await frame();
  note("other colours", getComputedStyle(document.body).backgroundColor !== before);
  note("elements from the input", document.querySelectorAll("main b#hostile, script#hostile").length);
  note("requests", performance.getEntriesByType("resource").length);
  document.documentElement.dataset.acted = "yes";
}
act().catch((e) => note("problem", e.message));
