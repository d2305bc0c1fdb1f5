// A table that keeps its rows and rewrites only what changed: thousands of cells would take seconds.

import { make, shown } from "./text.js";

const cellClass = (kind) => (kind === "pill" ? null : kind);

export class KeptTable {
  // `columns`: each has `head` and `text(thing)`, and optionally `kind` (figure, time, pill, or row: the row's heading) and
  // `press(thing)`, which makes the text a button.
  constructor(name, columns) {
    this.columns = columns;
    this.rows = new Map();
    this.body = make("tbody");
    this.element = make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": name, hidden: true }, make("table", {},
      make("thead", {}, make("tr", {}, ...columns.map(({ head, kind }) => make("th", { scope: "col", class: cellClass(kind) }, head)))),
      this.body));
  }

  // Show these things in this order; `keyOf(thing, index)` identifies their rows.
  show(things, keyOf) {
    const kept = new Map();
    things.forEach((thing, index) => {
      let key = keyOf(thing, index);
      while (kept.has(key)) key += " ";
      const row = this.rows.get(key) ?? this.begin();
      this.fill(row, thing);
      kept.set(key, row);
    });
    for (const [key, row] of this.rows) if (!kept.has(key)) row.element.remove();
    this.rows = kept;
    this.arrange();
    this.element.hidden = !kept.size;
  }

  arrange() {
    const focused = document.activeElement;
    let next = this.body.firstChild;
    for (const { element } of this.rows.values()) {
      if (element === next) next = next.nextSibling; else this.body.insertBefore(element, next);
    }
    if (focused !== document.activeElement && this.body.contains(focused)) focused.focus({ preventScroll: true });
  }

  begin() {
    const row = { element: make("tr"), texts: [], said: [] };
    for (const { kind, press } of this.columns) {
      const text = make("bdi", { class: kind === "pill" ? kind : null });
      const inside = press ? make("button", { type: "button", class: "as-link", onclick: () => press(row.thing) }, text) : text;
      row.texts.push(text);
      row.element.append(make(kind === "row" ? "th" : "td", { scope: kind === "row" ? kind : null, class: cellClass(kind) }, inside));
    }
    return row;
  }

  fill(row, thing) {
    row.thing = thing;
    this.columns.forEach(({ text }, at) => {
      const said = text(thing);
      if (row.said[at] !== said) row.texts[at].textContent = shown(row.said[at] = said);
    });
  }
}
