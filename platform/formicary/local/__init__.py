"""A platform over all cores of a machine: containers in their own processes, ended with the program.

- `platform`: the public class, `LocalPlatform`
- `worker`: what runs in the process of a container, and carries out orders
- `names`: finds agents of all containers by short names; `search` is its state machine
- `cycles`: the synchronous mode across containers, and its state machine
- `launchers`: processes on other hosts; `addresses`: where their containers listen
- `memory`: how many containers fit into memory
"""

from typing import TYPE_CHECKING

from formicary.core.exports import exporter

if TYPE_CHECKING:
    from formicary.children.child import ChildContainer

CPU_GROUP = "platform"

__all__ = ["ChildContainer"]

__getattr__ = exporter(
    __name__,
    {
        "children.child": ("ChildContainer",),
    },
)
