"""What an agent with an XMPP account of its own is made of; aioxmpp does the work.

- `agent`: the agent that users subclass
- `client`: its connection, and the messages that go over it
- `stanzas`: messages as aioxmpp has them
- `presence`: who is online, and who may see whether the agent is
- `discovery`: who can do what
"""

CPU_GROUP = "communication"
