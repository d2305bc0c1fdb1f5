// The bounded state of the platform, from the server's events.

const MOST_DEAD = 500;
const MOST_GONE = 500;
const MOST_REASONS = 200;
const MOST_OF_A_REASON = 30;
const OTHER = "other reasons";
const HISTORY = 90; // seconds in a link's chart
const GONE = new Set(["ended", "failed"]);

// Return a reason without names and numbers, common to many letters.
const without = ({ reason, sender, receiver }) => {
  const names = new Set([sender, ...receiver.split(", ")].flatMap((name) => [name, name.split("@", 1)[0]]));
  return reason.replace(/[^\s'",;:()/]+/gu, (word) => (names.has(word) || word.includes("@") || /^\d/.test(word) ? "…" : word));
};

export class Model {
  constructor() {
    this.fields = {};
    this.listeners = {};
    this.clear();
  }

  clear() {
    this.at = 0;
    this.agents = new Map();
    this.gone = []; // ended agents, latest last
    this.containers = new Map();
    this.links = new Map();
    this.directory = [];
    this.groups = [];
    this.roles = new Map();
    this.dead = [];
    this.deadTotal = 0;
    this.reasons = new Map(); // by reason: the number of letters, and the latest
    this.missing = {};
    this.recent = new Map(); // messages whose waiting time may be reported later
  }

  on(kind, listener) { (this.listeners[kind] ??= []).push(listener); }
  tell(kind, ...values) { for (const listener of this.listeners[kind] ?? []) listener(...values); }

  take(parcel) {
    if (parcel.begins_again) { this.clear(); this.tell("clear"); }
    const messages = [];
    const changed = new Set();
    for (const event of parcel.events) {
      const kind = event[0];
      const values = this.read(kind, event);
      if (kind === "MessageSeen") { messages.push(values); this.remember(values); } else changed.add(kind);
      if (kind === "MessageTaken") this.taken(values);
      else if (kind === "AgentSeen") this.takeAgent(values);
      else if (kind === "DeadLetter") this.takeDead(values);
      else if (kind === "Figures") this.takeFigures(values);
      this.at = Math.max(this.at, values.at);
    }
    this.tell("messages", messages, parcel.left_out);
    if (changed.has("AgentSeen") || changed.has("Figures")) this.tell("agents");
    if (changed.has("Figures")) this.tell("figures");
    if (changed.has("DeadLetter")) this.tell("dead");
  }

  read(kind, event) {
    const names = this.fields[kind] ?? [];
    const values = {};
    for (let at = 0; at < names.length; at += 1) values[names[at]] = event[at + 1];
    return values;
  }

  remember(message) {
    if (message.waited !== null && message.waited !== undefined) return;
    if (this.recent.size >= 4000) this.recent.delete(this.recent.keys().next().value);
    this.recent.set(`${message.container} ${message.number}`, message);
  }

  taken({ container, number, waited }) {
    const key = `${container} ${number}`;
    const message = this.recent.get(key);
    if (message) { message.waited = waited; this.recent.delete(key); }
  }

  takeAgent({ name, container, kind, state, at }) {
    const known = this.agents.get(name);
    if (GONE.has(state)) {
      if (known && known.container === container) this.end(name, state, at);
    } else if (known) {
      this.agents.set(name, { ...known, container, state });
    } else {
      this.agents.set(name, { name, container, kind, state, waiting: 0, messages: null, cpu: null, failures: 0, behaviours: [] });
    }
  }

  end(name, state, at) {
    const agent = this.agents.get(name);
    if (!agent) return;
    this.agents.delete(name);
    this.gone.push({ ...agent, state, at });
    if (this.gone.length > MOST_GONE) this.gone.splice(0, MOST_GONE / 2);
  }

  takeDead(letter) {
    this.deadTotal += 1;
    this.dead.push(letter);
    if (this.dead.length > MOST_DEAD) this.dead.shift();
    let key = without(letter);
    if (this.reasons.size >= MOST_REASONS && !this.reasons.has(key)) key = OTHER;
    const group = this.reasons.get(key) ?? { key, reason: key === OTHER ? key : letter.reason, count: 0, letters: [] };
    if (group.reason !== letter.reason) group.reason = key;
    group.count += 1;
    group.last = letter;
    group.letters.push(letter);
    if (group.letters.length > MOST_OF_A_REASON) group.letters.shift();
    this.reasons.set(key, group);
  }

  takeFigures(figures) {
    this.containers = new Map(figures.containers.map((one) => [one.name, one]));
    for (const agent of figures.agents) this.agents.set(agent.name, agent);
    for (const name of figures.gone) this.end(name, "ended", figures.at);
    this.missing = figures.missing;
    const links = new Map();
    for (const link of figures.links) {
      const key = `${link.container} ${link.peer}`;
      const history = this.links.get(key)?.history ?? [];
      history.push([figures.at, link.sent, link.received, link.unacknowledged, link.rtt]);
      if (history.length > HISTORY) history.shift();
      links.set(key, { ...link, history });
    }
    this.links = links;
    if (figures.directory) this.directory = figures.directory;
    if (figures.groups) {
      this.groups = figures.groups;
      this.roles = new Map(figures.groups.map((one) => [one.agent, one.role]));
    }
  }

  // Return an agent's container, if known, or else its home.
  containerOf(name) {
    return this.agents.get(name)?.container ?? name.split("@")[1]?.split(".")[0] ?? "elsewhere";
  }

  roleOf(name) { return this.roles.get(name) ?? this.agents.get(name)?.kind ?? "no role"; }
}
