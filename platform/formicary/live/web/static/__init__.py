"""The page's files.

- `index.html`, `live.css`: structure and style
- `main.js`: entry point; `connection.js` talks to the server, with the token of `token.js`
- `model.js`: the bounded state; `pacing.js` chooses which messages are shown
- `messages.js`, `lanes.js`, `drawing.js`: the sequence diagram
- `nest.js`: the containers and their agents, which `chambers.js` and `inhabitants.js` place, and
  `nest_drawing.js` draws; `agents_table.js` shows the same as a table
- `tables.js`, `dead_letters.js`, `links.js`: directory and groups; dead letters by reason; links with charts;
  `kept_table.js`: a table that rewrites only what changed
- `details.js`, `acting.js`, `replay.js`: one message or agent, actions, playing a recording
- `exporting.js`: a conversation as Mermaid, SVG, CSV
- `text.js`, `colours.js`: formatting of names and numbers, colours of conversations
"""
