"""A platform over all cores of a machine: containers in their own processes, ended with the program.

- `platform`: the public class, `LocalPlatform`
- `placement`: which container an agent is placed in, as plain data
- `child`: a container in its own process, as the program that started it uses it
- `process`: that process as the program sees it: orders, answers, and its end
- `orders`: what program and process send each other
- `worker`: what runs in the process; `performing` carries out orders
- `names`: finds agents of all containers by short names; `search` is its state machine
- `cycles`: the synchronous mode across containers; `barrier` is its state machine
- `locating`: how other processes import an agent class, also one of the running script
- `script`: loads a script's agents, for `formicary run`
- `memory`: how many containers fit into memory
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
