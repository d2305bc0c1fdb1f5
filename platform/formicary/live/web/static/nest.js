// The nest: containers as chambers, with the agents that live there, and the links as ways between them.

import { colours, onColours } from "./colours.js";
import { font, onFrame, prepare } from "./drawing.js";
import { Inhabitants } from "./inhabitants.js";
import { announce, count, make, named, number, ownName, percent, shorten, shown } from "./text.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");
const MOST_LISTED = 200;
const EVERY = 250; // ms between two looks at the model
const STATES = [["active", "active"], ["waits", "messages wait in its mailbox"], ["suspended", "suspended"], ["asleep", "asleep, or on its way"]];

const waitingColour = (waiting) => (waiting >= 100 ? colours.c : waiting >= 10 ? colours.e : colours.a);

export class Nest {
  // `parts`: ground, canvas, depth, search, found, listed, table, states; `chosen(kind, name)` is called for what is selected.
  constructor(model, parts, chosen) {
    Object.assign(this, { model, parts, chosen });
    this.inhabitants = new Inhabitants(model);
    this.selected = null;
    this.hovered = null;
    this.size = [0, 0];
    this.isListed = false;
    this.ask = onFrame(() => this.draw());
    let isWaiting = false;
    model.on("agents", () => {
      if (isWaiting) return;
      isWaiting = true;
      setTimeout(() => { isWaiting = false; this.isStale = true; this.ask(); }, EVERY);
    });
    onColours(this.ask);
    new ResizeObserver(() => {
      this.size = [parts.ground.clientWidth, parts.ground.clientHeight]; // asked once: it takes a layout
      this.isStale = true;
      this.ask();
    }).observe(parts.ground);
    this.listen();
    this.explain();
  }

  matches(agent) {
    const wanted = this.wanted;
    if (!wanted) return true;
    return [agent.name, agent.kind, agent.state, this.model.roles.get(agent.name) ?? ""].some((text) => text.toLowerCase().includes(wanted));
  }

  draw() {
    const { ground, canvas, depth } = this.parts;
    const [width, height] = this.size;
    if (this.isListed) this.list();
    if (!width || !height) return;
    if (this.isStale) { this.isStale = false; this.inhabitants.sync(width, height, still.matches); }
    depth.style.height = `${this.inhabitants.depth}px`;
    const isMoving = this.inhabitants.walk();
    const context = prepare(canvas, width, height);
    context.translate(0, -ground.scrollTop);
    context.textBaseline = "middle";
    this.drawWays(context);
    for (const chamber of this.inhabitants.chambers.values()) this.drawChamber(context, chamber);
    this.drawAll(context);
    this.drawHint(context, width);
    this.tellFound();
    if (isMoving) this.ask();
  }

  drawWays(context) {
    const slender = Math.min(1, 4 / Math.sqrt(1 + this.model.links.size));
    for (const link of this.model.links.values()) {
      const [from, to] = [this.inhabitants.chambers.get(link.container), this.inhabitants.chambers.get(link.peer)];
      if (!from || !to || link.container > link.peer) continue;
      const rate = (link.sent ?? 0) + (link.received ?? 0);
      const ends = [from, to].map((one) => [one.x + one.width / 2, one.y + one.height / 2]);
      const line = (colour, wide, dash) => {
        context.strokeStyle = colour;
        context.lineWidth = wide;
        context.setLineDash(dash);
        context.beginPath();
        context.moveTo(...ends[0]);
        context.lineTo(...ends[1]);
        context.stroke();
      };
      line(colours.rule, (7 + 4 * Math.log10(1 + rate)) * slender, []);
      line(link.is_up ? colours.card : colours.warn, 2, link.is_up ? [] : [4, 4]);
      context.setLineDash([]);
    }
  }

  drawChamber(context, chamber) {
    const { x, y, width, height, name } = chamber;
    const figures = this.model.containers.get(name);
    context.beginPath();
    context.roundRect(x, y, width, height, Math.min(34, height / 4));
    context.fillStyle = colours.paper;
    context.fill();
    context.strokeStyle = this.model.missing[name] ? colours.warn : colours.rule;
    context.lineWidth = 2;
    context.stroke();
    context.textAlign = "center";
    context.font = font(14, 650);
    context.fillStyle = colours.ink;
    const middle = x + width / 2;
    const agents = this.inhabitants.count(name);
    context.fillText(shorten(shown(name), 28), middle, y + 18, width - 30);
    context.font = font(11.5);
    context.fillStyle = colours.muted;
    const about = [count(agents, "agent")];
    if (figures?.messages != null) about.push(`${number(figures.messages)} messages/s`);
    if (figures?.cpu != null) about.push(`CPU ${percent(figures.cpu)}`);
    if (figures?.waiting) about.push(`${number(figures.waiting)} waiting`);
    while (about.length > 1 && context.measureText(about.join(" · ")).width > width - 36) about.pop();
    context.fillText(about.join(" · "), middle, y + 36, width - 30);
    context.textAlign = "left";
  }

  drawAll(context) {
    const top = this.parts.ground.scrollTop - 20;
    const bottom = top + this.parts.ground.clientHeight + 40;
    const named = [];
    for (const sprite of this.inhabitants.sprites.values()) {
      if (sprite.y < top || sprite.y > bottom || sprite.x === undefined) continue;
      const chamber = this.inhabitants.chambers.get(sprite.chamber);
      if (!chamber) continue;
      context.globalAlpha = this.matches(sprite.agent) ? 1 : 0.12;
      this.drawAgent(context, sprite, chamber.radius * sprite.size);
      if (chamber.isNamed) named.push(sprite);
    }
    for (const sprite of this.inhabitants.leaving) {
      context.globalAlpha = Math.max(0, sprite.size);
      this.drawAgent(context, sprite, 6 * Math.max(0, sprite.size));
    }
    this.drawNames(context, named);
    context.globalAlpha = 1;
    for (const [name, colour] of [[this.hovered, colours.muted], [this.selected, colours.link]]) {
      const sprite = this.inhabitants.sprites.get(name);
      if (!sprite) continue;
      context.strokeStyle = colour;
      context.lineWidth = 2.5;
      context.beginPath();
      context.arc(sprite.x, sprite.y, (this.inhabitants.chambers.get(sprite.chamber)?.radius ?? 4) + 5, 0, 2 * Math.PI);
      context.stroke();
    }
  }

  drawAgent(context, { agent, x, y }, radius) {
    const isHollow = agent.state !== "active" && agent.state !== "waiting";
    const colour = isHollow ? colours.muted : waitingColour(agent.waiting);
    if (radius < 2.4) { // one of many: a dot
      context.fillStyle = colour;
      const half = agent.waiting >= 10 ? radius + 1.4 : radius; // who has a full mailbox is found at once
      context.fillRect(x - half, y - half, half * 2, half * 2);
      return;
    }
    if (agent.messages > 0 && radius > 4) {
      const alpha = context.globalAlpha;
      context.globalAlpha = alpha * 0.16;
      context.fillStyle = colour;
      context.beginPath();
      context.arc(x, y, radius + 2 + 2.4 * Math.log10(1 + agent.messages), 0, 2 * Math.PI);
      context.fill();
      context.globalAlpha = alpha;
    }
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    if (isHollow) {
      context.strokeStyle = colour;
      context.lineWidth = Math.min(2, radius / 3);
      context.setLineDash(agent.state === "suspended" ? [] : [3, 2.5]);
      context.stroke();
      context.setLineDash([]);
      context.fillStyle = colour;
      if (agent.state === "suspended" && radius > 4) for (const side of [-1, 1]) context.fillRect(x + side * radius * 0.28 - 1.1, y - radius * 0.42, 2.2, radius * 0.84);
      return;
    }
    context.fillStyle = colour;
    context.fill();
    if (agent.waiting > 0 && radius > 4) { // how full its mailbox is, also without colours
      context.fillStyle = colours.paper;
      context.font = font(Math.min(13, radius * 1.1), 700);
      context.textAlign = "center";
      context.fillText(agent.waiting > 99 ? "99+" : String(agent.waiting), x, y + 0.5, radius * 1.8);
      context.textAlign = "left";
    }
  }

  drawNames(context, sprites) {
    context.textAlign = "center";
    for (const { agent, x, y, chamber } of sprites) {
      const below = y + (this.inhabitants.chambers.get(chamber)?.radius ?? 9) + 11;
      context.globalAlpha = this.matches(agent) ? 1 : 0.2;
      context.font = font(11.5, 500);
      context.fillStyle = colours.ink;
      context.fillText(shorten(ownName(agent.name), 15), x, below, 90);
      const under = agent.behaviours.find((one) => one[2])?.[2] ?? agent.kind;
      context.font = font(10.5);
      context.fillStyle = colours.muted;
      context.fillText(shorten(shown(under), 16), x, below + 13, 90);
    }
    context.textAlign = "left";
  }

  drawHint(context, width) {
    const sprite = this.inhabitants.sprites.get(this.hovered);
    if (!sprite || this.inhabitants.chambers.get(sprite.chamber)?.isNamed) return;
    const text = shorten(ownName(sprite.name), 40);
    context.font = font(12, 600);
    const wide = context.measureText(text).width + 16;
    const x = Math.min(Math.max(sprite.x - wide / 2, 4), width - wide - 4);
    context.fillStyle = colours.ink;
    context.beginPath();
    context.roundRect(x, sprite.y - 34, wide, 22, 6);
    context.fill();
    context.fillStyle = colours.paper;
    context.fillText(text, x + 8, sprite.y - 22);
  }

  tellFound() {
    const { found } = this.parts;
    let text = count(this.model.agents.size, "agent");
    if (this.wanted) {
      let many = 0;
      for (const agent of this.model.agents.values()) if (this.matches(agent)) many += 1;
      text = `${number(many)} of ${text}`;
    }
    if (found.textContent !== text) found.textContent = text;
  }

  select(name, isOpened = true) {
    this.selected = name;
    if (name) announce(`${ownName(name)}, ${this.model.agents.get(name)?.state ?? "gone"}, in ${shown(this.model.containerOf(name))}`);
    if (isOpened) this.chosen("agent", name);
    this.ask();
  }

  step(step) {
    const names = [...this.inhabitants.inOrder()].filter((name) => this.matches(this.model.agents.get(name) ?? { name, kind: "", state: "" }));
    if (!names.length) return;
    const at = names.indexOf(this.selected);
    this.select(names[at < 0 ? (step > 0 ? 0 : names.length - 1) : (at + step + names.length) % names.length], false);
    const sprite = this.inhabitants.sprites.get(this.selected);
    const { ground } = this.parts;
    if (sprite && (sprite.toY < ground.scrollTop || sprite.toY > ground.scrollTop + ground.clientHeight)) ground.scrollTop = sprite.toY - ground.clientHeight / 2;
  }

  chamberStep(step) {
    const names = [...this.inhabitants.chambers.keys()].filter((name) => this.inhabitants.count(name));
    if (!names.length) return;
    const at = names.indexOf(this.inhabitants.sprites.get(this.selected)?.chamber);
    const chamber = names[at < 0 ? 0 : (at + step + names.length) % names.length];
    this.select(this.inhabitants.slots.get(chamber).find((name) => name !== null), false);
  }

  listen() {
    const { ground, canvas, search, listed } = this.parts;
    const place = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top + ground.scrollTop];
    };
    ground.addEventListener("scroll", this.ask);
    canvas.addEventListener("pointermove", (event) => {
      const found = this.inhabitants.nearest(...place(event))?.name ?? null;
      if (found !== this.hovered) { this.hovered = found; this.ask(); }
    });
    canvas.addEventListener("pointerleave", () => { this.hovered = null; this.ask(); });
    canvas.addEventListener("click", (event) => {
      const [x, y] = place(event);
      const found = this.inhabitants.nearest(x, y);
      if (found) { this.select(found.name); return; }
      const chamber = [...this.inhabitants.chambers.values()].find((one) => x > one.x && x < one.x + one.width && y > one.y && y < one.y + one.height);
      this.selected = null;
      this.chosen("container", chamber?.name ?? null);
      this.ask();
    });
    ground.addEventListener("keydown", (event) => {
      const keys = {
        ArrowRight: () => this.step(1), ArrowLeft: () => this.step(-1), ArrowDown: () => this.chamberStep(1), ArrowUp: () => this.chamberStep(-1),
        Escape: () => this.select(null), Enter: () => { if (this.selected) { this.select(this.selected); document.getElementById("details").focus(); } },
      };
      if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      keys[event.key]();
    });
    search.addEventListener("input", () => { this.wanted = search.value.trim().toLowerCase(); this.ask(); });
    search.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      // Those that are not drawn yet are there, too.
      const first = [...this.inhabitants.inOrder(), ...this.model.agents.keys()]
        .find((name) => this.model.agents.has(name) && this.matches(this.model.agents.get(name)));
      if (first) this.select(first);
    });
    listed.addEventListener("click", () => this.showList(!this.isListed));
  }

  showList(isListed) {
    this.isListed = isListed;
    this.parts.listed.setAttribute("aria-pressed", String(isListed));
    this.parts.table.hidden = !isListed;
    this.parts.ground.hidden = isListed;
    this.parts.states.hidden = isListed;
    this.ask();
  }

  // The same as a table: those with the fullest mailboxes first.
  list() {
    const { table } = this.parts;
    if (table.contains(document.activeElement) && performance.now() - (this.listedAt ?? 0) < 3000) return;
    this.listedAt = performance.now();
    const found = [...this.model.agents.values()].filter((agent) => this.matches(agent));
    found.sort((one, other) => other.waiting - one.waiting || (other.messages ?? 0) - (one.messages ?? 0) || (one.name < other.name ? -1 : 1));
    const heads = ["agent", "container", "class", "state", "waiting", "messages/s", "CPU", "behaviours"];
    const focused = document.activeElement?.dataset.agent;
    const rows = found.slice(0, MOST_LISTED).map((agent) => make("tr", {},
      make("th", { scope: "row" }, make("button", { type: "button", class: "as-link", "data-agent": agent.name, onclick: () => this.select(agent.name) }, named(ownName(agent.name)))),
      make("td", {}, named(agent.container)), make("td", {}, named(agent.kind)), make("td", {}, shown(agent.state)),
      make("td", { class: "figure" }, number(agent.waiting)), make("td", { class: "figure" }, number(agent.messages)), make("td", { class: "figure" }, percent(agent.cpu)),
      make("td", {}, shorten(shown(agent.behaviours.map(([name, , state]) => (state ? `${name}: ${state}` : name)).join(", ")), 80))));
    const note = found.length > MOST_LISTED ? `The first ${MOST_LISTED} of ${number(found.length)}: search for others.` : "";
    table.replaceChildren(make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col", class: ["waiting", "messages/s", "CPU"].includes(head) ? "figure" : null }, head)))),
      make("tbody", {}, ...rows)), make("p", { class: "note" }, note));
    if (focused) [...table.querySelectorAll("[data-agent]")].find((one) => one.dataset.agent === focused)?.focus();
  }

  explain() {
    const canvases = [];
    for (const [kind, text] of STATES) {
      const canvas = make("canvas", { width: 36, height: 36, "aria-hidden": "true" });
      canvas.style.width = canvas.style.height = "18px";
      canvases.push([canvas, kind]);
      this.parts.states.append(make("li", {}, canvas, text));
    }
    const paint = () => {
      for (const [canvas, kind] of canvases) {
        const context = canvas.getContext("2d");
        context.setTransform(2, 0, 0, 2, 0, 0);
        context.clearRect(0, 0, 18, 18);
        context.textBaseline = "middle";
        this.drawAgent(context, { agent: { state: kind === "waits" ? "active" : kind, waiting: kind === "waits" ? 12 : 0, messages: 0 }, x: 9, y: 9 }, 7);
      }
    };
    onColours(paint);
  }
}
