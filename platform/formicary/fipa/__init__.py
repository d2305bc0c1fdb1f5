"""What the agents that FIPA00023 prescribes have in common, and how containers write control messages.

- `language`: the JSON in which they are asked and answer, and the errors that it tells of
- `management_agent`: the agent `ams` of each container, which asks others and hands on what it is asked
- `control_codec`: the msgpack in which containers write control messages
"""

CPU_GROUP = "platform"
