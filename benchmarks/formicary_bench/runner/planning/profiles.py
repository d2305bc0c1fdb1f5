"""Which repetitions are profiled: those of `.../cpu`, and with `--profile` one more of all that can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary.errors import UsageError
from formicary_bench.vocabulary.designs import CENTRAL, LOOKUP, REPLICA
from formicary_bench.vocabulary.names import COMPUTE, DIRECTORY, MEDIATED, MEMORY, PROTOCOLS, TRAFFIC, is_cpu
from formicary_bench.vocabulary.placements import SAME
from formicary_bench.vocabulary.presets import QUICK

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.runner.planning.options import Options
    from formicary_bench.vocabulary.configuration import Configuration

# Round trips, or uses, of all pairs together that take some seconds: shares need samples.
_TRIPS = {"in-process": 1_500_000, "direct": 400_000, "auto": 400_000, "xmpp": 150_000, "tcp": 300_000}
_USES = {REPLICA: 120_000, CENTRAL: 40_000, LOOKUP: 40_000}  # in the process of the user
_FAR_USES = {"direct": 16_000, "auto": 16_000, "xmpp": 6_000}
_AGENTS = {"create": 200_000, DIRECTORY: 40_000, PROTOCOLS: 40_000}
_SEARCHES = 3  # so many take as long as a registration; far away, the way there takes longest
_OVER_CORES = {COMPUTE, TRAFFIC}  # in processes that the worker starts, into which nobody looks
_LONG = 10  # times as long as a round trip a conversation takes
_SHORTEST = 100
_QUICK = 4  # times shorter in a quick run: T2 still takes longer than profiles need


def with_profiles(plan: Sequence[Configuration], options: Options) -> Iterator[Configuration]:
    """Give a plan with what is profiled in it.

    Raises:
        UsageError: nothing of it can be profiled, and that was asked for.
    """
    if options.profile and not any(map(_can, plan)):
        about = "what processes hold of the memory"
        if any(one.limit_us for one in plan):
            about = "how many messages processes bear"
        elif any(one.family in _OVER_CORES for one in plan):
            about = "what several processes do together"
        raise UsageError(
            f"nothing of {options.experiment} can be profiled: it is about {about}, "
            "and not about what they do; leave --profile out, or take messaging/cpu"
        )
    known = set(plan)
    for one in plan:
        if not is_cpu(one.experiment):
            yield one
            if not options.profile or not _can(one):
                continue
        longer = _longer(one, options)
        yield replace(longer, profiled=True)
        if is_cpu(one.experiment) or longer not in known:
            yield replace(longer, reference=True)


def _can(one: Configuration) -> bool:
    return one.family not in {MEMORY, *_OVER_CORES} and not one.limit_us


def _longer(one: Configuration, options: Options) -> Configuration:
    """Give as much of a configuration as shares need: they need samples."""
    if one.loop or one.dimension or one.experiment == MEDIATED:
        return one
    if not one.measured:
        return one if options.agents else replace(one, agents=max(one.agents, _AGENTS[one.family]))
    if options.rounds is not None:
        return one
    wanted = _wanted(one) // (_QUICK if options.preset == QUICK else 1)
    measured = max(wanted // max(one.pairs, 1), one.measured, _SHORTEST)
    return replace(one, warm_up=measured // 2, measured=measured, cool_down=measured // 4)


def _wanted(one: Configuration) -> int:
    if one.family == DIRECTORY:
        if one.placement != SAME and one.kind != REPLICA:
            return _FAR_USES.get(one.route, _FAR_USES["xmpp"])
        return _USES.get(one.kind, _USES[CENTRAL]) * (_SEARCHES if one.experiment.endswith("search") else 1)
    many = _TRIPS.get(one.route, _TRIPS["xmpp"])
    if one.family == PROTOCOLS:
        return many // _LONG
    return many // 4 if one.load == 1 and one.placement != SAME else many
