// The WebSocket to the server: reconnects when it breaks, and acknowledges each parcel once it is drawn.

const PATIENCE = [500, 1000, 2000, 4000]; // ms before reconnecting
const ANSWER = 10000; // ms for the server to open it; browsers would wait minutes for a stopped one
const SILENCE = 15000; // ms of silence after which the server is considered stopped: it sends something every 5 s

export class Connection {
  // `token` is sent in the only WebSocket header that a page can set. `handlers` has a function for each kind of message:
  // hello, parcel, ended; `state(text)` for problems, and `heard()` when they are over.
  constructor(token, handlers) {
    this.protocols = ["formicary", token].filter(Boolean);
    this.handlers = handlers;
    this.asked = new Map();
    this.number = 0;
    this.tries = 0;
    this.isOver = false;
    this.open();
  }

  open() {
    this.socket = new WebSocket(`ws://${location.host}/live`, this.protocols);
    const late = setTimeout(() => this.socket.close(), ANSWER);
    this.socket.onopen = () => { clearTimeout(late); this.tries = 0; };
    this.socket.onmessage = (event) => this.hear(JSON.parse(event.data));
    this.socket.onclose = () => { clearTimeout(late); this.closed(); };
  }

  listen() {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => { this.isSilent = true; this.handlers.state("no data: the viewer is not responding"); }, SILENCE);
  }

  hear(message) {
    this.listen();
    if (this.isSilent) { this.isSilent = false; this.handlers.heard(); }
    if (message.kind === "alive") return;
    if (message.kind === "done") {
      const [resolve, reject] = this.asked.get(message.id) ?? [];
      this.asked.delete(message.id);
      if (message.error) reject?.(new Error(message.error)); else resolve?.(message.result);
      return;
    }
    if (message.kind === "ended") this.isOver = true;
    this.handlers[message.kind](message);
    // Acknowledge after the next frame: a slow or hidden page is sent less.
    if (message.kind === "parcel") requestAnimationFrame(() => this.say({ kind: "taken", number: message.number }));
  }

  closed() {
    clearTimeout(this.silence);
    this.isSilent = false;
    for (const [, reject] of this.asked.values()) reject(new Error("The connection was lost before this was done."));
    this.asked.clear();
    if (this.isOver) return;
    this.handlers.state(this.tries < PATIENCE.length ? "connection lost: reconnecting" : "no connection: is the viewer still running? reconnecting");
    setTimeout(() => this.open(), PATIENCE[Math.min(this.tries, PATIENCE.length - 1)]);
    this.tries += 1;
  }

  say(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  // Request an action; return its result, or fail with a sentence.
  ask(message) {
    if (this.socket.readyState !== WebSocket.OPEN) return Promise.reject(new Error("Not connected."));
    this.number += 1;
    const answer = new Promise((...ways) => this.asked.set(this.number, ways));
    this.say({ ...message, id: this.number });
    return answer;
  }
}
