// The agents of the nest as a table: those with the fullest mailboxes first.

import { make, named, number, ownName, percent, shorten, shown } from "./text.js";

const MOST_LISTED = 200;

// Show these agents in `table`; `select(name)` is called for one that is chosen.
export const listAgents = (table, found, select) => {
  found.sort((one, other) => other.waiting - one.waiting || (other.messages ?? 0) - (one.messages ?? 0) || (one.name < other.name ? -1 : 1));
  const heads = ["agent", "container", "class", "state", "waiting", "messages/s", "CPU", "behaviours"];
  const focused = document.activeElement?.dataset.agent;
  const rows = found.slice(0, MOST_LISTED).map((agent) => make("tr", {},
    make("th", { scope: "row" }, make("button", { type: "button", class: "as-link", "data-agent": agent.name, onclick: () => select(agent.name) }, named(ownName(agent.name)))),
    make("td", {}, named(agent.container)), make("td", {}, named(agent.kind)), make("td", {}, shown(agent.state)),
    make("td", { class: "figure" }, number(agent.waiting)), make("td", { class: "figure" }, number(agent.messages)), make("td", { class: "figure" }, percent(agent.cpu)),
    make("td", {}, shorten(shown(agent.behaviours.map(([name, , state]) => (state ? `${name}: ${state}` : name)).join(", ")), 80))));
  const note = found.length > MOST_LISTED ? `The first ${MOST_LISTED} of ${number(found.length)}: search for others.` : "";
  table.replaceChildren(make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col", class: ["waiting", "messages/s", "CPU"].includes(head) ? "figure" : null }, head)))),
    make("tbody", {}, ...rows)), make("p", { class: "note" }, note));
  if (focused) [...table.querySelectorAll("[data-agent]")].find((one) => one.dataset.agent === focused)?.focus();
};
