"""An experiment over all runs: each configuration's results, with date, machine and version.

Each run is compared with the latest earlier one on a similar machine, if any. `statistics.comparisons`
decides whether something became faster; an experiment is one family.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary.errors import UsageError
from formicary_bench.results.summary.row import Row, frame
from formicary_bench.results.verdicts.pairing import Side, contrast_of, figures_of, measured
from formicary_bench.results.verdicts.trust import lost_in
from formicary_bench.statistics.comparisons import Comparison, compare
from formicary_bench.vocabulary.names import family_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Machine, Manifest
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.vocabulary.metrics import Metric

_MACHINE = {"host": "host", "cpu": "processor", "usable": "usable cores", "python": "python", "loop": "loop"}


class Spot(msgspec.Struct, frozen=True):
    """A configuration's results in one run.

    Attributes:
        run: The run.
        version: The version of what was measured: ours, or another platform's.
        values: A figure of each repetition that counts.
        row: Its row there, without figures: whether it was warm.
        machine_changes: How its machine differs from that of the run before, in words.
        version_before: The version in the run before, if it differs.
        against: The run that it is compared with; None if there is none.
        comparison: The result.
    """

    run: RunFolder
    version: str
    values: tuple[float, ...]
    row: Row
    machine_changes: tuple[str, ...] = ()
    version_before: str = ""
    against: RunFolder | None = None
    comparison: Comparison | None = None


class Track(msgspec.Struct, frozen=True):
    """A figure of a configuration over all runs, the oldest first."""

    configuration: Configuration
    row: Row
    metric: Metric
    spots: tuple[Spot, ...]


class History(msgspec.Struct, frozen=True):
    """Results of runs over time, with remarks."""

    tracks: list[Track]
    remarks: list[str]

    @property
    def experiments(self) -> list[str]:
        """The names of all experiments, in the order in which they were found."""
        return list(dict.fromkeys(track.row.experiment for track in self.tracks))


def history(runs: Iterable[RunFolder], experiment: str | None = None) -> History:
    """Collect what runs have measured.

    Args:
        runs: The runs, the oldest first. Broken ones are skipped with a remark.
        experiment: The name of an experiment, or of a group; None for all.
    """
    remarks: list[str] = []
    found: dict[tuple[str, Metric], tuple[Configuration, Row, list[Spot]]] = {}
    for run in runs:
        try:
            for configuration, metric, values in _measured(run, experiment, remarks):
                row = frame(configuration, run.manifest.repetitions_of(configuration))
                track = found.setdefault((configuration.key, metric), (configuration, row, []))
                track[2].append(Spot(run, _version(run.manifest, row), values, row))
        except UsageError as error:
            remarks.append(f"{run.path} is left out: {error}")
    tracks = [
        Track(configuration, row, metric, _marked(spots))
        for (_, metric), (configuration, row, spots) in found.items()
    ]
    names = dict.fromkeys(track.row.experiment for track in tracks)
    judged = [
        track for name in names for track in _judged([one for one in tracks if one.row.experiment == name])
    ]
    return History(judged, list(dict.fromkeys(remarks)))


def _measured(
    run: RunFolder, experiment: str | None, remarks: list[str]
) -> list[tuple[Configuration, Metric, tuple[float, ...]]]:
    """Return the figures of a run; all of them are read before any is used."""
    return [
        (one, metric, tuple(values))
        for one in measured(run).values()
        if experiment in {None, one.experiment, family_of(one.experiment)}
        for metric, values in figures_of(run, one, remarks).items()
    ]


def _marked(spots: Sequence[Spot]) -> tuple[Spot, ...]:
    """Note where the machine or the version differs from that of the run before."""
    found = []
    for before, spot in zip([None, *spots], spots, strict=False):
        if before is not None:
            changes = _changes(before.run.manifest.machine, spot.run.manifest.machine)
            other = before.version if before.version != spot.version else ""
            spot = msgspec.structs.replace(spot, machine_changes=changes, version_before=other)  # noqa: PLW2901
        found.append(spot)
    return tuple(found)


def _judged(tracks: Sequence[Track]) -> list[Track]:
    """Compare each run with the latest earlier one on a similar machine."""
    places = [
        (track, place, base)
        for track in tracks
        for place in range(len(track.spots))
        if (base := _comparable(track.spots, place)) is not None
    ]
    judged = compare(
        [
            contrast_of(
                track.configuration, track.metric, _side(track, track.spots[place]), _side(track, base)
            )
            for track, place, base in places
        ]
    )
    found = {
        (id(track), place): msgspec.structs.replace(
            track.spots[place], against=base.run, comparison=comparison
        )
        for (track, place, base), comparison in zip(places, judged, strict=True)
    }
    return [
        msgspec.structs.replace(
            track, spots=tuple(found.get((id(track), place), spot) for place, spot in enumerate(track.spots))
        )
        for track in tracks
    ]


def _side(track: Track, spot: Spot) -> Side:
    manifest = spot.run.manifest
    return Side(spot.row, spot.values, lost_in(manifest, manifest.repetitions_of(track.configuration)))


def _comparable(spots: Sequence[Spot], place: int) -> Spot | None:
    own = spots[place].run.manifest.machine
    before = reversed(spots[:place])
    return next((one for one in before if not _changes(one.run.manifest.machine, own)), None)


def _changes(before: Machine, machine: Machine) -> tuple[str, ...]:
    """Return how two machines differ; servers only if both runs had one."""
    names = dict(_MACHINE)
    if before.prosody and machine.prosody:
        names["prosody"] = "prosody"
    pairs = [(name, str(getattr(before, what)), str(getattr(machine, what))) for what, name in names.items()]
    return tuple(
        f"{name} {now or 'unknown'}, not {then or 'unknown'}" for name, then, now in pairs if then != now
    )


def _version(manifest: Manifest, row: Row) -> str:
    """Return the version of what was measured, if the run has it."""
    return manifest.machine.libraries.get(row.platform, manifest.formicary)
