"""Runs that never took place: synthetic values that behave like measured ones."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from formicary_bench.experiments.registry import EXPERIMENTS, metrics_of
from formicary_bench.reports.document.report import extras
from formicary_bench.reports.document.sections import Document
from formicary_bench.results.store.folder import RunFolder
from formicary_bench.results.store.model import Git, Machine, Manifest, Repetition
from formicary_bench.results.store.raw import Creations, RoundTrips
from formicary_bench.results.summary.each import Each
from formicary_bench.results.summary.load import load_of
from formicary_bench.results.summary.row import Digest, Row
from formicary_bench.runner.planning.options import Options
from formicary_bench.statistics.estimates import Estimate
from formicary_bench.vocabulary.configuration import Configuration

STARTED = datetime(2026, 3, 14, 15, 9, 26, tzinfo=UTC)

MACHINE = Machine(
    host="lab-3",
    cpu="Example CPU 9000 @ 3.00GHz",
    cores=2,
    threads=4,
    usable=4,
    memory_bytes=16 * 2**30,
    system="Debian GNU/Linux 12 (bookworm)",
    kernel="Linux 6.1.0",
    python="CPython 3.11.9",
    python_build="GCC 12.2.0",
    loop="uvloop 0.21.0",
    prosody="0.12.3",
    libraries={"msgspec": "0.19.0", "numpy": "2.1.0"},
    governor="performance",
    frequency_mhz=3000.0,
    container="virtual machine",
)


@dataclass(frozen=True)
class Speed:
    """How a synthetic platform behaves, in microseconds."""

    alone: float  # one pair's round trip
    each: float  # what every further pair adds
    noise: float = 0.08
    per_byte: float = 0.0


# platform, kind, placement, route: near what the design's measurements say.
SPEEDS = {
    ("formicary", "behaviours", "same-container", "in-process"): Speed(1.9, 1.75, 0.10, 0.00001),
    ("formicary", "micro", "same-container", "in-process"): Speed(0.95, 0.82, 0.10, 0.00001),
    ("tasks", "", "same-container", "in-process"): Speed(2.2, 1.52, 0.07),
    ("callbacks", "", "same-container", "in-process"): Speed(1.1, 0.53, 0.05),
    ("formicary", "behaviours", "two-containers", "xmpp"): Speed(144, 4.0, 0.15, 0.012),
    ("tcp", "", "two-containers", "tcp"): Speed(33, 7.6, 0.12, 0.0012),
}
# The directory, and the message that it is held against.
DIRECTORY_SPEEDS = {
    ("formicary", "replica", "same-container", "in-process"): Speed(3, 0),
    ("formicary", "central", "same-container", "in-process"): Speed(20, 0),
    ("formicary", "replica", "two-containers", "direct"): Speed(4, 0),
    ("formicary", "central", "two-containers", "direct"): Speed(80, 0),
    ("formicary", "behaviours", "two-containers", "direct"): Speed(40, 8),
}

# Agents on each of many hosts.
MANY_SPEEDS = {
    ("formicary", "behaviours", "n-hosts", "in-process"): Speed(1.9, 1.75),
    ("formicary", "behaviours", "n-hosts", "direct"): Speed(60, 4),
    ("formicary", "behaviours", "n-hosts", "xmpp"): Speed(300, 12),
}


def asking(**asked):
    """Ask for what is measured; what is no option of all experiments is a size of one."""
    common = {field.name for field in fields(Options)}
    sizes = {name: value for name, value in asked.items() if name not in common}
    return Options(**{name: asked[name] for name in common & asked.keys()}, sizes=sizes)


def configured(**about):
    """Return a configuration; fields that not all configurations have become its experiment's parameters."""
    common = {*Configuration.__struct_fields__}
    parameters = {name: value for name, value in about.items() if name not in common}
    return Configuration(**{name: about[name] for name in common & about.keys()}, parameters=parameters)


def scale_plan(hosts=(1, 2, 3, 4), pairs=(12,), trips=(20, 60, 20)):
    return [
        Configuration(
            experiment="messaging/scale-out",
            platform="formicary",
            kind="behaviours",
            placement="n-hosts",
            route=route,
            hosts=many,
            traffic="" if many == 1 else traffic,
            parameters={"pairs": count, "payload_bytes": 100, "rounds": trips},
        )
        for count in pairs
        for many in hosts
        for route in (("in-process",) if many == 1 else ("direct", "xmpp"))
        for traffic in (("",) if many == 1 else ("ring", "all-to-all"))
    ]


def scale_counters(configuration, rate, agents_us=10.0, server_us=20.0):
    """Return the counters of hosts for a given cost of a message."""
    messages = 2 * rate / configuration.hosts
    found = {}
    for host in "abcdefgh"[: configuration.hosts]:
        found |= {f"agents@{host} cores": messages * agents_us / 1e6, f"agents@{host} bytes": 3e7}
        if configuration.route == "xmpp":
            found |= {f"server@{host} cores": messages * server_us / 1e6, f"server@{host} bytes": 2e7}
        found |= {f"host@{host} busy": 0.5, f"host@{host} seconds": 1.0}
        found |= {f"host@{host} wire bytes/s": 400 * messages}
    return found


def plan(experiment="messaging/pairs", pairs=(1, 10, 100), payloads=(100,), trips=(20, 60, 20)):
    many = experiment == "messaging/many-to-one"
    return [
        Configuration(
            experiment=experiment,
            platform=platform,
            kind=kind,
            placement=placement,
            route=route,
            parameters={"pairs": count, "payload_bytes": payload, "rounds": trips}
            | ({"senders": count} if many else {}),
        )
        for payload in payloads
        for count in pairs
        for platform, kind, placement, route in SPEEDS
    ]


def create_plan(agents=10_000):
    rows = [("formicary", "behaviours"), ("formicary", "micro"), ("tasks", "")]
    return [
        Configuration(
            experiment="create", platform=platform, kind=kind, route="none", parameters={"agents": agents}
        )
        for platform, kind in rows
    ]


def directory_plan(experiment="directory/search", services=(0, 100, 10_000), containers=(0,)):
    return [
        Configuration(
            platform=platform,
            kind=kind,
            placement=placement,
            route=route,
            parameters={"pairs": 1, "services": many, "rounds": (5, 40, 0)}
            | ({"containers": others} if others else {}),
            experiment=experiment,
        )
        for many in services
        for others in containers
        for platform, kind, placement, route in DIRECTORY_SPEEDS
        if kind != "behaviours" and (not others or placement == "two-containers")
    ]


def churn_plan(agents=20_000):
    return [
        Configuration(
            experiment="directory/churn",
            platform="formicary",
            kind=kind,
            placement="two-containers",
            route="direct",
            parameters={"agents": agents},
        )
        for kind in ("replica", "central")
    ]


def messages(placement, route):
    return Configuration(
        experiment="messaging/pairs",
        platform="formicary",
        kind="behaviours",
        placement=placement,
        route=route,
        parameters={"pairs": 1, "payload_bytes": 100, "rounds": (0, 40, 0)},
    )


def round_trips(configuration, seed):
    """Closed-loop pairs with skewed, slowly drifting, sometimes late round trips."""
    who = configuration.platform, configuration.kind, configuration.placement, configuration.route
    speed = {**SPEEDS, **DIRECTORY_SPEEDS, **MANY_SPEEDS}[who]
    random = np.random.default_rng(seed)
    exchange = configuration.exchange
    phases = exchange.rounds
    n, pairs = sum(phases), configuration.exchange.load * max(configuration.hosts, 1)
    mean = speed.alone + speed.each * (pairs - 1) + speed.per_byte * exchange.payload_bytes
    drift = 1 + 0.04 * np.sin(np.linspace(0, 9, n))
    rtt = mean * drift * random.lognormal(0, speed.noise, (pairs, n))
    late = random.random((pairs, n)) < 0.004
    rtt = np.where(late, rtt + random.exponential(12 + mean, (pairs, n)), rtt)
    rtt_ns = np.maximum((rtt * 1000).astype(np.int64), 1)
    start = np.cumsum(rtt_ns, axis=1) - rtt_ns + random.integers(0, 2000, (pairs, 1))
    return RoundTrips(
        pair=np.repeat(np.arange(pairs, dtype=np.int32), n),
        index=np.tile(np.arange(n, dtype=np.int32), pairs),
        start_ns=start.ravel(),
        rtt_ns=rtt_ns.ravel(),
        phase=np.tile(np.repeat(np.array([1, 2, 3], dtype=np.int8), phases), pairs),
    )


def creations(configuration, seed):
    """Batches of agents, with figures near what the design asks for."""
    random = np.random.default_rng(seed)
    rate, size = {
        "behaviours": (118_000, 2_300), "micro": (610_000, 720), "": (290_000, 2_050),
        "replica": (40_000, 0), "central": (10_000, 0),
    }[configuration.kind]  # fmt: skip
    agents = np.full(20, configuration.parameters["agents"] // 20, dtype=np.int64)
    return Creations(
        batch=np.arange(20, dtype=np.int32),
        agents=agents,
        seconds=agents / (rate * random.normal(1, 0.05, 20)),
        bytes=(agents * size * random.normal(1, 0.01, 20)).astype(np.int64),
    )


def make_run(path, configurations, *, repetitions=2, complete=True, **about):
    """Write a run folder as the engine does."""
    known = {
        "formicary": "0.1.0",
        "options": {"experiment": "quick", "pairs": [1, 10, 100]},
        "machine": MACHINE,
        "git": Git(commit="0123456789abcdef0123456789abcdef01234567", dirty=False),
        "load_before": (0.1, 0.2, 0.3),
    }
    run = RunFolder.create(
        Manifest(configurations=tuple(configurations), started=STARTED, **{**known, **about}), Path(path)
    )
    for number in range(1, repetitions + 1):
        for place, configuration in enumerate(configurations):
            add_repetition(run, configuration, number, seed=1000 * number + place)
    if complete:
        run.finish(load_after=(0.9, 0.4, 0.3))
    return run


def add_repetition(run, configuration, number, seed, **about):
    data = (
        creations(configuration, seed)
        if configuration.parameters.get("agents")
        else round_trips(configuration, seed)
    )
    known = {"elapsed_s": 0.1}
    if not configuration.parameters.get("agents"):
        if configuration.hosts > 1:
            about = {"members": (configuration.exchange.load,) * configuration.hosts, **about}
        load = load_of(data, about.get("members", ()))
        known = {
            "full_load": load.full,
            "elapsed_s": load.elapsed_s,
            "round_trips": load.round_trips,
            "window_s": load.window_s,
            "round_trips_in_window": load.round_trips_in_window,
        }
        if configuration.experiment == "messaging/scale-out":
            rate = load.round_trips_in_window / load.window_s
            known |= {"counters": scale_counters(configuration, rate)}
    return run.add(
        Repetition(
            configuration=configuration.key,
            number=number,
            seed=seed,
            started=STARTED,
            ended=STARTED + timedelta(seconds=2),
            **{**known, **about},
        ),
        data,
    )


def main_extras(experiment, rows, run):
    """Return the further tables of an experiment that are shown wherever there is room."""
    return [one for one in extras(experiment, rows, run) if not one.minor]


def document(run, rows):
    """Return the sentences of reports about rows."""
    return Document(run, [Digest(row, None) for row in rows])


EVIL = "<script>alert(1)</script>\"'&<b onmouseover=x>\x1b[31m[bold]"


METRICS = {name for experiment in EXPERIMENTS for name in metrics_of(experiment)}


def row(platform="formicary", kind="behaviours", pairs=1, **about):
    """Return a row; what is neither a field nor a metric is a parameter.

    Metrics are numbers, or numbers with their bounds.
    """
    known = {
        "experiment": "messaging/pairs",
        "placement": "same-container",
        "route": "in-process",
        "repetitions": 3,
        "full_load": True,
    } | {name: value for name, value in about.items() if name in Row.__struct_fields__}
    parameters = {"pairs": pairs, "payload_bytes": 100}
    parameters |= {name: value for name, value in about.items() if name not in {*known, *METRICS}}
    estimates = {
        name: Estimate(*value) if isinstance(value, tuple) else Estimate(value)
        for name, value in about.items()
        if name in METRICS and value is not None
    }
    return Row(**known, platform=platform, kind=kind, parameters=parameters, figures=estimates)


def repeated(one, many=6, **about):
    """Return a row with repetitions that fit its figures and scatter by half a percent."""
    by = [1 + 0.01 * (place / (many - 1) - 0.5) for place in range(many)] if many > 1 else [1]
    each = tuple(
        Each(
            values={
                name: figure.mean / scale if name.endswith("_per_s") else figure.mean * scale
                for name, figure in one.figures.items()
            }
        )
        for scale in by
    )
    return replace(one, **{"repetitions": many, "each": each, **about})


def times(median, mean, rate):
    """Return the figures of a row with round trips: microseconds, and the rate per second."""
    return {"rtt_p50_us": median, "rtt_mean_us": mean, "round_trips_per_s": rate}


ALONE = repeated(row(**times(1.9, (2.0, (1.9, 2.1)), 500_000.0)))
CROWD = repeated(row(pairs=100, **times(170.0, 175.0, 571_000.0)))
BASELINE = repeated(row("tasks", "", **times(2.2, 2.3, 430_000.0)))
CROWDED_BASELINE = repeated(row("tasks", "", 100, **times(150.0, 152.0, 656_000.0)))
ROWS = [ALONE, BASELINE, CROWD, CROWDED_BASELINE]
