"""The experiments: what each one measures, and what it varies.

`catalogue` lists them with the values that they take by default; `selections` names the runs that take parts
of several: `quick`, a little of all; `links`, all that there is between containers; and `directory`, all that
agents find each other by.
"""

CPU_GROUP = "runtime"
