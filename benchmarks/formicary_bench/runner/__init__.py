"""What plans and performs a run.

From the outside in: `options` (what was asked for), `plan` (what is measured), `order` (in which order),
`commands` (how to measure one thing of it alone), `run` (the whole run) with its `server` and its `display`,
`repetition` (one measurement by fresh processes), `phases` (what follows what in it, without any I/O),
`processes` (the workers as the controller sees them), `messages` (what both say), `worker` (the other end).
`measures` says how a repetition of each experiment is measured: `memory`, `growth` and `network` have ways of
their own. `interruption` says when Ctrl-C may end all this.
"""

CPU_GROUP = "runtime"
