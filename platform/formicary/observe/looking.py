"""The state of a container and its agents for a viewer, as changes since the last look."""

from __future__ import annotations

import time
from itertools import islice
from typing import TYPE_CHECKING, Final

from formicary.core.agent import Agent
from formicary.core.fsm import FSMBehaviour
from formicary.observe import metrics
from formicary.observe.events import AgentFigures, BehaviourFigures, ContainerFigures, Figures, LinkFigures
from formicary.observe.metrics import rates

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.container.container import Container
    from formicary.core.base_agent import BaseAgent
    from formicary.core.micro import MicroAgent
    from formicary.observe.metrics import Rates
    from formicary.observe.probes import Probes

_AGENTS: Final = 2000  # examined in one look; with more, they take turns
_CHANGED: Final = 4000  # agents and behaviours reported in one look, about
_BEHAVIOURS: Final = 10  # of an agent
_NAMES: Final = {"deactivated": "asleep", "gone": "ended"}


class Look:
    """Examines a container repeatedly."""

    def __init__(self, container: Container, probes: Probes, clock: Callable[[], float]) -> None:
        self._container = container
        self._probes = probes
        self._clock = clock
        self._before: metrics.Figures | None = None
        self._known: dict[str, AgentFigures] = {}
        self._next = 0  # index of the first agent of the next look
        self._counts: dict[str, tuple[int, float]] = {}  # messages received, and when counted
        self._passed = 0
        self._passed_at = 0.0
        self._cpu: dict[str, float] = {}
        self._cpu_at = time.monotonic()

    def take(self, at: float) -> Figures:
        """Return what has changed up to the time `at`."""
        figures = metrics.measure(self._container)
        since = rates(self._before, figures)
        self._before = figures
        self._probes.forget_gone()
        agents, gone = self._agents(at)
        return Figures(
            at,
            containers=(self._own(figures, since, at),),
            agents=agents,
            gone=gone,
            links=tuple(_link(figures.name, link, since) for link in figures.links),
        )

    def _own(self, figures: metrics.Figures, since: Rates | None, at: float) -> ContainerFigures:
        passed, seconds = self._probes.passed(), at - self._passed_at
        messages = (passed - self._passed) / seconds if self._passed_at and seconds > 0 else None
        self._passed, self._passed_at = passed, at
        backend = self._container.platform_services.backend
        return ContainerFigures(
            name=figures.name,
            host=figures.host,
            pid=figures.pid,
            cpu=None if since is None else since.cpu,
            memory=figures.memory_bytes,
            agents=figures.agents,
            waiting=figures.waiting,
            messages=messages,
            dead_letters=figures.dead_letters,
            failures=figures.failures,
            subscriptions=len(backend.open_subscriptions),
            blocked=figures.blocked,
            blockers=figures.blockers,
            cpu_by_group={} if since is None else since.cpu_by_group,
        )

    def _agents(self, at: float) -> tuple[tuple[AgentFigures, ...], tuple[str, ...]]:
        agents = self._container.dispatcher.agents
        gone = tuple(islice((name for name in self._known if name not in agents), _CHANGED))
        for name in gone:
            del self._known[name]
            self._counts.pop(name, None)
        if self._next >= len(agents):
            self._next = 0
        cpu = self._cpu_by_agent()
        changed, told = [], 0
        for agent in islice(tuple(agents.values()), self._next, self._next + _AGENTS):
            self._next += 1
            found = self._of_agent(agent, at, cpu)
            if self._known.get(found.name) != found:
                self._known[found.name] = found
                changed.append(found)
                told += 1 + len(found.behaviours)
                if told >= _CHANGED:
                    break
        return tuple(changed), gone

    def _of_agent(self, agent: Agent | MicroAgent, at: float, cpu: dict[str, float] | None) -> AgentFigures:
        name = str(agent.address)
        behaviours = _behaviours(agent)
        probe = self._probes.by_agent.get(name)
        count = 0 if probe is None else probe.passed
        return AgentFigures(
            name,
            self._container.name,
            type(agent).__name__,
            _NAMES.get(agent.state.value, agent.state.value),
            waiting=sum(each.waiting for each in behaviours),
            messages=self._rate(name, count, at),
            cpu=None if cpu is None else cpu.get(agent.name, 0.0),
            failures=agent.failures,
            behaviours=behaviours[:_BEHAVIOURS],
        )

    def _rate(self, name: str, count: int, at: float) -> float | None:
        """Return an agent's messages per second, given its `count` at the time `at`."""
        before, then = self._counts.get(name, (0, 0.0))
        self._counts[name] = count, at
        if count == before:
            return 0.0
        return round((count - before) / (at - then), 1) if then and at > then else None

    def _cpu_by_agent(self) -> dict[str, float] | None:
        """Return CPU seconds per second by agents' own names; None without accounting."""
        account = self._container.accounting
        if account is None:
            return None
        spent: dict[str, float] = {}
        for name, seconds in account.seconds_by_agent().items():
            agent = name.partition("/")[0]
            spent[agent] = spent.get(agent, 0.0) + seconds
        now = time.monotonic()
        past, self._cpu_at = max(now - self._cpu_at, 0.001), now
        before, self._cpu = self._cpu, spent
        return {name: round(max(0.0, s - before.get(name, 0.0)) / past, 3) for name, s in spent.items()}


def _behaviours(agent: BaseAgent) -> tuple[BehaviourFigures, ...]:
    if not isinstance(agent, Agent):
        return ()
    return tuple(
        BehaviourFigures(
            type(each).__name__,
            each.mailbox_size(),
            (each.current_state or "") if isinstance(each, FSMBehaviour) else "",
        )
        for each in agent.behaviours
    )


def _link(container: str, link: metrics.LinkFigures, since: Rates | None) -> LinkFigures:
    rate = next((each for each in since.links if each.peer == link.peer), None) if since else None
    return LinkFigures(
        container=container,
        peer=link.peer.partition(".")[0],
        way=link.way,
        is_up=link.is_up,
        sent=None if rate is None else round(rate.sent, 1),
        received=None if rate is None else round(rate.received, 1),
        unacknowledged=link.unacknowledged,
        failed=link.failed,
        rtt=link.rtt,
    )
