// The messages as a growing sequence diagram: keeping, showing, and moving in it.

import { onColours } from "./colours.js";
import { drawNothing, drawSequence, headerHeight, onFrame, prepare, ROW } from "./drawing.js";
import { Lanes } from "./lanes.js";
import { Pace } from "./pacing.js";
import { announce, number, ownName, shown, wait, write } from "./text.js";

const MOST = 3000; // rows kept
const MOST_LATE = 400; // rows by which a message may be late
const NARROWEST = 30; // pixels of a lane
const still = matchMedia("(prefers-reduced-motion: reduce)");
const isGap = (row) => row.gap !== undefined;

export class Messages {
  // `parts`: stage, spacer, canvas, counts, pause; `chosen` is called with the selected message, or null.
  constructor(model, filters, parts, chosen) {
    Object.assign(this, { model, filters, parts, chosen });
    this.rows = [];
    this.lanes = new Lanes();
    this.pace = new Pace(20);
    this.by = "agent";
    this.sign = 1;
    this.isPaused = false;
    this.missed = 0;
    this.selected = null;
    this.hovered = -1;
    this.size = [0, 0];
    this.lag = 0;
    this.isFollowing = true;
    this.leftTotal = 0; // messages left out since the start
    this.ask = onFrame(() => this.draw());
    model.on("messages", (messages, left) => this.take(messages, left));
    model.on("clear", () => { if (!this.isHeld()) this.clear(); });
    onColours(this.ask);
    new ResizeObserver(() => {
      this.size = [parts.stage.clientWidth, parts.stage.clientHeight]; // read once, since it causes a layout
      this.isRevealed = this.selected !== null;
      this.ask();
    }).observe(parts.stage);
    this.listen();
  }

  // The feed itself pauses a recording.
  isHeld() { return this.isPaused && !this.isPlayed; }

  clear() {
    this.rows = [];
    this.leftTotal = 0;
    this.pace.clear();
    this.isNew = true;
    this.ask();
  }

  take(messages, left) {
    const matches = this.filters.matcher();
    let added = 0;
    this.leftTotal += left;
    for (const message of messages) {
      this.filters.learn(message);
      this.time = (message.at * this.sign) / Math.max(1, Math.abs(this.speed ?? 1));
      if (!matches(message)) continue;
      if (this.isHeld()) { this.missed += 1; continue; }
      if (!this.pace.admit(message, this.time)) { this.leftTotal += 1; continue; }
      this.insert(message);
      added += 1;
    }
    if (left && this.time !== undefined) this.pace.count(this.time, 0, left);
    if (this.rows.length > MOST * 1.2) this.forget(this.rows.length - MOST);
    if (this.isNew || still.matches) this.lag = 0;
    else if (added && this.isFollowing) this.lag = Math.min(this.lag + added * ROW, 6 * ROW);
    this.isNew = false;
    if (added || left || this.isPaused) this.ask();
  }

  // Containers report in turns, so each message is sorted in by time.
  insert(message) {
    let at = this.rows.length;
    while (at > 0 && this.rows[at - 1].at > message.at && this.rows.length - at < MOST_LATE) at -= 1;
    this.rows.splice(at, 0, message);
  }

  forget(many) {
    this.rows.splice(0, many);
    if (!this.isFollowing) this.parts.stage.scrollTop -= many * ROW;
  }

  setPace(rate) { this.pace = new Pace(rate); this.ask(); }
  // The filters changed: agents without a matching message lose their lanes.
  narrow() { this.lanes.clear(); this.ask(); }
  setLanes(by) { this.by = by; this.lanes.clear(); this.ask(); }

  pause(isPaused = !this.isPaused) {
    if (isPaused === this.isPaused) return;
    this.isPaused = isPaused;
    if (!isPaused) {
      if (this.missed) this.rows.push({ gap: this.missed });
      this.missed = 0;
      this.isFollowing = true;
      this.select(null);
    }
    this.parts.pause.setAttribute("aria-pressed", String(isPaused));
    this.parts.pause.textContent = isPaused ? "Resume" : "Pause";
    this.paused?.(isPaused);
    announce(isPaused ? "Paused" : "Resumed");
    this.ask();
  }

  // Return the key of a lane for one end of a message.
  keyOf = (name) => {
    if (this.by === "agent") return name;
    return this.by === "container" ? this.model.containerOf(name) : this.model.roleOf(name);
  };
  underOf = (key) => (this.by === "agent" ? this.model.containerOf(key) : this.by);

  visible() {
    if (!this.filters.isAny()) return this.rows;
    const matches = this.filters.matcher();
    return this.rows.filter((row) => isGap(row) || matches(row));
  }

  draw() {
    const { stage, spacer, canvas } = this.parts;
    const [width, height] = this.size;
    if (!width || !height) return;
    const rows = this.visible();
    this.drawnRows = rows;
    const gutter = width < 560 ? 60 : 104;
    const header = this.header ?? 48;
    const room = Math.max(0, height - header);
    const most = Math.max(0, rows.length * ROW + 12 - room);
    spacer.style.height = `${Math.max(rows.length * ROW + 12 + header, height)}px`;
    const top = this.scroll(rows, Math.min(stage.scrollTop, most), most, room);
    const first = Math.max(0, Math.floor((top - this.lag) / ROW));
    const last = Math.min(rows.length, Math.ceil((top + room) / ROW));
    this.fit(rows, first, last, width - gutter);
    spacer.style.width = `${Math.max(width, gutter + this.laneWidth * this.lanes.keys.length)}px`;
    const isSettled = this.lanes.settle((index) => (index + 0.5) * this.laneWidth, still.matches);
    this.lag = this.lag < 1 ? 0 : this.lag * 0.8;
    const context = prepare(canvas, width, height);
    drawSequence(context, {
      rows, first, last, width, height, gutter, header, top: header - top + this.lag,
      left: stage.scrollLeft, laneWidth: this.laneWidth, lanes: this.lanes, keyOf: this.keyOf,
      underOf: this.underOf, selected: this.selected, hovered: this.hovered,
      lit: this.selected?.conversation || null,
    });
    if (!rows.length) drawNothing(context, this.nothing(), width, height);
    this.count(rows);
    if (this.lag || !isSettled) this.ask();
  }

  // Scroll to the end if following, or to the selected message; return the position.
  scroll(rows, before, most, room) {
    let top = this.isFollowing ? most : before;
    if (this.isRevealed) {
      this.isRevealed = false;
      const y = Math.max(0, rows.indexOf(this.selected)) * ROW;
      if (y < top) top = Math.max(0, y - ROW);
      else if (y + ROW > top + room) top = Math.min(most, y + 2 * ROW - room);
    }
    const { stage } = this.parts;
    if (Math.abs(stage.scrollTop - top) > 1) stage.scrollTop = top;
    this.ownTop = stage.scrollTop;
    return top;
  }

  // Give lanes to the agents of visible messages, as wide as fits.
  fit(rows, first, last, room) {
    const keys = new Set();
    for (let index = first; index < last; index += 1) {
      const row = rows[index];
      if (!isGap(row)) keys.add(this.keyOf(row.sender)).add(this.keyOf(row.receiver));
    }
    const comfortable = Math.max(2, Math.floor(room / 104));
    this.lanes.fit(keys, comfortable);
    const many = Math.max(this.lanes.keys.length, 2);
    this.laneWidth = Math.min(240, Math.max(NARROWEST, room / many));
    const header = headerHeight(this.laneWidth);
    if (header !== this.header) { this.header = header; this.ask(); }
  }

  nothing() { return this.filters.isAny() ? "No matching messages yet" : "No messages yet"; }

  count(rows) {
    const [shownNow, left] = this.pace.recent(this.time ?? 0);
    const parts = [];
    if (this.isPaused) parts.push(this.missed ? `Paused; ${number(this.missed)} more since` : "Paused");
    if (!rows.length) parts.push(this.nothing());
    if (this.leftTotal) {
      const ratio = Math.round((shownNow + left) / Math.max(1, shownNow));
      parts.push(`${ratio > 1 ? `1 in ${number(ratio)} shown, ` : ""}${number(this.leftTotal)} omitted`);
    } else if (rows.length) parts.push("all shown");
    write(this.parts.counts, parts.join(" · "));
  }

  select(message, isQuiet = false) {
    this.selected = message;
    if (message) this.pause(true);
    this.chosen(message);
    this.ask();
    if (!message || isQuiet) return;
    const waited = message.waited === null ? "" : `, ${wait(message.waited)} in the mailbox`;
    announce(`${shown(message.performative) || "message"} from ${ownName(message.sender)} to ${ownName(message.receiver)}${waited}`);
  }

  // Select the message `step` rows further, if asked in the same conversation.
  step(step, isSame = false) {
    const rows = this.visible();
    let at = this.selected ? rows.indexOf(this.selected) : step > 0 ? -1 : rows.length;
    if (!this.selected && step > 0) at = rows.length - 2; // any key selects the latest first
    do at += step;
    while (rows[at] && (isGap(rows[at]) || (isSame && this.selected && rows[at].conversation !== this.selected.conversation)));
    if (rows[at]) this.goTo(at);
  }

  goTo(index) {
    const row = this.visible()[index];
    if (!row) return;
    this.isFollowing = false;
    this.isRevealed = true;
    this.select(row);
  }

  rowAt(event) {
    const box = this.parts.canvas.getBoundingClientRect();
    const y = event.clientY - box.top - this.header;
    if (y < 0) return -1;
    const index = Math.floor((y + this.parts.stage.scrollTop) / ROW);
    const row = this.drawnRows?.[index];
    return row && !isGap(row) ? index : -1;
  }

  listen() {
    const { stage, canvas, pause } = this.parts;
    pause.addEventListener("click", () => this.pause());
    stage.addEventListener("scroll", () => {
      const isOwn = Math.abs(stage.scrollTop - this.ownTop) < 2;
      if (!isOwn) this.isFollowing = stage.scrollTop + stage.clientHeight >= stage.scrollHeight - ROW;
      this.ask();
    });
    canvas.addEventListener("pointermove", (event) => {
      const at = this.rowAt(event);
      if (at !== this.hovered) { this.hovered = at; this.ask(); }
    });
    canvas.addEventListener("pointerleave", () => { this.hovered = -1; this.ask(); });
    canvas.addEventListener("click", (event) => {
      const at = this.rowAt(event);
      this.select(at < 0 ? null : this.drawnRows[at]);
    });
    stage.addEventListener("keydown", (event) => this.press(event));
  }

  press(event) {
    const keys = {
      ArrowDown: () => this.step(1),
      ArrowUp: () => this.step(-1),
      ArrowRight: () => this.step(1, true),
      ArrowLeft: () => this.step(-1, true),
      Home: () => this.goTo(0),
      End: () => this.goTo(this.visible().length - 1),
      " ": () => this.pause(),
      Escape: () => { this.select(null); },
      f: () => this.selected && this.follow(this.selected.conversation),
      Enter: () => document.getElementById("details").focus(),
    };
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  }
}
