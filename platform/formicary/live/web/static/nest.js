// The nest: containers as chambers with their agents, and links as passages between them.

import { AgentsTable } from "./agents_table.js";
import { colours, onColours } from "./colours.js";
import { atMostEvery, onFrame, prepare } from "./drawing.js";
import { Inhabitants } from "./inhabitants.js";
import { drawAgents, drawChamber, drawHint, drawWays, Legend } from "./nest_drawing.js";
import { announce, count, number, ownName, shown, write } from "./text.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");
const EVERY = 250; // ms between refreshes

export class Nest {
  // `parts`: ground, canvas, depth, search, found, listed, table, states; `chosen(kind, name)` is called on a selection.
  constructor(model, parts, chosen) {
    Object.assign(this, { model, parts, chosen });
    this.inhabitants = new Inhabitants(model);
    this.selected = null;
    this.hovered = null;
    this.size = [0, 0];
    this.isListed = false;
    this.ask = onFrame(() => this.draw());
    model.on("agents", atMostEvery(EVERY, () => { this.isStale = true; this.ask(); }));
    onColours(this.ask);
    new ResizeObserver(() => {
      this.size = [parts.ground.clientWidth, parts.ground.clientHeight]; // read once, since it causes a layout
      this.isStale = true;
      this.ask();
    }).observe(parts.ground);
    this.listen();
    this.legend = new Legend(parts.states);
    this.table = new AgentsTable(parts.table, (name) => this.select(name));
  }

  matches(agent) {
    const wanted = this.wanted;
    if (!wanted) return true;
    return [agent.name, agent.kind, agent.state, this.model.roles.get(agent.name) ?? ""].some((text) => text.toLowerCase().includes(wanted));
  }

  draw() {
    const { ground, canvas, depth } = this.parts;
    const [width, height] = this.size;
    if (this.isListed && !this.parts.table.closest("section").hidden) this.table.show([...this.model.agents.values()].filter((agent) => this.matches(agent)));
    if (!width || !height) return;
    if (this.isStale) { this.isStale = false; this.inhabitants.sync(width, height, still.matches); this.legend.sync(this.model.agents); }
    depth.style.height = `${this.inhabitants.depth}px`;
    const isMoving = this.inhabitants.walk();
    const context = prepare(canvas, width, height);
    context.translate(0, -ground.scrollTop);
    context.textBaseline = "middle";
    drawWays(context, this.model, this.inhabitants);
    for (const chamber of this.inhabitants.chambers.values()) drawChamber(context, this.model, this.inhabitants, chamber);
    const seen = [ground.scrollTop - 20, ground.scrollTop + ground.clientHeight + 20];
    drawAgents(context, this.inhabitants, seen, (agent) => this.matches(agent), [[this.hovered, colours.muted], [this.selected, colours.link]]);
    drawHint(context, this.inhabitants, this.hovered, width);
    this.tellFound();
    if (isMoving) this.ask();
  }

  tellFound() {
    const { found } = this.parts;
    let text = count(this.model.agents.size, "agent");
    if (this.wanted) {
      let many = 0;
      for (const agent of this.model.agents.values()) if (this.matches(agent)) many += 1;
      text = `${number(many)} of ${text}`;
    }
    write(found, text);
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
      // Including those not drawn yet.
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
}
