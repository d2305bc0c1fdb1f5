"""Adds profiled configurations: those of `.../cpu`, and with `--profile` one for each that can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary.errors import UsageError
from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.subjects.registry import has_driver, subject_of
from formicary_bench.vocabulary.names import QUICK, is_cpu
from formicary_bench.vocabulary.parameters.shared import Agents
from formicary_bench.vocabulary.places import SAME

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.runner.planning.options import Options
    from formicary_bench.vocabulary.configuration import Configuration

# Round trips of all pairs together that take some seconds, for enough samples.
_TRIPS = {"in-process": 1_500_000, "direct": 400_000, "auto": 400_000, "xmpp": 150_000, "tcp": 300_000}
_DRIVEN = 60_000  # CPU clocks need no samples
_SHORTEST = 100
_QUICK = 4  # times fewer in a quick run: T2 is still long enough


def with_profiles(plan: Sequence[Configuration], options: Options) -> Iterator[Configuration]:
    """Yield a plan with profiled configurations; raise a UsageError if none can be, as requested."""
    if options.profile and plan and not any(map(_can, plan)):
        about = EXPERIMENTS[plan[0].experiment].why_unprofiled
        raise UsageError(
            f"nothing of {options.experiment} can be profiled: it is about {about}, "
            "not about CPU time; omit --profile, or use messaging/cpu"
        )
    known = set(plan)
    for one in plan:
        if not is_cpu(one.experiment):
            yield one
            if not options.profile or not _can(one):
                continue
        longer = _longer(one, options)
        yield replace(longer, profiled=True)
        if has_driver(one):  # nothing looks at it meanwhile, so that costs nothing
            continue
        if is_cpu(one.experiment) or longer not in known:
            yield replace(longer, reference=True)


def _can(one: Configuration) -> bool:
    if EXPERIMENTS[one.experiment].profiling is None:
        return False
    if not has_driver(one):
        return True
    return subject_of(one.platform, one.kind).groups_threads and one.exchange.measured > 0


def _longer(one: Configuration, options: Options) -> Configuration:
    profiling = EXPERIMENTS[one.experiment].profiling
    found: Configuration = profiling.load()(one, options) if profiling else one
    return found


def as_it_is(one: Configuration, _: Options) -> Configuration:
    """Return a configuration that is long enough as it is."""
    return one


def with_agents(one: Configuration, options: Options, enough: int) -> Configuration:
    """Return a configuration with this many agents, unless the user chose their number."""
    if options.sizes.get("agents"):
        return one
    return one.sized(agents=max(Agents.of(one).agents, enough))


def longer_exchange(one: Configuration, options: Options, times: float = 1) -> Configuration:
    """Return a configuration with round trips for some seconds."""
    many = _DRIVEN if has_driver(one) else _TRIPS.get(one.route, _TRIPS["xmpp"]) / times
    return lasting(one, options, many / 4 if one.exchange.load == 1 and one.placement != SAME else many)


def lasting(one: Configuration, options: Options, wanted: float) -> Configuration:
    """Return a configuration with this many round trips of all pairs, unless the user chose them."""
    if options.sizes.get("rounds"):
        return one
    if options.preset == QUICK:
        wanted //= _QUICK
    exchange = one.exchange
    measured = max(int(wanted // max(exchange.pairs, 1)), exchange.measured, _SHORTEST)
    return one.sized(rounds=(measured // 2, measured, measured // 4))
