"""`formicary run` with one container: a script's agents, in this process."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from formicary.cli.output import say
from formicary.cli.running import check_what_runs, report_dead_letters, to_be_joined, what_runs
from formicary.cli.signals import run_until_signal
from formicary.core.errors import FormicaryError, UsageError
from formicary.core.event_loop import loop_factory

if TYPE_CHECKING:
    from formicary.cli.connecting import ConnectionSettings
    from formicary.cli.running import View
    from formicary.container.container import Container
    from formicary.core.agent import Agent
    from formicary.core.micro import MicroAgent
    from formicary.local.script import Script
    from formicary.profiling.accounting.accounting import Accounting


def run_alone(
    script: Script | None,
    settings: ConnectionSettings,
    name: str,
    seed: int | None,
    seconds: float | None,
    *,
    cpu_by_group: bool,
    view: View,
) -> None:
    """Run a script's agents in this process until all have ended, or until it is interrupted.

    Args:
        script: the script; None if others create agents or move them here.
        settings: how the container reaches others.
        name: the container's.
        seed: of the agents' random generators.
        seconds: the time after which all end.
        cpu_by_group: whether to account for CPU time.
        view: shows the container's platform.

    Raises:
        UsageError: the script or an option cannot be used.
        SystemExit: an agent has ended the program.
    """
    check_what_runs(script, settings)
    container = settings.container(name, seed)
    agents = _agents(script, settings)
    lives = what_runs(script, [agent.name for agent in agents], container)
    listens = settings.can_be_joined_at
    try:
        run_until_signal(
            _live(container, agents, lives, seconds, listens, cpu_by_group=cpu_by_group, view=view),
            loop_factory(),
        )
    finally:
        letters = container.dead_letters
        report_dead_letters(letters.total, letters.reasons)


def _agents(script: Script | None, settings: ConnectionSettings) -> list[Agent | MicroAgent]:
    """Return the script's agents; none only if agents can be created or move here.

    Raises:
        UsageError: there are none and none can come, or the script cannot be used.
    """
    from formicary.local.script import load_agents

    agents = [] if script is None else load_agents(script, needs_some=not settings.takes_agents)
    if not agents and settings.is_alone:
        raise UsageError(
            "there are no agents, and none can be created here or move here, because nothing can "
            "reach this container: add --listen, --join or --server, or agents to the script"
        )
    return agents


async def _live(
    container: Container,
    agents: list[Agent | MicroAgent],
    lives: str,
    seconds: float | None,
    listens: str | None,
    *,
    cpu_by_group: bool,
    view: View,
) -> None:
    accounted = _accounted(container) if cpu_by_group else contextlib.nullcontext()
    async with container, accounted, view(container):
        with to_be_joined(container, listens) as hints:
            for line in (f"{container.domain}: {lives}; press Ctrl-C to stop", *hints):
                say(line, err=True)
            for agent in agents:
                if _sleeps(container, agent):
                    say(f"agent {agent.name} is asleep", err=True)
                else:
                    await _start(container, agent)
            with contextlib.suppress(Exception):  # time is up, or an agent failed, which is logged
                async with asyncio.timeout(seconds):
                    await (container.wait_until_finished() if agents else asyncio.Event().wait())


def _accounted(container: Container) -> Accounting:
    from formicary.profiling.accounting.accounting import accounting

    return accounting(container)


def _sleeps(container: Container, agent: Agent | MicroAgent) -> bool:
    sleepers = container.dispatcher.sleepers
    return sleepers is not None and sleepers.is_asleep(f"{agent.name}@{container.domain}")


async def _start(container: Container, agent: Agent | MicroAgent) -> None:
    try:
        await container.start(agent)
    except FormicaryError:
        raise
    except Exception:  # noqa: BLE001 -- its setup failed: the container has logged it; others continue
        return
