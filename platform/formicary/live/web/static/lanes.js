// The lanes of the diagram: for the agents of visible messages, who keep theirs as long as possible.

export class Lanes {
  constructor() { this.clear(); }

  clear() {
    this.keys = []; // in the order of their lanes
    this.places = new Map();
    this.used = new Map();
    this.drawn = new Map(); // current positions, on the way to their places
    this.turn = 0;
  }

  // Give each of these a lane; take lanes from others if there would be more than `comfortable`.
  fit(keys, comfortable) {
    this.turn += 1;
    for (const key of keys) this.used.set(key, this.turn);
    for (const key of keys) if (!this.places.has(key)) this.place(key, comfortable);
    if (this.keys.length > comfortable) this.squeeze(comfortable);
  }

  place(key, comfortable) {
    let at = this.keys.length;
    if (at >= comfortable) {
      let oldest = this.turn;
      this.keys.forEach((other, index) => {
        if (this.used.get(other) < oldest) { oldest = this.used.get(other); at = index; }
      });
    }
    if (at < this.keys.length) this.forget(this.keys[at]);
    this.keys[at] = key;
    this.places.set(key, at);
  }

  squeeze(comfortable) {
    const unused = this.keys.filter((key) => this.used.get(key) < this.turn);
    unused.sort((one, other) => this.used.get(one) - this.used.get(other));
    const leaving = new Set(unused.slice(0, this.keys.length - comfortable));
    if (!leaving.size) return;
    for (const key of leaving) this.forget(key);
    this.keys = this.keys.filter((key) => !leaving.has(key));
    this.keys.forEach((key, index) => this.places.set(key, index));
  }

  forget(key) {
    this.places.delete(key);
    this.used.delete(key);
    this.drawn.delete(key);
  }

  // Move each lane a step towards its place; return whether all are there. `isStill`: jump.
  settle(xOf, isStill) {
    let isSettled = true;
    this.keys.forEach((key, index) => {
      const wanted = xOf(index);
      const before = this.drawn.get(key);
      if (before === undefined || isStill || Math.abs(wanted - before) < 0.5) this.drawn.set(key, wanted);
      else { this.drawn.set(key, before + (wanted - before) * 0.22); isSettled = false; }
    });
    return isSettled;
  }

  x(key) { return this.drawn.get(key); }
}
