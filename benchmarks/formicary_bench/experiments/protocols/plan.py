"""How conversations are planned: with how many partners, where, and how many of them."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary_bench.runner.planning.carriers import carriers_of
from formicary_bench.runner.planning.cores import is_short
from formicary_bench.runner.planning.hosts import frame, layouts_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.experiments.experiment import Part, Rounds
    from formicary_bench.runner.planning.options import Options
    from formicary_bench.subjects.subject import Subject
    from formicary_bench.vocabulary.configuration import Configuration

_PARTNERS, _QUICK, _FEWEST = 40_000, 2_000, 20  # measured, of all conversations together; conversations
_UNEVEN = 3


def plan_conversations(part: Part, options: Options, subjects: Sequence[Subject]) -> Iterator[Configuration]:
    """Give all numbers of pairs or of bidders, for each subject at each place."""
    experiment = part.experiment
    points = product(
        options.payloads or part.payloads,
        options.pairs or part.pairs or experiment.pairs,
        list(layouts_of(part, options)),
        subjects,
    )
    for payload, pairs, layout, subject in points:
        for carrier in carriers_of(subject, layout, part, options):
            warm_up, measured, cool_down = (
                options.rounds or part.rounds or _rounds(part, options, subject, pairs)
            )
            yield replace(
                frame(part, subject, layout, carrier),
                pairs=pairs,
                senders=experiment.senders(pairs),
                payload_bytes=payload,
                warm_up=warm_up,
                measured=measured,
                cool_down=cool_down,
            )


def _rounds(part: Part, options: Options, subject: Subject, pairs: int) -> Rounds:
    """Return as many conversations as have so many partners in all; one initiator needs none afterwards.

    Threads of other platforms are not even: they need more of them.
    """
    measured = max((_QUICK if is_short(part, options) else _PARTNERS) // pairs, _FEWEST)
    is_alone = part.experiment.senders(pairs) == 1 or pairs == 1
    after = _UNEVEN * measured if subject.exchanges else measured
    return measured // 2, measured, 0 if is_alone else after
