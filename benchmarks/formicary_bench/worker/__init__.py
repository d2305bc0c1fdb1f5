"""Workers: fresh processes that each play a role in a repetition, and how the runner talks with them.

A worker (`worker` is its program) gets a job (`messages`), which names the module that has its role. That
prepares the role for a `workload`, which says who talks to whom, and is told when to begin. Beside it,
`marks` say when all pairs are measured and what was carried, `windows` where CPU time goes, and `creation`
measures how agents are made. `processes` are workers as the runner sees them, and what they may leave behind;
`interruption` is for Ctrl-C meanwhile.
"""

CPU_GROUP = "runtime"
