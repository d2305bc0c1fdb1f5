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
