"""Files that people write, and files that are either complete or not there."""

CPU_GROUP = "runtime"
