"""A platform over all cores of a machine: containers in processes of their own, ended with the program.

- `platform`: what users see, `LocalPlatform`
- `placement`: in which container an agent is placed, and which agents were, as plain data
- `child`: a container in a process of its own, as the program uses it that has started it
- `process`: that process, as the program sees it: orders, answers, and how it ends
- `orders`: what is said between the two
- `worker`: what runs there; `performing` is what it does on orders
- `names`: how agents are found by short names in all containers; `search` is that as a state machine
- `cycles`: the synchronous mode of all containers; `barrier` is that as a state machine
- `locating`: how other processes import a class of agents, also of the script that runs
- `script`: from a script to its agents, for `formicary run`
- `memory`: how many containers there is memory for
"""

from typing import TYPE_CHECKING

from formicary.core.exports import exporter

if TYPE_CHECKING:
    from formicary.local.child import ChildContainer

CPU_GROUP = "platform"

__all__ = ["ChildContainer"]

__getattr__ = exporter(
    __name__,
    {
        "local.child": ("ChildContainer",),
    },
)
