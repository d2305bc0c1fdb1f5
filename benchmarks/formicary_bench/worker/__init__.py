"""Workers: fresh processes that each play a part in a repetition, and how the runner talks with them."""

CPU_GROUP = "runtime"
