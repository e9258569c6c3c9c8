
// Added to the search's worker. lunr makes one of two states of its index that have the same name, and joins a letter and
// the number of the state behind it without a mark: "1" to 234 is "1" to 2, "3" to 4. A search for words with digits then
// fails, or not, as the text happens to number them.
lunr.TokenSet.prototype.toString = function () {
  const edges = Object.keys(this.edges).sort();
  return this._str || (this.final ? "1" : "0") + edges.map((letter) => letter + this.edges[letter].id + ",").join("");
};
