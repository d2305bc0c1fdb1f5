"""How messages find agents that have moved, in the order in which they were sent.

The home of an agent is its sequencer: all that is for an agent elsewhere goes through it, on links that keep
order, and waits there while the agent moves. Other containers may cache a straight way.

- `table`: the forwarders of one container, and what containers tell each other about ways
- `forwarder`: the messages for one such agent: held, forwarded, or sent straight
- `course`: which way they take, and the markers that show when an old way is clear
- `failures`: failures for agents elsewhere, in order
- `name_conflicts`: failures for agents whose home may have another agent of that name
- `drains`: what agents wait for before they leave
- `outbox`: messages to other containers; `language`: what they are
"""
