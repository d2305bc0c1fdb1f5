"""A process that holds what is weighed, and waits: a program of its own in a fresh interpreter.

A worker would not do, as it has loaded more than what is weighed. The process reports each batch of agents
and finally the memory that Python has traced (0 without tracing); it ends when its standard input does.
"""

from __future__ import annotations

import gc
import sys
from _tracemalloc import get_traced_memory  # tracemalloc would load modules that are not weighed

BARE = (
    "import gc, sys; from _tracemalloc import get_traced_memory; gc.collect(); "
    'print(\'{"type":"traced","bytes":%d}\' % get_traced_memory()[0], flush=True); sys.stdin.read()'
)
"""The program that has loaded nothing of ours."""

_BATCH = 5000


def say(word: str, **number: int) -> None:
    """Send the controller a number, without msgspec, which would be weighed too."""
    ((name, value),) = number.items()
    print(f'{{"type":"{word}","{name}":{value}}}', flush=True)  # noqa: T201 -- what its controller reads


def ready() -> None:
    """Report that everything is ready, and wait for the end of standard input."""
    gc.collect()
    say("traced", bytes=get_traced_memory()[0])
    sys.stdin.read()


async def hold(kind: str, agents: int) -> None:
    """Open a container with idle agents, and wait.

    Args:
        kind: `container` for no agents, else their kind: `behaviours` or `micro`.
        agents: the number of agents.
    """
    import asyncio

    from formicary import Agent, Container, CyclicBehaviour, Message, MicroAgent

    waiting = 0

    class Wait(CyclicBehaviour):
        __slots__ = ()

        async def run(self) -> None:
            nonlocal waiting
            waiting += 1
            await self.receive()

    class Idle(MicroAgent):
        __slots__ = ()

        def handle(self, message: Message) -> None:
            pass

    async with Container("c1", seed=1) as home:
        for number in range(agents):
            if kind == "micro":
                await home.start(Idle(f"agent-{number}"))
            else:
                agent = Agent(f"agent-{number}")
                agent.add_behaviour(Wait())
                await home.start(agent)
            if number % _BATCH == _BATCH - 1:
                say("progress", done=number + 1)
        while kind == "behaviours" and waiting < agents:  # noqa: ASYNC110 -- an event would be weighed
            await asyncio.sleep(0)
        ready()


def main() -> None:
    """Hold what the arguments name."""
    kind, agents = sys.argv[1], int(sys.argv[2])
    if kind == "imported":
        import formicary  # noqa: F401 -- that it is there is what is weighed

        ready()
        return
    import asyncio

    from formicary.core.event_loop import loop_factory

    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(hold(kind, agents))


if __name__ == "__main__":
    main()
