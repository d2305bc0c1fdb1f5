// Chooses which messages to show if there are too many to read: as many whole conversations as fit.

const MOST_CHOSEN = 40;
const WINDOW = 10; // seconds counted

export class Pace {
  // `rate`: messages shown per second; Infinity shows all.
  constructor(rate) { this.rate = rate; this.clear(); }

  clear() {
    this.room = this.rate === Infinity ? 0 : this.rate * 2;
    this.last = null;
    this.chosen = new Map();
    this.counts = []; // per second: [second, shown, left out]
  }

  // Return whether to show a message; `time` in seconds, by the viewer's clock.
  admit(message, time) {
    const isShown = this.rate === Infinity || this.fits(message.conversation, time);
    this.count(time, isShown ? 1 : 0, isShown ? 0 : 1);
    return isShown;
  }

  fits(conversation, time) {
    if (this.last !== null && time > this.last) {
      this.room = Math.min(this.room + (time - this.last) * this.rate, this.rate * 2);
    }
    this.last = time;
    const isChosen = conversation && this.chosen.has(conversation);
    // Shown conversations continue, for a while even beyond the limit.
    if (this.room < (isChosen ? -2 * this.rate : 1)) {
      this.chosen.delete(conversation);
      return false;
    }
    this.room -= 1;
    if (conversation) {
      this.chosen.delete(conversation);
      this.chosen.set(conversation, true);
      if (this.chosen.size > MOST_CHOSEN) this.chosen.delete(this.chosen.keys().next().value);
    }
    return true;
  }

  count(time, shown, leftOut) {
    const second = Math.floor(time);
    const last = this.counts.at(-1);
    if (last?.[0] === second) { last[1] += shown; last[2] += leftOut; } else this.counts.push([second, shown, leftOut]);
    while (this.counts.length > WINDOW + 2) this.counts.shift();
  }

  // Return the counts shown and left out in the last seconds before a time.
  recent(time) {
    const of = this.counts.filter(([second]) => second > time - WINDOW);
    return of.reduce(([shown, left], [, one, other]) => [shown + one, left + other], [0, 0]);
  }
}
