"""Where it is measured: on which machines and cores, and what carries the messages."""

from __future__ import annotations

from formicary_bench.vocabulary import kinds
from formicary_bench.vocabulary.containers import MOST_HOSTS
from formicary_bench.vocabulary.kinds import choice, whole
from formicary_bench.vocabulary.parameters.parameter import ALWAYS, HOSTS, Parameter
from formicary_bench.vocabulary.placements import PLACEMENTS
from formicary_bench.vocabulary.routes import ROUTES
from formicary_bench.vocabulary.traffic import SPREADS_BY_NAME, TRAFFICS

PARAMETERS = (
    Parameter(
        name="placement",
        kind=choice("placement", PLACEMENTS),
        field="placements",
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
        unit="hosts",
        metavar="N,...",
        help="With messaging/scale-out: how many hosts.",
        default="from 1 to as many as there are",
        comment="how many hosts",
        example=[1, 2],
    ),
    Parameter(
        name="hosts",
        kind=kinds.TEXT,
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
        metavar="each|one",
        help="Over hosts: an XMPP server on each host, all of them a federation, or one for all hosts.",
        default="each",
        comment="XMPP servers",
        example="each",
        scope=HOSTS,
    ),
    Parameter(
        name="launcher",
        kind=kinds.TEXT,
        metavar="ssh|slurm|local|COMMAND",
        help="How programs are started on hosts: ssh, or a command such as 'blaunch {host}', on those of "
        "--hosts; slurm, on the nodes of the job that this is run in; local, on this machine, as if it were "
        "several.",
        default="ssh with --hosts",
        comment="how programs are started on hosts",
        example="slurm",
        scope=HOSTS,
    ),
    Parameter(
        name="interface",
        kind=kinds.TEXT,
        metavar="NAME",
        help="With --launcher slurm: the network interface by which the hosts talk.",
        default="the only one, or that of the node's name; it is printed",
        comment="the network interface by which the hosts of a job talk",
        example="ib0",
        scope=HOSTS,
    ),
)
