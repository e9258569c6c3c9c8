// What a reader types as the site's search takes it: without quotes and question marks, an option without its dashes,
// and "µop" as the index has it; as that stands on most pages, it counts for more in a title. What is left of the
// search's own language is "+word" and "word*".
var __search = {
  transform: function (query) {
    return query
      .replace(/["'`?!,;:()\[\]{}~^]/g, " ")
      .replace(/µops?(?![a-z])/g, "title:op^4 op")
      .replace(/µ/g, "")
      .replace(/(^|\s)[*+-]+(?=\s|$)|(^|\s)-+|-(?=-)|-+$/g, " ")
      .trim();
  },
};
