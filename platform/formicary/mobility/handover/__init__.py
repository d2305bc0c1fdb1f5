"""How an agent gets from one container to another: state machines, without I/O and clocks.

- `exchange`: the events that containers send each other
- `instructions`: what their container is asked to do
- `shared_state`: what the state machines share: other containers, events for them, agents here
- `draining`: waits until what was sent has arrived
- `source`: agents that leave this container
- `destination`: agents that arrive in it
- `ledger`: the home's record of where its agents are
- `inquiries`: what a restarted home finds out about earlier hand-overs
- `machine`: all of these together, for one container

`docs/mobility-protocol.md` is the specification.
"""
