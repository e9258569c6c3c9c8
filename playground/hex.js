// hex.js - machine code typed in hexadecimal digits.

// Whether a text is machine code in hexadecimal digits: pairs of them, with at least one digit below a.
function isHex(text) {
  if (state.syntax !== "auto") return state.syntax === "hex";
  if (/^[^#\n]*[g-wyz]/im.test(text)) return false; // most text has such a letter early
  const digits = text.replace(/^\s*#.*$/gm, "").replace(/0x|\\x|[\s,]/gi, "");
  return digits.length > 1 && /^[0-9a-f]+$/i.test(digits) && /\d/.test(digits);
}

// The digits, and where each is in the text, from 0; a character that is none is a problem.
function readHex(text) {
  const places = [];
  let digits = "";
  for (let k = 0; k < text.length; k++) {
    const c = text[k];
    if (c === "#") {
      while (k + 1 < text.length && text[k + 1] !== "\n") k++;
    } else if ((c === "0" || c === "\\") && /x/i.test(text[k + 1] || "") && digits.length % 2 === 0) k++;
    else if (/[0-9a-f]/i.test(c)) {
      digits += c;
      places.push(k);
    } else if (!/[\s,]/.test(c)) return { problem: { at: k, length: 1, message: "'" + c + "' is no hexadecimal digit" } };
  }
  if (digits.length % 2) return { problem: { at: places[places.length - 1], length: 1, message: "half a byte: digits come in pairs" } };
  return { digits, places };
}
