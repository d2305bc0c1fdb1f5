"""Everything that needs no container: messages, agents, behaviours and their scheduler.

It imports nothing of the other packages; users find what is theirs in `formicary` itself.

- `names`: names of agents, containers and platforms, and how short ones are completed
- `message`, `template`: messages, and which of them a behaviour takes
- `errors`: all exceptions; `quoting`: foreign text in sentences; `tracebacks`: where an exception was raised
- `failures`: what agents have failed with; `blockers`: which have blocked the event loop
- `clock`: the time; `times`: checks times that users give; `event_loop`: which loop programs run in
- `systems`: what differs between operating systems
- `files`: files that are written whole or not at all; `database`: SQLite files
- `coroutines`: how those are made and resumed that no task of asyncio runs
- `strand`, `scheduler`: coroutines as asyncio sees tasks, and the queue that runs them and micro-agents;
  `task_like`: what asyncio and debuggers ask of any task
- `answer`: futures of which a strand hears at once
- `cycles`: the scheduler of the synchronous mode
- `mailbox`: where messages of a behaviour wait, and the path that every message takes; `priority`: what comes
  first there
- `host`: what agents ask of the container that they live in
- `base_agent`, `agent`, `micro`: agents
- `behaviour`: what agents do; `behaviours`, `fsm`: its kinds; `thread_behaviour`: in a thread, for code that
  blocks
- `resting`: whether a behaviour is at rest, so that its agent could move
- `definitions`: whether classes of them are written as they have to be
"""

CPU_GROUP = "platform"
