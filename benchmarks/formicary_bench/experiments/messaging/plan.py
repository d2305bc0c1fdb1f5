"""How many round trips of messages are measured, for each platform at each place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.experiment import PAPER_ROUNDS
from formicary_bench.experiments.presets import preset_of
from formicary_bench.experiments.selections import SELECTIONS, longer_rounds, quick_rounds
from formicary_bench.runner.planning.hosts import cores_of
from formicary_bench.vocabulary.names import PAPER
from formicary_bench.vocabulary.places import SAME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary_bench.runner.planning.drafts import Draft
    from formicary_bench.vocabulary.parameters.shared import Rounds

_FEWEST = 20  # measured round trips of a pair
_IN_ONE_PROCESS = 50_000  # of all pairs together: of fewer, which are over so soon, begin and end would count


def with_rounds(draft: Draft) -> Iterator[Draft]:
    """Give a draft with its round trips, where each sender waits for an answer."""
    if draft.options.sizes.get("cores"):
        cores_of(draft.options)  # refuses more than there are
    senders = draft.experiment.senders(draft.sizes["pairs"])
    known = draft.sized(senders=senders) if senders else draft
    yield known.sized(rounds=draft.options.sizes.get("rounds") or _rounds(known))


def _rounds(draft: Draft) -> Rounds:
    """Return how many round trips of a pair a preset has, else a selection, else the experiment."""
    options, experiment = draft.options, draft.experiment
    if experiment.has_fixed_rounds:
        fixed: Rounds = experiment.sizes.get("rounds", PAPER_ROUNDS)
        return fixed
    if options.preset == PAPER:
        found: Rounds | None = preset_of(experiment, PAPER).sizes.get("rounds")
        return found or _usual(draft)
    if options.preset:
        return quick_rounds(draft)
    if options.experiment in SELECTIONS:
        return quick_rounds(draft) if SELECTIONS[options.experiment].is_short else longer_rounds(draft)
    usual = _usual(draft)
    return usual if draft.subject.trips else _lasting(usual, draft)


def _usual(draft: Draft) -> Rounds:
    """Return how many round trips of a pair are usual in an experiment: as many as suit a platform's pace."""
    trips, load = draft.subject.trips, draft.sizes["pairs"]
    if not trips:
        usual: Rounds | None = draft.part.sizes.get("rounds") or draft.experiment.sizes.get("rounds")
        return usual or PAPER_ROUNDS
    measured = max(trips // load, _FEWEST)
    return measured // 4, measured, measured if load > 1 else 0


def _lasting(rounds: Rounds, draft: Draft) -> Rounds:
    """Return so many times these that they last a while in one process, too."""
    warm_up, measured, cool_down = rounds
    load = draft.sizes["pairs"]
    few = draft.layout.placement == SAME and 0 < measured * load < _IN_ONE_PROCESS
    times = -(-_IN_ONE_PROCESS // (measured * load)) if few else 1
    return warm_up * times, measured * times, cool_down * times
