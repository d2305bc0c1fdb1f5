"""The laboratory: what agent communication costs, and why."""

CPU_GROUP = "runtime"
