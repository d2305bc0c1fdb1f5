"""The controller's agent on each host of a run, and the conversation with it.

- `agent`: the program on the host, with its `workers`, `answers` to questions, `counters` of the machine, and
  the XMPP server (`servers`).
- `link`: the controller's side: starts the `program`, and sees whether it still answers.
- `protocol`: what both say.
"""
