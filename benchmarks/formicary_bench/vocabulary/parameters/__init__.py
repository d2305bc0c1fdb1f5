"""The parameters of a run, each declared once.

The command line, plans, reproducing commands and manifests take names, kinds of values and help from here.

- `parameter`: the declaration of a parameter
- `shared`: the parameters of many experiments
"""

from __future__ import annotations

from dataclasses import replace

from formicary_bench.vocabulary import kinds
from formicary_bench.vocabulary.kinds import choice, whole
from formicary_bench.vocabulary.names import PRESETS
from formicary_bench.vocabulary.parameters.parameter import (
    ALWAYS,
    HOSTS,
    MOST_SEED,
    OWN,
    SHARED,
    VARIED,
    WHOLE,
    Parameter,
    Parameters,
    declared_by,
)
from formicary_bench.vocabulary.places import MOST_HOSTS, PLACEMENTS, ROUTES, SPREADS_BY_NAME, TRAFFICS

WHAT = (
    Parameter(
        name="preset",
        kind=choice("preset", PRESETS, several=False),
        metavar="quick|paper",
        help="Sizes for whatever you do not specify: quick, just enough for an answer; or paper, as in "
        "the papers.",
        default="the experiment's; for everything: quick",
        comment="sizes not given here: quick or paper",
        example="quick",
        scope=SHARED,
    ),
    Parameter(
        name="platform",
        kind=kinds.TEXTS,
        field="subjects",
        metavar="NAME,...",
        help="Platforms to measure: formicary (or formicary-behaviours, formicary-micro, "
        "formicary-replica, formicary-central, formicary-lookup), a baseline (tasks, callbacks, "
        "tcp, components), or another one listed by `formicary bench platforms`.",
        default="all except those with a driver",
        comment="platforms to measure",
        example=["formicary", "tcp"],
        scope=SHARED,
    ),
)


WHERE = (
    Parameter(
        name="placement",
        kind=choice("placement", PLACEMENTS),
        field="placements",
        metavar="PLACE,...",
        help="Where agents run: same-container, two-containers; with hosts also two-hosts, n-hosts.",
        default="both; with hosts: two-hosts",
        comment="where agents run; two-hosts and n-hosts with --hosts",
        example=["same-container", "two-containers"],
        scope=ALWAYS,
    ),
    Parameter(
        name="route",
        kind=choice("route", ROUTES),
        field="routes",
        metavar="ROUTE,...",
        help="How our agents' messages travel between containers: xmpp (through Prosody), direct (no "
        "server), auto (the platform's choice when there is a server).",
        default="xmpp,direct",
        comment="how messages travel between containers",
        example=["direct"],
    ),
    Parameter(
        name="tls",
        kind=kinds.switches(),
        metavar="on|off,...",
        help="Whether links between containers use TLS; also applies to the baselines tcp and components.",
        default="off; on for direct links between hosts",
        comment="whether links use TLS",
        example=[False, True],
    ),
    Parameter(
        name="spread",
        kind=choice("spread", SPREADS_BY_NAME),
        field="spreads",
        metavar="WHERE,...",
        help="Where services are with two containers. apart: with the directory, away from its user; "
        "beside: with its user; split: half in each.",
        default="apart; two-hosts: as in the papers",
        comment="where services are with two containers",
        example=["apart", "split"],
    ),
    Parameter(
        name="traffic",
        kind=choice("traffic", TRAFFICS),
        field="traffics",
        metavar="KIND,...",
        help="Whom agents talk to over many hosts. ring: agents of the next host; all-to-all: agents of "
        "all other hosts, evenly.",
        default="all-to-all; messaging/scale-out: both",
        comment="who talks to whom over many hosts",
        example=["all-to-all"],
    ),
    Parameter(
        name="count",
        kind=whole(1, MOST_HOSTS),
        field="counts",
        unit="hosts",
        metavar="N,...",
        help="For messaging/scale-out: numbers of hosts.",
        default="from 1 to all",
        comment="numbers of hosts",
        example=[1, 2],
    ),
    Parameter(
        name="hosts",
        kind=kinds.TEXT,
        metavar="FILE",
        help="Measure over the hosts of this inventory, prepared with `formicary hosts prepare`.",
        default="only this machine",
        comment="inventory of hosts to measure over",
        example="hosts.toml",
        scope=HOSTS,
    ),
    Parameter(
        name="on",
        kind=kinds.TEXTS,
        metavar="NAME,...",
        help="With --hosts: use only these hosts or groups. In the order of the file, the first with "
        "containers asks and the second answers.",
        default="all",
        comment="names of the hosts to use",
        example=["a", "b"],
        scope=HOSTS,
    ),
    Parameter(
        name="servers",
        kind=choice("number of servers", ("each", "one"), several=False),
        metavar="each|one",
        help="With hosts: a federated XMPP server on each host, or one server for all.",
        default="each",
        comment="XMPP servers",
        example="each",
        scope=HOSTS,
    ),
    Parameter(
        name="launcher",
        kind=kinds.TEXT,
        metavar="ssh|slurm|local|COMMAND",
        help="How to start programs on hosts. ssh, or a command such as 'blaunch {host}': on those in "
        "--hosts; slurm: on the nodes of the current job; local: on this machine, as if it were several.",
        default="ssh with --hosts",
        comment="how to start programs on hosts",
        example="slurm",
        scope=HOSTS,
    ),
    Parameter(
        name="interface",
        kind=kinds.TEXT,
        metavar="NAME",
        help="With --launcher slurm: the network interface to use.",
        default="the only one, or the one of the node's name; it is printed",
        comment="network interface for the hosts of a job",
        example="ib0",
        scope=HOSTS,
    ),
)


HOW = (
    Parameter(
        name="repeat",
        kind=whole(1, 10_000, several=False),
        metavar="N",
        help="Repetitions of each measurement, each in fresh processes.",
        default="3",
        comment="repetitions, each in fresh processes",
        example=3,
        scope=SHARED,
    ),
    Parameter(
        name="seed",
        kind=whole(0, MOST_SEED, several=False),
        metavar="N",
        help="Seed for the order of measurements and for the agents.",
        default="random",
        comment="for order and agents; random if omitted",
        example=1,
        scope=WHOLE,
    ),
    Parameter(
        name="warm-up",
        kind=kinds.RULE,
        metavar="detect|paper|N",
        help="What to discard as warm-up. detect: until times have settled; paper: the first 500 round "
        "trips of each pair; N: the first N.",
        default="as in --rounds; reports warn if that is too short",
        comment="what to discard: detect, paper, or a number",
        example="detect",
        scope=WHOLE,
    ),
    Parameter(
        name="profile",
        kind=kinds.FLAG,
        help="Also profile CPU time by group, in separate, longer repetitions that do not disturb the "
        "others.",
        comment="whether to also profile CPU time",
        example=True,
        scope=ALWAYS,
    ),
)


_PANELS = {"Selection": WHAT, "Placement": WHERE, "Method": HOW}

PARAMETERS = tuple(replace(one, panel=panel) for panel, ones in _PANELS.items() for one in ones)
"""Those not declared by experiments, in the order of the help."""

__all__ = [
    "ALWAYS",
    "HOSTS",
    "MOST_SEED",
    "OWN",
    "PARAMETERS",
    "SHARED",
    "VARIED",
    "WHOLE",
    "Parameter",
    "Parameters",
    "declared_by",
]
