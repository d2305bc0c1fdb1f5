// One conversation, of what the page has kept of it, as a file: the server writes it, and the browser saves it.

import { shown } from "./text.js";

const MOST = 500; // messages
const KINDS = { mmd: "text/plain", svg: "image/svg+xml", csv: "text/csv" };

// Have a conversation saved; `ending` is mmd, svg or csv, `fields` the names of what a message has, in order.
export const save = async (connection, messages, fields, conversation, ending) => {
  const name = `${shown(conversation).replace(/[^\w.-]+/g, "-").slice(0, 60) || "conversation"}.${ending}`;
  const said = messages.slice(-MOST).map((message) => ["MessageSeen", ...fields.map((field) => message[field])]);
  const content = await connection.ask({ kind: "export", name, messages: said });
  const address = URL.createObjectURL(new Blob([content], { type: KINDS[ending] }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
};
