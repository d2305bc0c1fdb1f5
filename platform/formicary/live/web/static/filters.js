// The filters of messages: the fields above the diagram, and their content.

const NAMES = ["agent", "performative", "protocol", "conversation", "text"];
const LEARNT = ["performative", "protocol"];
const has = (text, part) => (text ?? "").toLowerCase().includes(part.toLowerCase());

export class Filters {
  // `changed` is called a moment after the user typed something.
  constructor(form, changed) {
    this.form = form;
    this.known = { performative: new Set(), protocol: new Set() };
    let waiting = 0;
    const soon = () => { clearTimeout(waiting); waiting = setTimeout(changed, 250); };
    form.addEventListener("input", soon);
    form.addEventListener("submit", (event) => { event.preventDefault(); changed(); });
    form.addEventListener("reset", () => setTimeout(changed, 0));
  }

  // Return the filters for the server.
  wanted() {
    const given = NAMES.map((name) => [name, this.form.elements[name].value.trim()]);
    return Object.fromEntries(given.filter(([, value]) => value));
  }

  isAny() { return Object.keys(this.wanted()).length > 0; }

  set(values) { for (const [name, value] of Object.entries(values)) this.form.elements[name].value = value; }

  // Offer the messages' values as choices, a hundred at most.
  learn(message) {
    for (const name of LEARNT) {
      const value = message[name];
      const known = this.known[name];
      if (!value || known.has(value) || known.size >= 100) continue;
      known.add(value);
      const option = document.createElement("option");
      option.value = value;
      document.getElementById(`${name}s`).append(option);
    }
  }

  matcher() {
    const { agent, performative, protocol, conversation, text } = this.wanted();
    return (message) => (!agent || has(message.sender, agent) || has(message.receiver, agent))
      && (!performative || message.performative === performative)
      && (!protocol || message.protocol === protocol)
      && (!conversation || message.conversation === conversation)
      && (!text || has(message.body, text));
  }
}
