"""The experiments: what each one measures, what it varies, and what presets take of it.

Each is a module or a small package that declares one `experiment.Experiment`; `registry` lists them, and to
add one takes a line there. `selections` are runs that take parts of several: `quick`, a little of all;
`links`, all that there is between containers; and `directory`, all that agents find each other by.
"""

CPU_GROUP = "runtime"
