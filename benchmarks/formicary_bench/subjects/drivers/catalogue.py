"""What has a driver here, as the laboratory measures it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.subjects.drivers.installed import Entry, installed
from formicary_bench.subjects.subject import Subject
from formicary_bench.vocabulary.placements import APART, SAME
from formicary_bench.vocabulary.routes import OWN, XMPP, Carrier

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary_bench.subjects.drivers.protocol import Hello


def driven() -> tuple[Subject, ...]:
    """Return what has a driver that is installed and can be read; it takes part only where it is named."""
    return tuple(subject_for(entry.hello) for entry in installed() if isinstance(entry, Entry))


def subject_for(hello: Hello) -> Subject:
    """Return a platform as its driver has described it."""
    between = Carrier(XMPP if hello.server else OWN)
    carriers = {SAME: (Carrier("in-process"),), APART: (between,)}
    return Subject(
        hello.name,
        "formicary_bench.subjects.drivers.driven",
        {placement: carriers[placement] for placement in hello.placements},
        hidden=True,
        trips=hello.trips,
        exchanges=hello.experiments,
        most_pairs=hello.most_pairs,
        most_bytes=hello.most_bytes,
        accounts=hello.server,
    )


def versions(platforms: Iterable[str]) -> dict[str, str]:
    """Return the versions of those of these platforms that have a driver, with what they run on."""
    wanted = set(platforms)
    found = (entry.hello for entry in installed() if isinstance(entry, Entry))
    return {hello.name: _version(hello) for hello in found if hello.name in wanted}


def _version(hello: Hello) -> str:
    return f"{hello.version} on {hello.runtime}" if hello.runtime else hello.version
