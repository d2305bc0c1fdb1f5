"""Reports of a run for people and programs: one module per format, all made from the run folder alone."""

CPU_GROUP = "runtime"
