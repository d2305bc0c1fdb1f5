"""What has to be installed on a host: Formicary and all that it depends on, as it is installed here."""

from __future__ import annotations

import hashlib
from collections import deque
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from formicary_bench.remote.provisioning import archives

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_EXTRAS = {"bench", "lab"}
# What only this side needs: it connects to hosts, keeps results, and makes reports of them.
_FOR_THE_CONTROLLER = {"asyncssh", "jinja2", "packaging", "pip", "pyarrow", "scipy"}


@dataclass(frozen=True)
class Needs:
    """What a host with a certain kind of Python needs.

    Attributes:
        installed: what of it is installed here, but for Formicary itself.
        absent: what else, such as what only another version of Python needs.
    """

    installed: tuple[Distribution, ...]
    absent: tuple[Requirement, ...]

    def digest(self) -> str:
        """Return what is different as soon as anything of it is another version."""
        words = [*sorted(map(archives.identity, self.installed)), *sorted(map(str, self.absent))]
        return hashlib.sha256("\n".join(words).encode()).hexdigest()


def find(
    environment: Mapping[str, str],
    requirements: Iterable[str] | None = None,
    find_distribution: Callable[[str], Distribution] = distribution,
) -> Needs:
    """Follow what depends on what.

    Args:
        environment: what markers such as `python_version < "3.12"` are about, of the host's Python.
        requirements: what to begin with; Formicary's own if None.
        find_distribution: finds what is installed here by its name.

    Raises:
        HostError: nothing says what Formicary depends on.
    """
    begin = (archives.own_distribution().requires or []) if requirements is None else requirements
    installed: dict[str, Distribution] = {}
    absent: dict[str, Requirement] = {}
    pending = deque((Requirement(line), _EXTRAS) for line in begin)
    pending = deque(one for one in pending if one[0].name not in _FOR_THE_CONTROLLER)
    seen = set()
    while pending:
        requirement, extras = pending.popleft()
        name = canonicalize_name(requirement.name)
        mark = (name, frozenset(requirement.extras))
        if mark in seen or not _applies(requirement, environment, extras):
            continue
        seen.add(mark)
        if (found := _installed(name, find_distribution)) is None:
            absent[name] = requirement
        else:
            installed[name] = found
            pending += [(Requirement(line), requirement.extras) for line in found.requires or []]
    return Needs(tuple(installed.values()), tuple(absent.values()))


def _applies(requirement: Requirement, environment: Mapping[str, str], extras: set[str]) -> bool:
    marker = requirement.marker
    return marker is None or any(marker.evaluate({**environment, "extra": extra}) for extra in extras | {""})


def _installed(name: str, find_distribution: Callable[[str], Distribution]) -> Distribution | None:
    """Return what is installed here, if its files are all where its installer has put them."""
    try:
        found = find_distribution(name)
    except PackageNotFoundError:
        return None
    return None if archives.is_from_sources(found) else found
