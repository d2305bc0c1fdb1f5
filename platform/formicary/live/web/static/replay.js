// Controls of a recording: play, direction, speed, position.

import { clock, duration } from "./text.js";

export class Replay {
  // `connection` plays it; `paused` is called with whether it is paused; `parts`: bar, play, backwards, speed, seek,
  // place.
  constructor(connection, paused, parts) {
    Object.assign(this, { connection, paused, parts });
    this.playing = null;
    const { play, backwards, speed, seek } = parts;
    play.addEventListener("click", () => {
      const isPaused = !this.playing.is_paused;
      this.say(isPaused ? "pause" : "resume");
      this.playing = { ...this.playing, is_paused: isPaused };
      this.paused(isPaused);
    });
    backwards.addEventListener("click", () => this.setSpeed(-Math.sign(this.playing?.speed ?? 1)));
    speed.addEventListener("change", () => this.setSpeed(Math.sign(this.playing?.speed ?? 1)));
    seek.addEventListener("input", () => { this.isHeld = true; this.tell(this.chosen()); });
    seek.addEventListener("change", () => { this.isHeld = false; this.say("seek", this.chosen()); });
  }

  say(action, value = 0) { this.connection().say({ kind: "play", action, value }); }
  setSpeed(sign) { this.say("speed", sign * Number(this.parts.speed.value)); }
  chosen() { return this.playing.begins + (Number(this.parts.seek.value) / 1000) * (this.playing.ends - this.playing.begins); }

  tell(at) {
    const { begins, ends } = this.playing;
    const text = `${clock(at)} · ${duration(at - begins)} of ${duration(ends - begins)}`;
    this.parts.place.textContent = text;
    this.parts.seek.setAttribute("aria-valuetext", text);
  }

  show(playing) {
    if (!playing) return;
    this.playing = playing;
    const { bar, play, backwards, speed, seek } = this.parts;
    bar.hidden = false;
    play.textContent = playing.is_paused ? "Play" : "Pause";
    backwards.setAttribute("aria-pressed", String(playing.speed < 0));
    const rate = String(Math.abs(playing.speed));
    if (document.activeElement !== speed && [...speed.options].some((one) => one.value === rate)) speed.value = rate;
    if (this.isHeld) return;
    const length = Math.max(playing.ends - playing.begins, 0.001);
    seek.value = String(Math.round(((playing.position - playing.begins) / length) * 1000));
    this.tell(playing.position);
  }
}
