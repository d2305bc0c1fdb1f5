"""The options of `formicary bench run`, in the groups in which its help shows them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_WHAT, _WHERE, _MUCH, _HOW, _OUTPUT = "What", "Where", "How much", "How", "Output"

Experiment = Annotated[
    str | None,
    typer.Argument(
        help="An experiment of `formicary bench list`, or a selection of them: quick, a minute with some "
        "of all; links, all that there is between containers; directory, all that agents find each "
        "other by; everything.",
        show_default="quick",
    ),
]

Preset = Annotated[
    str | None,
    typer.Option(
        metavar="quick|paper",
        help="How much of it is measured where you do not say: as little as says something, or as much "
        "as in the papers.",
        show_default="the experiment's own; everything: quick",
        rich_help_panel=_WHAT,
    ),
]
PlanFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Measure what this plan says; see `formicary bench plan new`.",
        rich_help_panel=_WHAT,
    ),
]
Platforms = Annotated[
    str | None,
    typer.Option(
        metavar="NAME,...",
        help="formicary (or formicary-behaviours, formicary-micro; formicary-replica, formicary-central, "
        "formicary-lookup), a baseline: tasks, callbacks, tcp, components, or another of "
        "`formicary bench platforms`.",
        show_default="all but those with a driver",
        rich_help_panel=_WHAT,
    ),
]

Placement = Annotated[
    str | None,
    typer.Option(
        metavar="PLACE,...",
        help="same-container, two-containers; with hosts also two-hosts, n-hosts.",
        show_default="both; with hosts: two-hosts",
        rich_help_panel=_WHERE,
    ),
]
Route = Annotated[
    str | None,
    typer.Option(
        metavar="ROUTE,...",
        help="What carries our agents' messages between two containers: xmpp (through Prosody), direct "
        "(without any server), auto (what the platform chooses where there is a server).",
        show_default="xmpp,direct",
        rich_help_panel=_WHERE,
    ),
]
Tls = Annotated[
    str | None,
    typer.Option(
        metavar="on|off,...",
        help="Whether links do TLS, and beside them the baselines tcp and components.",
        show_default="off; between hosts on for direct links",
        rich_help_panel=_WHERE,
    ),
]
Spread = Annotated[
    str | None,
    typer.Option(
        metavar="WHERE,...",
        help="Where services are, if there are two containers. apart: with the directory, and not with "
        "its user; beside: with its user; split: half of them in each.",
        show_default="apart; two-hosts: as in the papers",
        rich_help_panel=_WHERE,
    ),
]
Traffic = Annotated[
    str | None,
    typer.Option(
        metavar="KIND,...",
        help="Over many hosts: whom agents talk to. ring: those of the next host; all-to-all: evenly "
        "those of all other hosts.",
        show_default="all-to-all; messaging/scale-out: both",
        rich_help_panel=_WHERE,
    ),
]
Count = Annotated[
    str | None,
    typer.Option(
        metavar="N,...",
        help="With messaging/scale-out: how many hosts.",
        show_default="from 1 to as many as there are",
        rich_help_panel=_WHERE,
    ),
]
Hosts = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Measure over the hosts of this inventory, prepared with `formicary hosts prepare`.",
        show_default="on this machine alone",
        rich_help_panel=_WHERE,
    ),
]
On = Annotated[
    str | None,
    typer.Option(
        metavar="NAME,...",
        help="With --hosts: which of them take part, by names of hosts and groups. In the order of the "
        "file, the first with containers asks, the second answers.",
        show_default="all",
        rich_help_panel=_WHERE,
    ),
]
Servers = Annotated[
    str | None,
    typer.Option(
        metavar="each|one",
        help="With --hosts: an XMPP server on each host, all of them a federation, or one for all hosts.",
        show_default="each",
        rich_help_panel=_WHERE,
    ),
]

Pairs = Annotated[
    str | None,
    typer.Option(
        metavar="N,...",
        help="How many pairs, or senders.",
        show_default="the experiment's",
        rich_help_panel=_MUCH,
    ),
]
Payload = Annotated[
    str | None,
    typer.Option(
        metavar="BYTES,...", help="Size of a body.", show_default="the experiment's", rich_help_panel=_MUCH
    ),
]
Agents = Annotated[
    str | None,
    typer.Option(
        metavar="N,...",
        help="How many agents to create, or to have register and end.",
        show_default="the experiment's",
        rich_help_panel=_MUCH,
    ),
]
Services = Annotated[
    str | None,
    typer.Option(
        metavar="N,...",
        help="How many services are registered before.",
        show_default="the experiment's",
        rich_help_panel=_MUCH,
    ),
]
Others = Annotated[
    str | None,
    typer.Option(
        metavar="N,...",
        help="How many other containers are to learn of a registration.",
        show_default="the experiment's",
        rich_help_panel=_MUCH,
    ),
]
Growth = Annotated[
    str | None,
    typer.Option(
        metavar="SECONDS",
        help="With memory: also have pairs talk for so long, and say whether what they hold grows.",
        show_default="no; memory/growth: 20",
        rich_help_panel=_MUCH,
    ),
]
Rate = Annotated[
    str | None,
    typer.Option(
        metavar="N,...",
        help="With messaging/open-loop: messages per second of all senders together, which do not wait "
        "for answers.",
        show_default="1000,5000",
        rich_help_panel=_MUCH,
    ),
]
Arrivals = Annotated[
    str | None,
    typer.Option(
        metavar="KIND,...",
        help="How messages follow each other there: constant, after equal times; poisson, in bunches.",
        show_default="constant",
        rich_help_panel=_MUCH,
    ),
]
P99 = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="With messaging/saturation: within what time 99% of all messages are to be answered.",
        show_default="5ms",
        rich_help_panel=_MUCH,
    ),
]
Rounds = Annotated[
    str | None,
    typer.Option(
        metavar="T1,T2,T3",
        help="Round trips of each pair, or uses of the directory: warm-up, measured, cool-down.",
        show_default="500,1000,500; directory: 50,100,0; quick: by load",
        rich_help_panel=_MUCH,
    ),
]

Repeat = Annotated[
    str | None,
    typer.Option(
        metavar="N", help="How often, each time in fresh processes.", show_default="3", rich_help_panel=_HOW
    ),
]
Seed = Annotated[
    str | None,
    typer.Option(
        metavar="N",
        help="Seed of the order of measurements and of the agents.",
        show_default="random",
        rich_help_panel=_HOW,
    ),
]
WarmUp = Annotated[
    str | None,
    typer.Option(
        "--warm-up",
        metavar="detect|paper|N",
        help="What is left out as warm-up. detect: until the times have settled; paper: the first 500 "
        "round trips of each pair; N: the first N.",
        show_default="as in --rounds, and reports say if that is too short",
        rich_help_panel=_HOW,
    ),
]
Profile = Annotated[
    bool,
    typer.Option(
        "--profile",
        help="Also see where the CPU time goes, by group, in further and longer repetitions: the others "
        "stay undisturbed.",
        rich_help_panel=_HOW,
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Measure nothing: say what would be, how often, and about how long.",
        rich_help_panel=_HOW,
    ),
]
Resume = Annotated[
    Path | None,
    typer.Option(
        metavar="RUN",
        help="Go on with a run that was interrupted, by the folder that it has made.",
        rich_help_panel=_HOW,
    ),
]

Output = Annotated[
    Path | None,
    typer.Option(
        help="Folder to make for the run.",
        show_default="runs/<time>-<experiment>",
        rich_help_panel=_OUTPUT,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print lines of JSON only.", rich_help_panel=_OUTPUT)]
