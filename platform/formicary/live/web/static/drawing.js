// Draws the visible part of the sequence diagram on its canvas.

import { colours, looks, mark } from "./colours.js";
import { clock, fraction, number, ownName, shorten, shown } from "./text.js";

export const ROW = 28;
const FONT = 'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
const FAINT = 0.22;
const NARROW = 64; // pixels of a lane below which names are slanted

const widths = new Map();
const widthOf = (context, text) => {
  const key = context.font + text;
  let width = widths.get(key);
  if (width === undefined) {
    if (widths.size > 4000) widths.clear();
    width = context.measureText(text).width;
    widths.set(key, width);
  }
  return width;
};
// Truncate a text to fit.
const fitted = (context, text, room) => {
  if (widthOf(context, text) <= room) return text;
  let length = Math.max(1, Math.floor((text.length * room) / widthOf(context, text)) - 1);
  while (length > 1 && widthOf(context, text.slice(0, length) + "…") > room) length -= 1;
  return text.slice(0, length) + "…";
};

// Return a function that requests a drawing, at most once per frame.
export const onFrame = (draw) => {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => { isAsked = false; draw(); });
  };
};

// Return a function that requests work, at most once in `pause` milliseconds.
export const atMostEvery = (pause, work) => {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    setTimeout(() => { isAsked = false; work(); }, pause);
  };
};

// Fit a canvas to its box, in screen pixels, and return its context.
export const prepare = (canvas, width, height) => {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
};
export const font = (size, weight = 400) => `${weight} ${size}px ${FONT}`;

export const headerHeight = (laneWidth) => (laneWidth < NARROW ? 92 : 48);

// Draw what is visible. `scene` has: rows, first, last, top (of row 0, in pixels of the canvas), width, height,
// left (scrolled), gutter, header, laneWidth, lanes, keyOf, underOf, selected, lit (a conversation or null), hovered.
export const drawSequence = (context, scene) => {
  context.textBaseline = "middle";
  drawBackground(context, scene);
  drawLifelines(context, scene);
  for (let index = scene.first; index < scene.last; index += 1) {
    const y = scene.top + index * ROW + ROW / 2;
    const row = scene.rows[index];
    if (row.gap) drawGap(context, scene, row.gap, y);
    else drawMessage(context, scene, row, y);
  }
  context.globalAlpha = 1;
  drawTimes(context, scene);
  drawNames(context, scene);
};

// Explain in the middle why there is nothing.
export const drawNothing = (context, text, width, height) => {
  context.font = font(13);
  context.textAlign = "center";
  context.fillStyle = colours.muted;
  context.fillText(text, width / 2, height * 0.6, width - 20);
  context.textAlign = "left";
};

const drawBackground = (context, scene) => {
  const band = (index, colour) => {
    context.fillStyle = colour;
    context.fillRect(0, scene.top + index * ROW, scene.width, ROW);
  };
  if (scene.hovered >= scene.first && scene.hovered < scene.last) band(scene.hovered, colours.track);
  if (scene.selected) {
    const index = scene.rows.indexOf(scene.selected, scene.first);
    if (index >= 0 && index < scene.last) {
      band(index, colours.track);
      context.fillStyle = colours.link;
      context.fillRect(0, scene.top + index * ROW, 3, ROW);
    }
  }
};

const xOf = (scene, key) => scene.gutter + (scene.lanes.x(key) ?? 0) - scene.left;

const drawLifelines = (context, scene) => {
  context.strokeStyle = colours.rule;
  context.lineWidth = 1;
  context.beginPath();
  for (const key of scene.lanes.keys) {
    const x = Math.round(xOf(scene, key)) + 0.5;
    context.moveTo(x, scene.header);
    context.lineTo(x, scene.height);
  }
  context.stroke();
};

const drawGap = (context, scene, gap, y) => {
  context.globalAlpha = 1;
  context.font = font(11.5);
  context.fillStyle = colours.muted;
  const text = `${number(gap)} more while it was paused`;
  context.fillText(text, scene.gutter + 12, y);
  context.strokeStyle = colours.rule;
  context.setLineDash([2, 4]);
  context.beginPath();
  context.moveTo(scene.gutter + 24 + widthOf(context, text), y);
  context.lineTo(scene.width, y);
  context.stroke();
  context.setLineDash([]);
};

const drawMessage = (context, scene, message, y) => {
  const from = xOf(scene, scene.keyOf(message.sender));
  const to = xOf(scene, scene.keyOf(message.receiver));
  const isDead = message.outcome === "dead";
  const { colour, shape } = looks(message.conversation);
  context.globalAlpha = scene.lit && message.conversation !== scene.lit ? FAINT : 1;
  context.strokeStyle = isDead ? colours.warn : colour;
  context.fillStyle = isDead ? colours.warn : colour;
  context.lineWidth = message === scene.selected ? 2.6 : 1.6;
  context.setLineDash(isDead ? [5, 4] : []);
  if (from === to) drawLoop(context, from, y);
  else drawArrow(context, from, to, y + 4, isDead);
  context.setLineDash([]);
  mark(context, shape, from, from === to ? y - 3 : y + 4, 3.4);
  drawLabel(context, scene, message, from, to, y);
};

const drawArrow = (context, from, to, y, isDead) => {
  const way = to > from ? 1 : -1;
  const end = to - way * 2;
  context.beginPath();
  context.moveTo(from, y);
  context.lineTo(end - way * 6, y);
  context.stroke();
  context.setLineDash([]);
  context.beginPath();
  if (isDead) { // a cross: it was not received
    for (const slope of [1, -1]) { context.moveTo(end - 4, y - 4 * slope); context.lineTo(end + 4, y + 4 * slope); }
    context.stroke();
    return;
  }
  context.moveTo(end, y);
  context.lineTo(end - way * 8, y - 4);
  context.lineTo(end - way * 8, y + 4);
  context.closePath();
  context.fill();
};

const drawLoop = (context, x, y) => {
  context.beginPath();
  context.moveTo(x, y - 3);
  context.bezierCurveTo(x + 26, y - 7, x + 26, y + 13, x + 8, y + 9);
  context.stroke();
  context.setLineDash([]);
  context.beginPath();
  context.moveTo(x + 2, y + 8);
  context.lineTo(x + 9, y + 4);
  context.lineTo(x + 9, y + 12);
  context.closePath();
  context.fill();
};

const drawLabel = (context, scene, message, from, to, y) => {
  const name = shown(message.performative) || "message";
  const about = shorten(shown(message.body.slice(0, 80)), 60);
  context.font = font(12, 600);
  const wide = widthOf(context, name);
  const room = Math.abs(to - from) - 26;
  const isBetween = from !== to && wide <= room;
  const right = Math.max(from, to) + (from === to ? 28 : 12);
  let x = isBetween ? Math.min(from, to) + 13 : right;
  let below = y - 5;
  if (!isBetween) {
    below = y + 3;
    if (right + wide > scene.width - 4) x = Math.min(from, to) - wide - 14;
  }
  // There may be an arrow on the left: show only the name.
  const beside = x < right ? 0 : Math.min(scene.width - x - wide - 12, scene.laneWidth - wide - 40);
  const rest = isBetween ? room - wide - 8 : beside;
  write(context, name, x, below, colours.ink);
  if (!about || rest < 28) return;
  context.font = font(11.5);
  write(context, fitted(context, about, rest), x + wide + 7, below, colours.muted);
};

const write = (context, text, x, y, colour) => {
  context.lineJoin = "round";
  context.lineWidth = 4;
  context.strokeStyle = colours.card;
  context.strokeText(text, x, y);
  context.fillStyle = colour;
  context.fillText(text, x, y);
};

const drawTimes = (context, scene) => {
  context.font = font(11);
  context.textAlign = "right";
  let before = "";
  for (let index = scene.first; index < scene.last; index += 1) {
    const row = scene.rows[index];
    if (row.gap) continue;
    const second = clock(row.at);
    const y = scene.top + index * ROW + ROW / 2 + 4;
    const isNew = second !== before;
    before = second;
    context.fillStyle = isNew ? colours.ink : colours.muted;
    const text = scene.gutter < 70 ? fraction(row.at) : isNew ? second + fraction(row.at) : fraction(row.at);
    context.fillText(scene.gutter < 70 && isNew ? second.slice(3) : text, scene.gutter - 18, y);
  }
  context.textAlign = "left";
};

const drawNames = (context, scene) => {
  context.fillStyle = colours.card;
  context.fillRect(0, 0, scene.width, scene.header);
  context.strokeStyle = colours.rule;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(0, scene.header - 0.5);
  context.lineTo(scene.width, scene.header - 0.5);
  context.stroke();
  const isSlanted = scene.laneWidth < NARROW;
  for (const key of scene.lanes.keys) {
    const x = xOf(scene, key);
    if (x < scene.gutter - 60 || x > scene.width + 60) continue;
    if (isSlanted) drawSlanted(context, scene, key, x);
    else drawUpright(context, scene, key, x);
  }
};

const drawUpright = (context, scene, key, x) => {
  context.textAlign = "center";
  context.font = font(13, 600);
  context.fillStyle = colours.ink;
  const room = scene.laneWidth - 10;
  context.fillText(fitted(context, ownName(key), room), x, 17);
  context.font = font(11);
  context.fillStyle = colours.muted;
  context.fillText(fitted(context, shown(scene.underOf(key)), room), x, 34);
  context.textAlign = "left";
};

const drawSlanted = (context, scene, key, x) => {
  context.save();
  context.translate(x, scene.header - 8);
  context.rotate(-Math.PI / 3);
  context.font = font(11.5, 500);
  context.fillStyle = colours.ink;
  context.fillText(fitted(context, ownName(key), 92), 2, 0);
  context.restore();
};
