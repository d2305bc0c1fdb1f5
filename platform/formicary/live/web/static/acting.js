// Actions on the platform, where allowed: each asks for confirmation.

import { announce, make, named, ownName, shown } from "./text.js";

const WORDS = { suspend: "Suspend", resume: "Resume", kill: "Kill", move: "Move", send: "Send a message", create: "Create an agent" };
const PERFORMATIVES = ["inform", "request", "query-ref", "query-if", "cfp", "propose", "accept-proposal", "reject-proposal", "agree", "refuse", "failure", "cancel", "subscribe", "not-understood"];

export class Acting {
  constructor(model, connection, dialog) {
    Object.assign(this, { model, connection, dialog });
    this.isAllowed = false;
  }

  // Return an agent's buttons.
  buttons(agent) {
    if (!this.isAllowed) return [];
    const acts = [agent.state === "suspended" ? "resume" : "suspend", "send", "move", "kill"];
    return acts.map((act) => make("button", { type: "button", "data-key": act, class: act === "kill" ? "danger" : null, onclick: () => this.open(act, agent) }, WORDS[act]));
  }

  open(act, agent) {
    const fields = this.fields(act, agent);
    const said = make("p", { class: "remark", role: "alert", hidden: true });
    const form = make("form", { method: "dialog" },
      make("h2", {}, WORDS[act], agent ? (act === "send" ? " to " : " ") : "", agent ? named(ownName(agent.name)) : ""),
      agent && ["kill", "suspend", "resume"].includes(act) ? make("p", { class: "note" }, this.consequence(act)) : "",
      ...fields, said,
      make("div", { class: "actions" }, make("button", { type: "button", onclick: () => this.dialog.close() }, "Cancel"),
        make("button", { type: "submit", class: act === "kill" ? "danger" : "main" }, WORDS[act])));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.perform(act, agent, form, said);
    });
    this.dialog.replaceChildren(form);
    this.dialog.showModal();
  }

  consequence(act) {
    if (act === "kill") return "It ends immediately, and the messages in its mailbox become dead letters.";
    return act === "suspend" ? "It pauses until it is resumed; its messages wait." : "It continues where it paused.";
  }

  fields(act, agent) {
    const containers = [...this.model.containers.keys()].sort();
    const choice = (name, values, attributes = {}) => make("select", { name, ...attributes }, ...values.map((value) => make("option", { value }, shown(value))));
    if (act === "move") return [make("label", {}, "Destination", choice("container", containers.filter((name) => name !== agent.container)))];
    if (act === "send") {
      return [make("label", {}, "Performative", choice("performative", PERFORMATIVES)),
        make("label", {}, "Body", make("textarea", { name: "body", rows: 4, maxlength: 100000 })),
        make("label", {}, "Protocol", make("input", { name: "protocol" })), make("label", {}, "Conversation", make("input", { name: "conversation_id" }))];
    }
    if (act === "create") {
      return [make("label", {}, "Class (module:Class)", make("input", { name: "class_name", required: true })), make("label", {}, "Name", make("input", { name: "name", required: true })),
        make("label", {}, "Container", choice("container", containers)), make("label", {}, "Arguments (JSON object)", make("input", { name: "arguments", value: "{}" }))];
    }
    return [];
  }

  async perform(act, agent, form, said) {
    try {
      await this.connection.ask({ kind: "act", act, arguments: this.collect(act, agent, form) });
      this.dialog.close();
      announce(`Done: ${WORDS[act]}`);
    } catch (error) {
      said.textContent = shown(error.message);
      said.hidden = false;
    }
  }

  collect(act, agent, form) {
    const given = Object.fromEntries([...new FormData(form)].filter(([, value]) => value !== ""));
    if (act === "send") return { to: agent.name, ...given };
    if (act !== "create") return { agent: agent.name, ...given };
    try {
      return { ...given, arguments: JSON.parse(given.arguments ?? "{}") };
    } catch {
      throw new Error('The arguments must be a JSON object, such as {"price": 10}.');
    }
  }
}
