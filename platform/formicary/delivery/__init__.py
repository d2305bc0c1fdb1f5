"""How messages get to their receivers in a container, and what plugs into it.

- `dispatcher`: hands messages over, by routes or the long way; `full_names` completes their receivers' names
- `held`: what waits for agents that are about to move, or have just come
- `overflow`: what happens where mailboxes are full; `room`: how what waits goes in, or another way
- `waiting`: which messages of a link wait, until their receivers have them
- `locations`: where agents are that have moved
- `dead_letters`: messages that could not be delivered
- `copying`: copies of messages, to measure their cost
- `instruments`: observers of everything that happens
- `control_outbox`: control messages that wait until the transport takes them
- `protocols`: what transports, accounts and services have to be, to plug into a container
- `link_status`: the state of a link to another container
"""

CPU_GROUP = "platform"
