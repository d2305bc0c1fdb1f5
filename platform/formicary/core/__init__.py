"""Everything that needs no container: messages, agents, behaviours and their scheduler.

It imports no other room; users import its public names from `formicary`.

- `names`: names of agents, containers and platforms, and how short ones are completed
- `message`, `template`: messages, and which of them a behaviour receives
- `errors`: all exceptions; `quoting`: foreign text in sentences; `tracebacks`: where an exception was raised
- `failures`: failures of agents; `blockers`: agents that block the event loop; `logs`: loggers
- `clock`: the time; `times`: checks times that users give; `randomness`: random numbers
- `event_loop`: the event loop of programs; `systems`: differences between operating systems
- `files`: writes files completely or not at all; `private`: checks who may read them; `scratch`: temporary
  folders; `database`: SQLite files
- `coroutines`: coroutines that run without asyncio's tasks
- `strand`, `scheduler`: runs them, and micro-agents; `task_like`: the interface of asyncio's tasks
- `answer`: futures whose results strands get at once
- `cycles`: the scheduler of the synchronous mode
- `mailbox`: where a behaviour's messages wait, and the path that each takes; `priority`: their order
- `choice`, `copies`: agents with several behaviours; `stalled`: warns about full mailboxes
- `host`: the interface of the container to its agents
- `base_agent`, `agent`, `micro`: agents; `conversing`: how they begin conversations
- `behaviour`: the base of behaviours; `behaviours`, `fsm`, `thread_behaviour`: their kinds
- `resting`: whether a behaviour is at rest, so that its agent can move
- `definitions`, `reserved`: checks users' classes; `importing`, `exports`: import by name
"""

CPU_GROUP = "platform"
