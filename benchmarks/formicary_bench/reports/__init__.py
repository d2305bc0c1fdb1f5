"""What a person or a program is shown of a run: one module per format, all made from the run folder alone."""

CPU_GROUP = "runtime"
