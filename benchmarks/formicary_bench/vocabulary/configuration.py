"""What is measured: one point of an experiment, as plans, workers, manifests and rows know it."""

from __future__ import annotations

from typing import Annotated

import msgspec

from formicary_bench.vocabulary.names import COMPUTE, DIRECTORY, MEMORY, TRAFFIC, family_of
from formicary_bench.vocabulary.placements import N_HOSTS

Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
Name = Annotated[str, msgspec.Meta(max_length=200)]


class Configuration(msgspec.Struct, frozen=True, kw_only=True):
    """One point of an experiment: what is measured, on what, how much of it.

    Attributes:
        experiment: Its name, as in `messaging/pairs`.
        platform: `formicary`, `spade`, or a baseline: `tasks`, `callbacks`, `tcp`, `components`; `python`
            where nothing of ours has been loaded.
        kind: Of our agents, `behaviours` or `micro`; of our directory, `replica`, `central` or `lookup`; in
            `memory`, `imported` or `container` where there are no agents; empty for other platforms.
        placement: `same-container`, `two-containers`, `two-hosts` or `n-hosts`.
        route: What carries the messages: `in-process`; between containers `xmpp` (the first version wrote
            `prosody`), `direct` or `auto`; for a baseline `tcp`; `none` where there are none.
        tls: Whether they are encrypted between the containers.
        pairs: How many pairs exchange messages at once.
        senders: How many agents send, where not each of a pair: as many as there are pairs where all send to
            the same one, one where it sends to all others; else 0.
        payload_bytes: The size of a message's body.
        warm_up: Round trips of each pair, or uses of the directory, that come first and do not count (T1).
        measured: Round trips of each pair that count (T2).
        cool_down: Round trips of each pair that keep the load up while others are still measured (T3).
        agents: How many agents `create` makes, are idle in `memory`, or register and end in
            `directory/churn`; 0 elsewhere.
        services: How many services are registered before anything is measured, in `directory/...`.
        containers: How many containers are to learn of a registration in `directory/propagation`, or have a
            part each of the grid of `grid/swap`, or of the agents of `traffic/...`.
        seconds: How long the load lasts in `memory/growth`.
        profiled: Whether a sampler looks where the CPU time goes meanwhile.
        reference: Whether it is only there to show what the profiling of its profiled twin costs.
        hosts: How many hosts take part; 0 where all processes are the controller's own.
        traffic: Who talks to whom in `n-hosts`: `ring` or `all-to-all`; empty elsewhere.
        spread: Where the services of `directory/...` are, if there are two containers: `beside` the user, or
            `split` evenly; empty where they are apart from it, in the container of the directory, and
            elsewhere.
        rate: Messages per second of all senders together in an open loop; 0 where they wait for answers.
        arrivals: How those follow each other: `constant` or `poisson`; empty where they wait.
        limit_us: Within how many microseconds 99% of all answers are to come, where the highest such rate is
            searched for.
        requests: How many requests an agent makes at each visit in `mobile/web-shop`, or how many rounds
            `service/mediated` has.
        mix: Which requests these are: `browsing`, `shopping` or `ordering`.
        database: Where the data is that they are about: `sqlite` or `postgresql`.
        delay_us: For how many microseconds each packet of that is on its way besides.
        loop: How many operations the largest loop of `mobile/...` has; 0 elsewhere.
        way: How these follow each other, where there is a choice: `in-turn` or `at-once`; else empty.
        dimension: How many cells each side of the grid of `grid/swap` has; 0 elsewhere.
        swaps: How many swaps its first agent makes until all end.
        echoes: How many agents answer those of `pairs` in `traffic/...`; 0 where all answer each other, and
            elsewhere.
        cores: On how many cores the processes may run; 0 where that is left to the system. In
            `compute/...` `loop` is how many computations each of the `agents` makes.
    """

    experiment: Name
    platform: Name
    kind: Name = ""
    placement: Name = "same-container"
    route: Name = "in-process"
    tls: bool = False
    pairs: Count = 0
    senders: Count = 0
    payload_bytes: Count = 0
    warm_up: Count = 0
    measured: Count = 0
    cool_down: Count = 0
    agents: Count = 0
    services: Count = 0
    containers: Count = 0
    seconds: Count = 0
    profiled: bool = False
    reference: bool = False
    hosts: Count = 0
    traffic: Name = ""
    spread: Name = ""
    rate: Count = 0
    arrivals: Name = ""
    limit_us: Count = 0
    requests: Count = 0
    mix: Name = ""
    database: Name = ""
    delay_us: Count = 0
    loop: Count = 0
    way: Name = ""
    dimension: Count = 0
    swaps: Count = 0
    echoes: Count = 0
    cores: Count = 0

    @property
    def key(self) -> str:
        """The name of this configuration: equal for equal configurations, in this version and later."""
        who = f"{self.platform}-{self.kind}" if self.kind else self.platform
        if self.family == COMPUTE:
            size = f"{self.agents}-agents-loop-{self.loop}"
        elif self.loop:
            size = self._loop
        elif self.dimension:
            over = f"-{self.containers}-containers" if self.containers > 1 else ""
            size = f"{self.dimension}-a-side-{self.swaps}-swaps{over}"
        elif self.requests and not self.mix:
            size = f"{self.requests}-rounds"
        elif self.seconds:
            size = f"{self._size}-{self.seconds}-seconds"
        elif self.agents or self.experiment == MEMORY:
            size = f"{self.agents}-agents"
        else:
            size = f"{self._size}-{self.warm_up}-{self.measured}-{self.cool_down}"
        route = f"{self.route}-tls" if self.tls else self.route
        profiled = "/profiled" if self.profiled else "/reference" if self.reference else ""
        cores = f"-{self.cores}-cores" if self.cores else ""
        return f"{self.experiment}/{who}/{self.place}/{route}/{size}{cores}{profiled}"

    @property
    def place(self) -> str:
        """The placement, with how many hosts it has and who talks to whom, where that varies."""
        hosts = [str(self.hosts)] if self.hosts and self.placement == N_HOSTS else []
        return "-".join([self.placement, *hosts, *([self.traffic] if self.traffic else [])])

    @property
    def _size(self) -> str:
        if self.family == DIRECTORY:
            seen_by = f"{self.containers}-containers-" if self.containers else ""
            spread = f"-{self.spread}" if self.spread else ""
            return f"{seen_by}{self.services}-services{spread}"
        if self.family == TRAFFIC:
            to = f"to-{self.echoes}" if self.echoes else "ring"
            return f"{self.pairs}-{to}-{self.payload_bytes}-bytes-{self.containers}-containers"
        senders = f"{self.senders}-senders-" if self.senders not in {0, self.pairs} else ""
        paced = f"-{self.rate}-per-second-{self.arrivals}" if self.rate else ""
        if self.limit_us:
            paced = f"-p99-within-{self.limit_us}-us-{self.arrivals}"
        if self.mix:
            delay = f"-{self.delay_us}-us-delay" if self.delay_us else ""
            return f"{self.pairs}-pairs-{self.requests}-requests-{self.mix}-{self.database}{delay}"
        return f"{senders}{self.pairs}-pairs-{self.payload_bytes}-bytes{paced}"

    @property
    def _loop(self) -> str:
        way = f"{self.way}-" if self.way else ""
        clients = f"{self.pairs}-clients-" if self.pairs else ""
        fire = f"-{self.rate}-per-second" if self.rate else ""
        return f"{way}{clients}{self.payload_bytes}-bytes{fire}-loop-{self.loop}"

    @property
    def family(self) -> str:
        """What kind of experiment it is: what stands before the stroke of its name."""
        return family_of(self.experiment)

    @property
    def named_route(self) -> str:
        """The route by the name that it has now."""
        return "xmpp" if self.route == "prosody" else self.route

    @property
    def rounds(self) -> tuple[int, int, int]:
        """How many round trips, or uses, come before, while and after it is measured."""
        return self.warm_up, self.measured, self.cool_down

    @property
    def receivers(self) -> int:
        """How many agents answer."""
        return self.echoes or (self.pairs // self.senders if self.senders else self.pairs)

    @property
    def load(self) -> int:
        """How many agents send at once."""
        return self.senders or self.pairs
