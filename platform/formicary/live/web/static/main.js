// Connects the page's parts: messages of the server update the model, which all views read.

import { Acting } from "./acting.js";
import { readColours } from "./colours.js";
import { Connection } from "./connection.js";
import { DeadLetters } from "./dead_letters.js";
import { Details, swatch } from "./details.js";
import { save } from "./exporting.js";
import { Filters } from "./filters.js";
import { showLinks } from "./links.js";
import { Messages } from "./messages.js";
import { Model } from "./model.js";
import { Nest } from "./nest.js";
import { Replay } from "./replay.js";
import { Tables } from "./tables.js";
import { announce, make, named, number, ownName, shown } from "./text.js";
import { readToken } from "./token.js";

const at = (id) => document.getElementById(id);
const parts = (names) => Object.fromEntries(Object.entries(names).map(([name, id]) => [name, at(id)]));
const token = readToken();

const model = new Model();
// The time of the latest event, in seconds since 1970.
export const taken = () => model.at;
const filters = new Filters(at("filters"), () => narrow());
const messages = new Messages(model, filters, parts({ stage: "stage", spacer: "spacer", canvas: "sequence", counts: "counts", pause: "pause" }),
  (message) => { if (message) details.showMessage(message); else if (typeof details.of === "object") details.hide(); });
const nest = new Nest(model, parts({ ground: "ground", canvas: "chambers", depth: "depth", search: "search", found: "found", listed: "listed", table: "agents-table", states: "states" }),
  (kind, name) => { if (!name) details.hide(); else if (kind === "agent") details.showAgent(name); else details.showContainer(name); });
const replay = new Replay(() => connection, (isPaused) => messages.pause(isPaused), parts({ bar: "replay", play: "play", backwards: "backwards", speed: "speed", seek: "seek", place: "place" }));
const showAgent = (name) => { details.showAgent(name); nest.selected = name; nest.ask(); };
const tables = new Tables(model, at("directory"), showAgent);
const deadLetters = new DeadLetters(model, at("dead"), showAgent);

const tabs = [...document.querySelectorAll("[role=tab]")];
const choose = (tab) => {
  for (const one of tabs) {
    const isChosen = one === tab;
    one.setAttribute("aria-selected", String(isChosen));
    one.tabIndex = isChosen ? 0 : -1;
    at(one.getAttribute("aria-controls")).hidden = !isChosen;
  }
  ({ messages: messages.ask, nest: nest.ask, directory: () => tables.show(), dead: () => deadLetters.open(), links: () => showLinks(model, at("links")) })[tab.getAttribute("aria-controls")]();
};
for (const tab of tabs) {
  tab.addEventListener("click", () => choose(tab));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
    next.focus();
    choose(next);
  });
}

const narrow = () => {
  const wanted = filters.wanted();
  at("filtering").classList.toggle("on", filters.isAny());
  const { conversation } = wanted;
  at("following").hidden = !conversation;
  if (conversation) {
    at("following").replaceChildren(swatch(conversation), "Following the conversation ", named(conversation),
      make("button", { type: "button", onclick: () => { filters.set({ conversation: "" }); narrow(); at("stage").focus(); } }, "Show all"));
  }
  messages.setPace(conversation ? Infinity : Number(at("pace").value));
  if (!messages.isHeld()) connection.say({ kind: "narrow", filters: wanted });
  messages.narrow();
};
const follow = (conversation) => {
  if (!conversation) return;
  filters.set({ conversation });
  narrow();
};
messages.follow = follow;
messages.paused = (isPaused) => {
  if (!messages.isPlayed) { if (!isPaused && filters.isAny()) narrow(); } else if (replay.playing.is_paused !== isPaused) replay.say(isPaused ? "pause" : "resume");
};
at("by").addEventListener("change", () => messages.setLanes(at("by").value));
at("pace").addEventListener("change", () => messages.setPace(Number(at("pace").value)));

const connection = new Connection(token, {
  hello: (hello) => {
    model.fields = hello.fields;
    at("title").textContent = shown(hello.title);
    document.title = `${shown(hello.title)} · Formicary live`;
    acting.isAllowed = hello.may_act;
    at("create").hidden = !hello.may_act;
    at("rights").textContent = hello.playing ? "A recording" : hello.may_act ? "Control enabled" : "Read-only";
    at("rights").title = hello.may_act || hello.playing ? "" : "Start the view with --allow act to control agents from here";
    replay.show(hello.playing);
    tell(watched(), false);
    if (hello.playing && !messages.isPlayed) { // recordings can be rewound, so nothing is left out
      messages.isPlayed = true;
      at("pause").hidden = true; // recordings have one
      messages.pause(hello.playing.is_paused);
      at("pace").value = "Infinity";
      messages.setPace(Infinity);
    }
    if (filters.isAny()) narrow();
  },
  parcel: (parcel) => {
    if (parcel.playing) {
      messages.speed = parcel.playing.speed;
      messages.sign = Math.sign(parcel.playing.speed) || 1;
      replay.show(parcel.playing);
    }
    model.take(parcel);
  },
  ended: ({ reason }) => tell(shown(reason) || "ended", true),
  state: (text) => tell(text, true),
  heard: () => tell(watched(), false),
});
const watched = () => (replay.playing ? "recorded" : "live");
const tell = (text, isLost) => {
  at("state").textContent = text;
  at("state").classList.toggle("lost", isLost);
};
const acting = new Acting(model, connection, at("dialog"));
at("create").addEventListener("click", () => acting.open("create", null));
const details = new Details(model, at("details"), {
  follow, agent: showAgent, acts: (agent) => acting.buttons(agent),
  close: () => { details.hide(); messages.select(null); nest.selected = null; nest.ask(); (at("messages").hidden ? at("ground") : at("stage")).focus(); },
  messagesOf: (name) => { filters.set({ agent: ownName(name) }); choose(tabs[0]); messages.pause(false); narrow(); },
  exported: (conversation, ending) => save(connection, messages.rows.filter((row) => row.conversation === conversation), model.fields.MessageSeen, conversation, ending)
    .catch((error) => announce(shown(error.message))),
});

const tile = (value, text, isWarning = false) => make("li", { class: isWarning ? "warn" : null }, make("b", {}, value), make("span", {}, text));
model.on("figures", () => {
  const all = [...model.containers.values()];
  const sum = (name) => all.reduce((total, one) => total + (one[name] ?? 0), 0);
  const dead = sum("dead_letters");
  const blocked = sum("blocked");
  at("tiles").replaceChildren(
    tile(number(sum("messages")), "messages/s"), tile(number(sum("agents")), sum("agents") === 1 ? "agent" : "agents"), tile(number(all.length), all.length === 1 ? "container" : "containers"),
    tile(number(sum("waiting")), "waiting"), tile(number(dead), dead === 1 ? "dead letter" : "dead letters", dead > 0), tile(number(blocked), "loop blocked", blocked > 0));
  at("entries").textContent = model.directory.length || "";
  at("letters").textContent = dead || "";
  at("letters").classList.toggle("warn", dead > 0);
  at("linked").textContent = model.links.size || "";
  if (!at("links").hidden) showLinks(model, at("links"));
});

const SCHEMES = { auto: ["Auto", "system setting"], light: ["Light", "light"], dark: ["Dark", "dark"] };
const setScheme = (name) => {
  document.documentElement.dataset.scheme = name;
  at("scheme").textContent = SCHEMES[name][0];
  at("scheme").setAttribute("aria-label", `Colours: ${SCHEMES[name][1]}`);
  localStorage.setItem("formicary-scheme", name);
  readColours();
};
at("scheme").addEventListener("click", () => {
  const names = Object.keys(SCHEMES);
  setScheme(names[(names.indexOf(document.documentElement.dataset.scheme) + 1) % names.length]);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", readColours);
const kept = localStorage.getItem("formicary-scheme");
setScheme(kept in SCHEMES ? kept : "auto");
