// link.js - the state of the page, which is in its address behind #, so that a link shows the same to somebody else.
const SYNTAXES = ["auto", "att", "intel", "hex"], MODES = ["auto", "loop", "unroll"];

// code: one version or two; show: the side whose report is shown in full.
const state = { code: [""], syntax: "auto", cores: ["SKX"], mode: "auto", alignment: 0, show: 0 };

function toLink() {
  const out = new URLSearchParams();
  out.set("code", state.code[0]);
  if (state.code.length > 1) out.set("second", state.code[1]);
  out.set("cores", state.cores.join(","));
  if (state.syntax !== "auto") out.set("syntax", state.syntax);
  if (state.mode !== "auto") out.set("mode", state.mode);
  if (state.alignment) out.set("alignment", state.alignment);
  if (state.show) out.set("show", state.show);
  if (theme.chosen) out.set("theme", theme.chosen);
  return "#" + out;
}

const oneOf = (list, word) => (list.includes(word) ? word : list[0]);

// @return whether the address holds code
function fromLink(hash) {
  const link = new URLSearchParams(hash.slice(1));
  if (!link.has("code")) return false;
  state.code = [link.get("code")];
  if (link.has("second")) state.code.push(link.get("second"));
  state.cores = (link.get("cores") || "SKX").split(",").filter((c) => c).slice(0, 64);
  state.syntax = oneOf(SYNTAXES, link.get("syntax"));
  state.mode = oneOf(MODES, link.get("mode"));
  state.alignment = Math.min(63, Math.max(0, Math.round(+link.get("alignment") || 0)));
  state.show = Math.max(0, Math.round(+link.get("show") || 0));
  return true;
}

let saved = location.hash, saving = 0;
function saveLink() {
  clearTimeout(saving);
  saved = toLink();
  try {
    history.replaceState(null, "", saved);
  } catch (e) {
    console.warn(e.message); // a browser may refuse this often; the next one comes
  }
}

// Not at each key: the address is slow to change.
function saveLinkSoon() {
  clearTimeout(saving);
  saving = setTimeout(saveLink, 150);
}

async function copyLink() {
  saveLink();
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
