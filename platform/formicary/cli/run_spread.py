"""`formicary run --containers`: spreads a script's agents over several processes."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from typing import TYPE_CHECKING, Any

from formicary.children.orders import LoadScript, StartLoaded
from formicary.cli.output import say
from formicary.cli.running import check_what_runs, report_dead_letters, shown, to_be_joined, what_runs
from formicary.cli.signals import run_until_signal
from formicary.container.options import Network, Services
from formicary.core.errors import ContainerLostError, FormicaryError, UsageError
from formicary.core.event_loop import loop_factory
from formicary.local.platform import NAME, LocalPlatform

if TYPE_CHECKING:
    from formicary.children.script import Script
    from formicary.cli.running import Plan
    from formicary.local.launchers import Launcher


def run_spread(plan: Plan, containers: int | None, launcher: Launcher | None = None) -> int:
    """Run a script's agents in several processes until all have ended, or until it is interrupted.

    Args:
        plan: what to run; its container is that of this process.
        containers: how many others to start; None for one per core or node.
        launcher: starts them on other hosts; None for this one.

    Returns:
        How many errors were logged in the other processes.

    Raises:
        UsageError: the script or an option cannot be used.
        SystemExit: an agent has ended the program.
    """
    settings = plan.settings
    if plan.cpu_by_group:
        raise UsageError(
            "CPU time by group is only accounted for in a single process: omit --cpu-by-group, or "
            "omit --containers and --launcher"
        )
    check_what_runs(plan)
    if plan.script is None and settings.listen is None:
        raise UsageError(
            "there are no agents, and none can be created here or move here, because nothing can "
            "reach these containers: add --listen, or a script"
        )
    options: dict[str, Any] = {"network": Network(tls="always")} if settings.tls else {}
    platform = LocalPlatform(
        containers,
        container=settings.container(plan.name or NAME, plan.seed),
        seed=plan.seed,
        mode="synchronous" if settings.is_synchronous else "pooled",
        services=Services(directory=settings.directory or "replica"),
        creatable=list(settings.creatable),
        accepts=list(settings.accepts),
        launcher=launcher,
        **options,
    )
    try:
        run_until_signal(_live(plan, platform), loop_factory())
    finally:
        _report(platform)
    return sum(child.report.errors for child in platform.children)


def _report(platform: LocalPlatform) -> None:
    """Print how many messages could not be delivered in all containers, and why."""
    letters = platform.container.dead_letters
    total, reasons = letters.total, Counter(letters.reasons)
    for child in platform.children:
        total += child.report.dead_letters
        reasons.update(dict(child.report.reasons))
    report_dead_letters(total, reasons)


async def _live(plan: Plan, platform: LocalPlatform) -> None:
    script, settings = plan.script, plan.settings
    async with platform, plan.view(platform.container), contextlib.AsyncExitStack() as starting:
        container = platform.container
        starting.enter_context(container.scheduler.busy(lambda: "the script's agents to start"))
        needs_some = not settings.takes_agents
        names = [] if script is None else await _load(platform, script, needs_some=needs_some)
        count = len(platform.children)
        with to_be_joined(container, settings.can_be_joined_at, f"c{count + 1}") as hints:
            lives = what_runs(script, names, container)
            spread = f"{lives}, in {count} containers" if count > 1 else f"{lives}, in one container"
            for line in (f"{container.domain}: {spread}; press Ctrl-C to stop", *hints):
                say(line, err=True)
            for name in names:
                with contextlib.suppress(ContainerLostError):  # already reported
                    await platform.place(name).order(StartLoaded(name))
            await starting.aclose()
            with contextlib.suppress(TimeoutError, FormicaryError):  # an agent failed, which is logged
                async with asyncio.timeout(plan.seconds):
                    await (platform.wait_until_finished() if names else asyncio.Event().wait())


async def _load(platform: LocalPlatform, script: Script, *, needs_some: bool) -> list[str]:
    """Load the script in each container; return the agents' names, which are the same in all."""
    order = LoadScript(script, needs_some)
    loaded = await asyncio.gather(*(child.order(order) for child in platform.children))
    for other in loaded[1:]:
        if other != loaded[0]:
            raise UsageError(
                f"{script.file} creates different agents each time "
                f"({shown(sorted({*other} ^ {*loaded[0]}))}); with --containers, every process runs "
                "it, so give the agents fixed names"
            )
    return loaded[0]
