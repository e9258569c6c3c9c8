// site_search.js SITE: asks the site's own search, as a reader would, and fails where another page comes first than the
// one that answers. A line of standard input: words, a tab, and with commas the pages of which one has to be the first.
const fs = require("fs"), path = require("path"), vm = require("vm");
const site = process.argv[2];
const workers = path.join(site, "assets/javascripts/workers");
const worker = fs.readdirSync(workers).find(name => /^search\..*\.js$/.test(name));
const listeners = [], answers = [];
const context = {
    console, URL, setTimeout, clearTimeout,
    addEventListener: (name, listener) => listeners.push(listener),
    postMessage: message => answers.push(message),
    importScripts: () => {},
    location: { href: "http://site/assets/javascripts/workers/" + worker },
};
context.self = context.window = context.globalThis = context;
vm.createContext(context);
vm.runInContext(fs.readFileSync(path.join(workers, worker), "utf8"), context);
const SETUP = 0, QUERY = 2, RESULT = 3;
// A query as the page changes it.
const page = vm.createContext({});
vm.runInContext(fs.readFileSync(path.join(site, "site/search.js"), "utf8"), page);
const tell = message => Promise.all(listeners.map(listener => listener({ data: message })));

async function main() {
    const index = JSON.parse(fs.readFileSync(path.join(site, "search/search_index.json"), "utf8"));
    await tell({ type: SETUP, data: { ...index, options: { pipeline: ["trimmer", "stopWordFilter"], suggestions: false } } });
    let failures = 0;
    // States that differ have names that do.
    const named = edges => vm.runInContext("edges => Object.assign(new lunr.TokenSet(), { edges }).toString()", context)(edges);
    if (named({ 1: { id: 234 } }) === named({ 1: { id: 2 }, 3: { id: 4 } })) {
        console.log("failed: the search takes one state of its index for another");
        failures++;
    }
    for (const line of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
        const [words, pages] = line.split("\t");
        answers.length = 0;
        await tell({ type: QUERY, data: page.__search.transform(words) });
        const answer = answers.find(message => message.type === RESULT);
        const found = (answer ? answer.data.items : []).map(page => page[0].location.replace(/#.*/, ""));
        if (!pages.split(",").includes(found[0])) {
            console.log(`failed: a search for '${words}' finds ${found.slice(0, 3).join(", ") || "nothing"} first, not ${pages}`);
            failures++;
        }
    }
    process.exit(failures ? 1 : 0);
}
main().catch(error => { console.log("failed: " + error.stack); process.exit(1); });
