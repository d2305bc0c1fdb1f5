"""Links: sessions that number and acknowledge the frames between two containers, over any path.

- `link`: one container's end of a link: accepts messages, performs instructions, keeps time
- `outbox`: messages that wait to go out, in batches, and waits until they have arrived
- `arrivals`: hands over the messages that come in
- `orders`: messages between the two ends themselves, rather than their agents
- `failing`: turns messages that fail into dead letters
- `custody`: messages that the link forwards for other containers
- `paths`: what a path is; the path through the container that others have joined
- `session`: a state machine without input or output; `send_window` and `receive_window`, its halves: numbers
  and acknowledgements; `instructions`: what it has a link do
- `handshake`: finds out who is there; `failure_detector`: whether the other end still is
- `frames`: batches of messages as bytes; `wire_names`: agents' names in them
- `receipts`: what came in and was not taken yet; `unconsumed`: the same of what went out
- `header`: the header of frames, and the parameters of a session
"""
