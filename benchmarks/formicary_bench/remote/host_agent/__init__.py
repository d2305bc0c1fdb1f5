"""The controller's agent on each host of a run, and the conversation with it.

- `agent`: the program on the host, with its `workers`, `answers` to questions, `counters` of the machine, the
  XMPP server (`servers`), and a folder for temporary files (`scratch`).
- `link`: the controller's side: starts the `program`, reads its `handshake`, sees whether it still answers.
- `protocol`: what both say.
"""
