"""A configuration: one point of an experiment, shared by plans, workers, manifests and rows."""

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
    """One point of an experiment: what is measured, on which platform, in which size.

    Attributes:
        experiment: its name, such as `messaging/pairs`.
        platform: `formicary`, `spade`, or a baseline: `tasks`, `callbacks`, `tcp`, `components`; `python` if
            nothing of ours is loaded.
        kind: `behaviours` or `micro` for our agents; `replica`, `central` or `lookup` for our directory; in
            `memory`, `imported` or `container` without agents; empty for other platforms.
        placement: `same-container`, `two-containers`, `two-hosts` or `n-hosts`.
        route: what carries the messages: `in-process`; between containers `xmpp`, `direct` or `auto`; for a
            baseline `tcp`; `none` without messages.
        tls: whether messages are encrypted between the containers.
        hosts: the number of hosts that take part; 0 if all processes are the controller's own.
        traffic: who talks to whom in `n-hosts`: `ring` or `all-to-all`; empty elsewhere.
        spread: where the services of `directory/...` are with two containers: `beside` the user, or `split`
            evenly; empty if they are with the directory, and elsewhere.
        parameters: its sizes: the fields of the experiment's `Parameters`, without those that do not apply.
        profiled: whether a sampler profiles the CPU time.
        reference: whether it only serves to show the cost of profiling its profiled twin.
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
        """The key of this configuration: equal for equal configurations, in this version and later ones."""
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
        """The placement, with the number of hosts and the traffic where these vary."""
        hosts = [str(self.hosts)] if self.hosts and self.placement == N_HOSTS else []
        return "-".join([self.placement, *hosts, *([self.traffic] if self.traffic else [])])

    @property
    def family(self) -> str:
        """The family of the experiment: the part of its name before the slash."""
        return family_of(self.experiment)

    @property
    def exchange(self) -> Exchange:
        """What is exchanged; zeros where that does not apply."""
        return Exchange.of(self)

    def sized(self, **parameters: Any) -> Configuration:
        return msgspec.structs.replace(self, parameters={**self.parameters, **parameters})


def _word(value: Value) -> str:
    return "-".join(map(str, value)) if isinstance(value, tuple) else str(value)
