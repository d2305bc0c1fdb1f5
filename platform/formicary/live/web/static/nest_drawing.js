// Draws the nest on its canvas: the links, the chambers, and the agents in them.

import { colours, looksOfKind, mark, onColours } from "./colours.js";
import { font } from "./drawing.js";
import { byName, count, make, named, number, ownName, percent, shorten, shortenInside, shown, write } from "./text.js";

const STATES = [["waits", "messages waiting"], ["suspended", "suspended"], ["asleep", "asleep or moving"]];
const MOST_KINDS = 8; // classes in the legend
const MANY = 10; // messages in a mailbox that are visible from afar

// Draw the links: wider with more traffic, dashed if down.
export const drawWays = (context, model, inhabitants) => {
  const slender = Math.min(1, 4 / Math.sqrt(1 + model.links.size));
  for (const link of model.links.values()) {
    const [from, to] = [inhabitants.chambers.get(link.container), inhabitants.chambers.get(link.peer)];
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
};

// Draw a container, with as many figures as fit.
export const drawChamber = (context, model, inhabitants, chamber) => {
  const { x, y, width, height, name } = chamber;
  const figures = model.containers.get(name);
  context.beginPath();
  context.roundRect(x, y, width, height, Math.min(34, height / 4));
  context.fillStyle = colours.paper;
  context.fill();
  context.strokeStyle = model.missing[name] ? colours.warn : colours.rule;
  context.lineWidth = 2;
  context.stroke();
  context.textAlign = "center";
  context.font = font(14, 650);
  context.fillStyle = colours.ink;
  const middle = x + width / 2;
  const agents = inhabitants.count(name);
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
};

const drawAgent = (context, { agent, x, y }, radius) => {
  const isHollow = agent.state !== "active" && agent.state !== "waiting";
  const { colour: own, shape } = looksOfKind(agent.kind);
  const colour = isHollow ? colours.muted : own;
  const isFull = agent.waiting >= MANY;
  if (radius < 2.4) { // one of many is a dot
    context.fillStyle = isFull ? colours.warn : colour;
    const half = isFull ? radius + 1.4 : radius; // full mailboxes stand out
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
  if (isHollow) {
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
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
  mark(context, shape, x, y, radius * (shape ? 0.95 : 1));
  if (isFull) {
    context.strokeStyle = colours.warn;
    context.lineWidth = 2;
    context.beginPath();
    context.arc(x, y, radius + 3, 0, 2 * Math.PI);
    context.stroke();
  }
  if (agent.waiting > 0 && radius > 4) { // shows how full the mailbox is, also without colours
    context.fillStyle = colours.paper;
    context.font = font(Math.min(13, radius * 1.1), 700);
    context.textAlign = "center";
    context.fillText(agent.waiting > 99 ? "99+" : String(agent.waiting), x, y + 0.5, radius * 1.8);
    context.textAlign = "left";
  }
};

const drawNames = (context, inhabitants, sprites, matches) => {
  context.textAlign = "center";
  for (const { agent, x, y, chamber } of sprites) {
    const { radius, cell } = inhabitants.chambers.get(chamber);
    const below = y + radius + cell.font - 0.5;
    const longest = Math.floor(cell.width / 6);
    context.globalAlpha = matches(agent) ? 1 : 0.2;
    context.font = font(cell.font, 500);
    context.fillStyle = colours.ink;
    context.fillText(shortenInside(ownName(agent.name), longest), x, below, cell.width - 2);
    const under = agent.behaviours.find((one) => one[2])?.[2] ?? agent.kind;
    context.font = font(cell.font - 1);
    context.fillStyle = colours.muted;
    context.fillText(shorten(shown(under), longest + 1), x, below + cell.font + 1.5, cell.width - 2);
  }
  context.textAlign = "left";
};

// Draw the agents between two heights: faint unless `matches(agent)`; `rings` are names with colours, for agents that
// stand out.
export const drawAgents = (context, inhabitants, [top, bottom], matches, rings) => {
  const withNames = [];
  for (const sprite of inhabitants.sprites.values()) {
    if (sprite.y < top || sprite.y > bottom || sprite.x === undefined) continue;
    const chamber = inhabitants.chambers.get(sprite.chamber);
    if (!chamber) continue;
    context.globalAlpha = matches(sprite.agent) ? 1 : 0.12;
    drawAgent(context, sprite, chamber.radius * sprite.size);
    if (chamber.cell) withNames.push(sprite);
  }
  for (const sprite of inhabitants.leaving) {
    context.globalAlpha = Math.max(0, sprite.size);
    drawAgent(context, sprite, 6 * Math.max(0, sprite.size));
  }
  drawNames(context, inhabitants, withNames, matches);
  context.globalAlpha = 1;
  for (const [name, colour] of rings) {
    const sprite = inhabitants.sprites.get(name);
    if (!sprite) continue;
    context.strokeStyle = colour;
    context.lineWidth = 2.5;
    context.beginPath();
    context.arc(sprite.x, sprite.y, (inhabitants.chambers.get(sprite.chamber)?.radius ?? 4) + 5, 0, 2 * Math.PI);
    context.stroke();
  }
};

// Name the agent under the mouse, unless its name is visible already.
export const drawHint = (context, inhabitants, hovered, width) => {
  const sprite = inhabitants.sprites.get(hovered);
  if (!sprite || inhabitants.chambers.get(sprite.chamber)?.cell) return;
  const { name, kind, waiting } = sprite.agent;
  const text = shorten([ownName(name), shown(kind), ...(waiting ? [`${number(waiting)} waiting`] : [])].join(" · "), 60);
  context.font = font(12, 600);
  const wide = context.measureText(text).width + 16;
  const x = Math.min(Math.max(sprite.x - wide / 2, 4), width - wide - 4);
  context.fillStyle = colours.ink;
  context.beginPath();
  context.roundRect(x, sprite.y - 34, wide, 22, 6);
  context.fill();
  context.fillStyle = colours.paper;
  context.fillText(text, x + 8, sprite.y - 22);
};

// A legend of the most frequent classes and all states.
export class Legend {
  constructor(place) {
    this.place = place;
    this.kinds = [];
    this.painted = [];
    onColours(() => this.paint());
  }

  // Update the number of agents of each class.
  sync(agents) {
    const counts = new Map();
    for (const { kind } of agents.values()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const all = [...counts].sort((one, other) => other[1] - one[1] || byName(one[0], other[0]));
    const [most, rest] = [all.slice(0, MOST_KINDS), all.slice(MOST_KINDS)];
    const kinds = most.map(([kind]) => kind).sort(byName); // by name, since their ranking keeps changing
    if (this.kinds.join("\n") !== kinds.join("\n") || !this.painted.length) this.begin(kinds);
    kinds.forEach((kind, at) => write(this.counts[at], number(counts.get(kind))));
    write(this.others, rest.length ? `${count(rest.length, "other class", "other classes")}: ${number(rest.reduce((sum, [, many]) => sum + many, 0))}` : "");
  }

  begin(kinds) {
    this.kinds = kinds;
    this.painted = [];
    this.counts = kinds.map(() => make("span"));
    this.others = make("li");
    this.place.replaceChildren(
      ...kinds.map((kind, at) => make("li", {}, this.canvas({ kind, state: "active", waiting: 0 }), named(shorten(kind, 24)), this.counts[at])),
      this.others,
      ...STATES.map(([state, text]) => make("li", {}, this.canvas({ kind: kinds[0] ?? "", state: state === "waits" ? "active" : state, waiting: state === "waits" ? 12 : 0 }), text)),
    );
    this.paint();
  }

  canvas(agent) {
    const canvas = make("canvas", { width: 40, height: 40, "aria-hidden": "true" });
    canvas.style.width = canvas.style.height = "20px";
    this.painted.push([canvas, agent]);
    return canvas;
  }

  paint() {
    for (const [canvas, agent] of this.painted) {
      const context = canvas.getContext("2d");
      context.setTransform(2, 0, 0, 2, 0, 0);
      context.clearRect(0, 0, 20, 20);
      context.textBaseline = "middle";
      drawAgent(context, { agent: { ...agent, messages: 0 }, x: 10, y: 10 }, 6);
    }
  }
}
