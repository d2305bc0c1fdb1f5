"""How messages find agents that have moved, in the order in which they were sent.

- `places`: where agents are, as one container knows it, and what containers tell each other about it
- `detour`: the way of messages to one such agent: held, passed on, or straight
- `sinks`: where messages wait on that way, of who waits with them
- `machine`: when to do which, as a state machine without input or output
- `failures`: in which order agents elsewhere are told of messages that have failed
- `expecting`: what comes for agents that may soon arrive
- `settling`: what agents wait for before they leave
- `announcing`: what containers are told, and again where they could not be
- `language`: what containers tell each other
"""
