"""SPADE's programs on our containers: `import formicary.spade as spade`.

- modules named as in SPADE: `agent`, `behaviour`, `message`, `template`, `container`, `trace`, `presence`,
  `fipa_message`
- `behaviour` combines `cyclic` (the base of all kinds), `kinds` and `fsm`
- a SPADE agent has a `body` in the container, which `start()` starts, and each of its behaviours a `runner`
- `presence`, with `contacts`: for an agent with an `account`
- `jid`: from addresses to names
- `missing`: stand-ins for omitted parts
- `importing`: makes `import spade` return this package

Programs subclass our classes and use any attribute names: in agents, behaviours and templates, names that
SPADE does not have begin with `our_`.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Never

from formicary.spade import agent, behaviour, container, fipa_message, message, presence, template, trace
from formicary.spade.container import run_container as run
from formicary.spade.importing import why_left_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.spade.agent import Agent

CPU_GROUP = "platform"

__version__ = "4.1.4"
"""The version of SPADE whose programs run here."""

_GRACE: Final = 1.0  # s

__all__ = [
    "agent",
    "behaviour",
    "container",
    "fipa_message",
    "message",
    "presence",
    "run",
    "start_agents",
    "template",
    "trace",
    "wait_until_finished",
]


def __getattr__(name: str) -> Never:
    raise AttributeError(why_left_out(name) or f"module {__name__!r} has no attribute {name!r}")


async def start_agents(agents: Sequence[Agent] | Agent) -> None:
    """Start one agent or several; errors as of `Agent.start`."""
    await asyncio.gather(*(each.start() for each in _several(agents)))


async def wait_until_finished(agents: Sequence[Agent] | Agent) -> None:
    """Wait until agents are stopped; if cancelled, stop the rest."""
    agents = _several(agents)
    try:
        for each in agents:
            await each.our_finished()
        await _let_end(agents)
    finally:
        await asyncio.gather(*(each.stop() for each in agents if each.is_alive()))


async def _let_end(agents: Sequence[Agent]) -> None:
    """Wait for behaviours of stopped agents to end, as SPADE does, which checks once a second."""
    running = {each for each in container.Container().running if each.agent in agents}
    with suppress(TimeoutError):
        async with asyncio.timeout(_GRACE):
            for each in running:
                await each.join()


def _several(agents: Sequence[Agent] | Agent) -> Sequence[Agent]:
    return agents if isinstance(agents, list | tuple) else [agents]  # type: ignore[list-item]  # one agent
