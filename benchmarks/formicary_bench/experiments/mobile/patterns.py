"""Loops of agents in patterns: between clients and servers, between two places, and where two meet."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from formicary_bench.experiments.experiment import DIKAIAKOS, Figure, Preset, Repeats
from formicary_bench.experiments.mobile import AMONG, CARRIED, SUSTAINED, Carrying, loops, way
from formicary_bench.vocabulary.kinds import choice, whole
from formicary_bench.vocabulary.parameters.parameter import Parameter
from formicary_bench.vocabulary.parameters.shared import CLIENTS
from formicary_bench.vocabulary.places import SAME
from formicary_bench.vocabulary.values import MEETINGS, PATTERNS, REMOTE, UNMEDIATED


class Serving(Carrying, frozen=True, kw_only=True):
    """Loops of requests of several clients."""

    pairs: Annotated[int, CLIENTS] = 0


_FIGURES = {3: "17", 6: "18", 12: "19"}
"""The figures of that paper, by how many clients there are."""

_MANY = {"pairs": tuple(_FIGURES)}
_OVER_CLIENTS = Figure(metric=SUSTAINED, over="pairs", title="Rate against the number of clients")
_SERVED: dict[str, Any] = {
    "many": "requests",
    "parameters": Serving,
    "sizes": _MANY,
    "placements": (SAME, *AMONG),
    "paper": Preset(sizes=_MANY),
    "over": "pairs",
    "figures": (_OVER_CLIENTS,),
    "played_by": "mediating",
}


PROXY = loops(
    "mobile/proxy",
    "An agent between clients and servers",
    "client requests per second that an agent passes to servers, with their answers",
    source="our own; the micro-kernel PROXY that Dikaiakos 2001 sets out",
    **_SERVED,
)


PATTERN = Parameter(
    name="pattern",
    kind=choice("pattern", PATTERNS),
    in_label=True,
    metavar="NAME,...",
    help="Who stands between clients and servers. client-server: nobody; client-agent-server: an agent "
    "for each client, beside the servers; client-intercept-server: another one beside the client as well; "
    "proxy-server: one agent for all.",
    default="all",
    example=list(PATTERNS),
    base=UNMEDIATED,
)


class Mediated(Serving, frozen=True, kw_only=True):
    """Loops of requests from client to server by a pattern."""

    pattern: Annotated[str, PATTERN] = ""


MEDIATORS = loops(
    "mobile/mediators",
    "Agents between clients and servers, by pattern",
    "client requests answered by servers per second: directly, or through agents in between",
    source="our own; the models C/S, C/A/S, C/I/S and Proxy-Server that Dikaiakos 2001 sets out",
    **{**_SERVED, "parameters": Mediated, "sizes": {**_MANY, "pattern": PATTERNS}},
)


FORWARD_MESSAGES = loops(
    "mobile/forward-messages",
    "An agent that forwards requests to servers",
    "requests that an agent forwards to servers, which answer the clients directly, per second",
    benchmark="FORW-MSG",
    figure="17 to 20",
    second=SUSTAINED,
    further=(replace(_OVER_CLIENTS, after="Fig. 20"),),
    repeats=Repeats(DIKAIAKOS, lambda rows: {_FIGURES.get(row.size("pairs"), "") for row in rows} - {""}),
    **{name: value for name, value in _SERVED.items() if name != "figures"}
    | {"sizes": {**_MANY, "loop": (5000,)}, "paper": Preset(sizes={**_MANY, "loop": (5000,)})},
)


FORWARD_AGENTS = loops(
    "mobile/forward-agents",
    "An agent that forwards agents",
    "agents forwarded from one container to another by an agent in between, per second",
    benchmark="FORW-MA",
    figure="21",
    many="agents",
    second=SUSTAINED,
    sizes={"payload_bytes": (CARRIED,)},
    placements=AMONG,
    played_by="forwarding",
)


EXCHANGES = Parameter(
    name="exchanges",
    kind=whole(1, 1_000_000),
    unit="exchanges",
    help="Number of messages with answers at each meeting.",
    example=[1, 10, 1000],
    few=100,
)
MEETING_WAY = way(
    MEETINGS, "Where agents talk. local: at one place to which both move; remote: from their homes.", REMOTE
)


class Meeting(Carrying, frozen=True, kw_only=True):
    """Loops of meetings of two agents with a number of exchanges each."""

    exchanges: Annotated[int, EXCHANGES] = 0
    way: Annotated[str, MEETING_WAY] = ""


MEETING = loops(
    "mobile/meeting",
    "Two agents that meet to talk",
    "meetings of two agents per second: they move to one place, talk there and leave, or stay and talk",
    source="our own; the pattern Meeting that Dikaiakos 2001 sets out",
    many="meetings",
    parameters=Meeting,
    sizes={"loop": (20,), "exchanges": (1, 10, 100, 1000), "way": MEETINGS},
    over="exchanges",
    figures=(Figure(metric=SUSTAINED, over="exchanges", title="Rate against the number of exchanges"),),
    paper=None,
    played_by="meeting",
)
