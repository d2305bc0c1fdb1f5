"""Links: sessions that number and acknowledge what goes between two containers, whatever carries it.

- `link`: one container's end of a link: takes messages, does what its session says, and keeps the time
- `outbox`: what waits to go out, and goes in batches
- `arrivals`: what comes in, and is handed to its receivers
- `orders`: what the two ends say to each other about the link itself, and past their agents
- `failing`: messages that cannot go, or come, and become dead letters
- `custody`: messages of other containers that it has to bring on
- `paused`: senders that wait, as a mailbox at the other end is full
- `draining`: waits until what was sent has arrived
- `paths`: what a link needs of the paths that frames take
- `session`: a state machine without input or output; `send_window` and `receive_window`, its halves: numbers
  and acknowledgements; `instructions`: what it wants done
- `handshake`: who is there now; `failure_detector`: whether the other end still is
- `frames`: batches of messages as bytes; `wire_names`: what agents are called in them
- `header`: what stands before each frame, and the parameters of a session
"""
