"""What carries the messages in a run: what `--route` and `--tls` choose, and what they cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.errors import UsageError
from formicary_bench.subjects.registry import SUBJECTS
from formicary_bench.subjects.subject import is_usual
from formicary_bench.vocabulary.placements import APART, HOSTED, SAME
from formicary_bench.vocabulary.routes import MEMORY, NO_MESSAGES, ROUTES, TCP, UNIX, XMPP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.experiments.experiment import Part
    from formicary_bench.runner.planning.hosts import Layout
    from formicary_bench.runner.planning.options import Options
    from formicary_bench.subjects.subject import Subject
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.vocabulary.routes import Carrier

_FOR_ALL = {TCP, UNIX, MEMORY}  # what all routes are held against


def carriers_of(subject: Subject, layout: Layout, part: Part, options: Options) -> list[Carrier]:
    """Return what carries a platform's messages at a place, one after the other."""
    placement = layout.placement
    if part.experiment.carriers == (NO_MESSAGES,):
        return [NO_MESSAGES]
    if layout.hosts == 1:
        return [carrier for carrier in subject.carriers.get(SAME, ()) if placement in subject.carriers]
    can = subject.carriers.get(placement, ())
    usual = _usual(subject, placement, part)
    asked = options.tls or part.experiment.tls
    if placement == SAME or (options.routes is None and not asked):
        return usual
    # What is not given stays as it is without the options.
    tls = asked or {carrier.tls for carrier in usual}
    fitting = [carrier for carrier in can if carrier.tls in tls]
    if placement in HOSTED and not asked:
        fitting = [carrier for carrier in can if is_usual(carrier, placement)]
    if placement in HOSTED and part.experiment.tls and options.routes is None:
        fitting = [
            carrier for carrier in fitting if carrier.route != XMPP
        ]  # two servers encrypt between them anyway
    if subject.has_choice(placement):
        routes = options.routes or {carrier.route for carrier in usual}
        return [carrier for carrier in fitting if carrier.route in routes]
    if subject.name in (options.subjects or ()):
        return fitting or usual  # named, so it is wanted, though it has no choice
    routes = {*(options.routes or ROUTES), *_FOR_ALL}
    return [carrier for carrier in fitting if carrier.route in routes]


def _usual(subject: Subject, placement: str, part: Part) -> list[Carrier]:
    """Return what carries a part's messages by itself; between hosts with TLS or not as is usual there."""
    usual = list(subject.usual_carriers(placement))
    if placement in HOSTED:
        routes = {carrier.route for carrier in part.carriers}
        return [carrier for carrier in usual if carrier.route in routes] or usual
    return [carrier for carrier in subject.carriers.get(placement, ()) if carrier in part.carriers] or usual


def refuse_idle(options: Options, plan: Sequence[Configuration]) -> None:
    """Refuse a route that nothing of ours takes, and TLS that nothing does.

    Raises:
        UsageError: an option would change nothing.
    """
    chosen = [subject for subject in SUBJECTS if subject.has_choice(APART)]
    ours = {(subject.platform, subject.kind) for subject in chosen}
    taken = {one.route for one in plan if (one.platform, one.kind) in ours and one.placement != SAME}
    for route in options.routes or ():
        if route not in taken:
            names = ", ".join(subject.name for subject in chosen if not subject.hidden)
            raise UsageError(
                f"nothing can be measured by --route {route} here: routes are for {names} with "
                f"--placement {APART}; leave --route out"
            )
    if True in (options.tls or ()) and not any(one.tls for one in plan):
        raise UsageError(
            f"nothing that is measured here can do TLS: links, tcp and components can, with --placement "
            f"{APART}; leave --tls out"
        )
