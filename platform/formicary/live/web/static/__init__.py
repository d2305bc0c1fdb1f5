"""The page: files as browsers take them.

- `index.html`, `live.css`: what there is, and what it looks like
- `main.js`: the parts together; `connection.js` talks with the server, and `token.js` lets it
- `model.js`: what is known, bounded; `pacing.js` chooses which messages are shown
- `messages.js`, `lanes.js`, `drawing.js`: the sequence diagram
- `nest.js`: the containers and their agents, which `chambers.js` and `inhabitants.js` place, and
  `nest_drawing.js` draws; `agents_table.js` says the same in words
- `tables.js`, `dead_letters.js`, `links.js`: directory and groups; dead letters by reason; links with charts;
  `kept_table.js`: a table in which only what has changed is written
- `details.js`, `acting.js`, `replay.js`: one message or agent, what can be done, how a recording is played
- `exporting.js`: a conversation as Mermaid, SVG, CSV
- `text.js`, `colours.js`: how names, numbers and conversations look
"""
