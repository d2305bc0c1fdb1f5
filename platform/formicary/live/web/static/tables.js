// The directory, groups and roles, and dead letters, as tables; long ones are cut, and say so.

import { clock, count, make, named, number, shorten, shown } from "./text.js";

const MOST = 300;

const table = (name, heads, rows, note) => make("div", {},
  make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": name },
    make("table", {},
      make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))),
      make("tbody", {}, ...rows))),
  note ? make("p", { class: "note" }, note) : null);
const cut = (all) => (all.length > MOST ? `${MOST} of ${number(all.length)} are shown.` : "");

export class Tables {
  // `places`: directory, dead; `agent(name)` shows an agent.
  constructor(model, places, agent) {
    Object.assign(this, { model, places, agent });
    for (const place of Object.values(places)) this.render(place, []);
    model.on("figures", () => { if (!places.directory.hidden) this.showDirectory(); });
    model.on("dead", () => { if (!places.dead.hidden) this.showDead(); });
  }

  // Put in what is new, unless somebody is at work there just now.
  render(place, children) {
    const focused = place.contains(document.activeElement) ? document.activeElement : null;
    const key = focused?.dataset.key;
    const tops = [...place.querySelectorAll(".scroll")].map((one) => one.scrollTop);
    place.replaceChildren(...children);
    place.querySelectorAll(".scroll").forEach((one, at) => { one.scrollTop = tops[at] ?? 0; });
    if (key) [...place.querySelectorAll("[data-key]")].find((one) => one.dataset.key === key)?.focus();
  }

  link(name, key) {
    return make("button", { type: "button", class: "as-link", "data-key": `${key} ${name}`, onclick: () => this.agent(name) }, named(shorten(name, 70)));
  }

  showDirectory() {
    const { directory, groups, containers } = this.model;
    const entries = directory.slice(0, MOST).map((one, at) => make("tr", {},
      make("td", {}, make("span", { class: "pill" }, shown(one.type))), make("td", {}, named(one.name)), make("th", { scope: "row" }, this.link(one.agent, `entry ${at}`)),
      make("td", {}, shorten(shown(Object.entries(one.properties).map(([name, value]) => `${name}: ${value}`).join(", ")), 120))));
    const roles = groups.slice(0, MOST).map((one, at) => make("tr", {},
      make("td", {}, named(one.community)), make("td", {}, named(one.group)), make("td", {}, make("span", { class: "pill" }, shown(one.role))), make("th", { scope: "row" }, this.link(one.agent, `role ${at}`))));
    const open = [...containers.values()].filter((one) => one.subscriptions);
    this.render(this.places.directory, [
      make("h2", {}, "Directory"),
      directory.length ? table("Entries of the directory", ["type", "name", "agent", "properties"], entries, cut(directory)) : make("p", { class: "note" }, "Nobody has registered anything."),
      make("h2", {}, "Subscriptions"),
      make("p", { class: "note" }, open.length ? shown(open.map((one) => `${one.name}: ${number(one.subscriptions)}`).join(", ")) : "Nobody waits for news of the directory."),
      make("h2", {}, "Groups and roles"),
      groups.length ? table("Groups and roles", ["community", "group", "role", "agent"], roles, cut(groups)) : make("p", { class: "note" }, "There are no groups."),
    ]);
  }

  showDead() {
    const { dead, deadTotal } = this.model;
    const letters = dead.slice(-MOST).reverse();
    const rows = letters.map((one) => make("tr", {},
      make("td", {}, clock(one.at)), make("td", {}, make("span", { class: "pill" }, shown(one.performative) || "message")),
      make("td", {}, this.link(one.sender, `${one.container} ${one.number} from`)), make("td", {}, this.link(one.receiver, `${one.container} ${one.number} to`)),
      make("td", {}, shown(one.reason)), make("td", {}, named(one.container))));
    this.render(this.places.dead, [
      make("h2", {}, "Dead letters"),
      letters.length
        ? table("Dead letters", ["at", "message", "from", "to", "why", "container"], rows, `${count(deadTotal, "dead letter")} seen since this page was opened, the latest first.`)
        : make("p", { class: "note" }, "All messages have found their receivers."),
    ]);
  }
}
