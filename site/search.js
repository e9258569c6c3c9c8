// What a reader types as the site's search takes it: without quotes and question marks, an option without its dashes,
// and "µop" as the index has it. What is left of the search's own language is "+word" and "word*".
var __search = {
  transform: function (query) {
    return query
      .replace(/µ/g, "")
      .replace(/["'`?!,;:()\[\]{}~^]/g, " ")
      .replace(/(^|\s)[*+-]+(?=\s|$)|(^|\s)-+|-(?=-)|-+$/g, " ")
      .trim();
  },
};
