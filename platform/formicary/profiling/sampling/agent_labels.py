"""Makes the running agent visible to a sampler: the names of code objects carry it.

A sampler sees functions' names and nothing else. So, while it is wanted, each behaviour and each
micro-agent that starts gets a copy of the code that the platform would run for it, under a name that says
whose it is. Nothing is added to what runs: a message costs what it costs otherwise. What started before is
not renamed, as a running coroutine's code cannot be exchanged.
"""

from __future__ import annotations

import types
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from formicary.core.behaviours import Behaviour
from formicary.core.micro import MicroAgent
from formicary.profiling.model.code_names import mark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from formicary.core.scheduler import Scheduler

MOST = 10_000
"""How many agents and behaviours get a name: a copy of code takes about a kilobyte. The rest has none."""


@contextmanager
def labelled_agents() -> Iterator[None]:
    """Make all behaviours and micro-agents that start within the block visible to samplers, to their end."""
    before = Behaviour.start_strand, MicroAgent.become_active
    left = iter(range(MOST))

    def start_behaviour(behaviour: Behaviour, scheduler: Scheduler, limit: int) -> None:
        main: Callable[[], Any] = behaviour.main_coroutine
        if next(left, None) is not None:
            main = _renamed(main, f"{behaviour.agent.name}/{type(behaviour).__name__}")
        behaviour.mailbox.open(main(), scheduler, limit)

    def start_micro(agent: MicroAgent, scheduler: Scheduler, limit: int) -> None:
        before[1](agent, scheduler, limit)
        if agent.micro_inbox is not None and next(left, None) is not None:
            agent.micro_inbox.handle = _renamed(agent.handle, agent.name)

    _start_with(start_behaviour, start_micro)
    try:
        yield
    finally:
        _start_with(*before)


def _start_with(behaviour: Callable[..., None], micro: Callable[..., None]) -> None:
    # Not by a switch in the classes: who is not profiled would pay for it with each agent.
    type.__setattr__(Behaviour, "start_strand", behaviour)
    type.__setattr__(MicroAgent, "become_active", micro)


def _renamed(method: Callable[..., Any], agent: str) -> Callable[..., Any]:
    """Return the same method with an agent's name on its code; itself if it is no Python function."""
    function = getattr(method, "__func__", None)
    if not isinstance(function, types.FunctionType):
        return method
    code = function.__code__
    name = mark(agent, code.co_qualname)
    renamed = types.FunctionType(
        code.replace(co_name=name, co_qualname=name),
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    renamed.__kwdefaults__ = function.__kwdefaults__
    return types.MethodType(renamed, method.__self__)  # type: ignore[attr-defined]  # it has a __func__
