// The directory, groups and roles as tables; long ones are truncated, and say so.

import { KeptTable } from "./kept_table.js";
import { make, number, shorten, shown, write } from "./text.js";

const MOST = 300;

const cut = (all, nothing) => (all.length > MOST ? `${MOST} of ${number(all.length)} shown.` : all.length ? "" : nothing);

export class Tables {
  // `agent(name)` shows an agent.
  constructor(model, place, agent) {
    Object.assign(this, { model });
    const link = { head: "agent", kind: "row", text: (one) => shorten(one.agent, 70), press: (one) => agent(one.agent) };
    this.entries = new KeptTable("Entries of the directory", [
      { head: "type", kind: "pill", text: ({ type }) => type }, { head: "name", text: ({ name }) => name }, link,
      { head: "properties", text: ({ properties }) => shorten(Object.entries(properties).map(([name, value]) => `${name}: ${value}`).join(", "), 120) },
    ]);
    this.roles = new KeptTable("Groups and roles", [
      { head: "community", text: ({ community }) => community }, { head: "group", text: ({ group }) => group }, { head: "role", kind: "pill", text: ({ role }) => role }, link,
    ]);
    this.notes = [0, 1, 2].map(() => make("p", { class: "note" }));
    place.append(make("h2", {}, "Directory"), this.entries.element, this.notes[0], make("h2", {}, "Subscriptions"), this.notes[1],
      make("h2", {}, "Groups and roles"), this.roles.element, this.notes[2]);
    model.on("figures", () => { if (!place.hidden) this.show(); });
  }

  show() {
    const { directory, groups, containers } = this.model;
    this.entries.show(directory.slice(0, MOST), (one) => `${one.agent} ${one.type} ${one.name}`);
    this.roles.show(groups.slice(0, MOST), (one) => `${one.agent} ${one.community} ${one.group} ${one.role}`);
    const open = [...containers.values()].filter((one) => one.subscriptions).map((one) => `${one.name}: ${number(one.subscriptions)}`);
    write(this.notes[0], cut(directory, "No services are registered."));
    write(this.notes[1], open.length ? shown(open.join(", ")) : "No subscriptions.");
    write(this.notes[2], cut(groups, "No groups."));
  }
}
