"""The parameters of a run: what can be asked for, each declared once.

The command line, plans, the command that reproduces a configuration, and manifests take from here what a
parameter is called, what it takes, and what it says of itself.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from formicary_bench.vocabulary import kinds
from formicary_bench.vocabulary.arrivals import ARRIVALS
from formicary_bench.vocabulary.containers import MOST_HOSTS, MOST_ON_A_HOST
from formicary_bench.vocabulary.cores import MOST_CORES
from formicary_bench.vocabulary.grid import MOST_DIMENSION
from formicary_bench.vocabulary.kinds import choice, whole
from formicary_bench.vocabulary.loops import MOST_LOOP, WAYS
from formicary_bench.vocabulary.placements import PLACEMENTS
from formicary_bench.vocabulary.presets import PRESETS
from formicary_bench.vocabulary.routes import ROUTES
from formicary_bench.vocabulary.shop import DATABASES, MIXES
from formicary_bench.vocabulary.traffic import SPREADS_BY_NAME, TRAFFICS

if TYPE_CHECKING:
    from collections.abc import Collection

    from formicary_bench.vocabulary.kinds import Kind

_WHAT, _WHERE, _MUCH, _HOW = "What", "Where", "How much", "How"
_OWN = "the experiment's"

MOST_SEED = 2**32 - 1

VARIED, ALWAYS, SHARED, WHOLE, HOSTS = "varied", "always", "shared", "whole", "hosts"
"""Who has a parameter: experiments that vary it; all; all, and a plan for all of its experiments; a plan and
never one of its experiments; or whoever measures over hosts, which are no part of an experiment."""


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """Something of a run that can be asked for.

    Attributes:
        name: on the command line and in plans.
        kind: which values it takes.
        field: of options, experiments and what is taken of them; called as the parameter if empty.
        column: of a configuration that has its value; none if empty.
        unit: what so many of it are, where it is a number.
        panel: in which part of the help it is.
        metavar: what stands for a value there.
        help: what it says there.
        default: what is taken there if it is not given.
        comment: what it says in a new plan.
        example: a value, as in TOML.
        scope: who has it.
    """

    name: str
    kind: Kind
    field: str = ""
    column: str = ""
    unit: str = ""
    panel: str = _MUCH
    metavar: str = ""
    help: str
    default: str = _OWN
    comment: str
    example: Any
    scope: str = VARIED

    @property
    def option(self) -> str:
        """The option of the command line."""
        return f"--{self.name}"

    @property
    def keyword(self) -> str:
        """The name that code has for it."""
        return self.name.replace("-", "_")

    @property
    def attribute(self) -> str:
        """The field of options, experiments and what is taken of them."""
        return self.field or self.keyword

    def is_of(self, varies: Collection[str]) -> bool:
        """Say whether an experiment has it that varies these."""
        return self.scope in {ALWAYS, SHARED} or self.name in varies

    def from_words(self, text: str) -> Any:
        """Return the value of what was typed; raises UsageError if there is none."""
        example = self.example[0] if self.kind.several else self.example
        return self.kind.from_words(self.option, text, self.kind.word(self.kind.one(example)))

    def from_file(self, given: Any) -> Any:
        """Return the value of what a plan has; raises WrongError if there is none."""
        return self.kind.from_file(given, f"{self.name} = {self.toml()}")

    def toml(self, values: Any = None) -> str:
        """Return values, or the example, as TOML."""
        return json.dumps(self.example if values is None else values)

    def typed(self, value: Any) -> str:
        """Return the option with a value, as it is typed."""
        return f"{self.option} {self.kind.word(value)}"

    def for_manifest(self, value: Any) -> Any:
        """Return a value as manifests have it."""
        if isinstance(value, tuple):
            return [self.for_manifest(one) for one in value]
        return self.kind.word(value) if self.kind.has_words else value


PARAMETERS = (
    Parameter(
        name="preset",
        kind=choice("preset", PRESETS, several=False),
        panel=_WHAT,
        metavar="quick|paper",
        help="How much of it is measured where you do not say: as little as says something, or as much as in "
        "the papers.",
        default="the experiment's own; everything: quick",
        comment="sizes that are not named: quick or paper",
        example="quick",
        scope=SHARED,
    ),
    Parameter(
        name="platform",
        kind=kinds.TEXTS,
        field="subjects",
        panel=_WHAT,
        metavar="NAME,...",
        help="formicary (or formicary-behaviours, formicary-micro; formicary-replica, formicary-central, "
        "formicary-lookup), a baseline: tasks, callbacks, tcp, components, or another of "
        "`formicary bench platforms`.",
        default="all but those with a driver",
        comment="what is measured",
        example=["formicary", "tcp"],
        scope=SHARED,
    ),
    Parameter(
        name="placement",
        kind=choice("placement", PLACEMENTS),
        field="placements",
        column="placement",
        panel=_WHERE,
        metavar="PLACE,...",
        help="same-container, two-containers; with hosts also two-hosts, n-hosts.",
        default="both; with hosts: two-hosts",
        comment="where the agents are; two-hosts and n-hosts with --hosts",
        example=["same-container", "two-containers"],
        scope=ALWAYS,
    ),
    Parameter(
        name="route",
        kind=choice("route", ROUTES),
        field="routes",
        column="route",
        panel=_WHERE,
        metavar="ROUTE,...",
        help="What carries our agents' messages between two containers: xmpp (through Prosody), direct "
        "(without any server), auto (what the platform chooses where there is a server).",
        default="xmpp,direct",
        comment="what carries messages between containers",
        example=["direct"],
    ),
    Parameter(
        name="tls",
        kind=kinds.switches(),
        column="tls",
        panel=_WHERE,
        metavar="on|off,...",
        help="Whether links do TLS, and beside them the baselines tcp and components.",
        default="off; between hosts on for direct links",
        comment="whether that is encrypted",
        example=[False, True],
    ),
    Parameter(
        name="spread",
        kind=choice("spread", SPREADS_BY_NAME),
        field="spreads",
        column="spread",
        panel=_WHERE,
        metavar="WHERE,...",
        help="Where services are, if there are two containers. apart: with the directory, and not with its "
        "user; beside: with its user; split: half of them in each.",
        default="apart; two-hosts: as in the papers",
        comment="where services are, of two containers",
        example=["apart", "split"],
    ),
    Parameter(
        name="traffic",
        kind=choice("traffic", TRAFFICS),
        field="traffics",
        column="traffic",
        panel=_WHERE,
        metavar="KIND,...",
        help="Over many hosts: whom agents talk to. ring: those of the next host; all-to-all: evenly those "
        "of all other hosts.",
        default="all-to-all; messaging/scale-out: both",
        comment="who talks to whom over many hosts",
        example=["all-to-all"],
    ),
    Parameter(
        name="count",
        kind=whole(1, MOST_HOSTS),
        field="counts",
        column="hosts",
        unit="hosts",
        panel=_WHERE,
        metavar="N,...",
        help="With messaging/scale-out: how many hosts.",
        default="from 1 to as many as there are",
        comment="how many hosts",
        example=[1, 2],
    ),
    Parameter(
        name="hosts",
        kind=kinds.TEXT,
        panel=_WHERE,
        metavar="FILE",
        help="Measure over the hosts of this inventory, prepared with `formicary hosts prepare`.",
        default="on this machine alone",
        comment="file with hosts to measure over",
        example="hosts.toml",
        scope=HOSTS,
    ),
    Parameter(
        name="on",
        kind=kinds.TEXTS,
        panel=_WHERE,
        metavar="NAME,...",
        help="With --hosts: which of them take part, by names of hosts and groups. In the order of the file, "
        "the first with containers asks, the second answers.",
        default="all",
        comment="which of them take part, by names",
        example=["a", "b"],
        scope=HOSTS,
    ),
    Parameter(
        name="servers",
        kind=choice("number of servers", ("each", "one"), several=False),
        panel=_WHERE,
        metavar="each|one",
        help="Over hosts: an XMPP server on each host, all of them a federation, or one for all hosts.",
        default="each",
        comment="XMPP servers",
        example="each",
        scope=HOSTS,
    ),
    Parameter(
        name="launcher",
        kind=choice("launcher", ("ssh", "slurm", "local"), several=False),
        panel=_WHERE,
        metavar="ssh|slurm|local",
        help="How programs are started on hosts: ssh, on those of --hosts; slurm, on the nodes "
        "of the job that "
        "this is run in; local, on this machine, as if it were several.",
        default="ssh with --hosts",
        comment="how programs are started on hosts",
        example="slurm",
        scope=HOSTS,
    ),
    Parameter(
        name="interface",
        kind=kinds.TEXT,
        panel=_WHERE,
        metavar="NAME",
        help="With --launcher slurm: the network interface by which the hosts talk.",
        default="the only one, or that of the node's name; it is printed",
        comment="the network interface by which the hosts of a job talk",
        example="ib0",
        scope=HOSTS,
    ),
    Parameter(
        name="pairs",
        kind=whole(1, 10_000),
        column="pairs",
        unit="pairs",
        metavar="N,...",
        help="How many pairs, or senders, or receivers.",
        comment="how many pairs, or senders, or receivers",
        example=[1, 10, 100],
    ),
    Parameter(
        name="receivers",
        kind=whole(1, 10_000),
        column="echoes",
        unit="receivers",
        metavar="N,...",
        help="With traffic/massive-reception and traffic/speed-up: how many receivers all senders have.",
        default="1; as many as senders; of 256 senders, 2 to 256",
        comment="how many receivers all senders have",
        example=[1, 16],
    ),
    Parameter(
        name="payload",
        kind=whole(0, 10_000_000),
        field="payloads",
        column="payload_bytes",
        unit="bytes",
        metavar="BYTES,...",
        help="Size of a body.",
        comment="bytes of a body",
        example=[100, 10_000],
    ),
    Parameter(
        name="agents",
        kind=whole(1, 1_000_000),
        column="agents",
        unit="agents",
        metavar="N,...",
        help="How many agents to create, to have register and end, or to have compute.",
        comment="how many agents are made, come and go, or compute",
        example=[1000],
    ),
    Parameter(
        name="services",
        kind=whole(0, 1_000_000),
        column="services",
        unit="services",
        metavar="N,...",
        help="How many services are registered before.",
        comment="how many services are registered before",
        example=[0, 1000],
    ),
    Parameter(
        name="containers",
        kind=whole(1, MOST_ON_A_HOST),
        column="containers",
        unit="containers",
        metavar="N,...",
        help="How many other containers are to learn of a registration. With grid/swap and traffic/...: over "
        "how many the grid is, or the agents are, each in a process of its own.",
        comment="how many other containers learn of something, or have the agents",
        example=[3],
    ),
    Parameter(
        name="growth",
        kind=whole(1, kinds.MOST_SECONDS, several=False),
        column="seconds",
        unit="seconds",
        metavar="SECONDS",
        help="With memory: also have pairs talk for so long, and say whether what they hold grows.",
        default="no; memory/growth: 20",
        comment="for how many seconds pairs talk",
        example=20,
    ),
    Parameter(
        name="rate",
        kind=whole(1, 1_000_000),
        field="rates",
        column="rate",
        unit="messages/s",
        metavar="N,...",
        help="With messaging/open-loop: messages per second of all senders together, which do not wait for "
        "answers. With mobile/roam: of the agent that sends meanwhile.",
        default="1000,5000; mobile/roam: 1000, and none",
        comment="messages per second of all senders together",
        example=[1000, 5000],
    ),
    Parameter(
        name="arrivals",
        kind=choice("kind of arrivals", ARRIVALS),
        column="arrivals",
        metavar="KIND,...",
        help="How messages follow each other there: constant, after equal times; poisson, in bunches.",
        default="constant",
        comment="how they follow each other",
        example=["constant"],
    ),
    Parameter(
        name="p99",
        kind=kinds.duration(),
        field="limit_us",
        column="limit_us",
        metavar="TIME",
        help="With messaging/saturation: within what time 99% of all messages are to be answered.",
        default="5ms",
        comment="within what time 99% are to be answered",
        example="5ms",
    ),
    Parameter(
        name="requests",
        kind=whole(1, 10_000_000),
        column="requests",
        unit="requests",
        metavar="N,...",
        help="With mobile/web-shop: how many requests an agent makes at each visit. With service/mediated: "
        "how many rounds there are, with a request of the client's each.",
        comment="how many requests",
        example=[1, 10, 100],
    ),
    Parameter(
        name="mix",
        kind=choice("mix", MIXES),
        field="mixes",
        column="mix",
        metavar="MIX,...",
        help="With mobile/web-shop: which requests there are, as in TPC-W. browsing: 5% are about orders; "
        "shopping: 20%; ordering: 50%.",
        comment="mix of requests: browsing, shopping, ordering",
        example=["shopping"],
    ),
    Parameter(
        name="database",
        kind=choice("database", DATABASES),
        field="databases",
        column="database",
        panel=_WHERE,
        metavar="NAME,...",
        help="With mobile/web-shop: where the data is. sqlite: a file; postgresql: the server that "
        "FORMICARY_POSTGRESQL names, or one that is started where PostgreSQL is installed.",
        default="sqlite",
        comment="where the shop's data is: sqlite, postgresql",
        example=["sqlite"],
    ),
    Parameter(
        name="loop",
        kind=whole(1, MOST_LOOP),
        field="loops",
        column="loop",
        unit="operations",
        metavar="N,...",
        help="With mobile/...: how many operations the largest loop has; there are smaller ones before it. "
        "With compute/speed-up: how many computations each agent makes.",
        default="1000; compute/speed-up: 64 of all agents, one of each at least",
        comment="how many operations the largest loop has, or an agent computes",
        example=[1000],
    ),
    Parameter(
        name="dimension",
        kind=whole(2, MOST_DIMENSION),
        field="dimensions",
        column="dimension",
        unit="cells a side",
        metavar="D,...",
        help="With grid/swap: how many cells each side of the grid has.",
        comment="cells of each side of a grid",
        example=[10, 100],
    ),
    Parameter(
        name="swaps",
        kind=whole(1, 1_000_000),
        column="swaps",
        unit="swaps",
        metavar="N,...",
        help="With grid/swap: how many swaps the first agent makes until all end.",
        comment="swaps of the first agent, at which all end",
        example=[1000],
    ),
    Parameter(
        name="way",
        kind=choice("way", WAYS),
        field="ways",
        column="way",
        metavar="WAY,...",
        help="How the operations of a loop follow each other there: in-turn, each when the one before it has "
        "ended; at-once.",
        default="both",
        comment="how these follow each other",
        example=["in-turn", "at-once"],
    ),
    Parameter(
        name="cores",
        kind=whole(1, MOST_CORES),
        column="cores",
        unit="cores",
        panel=_WHERE,
        metavar="N,...",
        help="With compute/... and traffic/...: on how many cores of this machine the processes may run.",
        default="1, 2, 4 and so on, up to all",
        comment="on how many cores",
        example=[1],
    ),
    Parameter(
        name="delay",
        kind=kinds.duration(several=True),
        field="delays",
        column="delay_us",
        panel=_WHERE,
        metavar="TIME,...",
        help="With mobile/web-shop: how long each packet is on its way between the two processes, where the "
        "kernel can do that (netem).",
        default="none",
        comment="how long packets are on their way",
        example=["1ms", "10ms"],
    ),
    Parameter(
        name="rounds",
        kind=kinds.phases(),
        column="rounds",
        metavar="T1,T2,T3",
        help="Round trips of each pair, or uses of the directory: warm-up, measured, cool-down.",
        default="500,1000,500; directory: 50,100,0; quick: by load",
        comment="round trips, or uses: warm-up, measured, cool-down",
        example=[500, 1000, 500],
    ),
    Parameter(
        name="repeat",
        kind=whole(1, 10_000, several=False),
        panel=_HOW,
        metavar="N",
        help="How often, each time in fresh processes.",
        default="3",
        comment="how often, each time in fresh processes",
        example=3,
        scope=SHARED,
    ),
    Parameter(
        name="seed",
        kind=whole(0, MOST_SEED, several=False),
        panel=_HOW,
        metavar="N",
        help="Seed of the order of measurements and of the agents.",
        default="random",
        comment="of order and agents; drawn if left out",
        example=1,
        scope=WHOLE,
    ),
    Parameter(
        name="warm-up",
        kind=kinds.RULE,
        panel=_HOW,
        metavar="detect|paper|N",
        help="What is left out as warm-up. detect: until the times have settled; paper: the first 500 round "
        "trips of each pair; N: the first N.",
        default="as in --rounds, and reports say if that is too short",
        comment="what is left out: detect, paper, or a number",
        example="detect",
        scope=WHOLE,
    ),
    Parameter(
        name="profile",
        kind=kinds.FLAG,
        panel=_HOW,
        help="Also see where the CPU time goes, by group, in further and longer repetitions: the others stay "
        "undisturbed.",
        comment="whether to see where the CPU time goes as well",
        example=True,
        scope=ALWAYS,
    ),
)
"""All, in the order in which help shows them."""

ASKED = tuple(one for one in PARAMETERS if one.scope != HOSTS)
"""Those that say what is measured, and not over which hosts."""


def with_scope(*scopes: str) -> dict[str, Parameter]:
    """Return the parameters that have one of some scopes, by their names."""
    return {one.name: one for one in PARAMETERS if one.scope in scopes}
