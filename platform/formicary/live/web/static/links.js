// Links between containers: route, round-trip time, waiting messages, and a small chart of the last seconds.

import { byName, count, duration, make, named, number, shown } from "./text.js";

const NAMESPACE = "http://www.w3.org/2000/svg";
const [WIDE, HIGH] = [300, 56];
const MOST = 60;

const draw = (tag, attributes) => {
  const made = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
};
const most = (history, at) => Math.max(1, ...history.map((one) => one[at] ?? 0));

const chart = (history) => {
  const end = history.at(-1)?.[0] ?? 0;
  const rates = Math.max(most(history, 1), most(history, 2));
  const waits = Math.max(8, most(history, 3));
  const place = (at, value, scale) => `${(WIDE - (end - at) * (WIDE / 90)).toFixed(1)},${(HIGH - 3 - (value / scale) * (HIGH - 8)).toFixed(1)}`;
  const line = (column) => history.filter((one) => one[column] !== null).map((one) => place(one[0], one[column], rates)).join(" ");
  const svg = draw("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", role: "img", "aria-label": `Up to ${number(rates)} messages a second in the last 90 s` });
  const first = history[0]?.[0] ?? 0;
  const area = `${place(first, 0, 1)} ${history.map((one) => place(one[0], one[3], waits)).join(" ")} ${place(end, 0, 1)}`;
  svg.append(draw("line", { class: "axis", x1: 0, y1: HIGH - 2, x2: WIDE, y2: HIGH - 2 }), draw("polygon", { class: "waits", points: area }),
    draw("polyline", { class: "sent", points: line(1), "vector-effect": "non-scaling-stroke" }), draw("polyline", { class: "received", points: line(2), "vector-effect": "non-scaling-stroke" }));
  return svg;
};

const card = (link) => make("li", { class: "card" },
  make("h3", {}, named(link.container), "→", named(link.peer),
    make("span", { class: `pill ${link.is_up ? "good" : "warn"}` }, link.is_up ? "up" : "down"), make("span", { class: "pill" }, shown(link.way))),
  make("div", {}, `round trip ${duration(link.rtt)} · ${count(link.unacknowledged, "frame")} not acknowledged${link.failed ? ` · ${number(link.failed)} failed` : ""}`),
  chart(link.history),
  make("p", { class: "key" }, make("span", {}, `out ${number(link.sent)}/s`), make("span", { class: "in" }, `in ${number(link.received)}/s`), make("span", { class: "wait" }, "waiting")));

export const showLinks = (model, place) => {
  const links = [...model.links.values()];
  links.sort((one, other) => (other.sent ?? 0) + (other.received ?? 0) - (one.sent ?? 0) - (one.received ?? 0) || byName(`${one.container} ${one.peer}`, `${other.container} ${other.peer}`));
  const missing = Object.entries(model.missing).map(([name, reason]) => make("p", { class: "remark" }, shown(`${name} could not be reached: ${reason}`)));
  place.replaceChildren(make("h2", {}, "Links"), ...missing,
    links.length ? make("ul", { class: "cards" }, ...links.slice(0, MOST).map(card)) : make("p", { class: "note" }, "There is only one container, so there are no links."),
    links.length > MOST ? make("p", { class: "note" }, `The ${MOST} busiest of ${number(links.length)}.`) : "");
};
