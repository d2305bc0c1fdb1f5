"""The controller's agent on each host of a run.

- `agent`: the program on the host, with its `workers`, `answers`, `counters` and XMPP server (`servers`)
- `link`: the controller's side, which starts the `program`, and watches whether it answers
- `protocol`: the messages
"""
