"""Links: sessions that number and acknowledge what goes between two containers, whatever carries it.

- `link`: one container's end of a link: it performs what its session says, and keeps the time
- `outgoing`: its half that takes messages for the other end, and makes dead letters of those that cannot go
- `outbox`: what waits to go out, and goes in batches
- `arrivals`: what comes in, and is handed to its receivers
- `orders`: what the two ends say to each other about the link itself, and past their agents
- `told`: what the other end has said to have failed
- `custody`: messages of other containers that it has to bring on
- `paused`: senders that wait, as a mailbox at the other end is full
- `draining`: waits until what was sent has arrived
- `paths`: what a link needs of the paths that frames take
- `session`: a state machine without input or output: numbers, acknowledgements, time; `sending` is its
  sending half, `lifecycle` how it begins and ends, and `instructions` what it wants done
- `handshake`: who is there now; `failure_detector`: whether the other end still is
- `frames`: batches of messages as bytes; `wire_names`: what agents are called in them
- `header`: what stands before each frame, and the parameters of a session
"""
