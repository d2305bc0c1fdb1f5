"""What is measured: one point of an experiment, as plans, workers, manifests and rows know it."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from formicary_bench.vocabulary.names import family_of
from formicary_bench.vocabulary.parameters.shared import Exchange
from formicary_bench.vocabulary.places import N_HOSTS

Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
Name = Annotated[str, msgspec.Meta(max_length=200)]
Value = bool | Count | Name | tuple[Count, ...]


class Configuration(msgspec.Struct, frozen=True, kw_only=True):
    """One point of an experiment: what is measured, on what, how much of it.

    Attributes:
        experiment: Its name, as in `messaging/pairs`.
        platform: `formicary`, `spade`, or a baseline: `tasks`, `callbacks`, `tcp`, `components`; `python`
            where nothing of ours has been loaded.
        kind: Of our agents, `behaviours` or `micro`; of our directory, `replica`, `central` or `lookup`; in
            `memory`, `imported` or `container` where there are no agents; empty for other platforms.
        placement: `same-container`, `two-containers`, `two-hosts` or `n-hosts`.
        route: What carries the messages: `in-process`; between containers `xmpp`, `direct` or `auto`; for a
            baseline `tcp`; `none` where there are none.
        tls: Whether they are encrypted between the containers.
        hosts: How many hosts take part; 0 where all processes are the controller's own.
        traffic: Who talks to whom in `n-hosts`: `ring` or `all-to-all`; empty elsewhere.
        spread: Where the services of `directory/...` are, if there are two containers: `beside` the user, or
            `split` evenly; empty where they are apart from it, in the container of the directory, and
            elsewhere.
        parameters: How much of it: the fields of the experiment's `Parameters`, without those that it does
            not have here.
        profiled: Whether a sampler looks where the CPU time goes meanwhile.
        reference: Whether it is only there to show what the profiling of its profiled twin costs.
    """

    experiment: Name
    platform: Name
    kind: Name = ""
    placement: Name = "same-container"
    route: Name = "in-process"
    tls: bool = False
    hosts: Count = 0
    traffic: Name = ""
    spread: Name = ""
    parameters: dict[Name, Value] = {}
    profiled: bool = False
    reference: bool = False

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def key(self) -> str:
        """The name of this configuration: equal for equal configurations, in this version and later."""
        who = f"{self.platform}-{self.kind}" if self.kind else self.platform
        route = f"{self.route}-tls" if self.tls else self.route
        sizes = [
            f"{name.replace('_', '-')}-{_word(value)}" for name, value in sorted(self.parameters.items())
        ]
        where = self.place + (f"-{self.spread}" if self.spread else "")
        profiled = ["profiled"] if self.profiled else ["reference"] if self.reference else []
        return "/".join([self.experiment, who, where, route, "-".join(sizes) or "all", *profiled])

    @property
    def place(self) -> str:
        """The placement, with how many hosts it has and who talks to whom, where that varies."""
        hosts = [str(self.hosts)] if self.hosts and self.placement == N_HOSTS else []
        return "-".join([self.placement, *hosts, *([self.traffic] if self.traffic else [])])

    @property
    def family(self) -> str:
        """What kind of experiment it is: what stands before the stroke of its name."""
        return family_of(self.experiment)

    @property
    def exchange(self) -> Exchange:
        """What is exchanged, as far as that is what it is about."""
        return Exchange.of(self)

    def sized(self, **parameters: Any) -> Configuration:
        """Return it with other parameters."""
        return msgspec.structs.replace(self, parameters={**self.parameters, **parameters})


def _word(value: Value) -> str:
    return "-".join(map(str, value)) if isinstance(value, tuple) else str(value)
