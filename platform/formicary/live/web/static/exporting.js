// Saves what the page has of a conversation: the server writes the file, and the browser saves it.

import { shown } from "./text.js";

const MOST = 500; // messages
const KINDS = { mmd: "text/plain", svg: "image/svg+xml", csv: "text/csv" };

// Save a conversation; `ending` is mmd, svg or csv, `fields` are the names of a message's fields, in order.
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
