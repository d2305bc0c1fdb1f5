// The agents of the nest as a table, fullest mailboxes first.

import { KeptTable } from "./kept_table.js";
import { byName, make, number, ownName, percent, shorten, write } from "./text.js";

const MOST_LISTED = 200;

export class AgentsTable {
  // `place` is its parent element; `select(name)` is called for a selected agent.
  constructor(place, select) {
    this.table = new KeptTable("Agents", [
      { head: "agent", kind: "row", text: ({ name }) => ownName(name), press: ({ name }) => select(name) },
      { head: "container", text: ({ container }) => container },
      { head: "class", text: ({ kind }) => kind },
      { head: "state", text: ({ state }) => state },
      { head: "waiting", kind: "figure", text: ({ waiting }) => number(waiting) },
      { head: "messages/s", kind: "figure", text: ({ messages }) => number(messages) },
      { head: "CPU", kind: "figure", text: ({ cpu }) => percent(cpu) },
      { head: "behaviours", text: ({ behaviours }) => shorten(behaviours.map(([name, , state]) => (state ? `${name}: ${state}` : name)).join(", "), 80) },
    ]);
    this.note = make("p", { class: "note" });
    place.append(this.table.element, this.note);
  }

  show(found) {
    found.sort((one, other) => other.waiting - one.waiting || (other.messages ?? 0) - (one.messages ?? 0) || byName(one.name, other.name));
    this.table.show(found.slice(0, MOST_LISTED), ({ name }) => name);
    write(this.note, found.length > MOST_LISTED ? `The first ${MOST_LISTED} of ${number(found.length)}: search to find others.` : "");
  }
}
