// The page's colours for canvases; conversations differ in colour and shape.

const NAMES = ["paper", "card", "ink", "muted", "rule", "track", "warn", "warn-paper", "good", "link",
  "a", "b", "c", "d", "e", "f", "g", "h"];
const SERIES = ["a", "c", "b", "d", "e", "g", "f", "h"];
const SHAPES = 5;
export const colours = {};
const listeners = [];

// Read the colours of the current scheme.
export const readColours = () => {
  const probe = document.getElementById("probe");
  for (const name of NAMES) {
    probe.style.color = `var(--${name})`;
    colours[name] = getComputedStyle(probe).color;
  }
  for (const listener of listeners) listener();
};
export const onColours = (listener) => listeners.push(listener);

const hashes = new Map();
const hash = (text) => {
  let value = hashes.get(text);
  if (value === undefined) {
    value = 2166136261;
    for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 16777619);
    value = (value ^ (value >>> 15)) >>> 0;
    if (hashes.size > 5000) hashes.clear();
    hashes.set(text, value);
  }
  return value;
};
// Return a conversation's colour and shape: grey and round for messages without one.
export const looks = (conversation) => {
  if (!conversation) return { colour: colours.muted, shape: 0 };
  const value = hash(conversation);
  return { colour: colours[SERIES[value % SERIES.length]], shape: Math.floor(value / SERIES.length) % SHAPES };
};

const kinds = new Map();
// Return the colour and shape of a class of agents; the first thirty classes differ.
export const looksOfKind = (kind) => {
  if (!kinds.has(kind)) kinds.set(kind, kinds.size);
  const value = kinds.get(kind);
  return { colour: colours[SERIES[value % SERIES.length]], shape: (value + Math.floor(value / SERIES.length)) % (SHAPES - 1) };
};

// Draw the mark of a shape: circle, square, triangle, diamond, or a ring.
export const mark = (context, shape, x, y, size) => {
  context.beginPath();
  if (shape === 1) context.rect(x - size * 0.9, y - size * 0.9, size * 1.8, size * 1.8);
  else if (shape === 2) { context.moveTo(x, y - size * 1.2); context.lineTo(x + size * 1.15, y + size); context.lineTo(x - size * 1.15, y + size); }
  else if (shape === 3) { context.moveTo(x, y - size * 1.35); context.lineTo(x + size * 1.35, y); context.lineTo(x, y + size * 1.35); context.lineTo(x - size * 1.35, y); }
  else context.arc(x, y, size, 0, 2 * Math.PI);
  context.closePath();
  if (shape === 4) { context.fillStyle = colours.card; context.fill(); context.lineWidth = 2; context.stroke(); } else context.fill();
};
