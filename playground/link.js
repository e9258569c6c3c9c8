// link.js - the state of the page, which is in its address behind #, so that a link shows the same to somebody else. The code
// stands there as text, or packed (z=) where that is shorter; the choices can be read and changed by hand.
const SYNTAXES = ["auto", "att", "intel", "hex"], MODES = ["auto", "loop", "unroll"], LEVELS = ["L1", "L2", "L3", "memory"];

// code: one version or two; part: of each the loop or region that is meant, from 1; show: the side whose report is shown in
// full; data: a level, or the size of what the code walks through; machine: the core of the machine whose memory it is, "" for
// the predicted one's, "described" for the text `described`; remarks: what a link asks for and does not get.
const state = { code: [""], part: [1, 1], syntax: "auto", cores: ["SKX"], mode: "auto", alignment: 0, data: "L1", machine: "", described: "", show: 0, remarks: [] };

const MOST_UNPACKED = 4e6; // bytes that a link may unpack to

async function unpackedBytes(bytes, stream) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader(), chunks = [];
  for (let size = 0, next; !(next = await reader.read()).done; chunks.push(next.value))
    if ((size += next.value.length) > MOST_UNPACKED) throw new RangeError("too long");
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

async function packed(text) {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  return btoa(bytes.reduce((s, b) => s + String.fromCharCode(b), "")).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
  return new TextDecoder("utf-8", { fatal: true }).decode(await unpackedBytes(bytes, new DecompressionStream("deflate-raw")));
}

async function codeFields() {
  const [code, second] = state.code, plain = new URLSearchParams(second === undefined ? { code } : { code, second });
  if (String(plain).length < 100) return plain;
  const z = await packed(state.code.join("\0"));
  return z.length + 2 < String(plain).length ? new URLSearchParams({ z }) : plain;
}

async function toLink() {
  const choices = { ...state }, out = await codeFields();
  out.set("cores", choices.cores.join(","));
  if (choices.part.some((p) => p > 1)) out.set("part", choices.part.slice(0, choices.code.length).join(","));
  if (choices.syntax !== "auto") out.set("syntax", choices.syntax);
  if (choices.mode !== "auto") out.set("mode", choices.mode);
  if (choices.alignment) out.set("alignment", choices.alignment);
  if (choices.data !== "L1") out.set("data", choices.data);
  if (choices.data !== "L1" && choices.machine) out.set("machine", choices.machine);
  if (choices.data !== "L1" && choices.machine === "described") out.set("memory", await packed(choices.described));
  if (choices.show) out.set("show", choices.show);
  if (theme.chosen) out.set("theme", theme.chosen);
  return "#" + out;
}

// A word of the link that is none of the list is said, and the first of the list taken.
function oneOf(list, link, name) {
  const word = link.get(name);
  if (word === null || list.includes(word)) return word || list[0];
  state.remarks.push("its " + name + " '" + word + "' is none of " + list.join(", "));
  return list[0];
}

const whole = (text, low, high) => Math.min(high, Math.max(low, Math.round(+text || 0)));

// @return whether the address holds code
async function fromLink(hash) {
  const link = new URLSearchParams(hash.slice(1)), damaged = "it is damaged: its code cannot be read";
  if (!link.has("code") && !link.has("z")) return false;
  const code = link.has("z") ? await unpacked(link.get("z")).catch(() => null) : link.get("code");
  state.remarks = code === null ? [damaged] : [];
  state.code = link.has("z") ? (code || "").split("\0").slice(0, 2) : [code];
  if (link.has("second") && state.code.length === 1) state.code.push(link.get("second"));
  state.part = [0, 1].map((n) => whole((link.get("part") || "").split(",")[n], 1, 1e6));
  state.cores = [...new Set((link.get("cores") || "SKX").split(",").filter((c) => c))].slice(0, 64);
  state.syntax = oneOf(SYNTAXES, link, "syntax");
  state.mode = oneOf(MODES, link, "mode");
  state.alignment = whole(link.get("alignment"), 0, 63);
  state.data = link.get("data") || "L1";
  state.machine = link.get("machine") || "";
  state.described = link.has("memory") ? await unpacked(link.get("memory")).catch(() => (state.remarks.push("the memory that it describes cannot be read"), "")) : "";
  state.show = whole(link.get("show"), 0, 1e6);
  return true;
}

let saved = location.hash, saving = 0;
async function saveLink() {
  clearTimeout(saving);
  const wanted = await toLink();
  if (wanted === saved || location.hash !== saved) return; // or somebody has gone to another link meanwhile
  try {
    history.replaceState(null, "", wanted);
    saved = location.hash;
  } catch (e) {
    console.warn(e.message); // a browser may refuse this often; the next one comes
  }
}

// Not at each key: the address is slow to change, and slower the longer it is.
function saveLinkSoon() {
  clearTimeout(saving);
  saving = setTimeout(saveLink, state.code.join("").length > 4000 ? 1000 : 150);
}

async function copyLink() {
  await saveLink();
  const button = $("share"), words = "Copy link";
  try {
    await navigator.clipboard.writeText(location.href);
    button.textContent = "Copied";
  } catch (e) {
    prompt("The link", location.href);
    return;
  }
  setTimeout(() => (button.textContent = words), 1500);
}
