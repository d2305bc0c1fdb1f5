"""The common parts of FIPA00023's agents, and the encoding of control messages.

- `language`: the JSON of requests, answers and errors
- `management_agent`: the agent `ams` of each container, which asks others and dispatches requests
- `control_codec`: the msgpack of control messages between containers
"""

CPU_GROUP = "platform"
