"""How long repetitions took in earlier runs on this machine, for forecasts: a file of the user's cache."""

from __future__ import annotations

from contextlib import suppress
from statistics import fmean
from typing import TYPE_CHECKING

import msgspec

from formicary.core.files import replacing, user_cache
from formicary.core.private import make_private_folder
from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.vocabulary.configuration import Configuration  # noqa: TC001 - msgspec resolves it

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from formicary_bench.results.store.model import Machine, Repetition

_FORMAT = 2
_MOST = 3000  # configurations that are remembered
_LARGEST = 10_000_000  # bytes


class _Took(msgspec.Struct, frozen=True, array_like=True):
    configuration: Configuration
    seconds: float


class _History(msgspec.Struct, frozen=True):
    """What the file holds: for one machine, what was measured last at the end."""

    version: int
    machine: tuple[str, ...]
    took: list[_Took] = []


def duration(repetition: Repetition) -> float:
    """Return how many seconds a repetition has taken."""
    return max((repetition.ended - repetition.started).total_seconds(), 0.0)


def earlier_durations(machine: Machine) -> dict[Configuration, float]:
    """Return the seconds of a repetition of each configuration in earlier runs on this machine.

    Nothing is known where there is no such file, or one that cannot be read, or one of another machine: a
    home may be that of several.
    """
    path = user_cache() / "durations.json"
    with suppress(OSError, msgspec.MsgspecError):
        if path.stat().st_size <= _LARGEST:
            known = msgspec.json.decode(path.read_bytes(), type=_History)
            if (known.version, known.machine) == (_FORMAT, _which(machine)):
                return {one.configuration: one.seconds for one in known.took if _is_known(one)}
    return {}


def remember(machine: Machine, took: Mapping[Configuration, Iterable[float]]) -> None:
    """Keep how long repetitions have taken.

    A cache that cannot be written is no reason to complain of a run that went well: forecasts then know less.
    """
    found = earlier_durations(machine)
    for configuration, seconds in took.items():
        found.pop(configuration, None)  # what is new comes last
        found[configuration] = fmean(seconds)
    newest = [_Took(one, round(seconds, 3)) for one, seconds in found.items()][-_MOST:]
    path = user_cache() / "durations.json"
    with suppress(OSError):
        make_private_folder(path.parent)
        with replacing(path) as temporary:
            temporary.write_bytes(msgspec.json.encode(_History(_FORMAT, _which(machine), newest)))


def _is_known(took: _Took) -> bool:
    """Say whether this version can measure it: another one, of the same user, may have other experiments."""
    return took.seconds > 0 and took.configuration.experiment in EXPERIMENTS


def _which(machine: Machine) -> tuple[str, ...]:
    return machine.host, machine.cpu, machine.python, str(machine.usable)
