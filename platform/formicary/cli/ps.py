"""`formicary ps`: the containers of a running platform."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from formicary.cli.guest_session import GuestSession, in_guest_session
from formicary.cli.options import Json, examples

if TYPE_CHECKING:
    from datetime import datetime

    from formicary.management.descriptions import ContainerDescription

EPILOG = examples("ps", "ps --join c1 --json", "ps --server local --main lobby")

_COLUMNS = ("CONTAINER", "MAIN", "HOST", "#PID", "#UPTIME", "#AGENTS", "#FAILED", "#DEAD LETTERS", "LINKS",
            "LAST FAILURE")  # fmt: skip


@in_guest_session
async def ps(session: GuestSession, *, as_json: Json = False) -> None:
    """List the containers of a running platform.

    Without options, this is the only platform on this host: the one of the
    container that listens, or of the local server. Commands connected to it are
    not listed. FAILED counts failures of agents; see `formicary agents` for
    details.

    The exit code is 1 if a container does not answer, 2 if an option is invalid,
    and 3 if the platform cannot be reached.
    """
    from formicary.cli.guest_names import without_guests
    from formicary.cli.output import report_missing, show_json, show_table

    found = await session.management.list_containers()
    containers = [without_guests(container) for container in found]
    if as_json:
        show_json({"containers": containers, "missing": found.missing})
    else:
        show_table(_COLUMNS, map(_row, containers))
    report_missing(found.missing)


def _row(container: ContainerDescription) -> tuple[str, ...]:
    ways = Counter(link.way if link.is_up else "down" for link in container.links)
    return (
        container.name,
        "yes" if container.is_main else "",
        container.host,
        str(container.pid),
        _age(container.started),
        str(container.agents),
        str(container.failures),
        str(container.dead_letters),
        ", ".join(f"{count} {way}" for way, count in sorted(ways.items())),
        "" if container.last_failure is None else str(container.last_failure),
    )


def _age(started: datetime) -> str:
    from formicary.core.clock import now

    seconds = max(0, int((now() - started).total_seconds()))  # clocks of two hosts may differ
    days, hours, minutes = seconds // 86400, seconds // 3600 % 24, seconds // 60 % 60
    if days:
        return f"{days}d {hours}h"
    if hours:
        return f"{hours}h {minutes}m"
    return f"{minutes}m {seconds % 60}s" if minutes else f"{seconds}s"
