"""What an agent with an XMPP account of its own is made of; aioxmpp does the work.

Where things are: `client` (its connection, and the messages that go over it), `presence` (who is there, and
who may see whether the agent is) and `discovery` (who can do what).
"""
