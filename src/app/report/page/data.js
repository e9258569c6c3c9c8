// data.js - the data that a page has in itself.
const data = JSON.parse($("data").textContent);
