"""Makes the running agent visible to a sampler: the names of code objects carry it.

A sampler sees functions' names and nothing else. So, while it is wanted, each behaviour, each micro-agent
and each agent with `@responds` that starts gets a copy of the code that the platform would run for it, under
a name that says whose it is. A message costs what it costs otherwise; only an answer that waits costs one
more call. What started before is not renamed, as a running coroutine's code cannot be exchanged.

A task that an agent makes is stepped by a function with the agent's name, and so are those that it makes.
"""

from __future__ import annotations

import asyncio
import sys
import types
from collections.abc import Coroutine
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from formicary.core.behaviour import Behaviour
from formicary.core.micro import MicroAgent
from formicary.profiling.model.code_names import mark, unmark
from formicary.profiling.model.declarations import declared_group
from formicary.protocols.participation import Participation
from formicary.protocols.turn import Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from formicary.core.scheduler import Scheduler
    from formicary.protocols.conversations import Conversations

MOST = 10_000
"""How many agents and behaviours get a name: a copy of code takes about a kilobyte. The rest has none."""


@contextmanager
def labelled_agents() -> Iterator[None]:
    """Make all agents' code that starts within the block visible to samplers, to its end."""
    start_micro, participate = MicroAgent.become_active, Participation.__init__
    left = iter(range(MOST))

    def of_behaviour(behaviour: Behaviour, scheduler: Scheduler, limit: int) -> None:
        main: Callable[[], Any] = behaviour.main_coroutine
        if next(left, None) is not None:
            main = _renamed(main, f"{behaviour.agent.name}/{type(behaviour).__name__}")
        behaviour.mailbox.open(main(), scheduler, limit)

    def of_micro(agent: MicroAgent, scheduler: Scheduler, limit: int) -> None:
        start_micro(agent, scheduler, limit)
        if agent.micro_inbox is not None and next(left, None) is not None:
            agent.micro_inbox.handle = _renamed(agent.handle, agent.name)

    def of_participation(participation: Participation, conversations: Conversations) -> None:
        participate(participation, conversations)
        if next(left, None) is not None:
            name = participation.strand_name()
            participation.micro_inbox.handle = _renamed(participation.handle, name)

    with ExitStack() as undo:
        undo.enter_context(_replaced(Behaviour, "start_strand", of_behaviour))
        undo.enter_context(_replaced(MicroAgent, "become_active", of_micro))
        undo.enter_context(_replaced(Participation, "__init__", of_participation))
        for name in ("_answer", "_finish"):  # what answers from where the agent's code waits
            undo.enter_context(_replaced(Turn, name, _by_agent(getattr(Turn, name))))
        for loop in _kinds_of_loops():
            undo.enter_context(_named_tasks(loop))
        yield


@contextmanager
def _replaced(owner: type, name: str, function: Callable[..., Any]) -> Iterator[None]:
    # Not by a switch in the classes: who is not profiled would pay for it with each agent.
    before = vars(owner)[name]
    type.__setattr__(owner, name, function)
    try:
        yield
    finally:
        type.__setattr__(owner, name, before)


def _by_agent(function: types.FunctionType) -> Callable[..., Any]:
    """Return the same method of `Turn`; what it runs has the name of the agent that answers."""
    of_agent = lru_cache(maxsize=MOST)(partial(_renamed_function, function))

    def run(turn: Turn, *arguments: Any) -> Any:
        handle: Any = turn._participation.micro_inbox.handle  # noqa: SLF001 -- it is the profiler's business
        agent = unmark(handle.__func__.__code__.co_name)[0]
        return (of_agent(agent) if agent else function)(turn, *arguments)

    return run


class _OfAgent(Coroutine[Any, Any, Any]):
    """A task's coroutine; its subclasses have an agent's name on what resumes it."""

    __slots__ = ("_plain", "cr_code")

    def __init__(self, plain: Coroutine[Any, Any, Any]) -> None:
        self._plain = plain
        self.cr_code = getattr(plain, "cr_code", None)

    def __await__(self) -> Any:
        return self._plain.__await__()

    def send(self, value: Any) -> Any:
        return self._plain.send(value)

    def throw(self, *error: Any) -> Any:
        return self._plain.throw(*error)

    def close(self) -> None:
        self._plain.close()

    def __repr__(self) -> str:
        return repr(self._plain)


@lru_cache(maxsize=MOST)
def _coroutines_of(agent: str) -> type[_OfAgent]:
    code = _OfAgent.send.__code__
    name = mark(agent, "(a task)")
    send = types.FunctionType(code.replace(co_name=name, co_qualname=name), globals())
    return type("_OfOneAgent", (_OfAgent,), {"send": send, "__slots__": ()})


def _kinds_of_loops() -> list[Any]:
    kinds: list[Any] = [asyncio.BaseEventLoop]
    with suppress(ImportError):  # there is none for Windows
        import uvloop

        kinds.append(uvloop.Loop)
    return kinds


@contextmanager
def _named_tasks(loop: Any) -> Iterator[None]:
    """Have tasks that agents make carry their names, in one kind of loop."""
    own, plain = vars(loop).get("create_task"), loop.create_task

    def create_task(self: Any, coroutine: Any, **options: Any) -> Any:
        code = getattr(coroutine, "cr_code", None)
        # What the platform has to do by and by is not for the agent alone that it began with.
        if code is not None and not declared_group(code.co_filename):
            agent = _who_runs(sys._getframe(1))  # noqa: SLF001 -- there is no other way to a frame
            coroutine = _coroutines_of(agent)(coroutine) if agent else coroutine
        return plain(self, coroutine, **options)

    loop.create_task = create_task
    try:
        yield
    finally:
        if own is None:
            del loop.create_task
        else:
            loop.create_task = own


def _who_runs(frame: FrameType | None) -> str:
    """Return the agent that a stack runs for; empty if for none."""
    while frame is not None:
        if agent := unmark(frame.f_code.co_name)[0]:
            return agent
        frame = frame.f_back
    return ""


def _renamed(method: Callable[..., Any], agent: str) -> Callable[..., Any]:
    """Return the same method with an agent's name on its code; itself if it is no Python function."""
    function = getattr(method, "__func__", None)
    if not isinstance(function, types.FunctionType):
        return method
    return types.MethodType(_renamed_function(function, agent), method.__self__)  # type: ignore[attr-defined]  # it has a __func__


def _renamed_function(function: types.FunctionType, agent: str) -> types.FunctionType:
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
    return renamed
