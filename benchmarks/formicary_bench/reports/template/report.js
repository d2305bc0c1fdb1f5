"use strict";
// Hover values: the <title> of a mark works without this script; with it, a tip shows at once and only once.
const tip = document.getElementById("tip");
const place = (event) => {
  const box = tip.getBoundingClientRect();
  const left = Math.min(event.clientX + 14, document.documentElement.clientWidth - box.width - 8);
  const above = event.clientY - box.height - 12;
  tip.style.left = Math.max(8, left) + "px";
  tip.style.top = (above > 8 ? above : event.clientY + 18) + "px";
};
for (const hit of document.querySelectorAll(".hit")) {
  const title = hit.querySelector("title");
  const text = title.textContent;
  title.remove();
  hit.addEventListener("pointerenter", (event) => { tip.textContent = text; tip.hidden = false; place(event); });
  hit.addEventListener("pointermove", place);
  hit.addEventListener("pointerleave", () => { tip.hidden = true; });
}
// A legend's buttons hide and show their series, in both drawings of the figure.
for (const button of document.querySelectorAll("[data-toggle]")) {
  button.addEventListener("click", () => {
    const shown = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(shown));
    for (const series of button.closest("figure").querySelectorAll("[data-series]")) {
      if (series.dataset.series === button.dataset.toggle) series.classList.toggle("off", !shown);
    }
  });
}
