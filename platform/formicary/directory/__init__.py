"""Who offers what: descriptions of services, and how agents find them (FIPA00023's directory facilitator).

Two designs stand behind one interface, `replicated` and `central`. Each line below knows only those above it.

- `model`: descriptions, queries and the index, which all designs share
- `language`: how requests and answers are written
- `interface`: what users see, `agent.directory` and `container.directory`, and what a design has to do
- `replicated`: a copy of all entries in each container
- `central`: one agent that has all entries
- `proxy`: the directory as a guest of the platform has it, and `enquiries`: who answers guests
- `agreement`: whether all containers of a platform have the same design
- `description`, `query`, `agent`: other names of modules in `model` and `central`
"""

CPU_GROUP = "directory"
