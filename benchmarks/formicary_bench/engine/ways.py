"""Which ways messages take in a run: what `--route` and `--tls` choose, and what they cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.errors import UsageError
from formicary_bench.platforms.catalogue import APART, SUBJECTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.engine.options import Options
    from formicary_bench.experiments.catalogue import Part
    from formicary_bench.platforms.catalogue import Subject, Way
    from formicary_bench.results.model import Configuration


def ways_of(subject: Subject, placement: str, part: Part, options: Options) -> list[Way]:
    """Return the ways by which a platform's messages are measured at a placement."""
    can = subject.ways.get(placement, ())
    usual = [way for way in can if way in part.ways] or list(subject.usual_ways(placement))
    if placement != APART or (options.routes is None and options.tls is None):
        return usual
    if len(can) > 1:
        # What is not given stays as it is without the options.
        routes = options.routes or {way.route for way in usual}
        if not subject.has_choice(placement):
            routes = {way.route for way in usual}
        tls = options.tls or {way.tls for way in usual}
        return [way for way in can if way.route in routes and way.tls in tls]
    if subject.name in (options.subjects or ()):
        return usual  # named, so it is wanted, though it has no choice
    return [way for way in usual if _is_asked_for(way, options)]


def refuse_idle(options: Options, plan: Sequence[Configuration]) -> None:
    """Refuse a route that nothing of ours takes, and TLS that nothing does.

    Raises:
        UsageError: an option would change nothing.
    """
    chosen = [subject for subject in SUBJECTS if subject.has_choice(APART)]
    ours = {(subject.platform, subject.kind) for subject in chosen}
    taken = {one.route for one in plan if (one.platform, one.kind) in ours and one.placement == APART}
    for route in options.routes or ():
        if route not in taken:
            tls = " with TLS" if options.tls == (True,) else ""
            names = ", ".join(subject.name for subject in chosen if not subject.hidden)
            raise UsageError(
                f"nothing can be measured by --route {route}{tls} here: routes are for {names} with "
                f"--placement {APART}, and TLS is for direct links; leave --route or --tls out"
            )
    if True in (options.tls or ()) and not any(one.tls for one in plan):
        raise UsageError(
            f"nothing that is measured here can do TLS: direct links and tcp can, with --placement {APART}; "
            "leave --tls out"
        )


def _is_asked_for(way: Way, options: Options) -> bool:
    """Whether something that has no choice fits what was asked of the others."""
    return way.route in (options.routes or (way.route,)) and way.tls in (options.tls or (way.tls,))
