// Dead letters: their number by reason, and the latest.

import { atMostEvery } from "./drawing.js";
import { KeptTable } from "./kept_table.js";
import { clock, count, make, number, shorten, shown, write } from "./text.js";

const EVERY = 250; // ms between refreshes
const MOST_LETTERS = 30;

export class DeadLetters {
  // `agent(name)` shows an agent.
  constructor(model, place, agent) {
    Object.assign(this, { model, place });
    this.chosen = null; // the key of a reason, or null for all
    this.order = [];
    const name = (head, field) => ({ head, text: (letter) => shorten(letter[field], 70), press: (letter) => agent(letter[field]) });
    this.reasons = new KeptTable("Dead letters by reason", [
      { head: "letters", kind: "figure", text: (one) => number(one.count) }, { head: "latest", kind: "time", text: ({ last }) => clock(last.at) },
      { head: "reason", kind: "row", text: ({ reason }) => reason, press: ({ key }) => this.choose(key) },
    ]);
    this.letters = new KeptTable("Latest dead letters", [
      { head: "at", kind: "time", text: ({ at }) => clock(at) }, { head: "message", kind: "pill", text: ({ performative }) => performative || "message" },
      name("from", "sender"), name("to", "receiver"), { head: "reason", text: ({ reason }) => reason }, { head: "container", text: ({ container }) => container },
    ]);
    this.note = make("p", { class: "note" });
    this.heading = make("h2");
    this.all = make("button", { type: "button", onclick: () => this.choose(null) }, "Show all reasons");
    place.append(make("h2", {}, "Dead letters"), this.reasons.element, this.note, this.heading, this.all, this.letters.element);
    const again = atMostEvery(EVERY, () => { if (!place.hidden) this.show(); });
    for (const kind of ["dead", "figures", "clear"]) model.on(kind, again);
  }

  choose(key) {
    this.chosen = key;
    this.show();
    this.heading.scrollIntoView({ block: "nearest" });
  }

  // Sort by frequency when the tab is opened; then rows keep their places.
  open() {
    this.order = [...this.model.reasons.values()].sort((one, other) => other.count - one.count).map(({ key }) => key);
    this.show();
  }

  show() {
    const { dead, deadTotal, reasons, containers } = this.model;
    this.order = [...new Set([...this.order, ...reasons.keys()])].filter((key) => reasons.has(key));
    this.reasons.show(this.order.map((key) => reasons.get(key)), ({ key }) => key);
    const total = [...containers.values()].reduce((sum, one) => sum + one.dead_letters, 0);
    write(this.note, total > deadTotal ? `This page has seen ${number(deadTotal)} of ${count(total, "dead letter")}.`
      : deadTotal ? `${count(deadTotal, "dead letter")} in total.` : "All messages were delivered.");
    const group = reasons.get(this.chosen);
    const letters = (group?.letters ?? dead).slice(-MOST_LETTERS).reverse();
    this.letters.show(letters, ({ container, number: which }) => `${container} ${which}`);
    this.heading.hidden = !letters.length;
    this.all.hidden = !group;
    write(this.heading, group ? `Latest: ${shown(group.reason)}` : "Latest");
  }
}
