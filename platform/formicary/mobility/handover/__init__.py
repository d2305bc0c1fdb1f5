"""How an agent gets from one container to another: state machines, without I/O and clocks.

- `exchange`: what containers tell each other about it
- `instructions`: what is to be done
- `cluster_view`: which others are there, and what is to be told them
- `draining`: that what was sent has arrived
- `departure`: of agents that leave this container
- `arrival`: of those that come to it
- `ledger`: the home's book of where its agents are
- `inquiries`: what a home that was restarted finds out about hand-overs of before
- `machine`: all of these together, in one container

`docs/mobility-protocol.md` is the specification.
"""
