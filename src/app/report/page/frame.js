// frame.js - the frame of all pages: colours, helpers. All text comes in through textContent.
const $ = (id) => document.getElementById(id);

// An element with properties and children; strings become text.
function make(tag, properties, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (name === "class") e.className = value;
    else if (name === "style") e.style.cssText = value;
    else if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) e.setAttribute(name, value);
  }
  e.append(...children.filter((c) => c !== null && c !== undefined));
  return e;
}

function svg(tag, properties, ...children) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(properties || {})) e.setAttribute(name, value);
  e.append(...children);
  return e;
}

// Cycles and what else is counted per iteration have two decimals, as in text.
function number(value, decimals = 2) {
  return value === null || value === undefined ? "" : String(Math.round(value * 10 ** decimals) / 10 ** decimals);
}

// The cycles of a prediction; without figures for all instructions they are a lower bound.
const cyclesOf = (r) => (r.lower_bound ? "at least " : "") + number(r.cycles);

function plural(n, word) {
  return n + " " + word + (n === 1 ? "" : "s");
}

function problem(message) {
  const p = $("problem");
  p.hidden = false;
  p.textContent = "This page could not be drawn: " + message;
  document.documentElement.dataset.problem = message;
}
window.addEventListener("error", (e) => problem(e.message));

// What the part of the address after # asks for: "filter=imul&theme=dark".
const wishes = new URLSearchParams(location.hash.slice(1));

const theme = {
  listeners: [],
  system: window.matchMedia("(prefers-color-scheme: dark)"),
  chosen: wishes.get("theme"),
  get name() {
    return this.chosen === "dark" || this.chosen === "light" ? this.chosen : this.system.matches ? "dark" : "light";
  },
  apply() {
    document.documentElement.dataset.theme = this.name;
    $("theme").textContent = this.name === "dark" ? "Light" : "Dark";
    $("theme").setAttribute("aria-label", "change to " + (this.name === "dark" ? "light" : "dark") + " colours");
    for (const f of this.listeners) f();
  },
  toggle() {
    this.chosen = this.name === "dark" ? "light" : "dark";
    this.apply();
  },
};

// The buttons of the frame: colours, and the keys of the timeline where there is one.
function startFrame() {
  theme.apply();
  theme.system.addEventListener("change", () => theme.apply());
  $("theme").addEventListener("click", () => theme.toggle());
  if ($("keys-button")) $("keys-button").addEventListener("click", () => $("keys").showModal());
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}
