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
    from formicary.cli.running import Plan
    from formicary.container.container import Container
    from formicary.core.agent import Agent
    from formicary.core.micro import MicroAgent
    from formicary.profiling.accounting.accounting import Accounting


def run_alone(plan: Plan) -> None:
    """Run a script's agents in this process until all have ended, or until it is interrupted.

    Raises:
        UsageError: the script or an option cannot be used.
        SystemExit: an agent has ended the program.
    """
    check_what_runs(plan)
    container = plan.settings.container(plan.name or "c1", plan.seed)
    agents = _agents(plan)
    try:
        run_until_signal(_live(plan, container, agents), loop_factory())
    finally:
        letters = container.dead_letters
        report_dead_letters(letters.total, letters.reasons)


def _agents(plan: Plan) -> list[Agent | MicroAgent]:
    """Return the script's agents; none only if agents can be created or move here.

    Raises:
        UsageError: there are none and none can come, or the script cannot be used.
    """
    from formicary.children.script import load_agents

    script, settings = plan.script, plan.settings
    agents = [] if script is None else load_agents(script, needs_some=not settings.takes_agents)
    if not agents and settings.is_alone:
        raise UsageError(
            "there are no agents, and none can be created here or move here, because nothing can "
            "reach this container: add --listen, --join or --server, or agents to the script"
        )
    return agents


async def _live(plan: Plan, container: Container, agents: list[Agent | MicroAgent]) -> None:
    accounted = _accounted(container) if plan.cpu_by_group else contextlib.nullcontext()
    lives = what_runs(plan.script, [agent.name for agent in agents], container)
    async with container, accounted, plan.view(container):
        with to_be_joined(container, plan.settings.can_be_joined_at) as hints:
            for line in (f"{container.domain}: {lives}; press Ctrl-C to stop", *hints):
                say(line, err=True)
            for agent in agents:
                if _sleeps(container, agent):
                    say(f"agent {agent.name} is asleep", err=True)
                else:
                    await _start(container, agent)
            with contextlib.suppress(Exception):  # time is up, or an agent failed, which is logged
                async with asyncio.timeout(plan.seconds):
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
