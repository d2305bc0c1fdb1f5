// Details of the selected message or agent.

import { looks } from "./colours.js";
import { bytes, clock, count, duration, fraction, make, named, number, ownName, paragraphs, percent, shown, wait } from "./text.js";

const NAMESPACE = "http://www.w3.org/2000/svg";
const PATHS = ["M8 3a5 5 0 1 0 0 10a5 5 0 1 0 0-10z", "M3.5 3.5h9v9h-9z", "M8 2l6 11H2z", "M8 1.5L14.5 8L8 14.5L1.5 8z",
  "M8 3a5 5 0 1 0 0 10a5 5 0 1 0 0-10zm0 2.6a2.4 2.4 0 1 1 0 4.8a2.4 2.4 0 1 1 0-4.8z"];

// Return a conversation's mark, as in the diagram.
export const swatch = (conversation) => {
  const { colour, shape } = looks(conversation);
  const svg = document.createElementNS(NAMESPACE, "svg");
  const path = document.createElementNS(NAMESPACE, "path");
  for (const [name, value] of Object.entries({ width: 16, height: 16, viewBox: "0 0 16 16", "aria-hidden": "true" })) svg.setAttribute(name, value);
  path.setAttribute("d", PATHS[shape]);
  path.setAttribute("fill", colour);
  svg.append(path);
  return svg;
};

const facts = (rows) => make("dl", { class: "facts" }, ...rows
  .filter(([, value]) => value !== null && value !== undefined && value !== "")
  .flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));

export class Details {
  // `does` has the buttons' actions: follow, agent, close, exported, and `acts(agent)` for an agent's buttons.
  constructor(model, place, does) {
    Object.assign(this, { model, place, does });
    this.of = null;
    // A button replaced while pressed is never clicked: show changes the next time.
    model.on("agents", () => { if (typeof this.of === "string" && !place.matches(":active")) this.showAgent(this.of, true); });
  }

  hide() {
    this.of = null;
    this.place.hidden = true;
  }

  fill(of, ...children) {
    const focused = this.place.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
    this.of = of;
    this.place.replaceChildren(
      make("button", { type: "button", class: "close quiet", "aria-label": "Close", "data-key": "close", onclick: () => this.does.close() }, "✕"),
      ...children.filter((child) => child),
    );
    this.place.hidden = false;
    if (focused) [...this.place.querySelectorAll("[data-key]")].find((one) => one.dataset.key === focused)?.focus();
  }

  link(name) {
    return make("button", { type: "button", class: "as-link", title: shown(name), onclick: () => this.does.agent(name) }, named(ownName(name)));
  }

  showMessage(message) {
    const waited = message.waited === null || message.waited === undefined ? "not received yet" : wait(message.waited);
    const whole = message.size > message.body.length ? `, of ${count(message.size, "character")}` : "";
    const follows = message.conversation && make("div", { class: "actions" },
      make("button", { type: "button", "data-key": "follow", onclick: () => this.does.follow(message.conversation) }, "Follow this conversation"),
      ...[["mmd", "Mermaid"], ["svg", "SVG"], ["csv", "CSV"]].map(([ending, format]) => make("button", {
        type: "button", class: "quiet", "data-key": ending, "aria-label": `Save this conversation as ${format}`,
        onclick: () => this.does.exported(message.conversation, ending),
      }, format)));
    this.fill(message,
      make("h2", {}, swatch(message.conversation), named(message.performative || "message")),
      message.outcome === "dead" ? make("p", { class: "remark" }, this.reason(message)) : null,
      facts([
        ["from", this.link(message.sender)],
        ["to", this.link(message.receiver)],
        ["at", `${clock(message.at)}${fraction(message.at)}`],
        ["in the mailbox", message.outcome === "delivered" ? waited : message.outcome === "sent" ? "left the platform" : "never"],
        ["seen in", named(message.container)],
        ...["protocol", "conversation", "reply_with", "in_reply_to", "language", "ontology"]
          .map((name) => [name.replaceAll("_", "-"), message[name] && named(message[name])]),
        ["number", number(message.number)],
      ]),
      make("h3", {}, "Body"),
      message.body ? make("pre", { tabindex: 0 }, paragraphs(message.body)) : make("p", { class: "note" }, "Empty."),
      whole ? make("p", { class: "note" }, `The first ${count(message.body.length, "character")}${whole}.`) : null,
      follows || null);
  }

  reason(message) {
    const letter = this.model.dead.findLast((one) => one.sender === message.sender && one.receiver === message.receiver
      && one.performative === message.performative);
    return shown(letter?.reason ?? "It was not delivered.");
  }

  showAgent(name, isAgain = false) {
    const agent = this.model.agents.get(name) ?? this.model.gone.findLast((one) => one.name === name);
    if (!agent) {
      this.fill(name, make("h2", {}, named(name)), make("p", { class: "note" }, "Nothing is known about this agent yet; it may live on another platform."));
      return;
    }
    if (isAgain && agent === this.last && this.of === name) return;
    this.last = agent;
    const isThere = this.model.agents.has(name);
    const blocks = (this.model.containers.get(agent.container)?.blockers ?? [])
      .filter((one) => one.name.split("/")[0] === name.split("@")[0]);
    const roles = this.model.groups.filter((one) => one.agent === name);
    this.fill(name,
      make("h2", {}, named(ownName(name))),
      make("p", { class: "note" }, named(name)),
      make("p", {}, make("span", { class: `pill ${agent.state === "failed" ? "warn" : agent.state === "active" ? "good" : ""}` }, isThere ? shown(agent.state) : `${shown(agent.state)} (gone)`)),
      facts([
        ["container", named(agent.container)],
        ["class", named(agent.kind)],
        ["mailbox", count(agent.waiting, "message")],
        ["receives", agent.messages === null ? null : `${number(agent.messages)} messages/s`],
        ["CPU", agent.cpu === null ? null : percent(agent.cpu)],
        ["failures", agent.failures ? count(agent.failures, "time") : null],
        ["roles", roles.length ? named(roles.map((one) => `${one.role} in ${one.group}`).join(", ")) : null],
      ]),
      ...blocks.map((one) => make("p", { class: "remark" }, shown(
        `It blocked the loop ${count(one.times, "time")}, for up to ${duration(one.longest_s)}${one.where ? ` (${one.where})` : ""}.`))),
      agent.behaviours.length ? this.behaviours(agent.behaviours) : null,
      make("div", { class: "actions" },
        make("button", { type: "button", "data-key": "its", onclick: () => this.does.messagesOf(name) }, "Show messages"),
        ...(isThere ? this.does.acts(agent) : [])));
  }

  // In the events, a behaviour is a list: its name, how many messages wait, and the state of a state machine.
  behaviours(all) {
    const rows = all.slice(0, 50).map(([name, waiting, state]) => make("tr", {},
      make("th", { scope: "row" }, named(name)), make("td", {}, state ? make("span", { class: "pill" }, shown(state)) : ""),
      make("td", { class: "figure" }, number(waiting))));
    return make("div", {}, make("h3", {}, "Behaviours"), make("table", {},
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "name"), make("th", { scope: "col" }, "state"), make("th", { scope: "col", class: "figure" }, "waiting"))),
      make("tbody", {}, ...rows)));
  }

  showContainer(name) {
    const one = this.model.containers.get(name);
    if (!one) return;
    this.fill({ container: name },
      make("h2", {}, named(name)),
      facts([
        ["host", named(one.host)], ["process", String(one.pid)], ["CPU", percent(one.cpu)], ["memory", bytes(one.memory)],
        ["agents", number(one.agents)], ["messages/s", number(one.messages)], ["waiting", number(one.waiting)],
        ["dead letters", number(one.dead_letters)], ["failures", number(one.failures)], ["subscriptions", number(one.subscriptions)],
        ...Object.entries(one.cpu_by_group).map(([group, share]) => [`CPU: ${shown(group)}`, percent(share)]),
      ]),
      ...one.blockers.map((each) => make("p", { class: "remark" }, shown(
        `${each.name} blocked the loop ${count(each.times, "time")}, for up to ${duration(each.longest_s)}${each.where ? ` (${each.where})` : ""}.`))));
  }
}
