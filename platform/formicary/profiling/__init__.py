"""Where the CPU time goes: by group, thread, agent and function. Nothing of the platform imports it."""

CPU_GROUP = "runtime"
