"use strict";
// Hover values: the <title> of a mark works without this script; with it, a tip shows at once and only once.
const tip = document.getElementById("tip");
const place = (x, y) => {
  const box = tip.getBoundingClientRect();
  const left = Math.min(x + 14, document.documentElement.clientWidth - box.width - 8);
  const above = y - box.height - 12;
  tip.style.left = Math.max(8, left) + "px";
  tip.style.top = (above > 8 ? above : y + 18) + "px";
};
const tell = (text, x, y) => { tip.textContent = text; tip.hidden = false; place(x, y); };
const texts = new Map();
for (const hit of document.querySelectorAll(".hit")) {
  const title = hit.querySelector("title");
  const text = title.textContent;
  title.remove();
  texts.set(hit, text);
  hit.addEventListener("pointerenter", (event) => tell(text, event.clientX, event.clientY));
  hit.addEventListener("pointermove", (event) => place(event.clientX, event.clientY));
  hit.addEventListener("pointerleave", () => { tip.hidden = true; });
}
// The same by keyboard: a chart takes the focus, and arrow keys go from value to value of what is shown.
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
for (const chart of document.querySelectorAll(".drawing svg")) {
  if (!chart.querySelector(".hit")) continue;
  chart.tabIndex = 0;
  const leave = () => { chart.querySelector(".here")?.classList.remove("here"); tip.hidden = true; };
  chart.addEventListener("blur", leave);
  chart.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { leave(); return; }
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const hits = [...chart.querySelectorAll(".series:not(.off) .hit")];
    const next = hits.indexOf(chart.querySelector(".here")) + step;
    leave();
    const hit = hits.at(next < 0 ? -1 : next % hits.length);
    if (!hit) return;
    hit.classList.add("here");
    const box = hit.getBoundingClientRect();
    tell(texts.get(hit), box.x + box.width / 2, box.y);
  });
}
// An axis of times with equal steps, in place of the logarithmic one.
for (const button of document.querySelectorAll(".switch")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const linear = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(linear));
    for (const drawing of button.closest("figure").querySelectorAll(".drawing")) {
      drawing.hidden = drawing.classList.contains("linear") !== linear;
    }
  });
}
// What the mouse is on, in a chart or its legend, stands out; a click shows it alone, another one all again.
for (const figure of document.querySelectorAll("figure")) {
  const all = [...figure.querySelectorAll("[data-series]")];
  const buttons = [...figure.querySelectorAll("[data-toggle]")];
  const light = (name) => {
    figure.classList.toggle("lit", name !== "");
    for (const one of all) one.classList.toggle("lit", one.dataset.series === name);
  };
  const isolate = (name) => {
    const alone = figure.dataset.alone === name ? "" : name;
    figure.dataset.alone = alone;
    for (const one of all) one.classList.toggle("off", alone !== "" && one.dataset.series !== alone);
    for (const one of buttons) one.setAttribute("aria-pressed", String(one.dataset.toggle === alone));
  };
  for (const [things, name] of [[all, "series"], [buttons, "toggle"]]) {
    for (const one of things) {
      one.addEventListener("pointerenter", () => light(one.dataset[name]));
      one.addEventListener("pointerleave", () => light(""));
      one.addEventListener("click", () => isolate(one.dataset[name]));
    }
  }
}
// What is behind a figure: a click on it, or Enter on the value that has the keys, opens its repetitions.
const behind = document.getElementById("behind");
const evidence = JSON.parse(document.getElementById("evidence")?.textContent ?? "{}");
const make = (kind, text, parent) => {
  const one = document.createElement(kind);
  one.textContent = text;
  parent.append(one);
  return one;
};
const tabulate = (name, heads, lines, parent) => {
  const used = heads.map((_, place) => lines.some((line) => (line[place] ?? "") !== ""));
  const scroll = make("div", "", parent);
  scroll.className = "scroll";
  scroll.tabIndex = 0;
  const table = make("table", "", scroll);
  make("caption", name, table);
  const rows = [["th", heads], ...lines.map((line) => ["td", line])];
  for (const [kind, cells] of rows) {
    const row = make("tr", "", table);
    heads.forEach((_, place) => { if (used[place]) make(kind, cells[place] ?? "", row); });
  }
};
const BESIDE = ["repetition", "began", "cores that others used", "stolen", "full load", "not valid", "seed"];
const defend = (keys) => {
  const found = keys.split(" ").map((key) => evidence[key]).filter(Boolean);
  if (!found.length) return;
  document.getElementById("behind-name").textContent = found[0].name;
  const body = behind.querySelector("div");
  body.replaceChildren();
  for (const known of found) {
    if (known !== found[0]) make("h2", known.name, body);
    lay(known, body);
  }
  behind.showModal();
};
const lay = (known, body) => {
  const heads = [...BESIDE, ...known.figures];
  const places = [...heads.keys()];
  // Behind when each began come its figures, and then what was the case meanwhile.
  const order = [...places.slice(0, 2), ...places.slice(BESIDE.length), ...places.slice(2, BESIDE.length)];
  const inOrder = (line) => order.map((place) => line[place]);
  tabulate("Repetitions, in their order", inOrder(heads), known.repetitions.map(inOrder), body);
  if (known.cut) make("p", known.cut, body);
  if (known.cuts.length) {
    make("p", "Other cuts of the raw values, before the cool-down:", body);
    tabulate("Other cuts", ["left out", "median", "mean"], known.cuts, body);
  }
  make("p", `Raw values, in raw/: ${known.files.map((name) => name.split("-")[0]).join(", ")}.`, body);
  if (known.command) {
    make("p", "To measure just this again:", body);
    make("code", known.command, body);
  }
};
for (const one of document.querySelectorAll("[data-of]")) {
  one.addEventListener("click", (event) => { event.stopPropagation(); defend(one.dataset.of); });
}
for (const chart of document.querySelectorAll(".drawing svg")) {
  chart.addEventListener("keydown", (event) => {
    const here = chart.querySelector(".here[data-of]");
    if (event.key === "Enter" && here) { event.preventDefault(); defend(here.dataset.of); }
  });
}
// A link to what is folded unfolds it.
const unfold = () => {
  let one = document.getElementById(location.hash.slice(1));
  for (; one; one = one.parentElement) if (one.tagName === "DETAILS") one.open = true;
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
};
addEventListener("hashchange", unfold);
if (location.hash) unfold();
// On paper nothing can be unfolded: all is, while it is printed.
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open])")];
  for (const one of folded) one.open = true;
});
addEventListener("afterprint", () => { for (const one of folded) one.open = false; });
