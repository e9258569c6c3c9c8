// Appended to the page of an evaluation as another module: does what a user would, and leaves what there is to
// see in <ol id="seen">. eval-page.sh compares.
const seen = document.createElement("ol");
seen.id = "seen";
const note = (what, value) => {
  const li = document.createElement("li");
  li.textContent = what + ": " + String(value).replace(/\s+/g, " ").trim();
  seen.append(li);
};
const part = (title) => [...document.querySelectorAll("section")].find((s) => s.querySelector("h2").textContent === title);
const first = (table) => table.querySelector("tbody tr td");

note("sections", [...document.querySelectorAll("#sections h2")].map((h) => h.textContent).join(" | "));
const summary = part("Predictors").querySelector("table"), names = summary.querySelectorAll("th button");
note("first", first(summary).textContent);
names[0].click();
names[0].click();
note("sorted by name, the other way round", first(summary).textContent);
names[3].click();
note("what is not there is last", [...summary.querySelectorAll("tbody tr")].pop().querySelector("td").textContent);
note("points of the heat maps", document.querySelectorAll(".heats circle").length);
const map = document.querySelector(".heats figure"), press = (key) => map.querySelector("svg").dispatchEvent(new KeyboardEvent("keydown", { key }));
press("ArrowRight");
note("a point by the keyboard", map.querySelector("figcaption").textContent);
note("its title", map.querySelector("circle.chosen title").textContent);
press("Escape");
note("none", map.querySelector("figcaption").textContent);
const curve = [...document.querySelectorAll(".curve")].pop(); // drawn last: on top
note("curve drawn", curve.getAttribute("d").length > 500);
document.querySelector(".curves input").click();
note("curve switched off", curve.style.display);
note("a group's figures", part("By application").querySelectorAll("tbody tr")[1].querySelectorAll("td")[2].textContent);
const worst = part("Largest errors").querySelector("tbody tr");
note("worst", worst.querySelector("pre").textContent.replace("\n", " / "));
note("note", worst.querySelector(".note").textContent);
note("failures", part("Why predictors failed").querySelectorAll("tbody tr")[1].querySelector(".message").textContent);
document.body.append(seen);
