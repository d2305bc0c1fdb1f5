// The drawn agents: each has a number in its chamber, and walks to its place there.

import { layout, spot } from "./chambers.js";
import { byName } from "./text.js";

const MOST_MOVING = 3000; // agents above which nobody walks
const SPEED = 0.16;

export class Inhabitants {
  constructor(model) {
    this.model = model;
    this.sprites = new Map();
    this.slots = new Map(); // by chamber: names, with gaps where agents left
    this.free = new Map();
    this.leaving = [];
    this.chambers = new Map();
    this.depth = 0;
  }

  // Update from the model, and lay out again; `isStill`: nobody walks.
  sync(width, height, isStill) {
    const { agents, containers } = this.model;
    const isCrowded = isStill || agents.size > MOST_MOVING;
    for (const [name, sprite] of this.sprites) if (!agents.has(name)) this.leave(name, sprite, isCrowded);
    for (const agent of agents.values()) this.enter(agent);
    this.compact();
    const names = new Set([...containers.keys(), ...this.slots.keys()]);
    const sizes = [...names].filter((name) => containers.has(name) || this.count(name))
      .sort(byName)
      .map((name) => [name, this.slots.get(name)?.length ?? 0]);
    ({ chambers: this.chambers, depth: this.depth } = layout(sizes, width, height));
    for (const sprite of this.sprites.values()) this.aim(sprite, isCrowded);
  }

  count(name) { return (this.slots.get(name)?.length ?? 0) - (this.free.get(name)?.length ?? 0); }

  enter(agent) {
    let sprite = this.sprites.get(agent.name);
    if (!sprite) {
      sprite = { name: agent.name, chamber: null, slot: 0, x: undefined, y: 0, toX: 0, toY: 0, size: 0, agent };
      this.sprites.set(agent.name, sprite);
    }
    sprite.agent = agent;
    if (sprite.chamber === agent.container) return;
    this.vacate(sprite);
    const slots = this.slots.get(agent.container) ?? this.slots.set(agent.container, []).get(agent.container);
    const free = this.free.get(agent.container);
    sprite.slot = free?.length ? free.pop() : slots.length;
    slots[sprite.slot] = agent.name;
    sprite.chamber = agent.container;
  }

  leave(name, sprite, isCrowded) {
    this.vacate(sprite);
    this.sprites.delete(name);
    if (!isCrowded && sprite.x !== undefined && this.leaving.length < 200) this.leaving.push(sprite);
  }

  vacate(sprite) {
    if (sprite.chamber === null) return;
    this.slots.get(sprite.chamber)[sprite.slot] = null;
    (this.free.get(sprite.chamber) ?? this.free.set(sprite.chamber, []).get(sprite.chamber)).push(sprite.slot);
    sprite.chamber = null;
  }

  // Once many have left, the others close up.
  compact() {
    for (const [chamber, free] of this.free) {
      const slots = this.slots.get(chamber);
      if (free.length <= slots.length / 4) continue;
      const kept = slots.filter((name) => name !== null);
      kept.forEach((name, index) => { this.sprites.get(name).slot = index; });
      this.free.delete(chamber);
      if (kept.length) this.slots.set(chamber, kept); else this.slots.delete(chamber);
    }
  }

  aim(sprite, isStill) {
    const chamber = this.chambers.get(sprite.chamber);
    if (!chamber) return;
    [sprite.toX, sprite.toY] = spot(chamber, sprite.slot);
    if (sprite.x === undefined || isStill) { [sprite.x, sprite.y] = [sprite.toX, sprite.toY]; }
    if (isStill) sprite.size = 1;
  }

  // Move all a step; return whether any are still moving.
  walk() {
    let isMoving = this.leaving.length > 0;
    for (const sprite of this.sprites.values()) {
      const [dx, dy] = [sprite.toX - sprite.x, sprite.toY - sprite.y];
      if (Math.abs(dx) + Math.abs(dy) > 0.6) { sprite.x += dx * SPEED; sprite.y += dy * SPEED; isMoving = true; } else { sprite.x = sprite.toX; sprite.y = sprite.toY; }
      if (sprite.size < 0.98) { sprite.size += (1 - sprite.size) * SPEED; isMoving = true; } else sprite.size = 1;
    }
    for (const sprite of this.leaving) sprite.size -= 0.07;
    this.leaving = this.leaving.filter((sprite) => sprite.size > 0);
    return isMoving;
  }

  nearest(x, y) {
    let best = null;
    let least = 16 ** 2;
    for (const sprite of this.sprites.values()) {
      const distance = (sprite.x - x) ** 2 + (sprite.y - y) ** 2;
      if (distance < least) { least = distance; best = sprite; }
    }
    return best;
  }

  // Yield all names, chamber by chamber.
  *inOrder() {
    for (const name of this.chambers.keys()) for (const agent of this.slots.get(name) ?? []) if (agent) yield agent;
  }
}
