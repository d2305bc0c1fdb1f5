"""What one configuration needs, and the command that measures it alone. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.subjects.registry import has_driver, subject_of
from formicary_bench.vocabulary.names import DIRECTORY, MEMORY, is_cpu
from formicary_bench.vocabulary.placements import TWO_HOSTS
from formicary_bench.vocabulary.routes import AUTO, XMPP
from formicary_bench.vocabulary.traffic import SAID

if TYPE_CHECKING:
    from formicary_bench.results.store.model import Configuration


def needs_server(configuration: Configuration) -> bool:
    """Say whether an XMPP server takes part."""
    # Agents that have accounts log in also where their messages stay in one process.
    if configuration.route in {XMPP, AUTO} or not has_driver(configuration):
        return configuration.route in {XMPP, AUTO}
    return subject_of(configuration.platform, configuration.kind).accounts


def command(configuration: Configuration) -> str:
    """Return the command that measures this configuration alone."""
    kind = f"-{configuration.kind}" if configuration.kind else ""
    who = f"formicary bench run {configuration.experiment} --platform {configuration.platform}{kind}"
    if (configuration.profiled or configuration.reference) and not is_cpu(configuration.experiment):
        who += " --profile"
    if configuration.experiment == "create":
        return f"{who} --agents {configuration.agents}"
    has_choice = len(EXPERIMENTS[configuration.experiment].placements) > 1
    where = f" --placement {configuration.placement}" if has_choice else ""
    return f"{who}{where}{_layout(configuration)}{_way(configuration)} {_size(configuration)}".rstrip()


def _layout(configuration: Configuration) -> str:
    """Give the options that say how many hosts there are, who talks to whom, and where services are."""
    experiment = EXPERIMENTS[configuration.experiment]
    count = f" --count {configuration.hosts}" if configuration.hosts and "count" in experiment.varies else ""
    traffic = f" --traffic {configuration.traffic}" if configuration.traffic else ""
    # Over hosts there may be several; with two processes it is usually that of all.
    has_spread = configuration.spread or (experiment.spreads and configuration.placement == TWO_HOSTS)
    return f"{count}{traffic}" + (f" --spread {SAID[configuration.spread]}" if has_spread else "")


def _size(configuration: Configuration) -> str:
    """Give the options that say how much is measured."""
    if configuration.family == MEMORY:
        return _memory_size(configuration)
    if configuration.agents:
        return f"--agents {configuration.agents}"
    rounds = f"--rounds {configuration.warm_up},{configuration.measured},{configuration.cool_down}"
    if configuration.family == DIRECTORY:
        seen_by = f"--containers {configuration.containers} " if configuration.containers else ""
        return f"{seen_by}--services {configuration.services} {rounds}"
    if configuration.limit_us:
        limit = f"--p99 {configuration.limit_us}us --arrivals {configuration.arrivals}"
        return f"{limit} --pairs {configuration.load} --payload {configuration.payload_bytes}"
    paced = f"--rate {configuration.rate} --arrivals {configuration.arrivals} " if configuration.rate else ""
    return f"{paced}--pairs {configuration.load} --payload {configuration.payload_bytes} {rounds}"


def _memory_size(configuration: Configuration) -> str:
    if not configuration.seconds:
        return f"--agents {configuration.agents}" if configuration.agents else ""
    size = f"--pairs {configuration.pairs} --payload {configuration.payload_bytes}"
    return f"--growth {configuration.seconds} {size}"


def _way(configuration: Configuration) -> str:
    """Give the options that choose what carries a configuration's messages, where it has any choice."""
    subject = subject_of(configuration.platform, configuration.kind)
    carriers = subject.carriers[configuration.placement]
    if configuration.route == "in-process":
        return ""
    route = f" --route {configuration.route}" if subject.has_choice(configuration.placement) else ""
    return f"{route} --tls {'on' if configuration.tls else 'off'}" if len(carriers) > 1 else ""
