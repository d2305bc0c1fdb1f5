// Formats names, numbers and times. Others' text is only ever text, never markup.

const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\ufe00-\ufe0f]/gu;
const escaped = (letter) => {
  const code = letter.codePointAt(0).toString(16);
  return code.length <= 2 ? "\\x" + code.padStart(2, "0") : "\\u" + code.padStart(4, "0");
};

// Return a text on one line, without invisible characters or changes of direction.
export const shown = (text) => String(text ?? "").replace(HIDDEN, escaped);
// The same for a body, which may have several lines.
export const paragraphs = (text) => String(text ?? "").split("\n").map((line) => shown(line.replaceAll("\t", "    "))).join("\n");
export const shorten = (text, longest) => (text.length <= longest ? text : text.slice(0, longest - 1) + "…");
// The same, truncated in the middle, since similar names differ at their ends.
export const shortenInside = (text, longest) => (text.length <= longest ? text : text.slice(0, Math.ceil(longest / 2) - 1) + "…" + text.slice(-Math.floor(longest / 2)));
// Return an agent's name without the domain.
export const ownName = (name) => shown(name.split("@", 1)[0] || name);

// Natural order of names: agent-2 before agent-10.
export const byName = new Intl.Collator("en", { numeric: true }).compare;

export const number = (value) => {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  if (size >= 1e6) return (value / 1e6).toFixed(size >= 1e7 ? 0 : 1) + " M";
  if (size >= 1e4) return Math.round(value).toLocaleString("en").replaceAll(",", "\u202f");
  return size >= 10 || Number.isInteger(value) ? String(Math.round(value)) : value.toFixed(1);
};
export const count = (value, one, many = one + "s") => `${number(value)} ${value === 1 ? one : many}`;
export const percent = (share) => (share === null || share === undefined ? "–" : `${number(share * 100)} %`);
export const bytes = (value) => (value >= 1e9 ? `${(value / 1e9).toFixed(1)} GB` : `${Math.round(value / 1e6)} MB`);
export const duration = (seconds) => {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 1e-3) return `${number(seconds * 1e6)} µs`;
  if (seconds < 1) return `${number(seconds * 1e3)} ms`;
  return seconds < 120 ? `${number(seconds)} s` : `${number(seconds / 60)} min`;
};
// Waiting times are known to a tenth of a second.
export const wait = (seconds) => (seconds < 0.1 ? "under 0.1 s" : duration(seconds));
const two = (value) => String(value).padStart(2, "0");
export const clock = (at) => {
  const time = new Date(at * 1000);
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
};
export const fraction = (at) => "." + String(Math.floor((at % 1) * 1000)).padStart(3, "0");

// Make an element; children are elements, or become text.
export const make = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
};
// Replace an element's text, unless it is the same.
export const write = (element, text) => { if (element.textContent !== text) element.textContent = text; };
// Return an element for a name, isolated from the direction of the text around it.
export const named = (text, attributes = {}) => make("bdi", attributes, shown(text));

let announced = 0;
// Announce something to screen readers, at most twice a second.
export const announce = (text) => {
  clearTimeout(announced);
  announced = setTimeout(() => { document.getElementById("announced").textContent = text; }, 120);
};
