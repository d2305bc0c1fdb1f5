// How the nest is drawn on its canvas: the ways between containers, the chambers, and the agents in them.

import { colours, onColours } from "./colours.js";
import { font } from "./drawing.js";
import { count, make, number, ownName, percent, shorten, shown } from "./text.js";

const STATES = [["active", "active"], ["waits", "messages wait in its mailbox"], ["suspended", "suspended"], ["asleep", "asleep, or on its way"]];

const waitingColour = (waiting) => (waiting >= 100 ? colours.c : waiting >= 10 ? colours.e : colours.a);

// Draw the links: the wider, the more goes over them; broken where they are down.
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

// Draw a container, with its figures as far as there is room.
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
};

const drawNames = (context, inhabitants, sprites, matches) => {
  context.textAlign = "center";
  for (const { agent, x, y, chamber } of sprites) {
    const below = y + (inhabitants.chambers.get(chamber)?.radius ?? 9) + 11;
    context.globalAlpha = matches(agent) ? 1 : 0.2;
    context.font = font(11.5, 500);
    context.fillStyle = colours.ink;
    context.fillText(shorten(ownName(agent.name), 15), x, below, 90);
    const under = agent.behaviours.find((one) => one[2])?.[2] ?? agent.kind;
    context.font = font(10.5);
    context.fillStyle = colours.muted;
    context.fillText(shorten(shown(under), 16), x, below + 13, 90);
  }
  context.textAlign = "left";
};

// Draw the agents between two heights. `matches(agent)` tells who is looked for: others are faint; `rings` are names with
// colours, of those that stand out.
export const drawAgents = (context, inhabitants, [top, bottom], matches, rings) => {
  const named = [];
  for (const sprite of inhabitants.sprites.values()) {
    if (sprite.y < top || sprite.y > bottom || sprite.x === undefined) continue;
    const chamber = inhabitants.chambers.get(sprite.chamber);
    if (!chamber) continue;
    context.globalAlpha = matches(sprite.agent) ? 1 : 0.12;
    drawAgent(context, sprite, chamber.radius * sprite.size);
    if (chamber.isNamed) named.push(sprite);
  }
  for (const sprite of inhabitants.leaving) {
    context.globalAlpha = Math.max(0, sprite.size);
    drawAgent(context, sprite, 6 * Math.max(0, sprite.size));
  }
  drawNames(context, inhabitants, named, matches);
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

// Draw the name of who the mouse is on, where names are not there already.
export const drawHint = (context, inhabitants, hovered, width) => {
  const sprite = inhabitants.sprites.get(hovered);
  if (!sprite || inhabitants.chambers.get(sprite.chamber)?.isNamed) return;
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
};

// Say what the looks of an agent mean, in a list.
export const explainStates = (states) => {
  const canvases = [];
  for (const [kind, text] of STATES) {
    const canvas = make("canvas", { width: 36, height: 36, "aria-hidden": "true" });
    canvas.style.width = canvas.style.height = "18px";
    canvases.push([canvas, kind]);
    states.append(make("li", {}, canvas, text));
  }
  const paint = () => {
    for (const [canvas, kind] of canvases) {
      const context = canvas.getContext("2d");
      context.setTransform(2, 0, 0, 2, 0, 0);
      context.clearRect(0, 0, 18, 18);
      context.textBaseline = "middle";
      drawAgent(context, { agent: { state: kind === "waits" ? "active" : kind, waiting: kind === "waits" ? 12 : 0, messages: 0 }, x: 9, y: 9 }, 7);
    }
  };
  onColours(paint);
};
