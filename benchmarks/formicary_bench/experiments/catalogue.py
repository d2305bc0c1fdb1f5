"""The experiments with the values that they take by default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.arrivals import CONSTANT
from formicary_bench.vocabulary.designs import CENTRAL, DELIVERIES, REPLICA
from formicary_bench.vocabulary.names import family_of
from formicary_bench.vocabulary.placements import APART, HOSTED, N_HOSTS, SAME, TWO_HOSTS
from formicary_bench.vocabulary.routes import DIRECT, XMPP, Carrier
from formicary_bench.vocabulary.traffic import ALL_TO_ALL, AWAY, SPLIT, SPREADS, TRAFFICS

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary_bench.subjects.catalogue import Subject

Rounds = tuple[int, int, int]

PAPER_ROUNDS: Rounds = (500, 1000, 500)
"""Round trips of each pair before, while and after it is measured, as in Alberola 2010."""

ALONE_ROUNDS: Rounds = (100, 1000, 0)
"""Round trips of a single pair, which needs nothing after it; 1000 measured, as in Burbeck 2004."""

DIRECTORY_ROUNDS: Rounds = (50, 100, 0)
"""Uses of the directory before and while it is measured; 100, as there."""


@dataclass(frozen=True)
class Experiment:
    """Something that can be measured.

    Attributes:
        name: as on the command line.
        what: what is measured, in a few words.
        source: the paper that it is from, and where in it.
        varies: the options of the command line that it has.
        loads: how many pairs, or senders.
        payloads: bytes of a message's body.
        agents: how many agents are created.
        services: how many services are registered before.
        containers: how many other containers are to learn of something.
        placements: where the agents are.
        carriers: what carries the messages between two containers; what is usual if empty.
        kinds: which of ours can take part; all that do such experiments if empty.
        rates: messages per second, where senders do not wait for answers.
        arrivals: how those follow each other.
        limit_us: within how many microseconds 99% are to be answered, where the highest such rate is found.
        tls: whether messages are encrypted, where both are measured; as is usual if empty.
        subjects: names of the only subjects that take part, also of those that do no other such experiment;
            all if empty.
        traffics: who talks to whom over many hosts, where there is a choice.
        spreads: where services are over two hosts; nowhere is a choice if empty.
        rounds: how many round trips come before, while and after it is measured.
    """

    name: str
    what: str
    source: str
    varies: tuple[str, ...]
    loads: tuple[int, ...] = ()
    payloads: tuple[int, ...] = ()
    agents: tuple[int, ...] = ()
    services: tuple[int, ...] = ()
    containers: tuple[int, ...] = ()
    placements: tuple[str, ...] = (SAME, APART, *HOSTED)
    carriers: tuple[Carrier, ...] = ()
    kinds: tuple[str, ...] = ()
    rates: tuple[int, ...] = ()
    arrivals: tuple[str, ...] = ()
    limit_us: int = 0
    tls: tuple[bool, ...] = ()
    subjects: tuple[str, ...] = ()
    traffics: tuple[str, ...] = ()
    spreads: tuple[str, ...] = ()
    rounds: Rounds = PAPER_ROUNDS

    @property
    def family(self) -> str:
        """Of what kind it is: what stands before the stroke of its name."""
        return family_of(self.name)

    def has(self, subject: Subject) -> bool:
        """Say whether a subject can take part."""
        if self.subjects:
            return subject.name in self.subjects
        if subject.experiments:
            return self.name in subject.experiments
        return self.family in subject.does and (not self.kinds or subject.kind in self.kinds)


@dataclass(frozen=True)
class Part:
    """What a run takes of an experiment.

    Attributes:
        experiment: the experiment.
        subjects: names of the subjects that take part; all if empty.
        loads: pairs or senders.
        payloads: bytes.
        agents: how many agents come and go.
        services: how many services are registered before.
        containers: how many other containers are to learn of something.
        placements: where the agents are.
        carriers: what carries the messages between two containers; what is usual if empty.
        rounds: how many round trips come before, while and after it is measured; the experiment's if None.
    """

    experiment: Experiment
    subjects: tuple[str, ...] = ()
    loads: tuple[int, ...] = ()
    payloads: tuple[int, ...] = (100,)
    agents: tuple[int, ...] = ()
    services: tuple[int, ...] = ()
    containers: tuple[int, ...] = ()
    placements: tuple[str, ...] = (SAME, APART)
    carriers: tuple[Carrier, ...] = ()
    rounds: Rounds | None = None


@dataclass(frozen=True)
class Point:
    """How much of an experiment is measured at once, and where.

    Attributes:
        placement: where the agents are.
        carrier: what carries the messages.
        load: pairs or senders.
        payload: bytes.
    """

    placement: str
    carrier: Carrier
    load: int
    payload: int


@dataclass(frozen=True)
class Selection:
    """Parts of several experiments in one run.

    Attributes:
        name: as on the command line.
        what: what it is for, in a few words.
        parts: the parts.
        rounds: how many round trips each pair makes before, while and after it is measured.
    """

    name: str
    what: str
    parts: tuple[Part, ...]
    rounds: Callable[[Subject, Point], Rounds]


_MESSAGING = ("pairs", "payload", "placement", "route", "tls", "rounds")
_BETWEEN_ALL = (*_MESSAGING, "traffic")
_HERE_AND_THERE = (SAME, APART, TWO_HOSTS)
TWO_KB = 2048
_DIRECTORY = ("services", "spread", "placement", "route", "tls", "rounds")
SERVICES = (0, 100, 1000, 10_000, 100_000)

PAIRS = Experiment(
    name="messaging/pairs",
    what="round-trip time of pairs at full load",
    source="Alberola 2010, Fig. 5, 6, 7",
    varies=_BETWEEN_ALL,
    loads=(1, 10, 50, 100, 150, 200),
    payloads=(100,),
    traffics=(ALL_TO_ALL,),
)
MANY_TO_ONE = Experiment(
    name="messaging/many-to-one",
    what="round-trip time of many senders to one receiver",
    source="Alberola 2010, Fig. 9",
    varies=_MESSAGING,
    loads=(1, 10, 50, 100, 150, 200),
    payloads=(100,),
)
SIZE = Experiment(
    name="messaging/size",
    what="round-trip time of messages of many sizes",
    source="Alberola 2010, Fig. 8",
    varies=_BETWEEN_ALL,
    loads=(50,),
    payloads=(1, 10, 100, 1000, 10_000, 100_000),
    traffics=(ALL_TO_ALL,),
)
LOWER_BOUND = Experiment(
    name=names.LOWER_BOUND,
    what="time that 1000 messages of each pair take in all, beside plain processes over TCP sockets",
    source="Alberola 2010, Fig. 10, 11",
    varies=_MESSAGING,
    loads=(1, 10, 50, 100),
    payloads=(100,),
    placements=_HERE_AND_THERE,
)
LOCATION = Experiment(
    name="messaging/location",
    what="round-trip time of pairs of agents in one process, two, or on two hosts",
    source="Burbeck 2004, Fig. 1",
    varies=_MESSAGING,
    loads=(1, 2, 5, 10),
    payloads=(TWO_KB,),
    placements=_HERE_AND_THERE,
)
SINGLE_PAIR_SIZE = Experiment(
    name="messaging/single-pair-size",
    what="round-trip time of one pair, by the size of its messages",
    source="Burbeck 2004, Fig. 2",
    varies=_MESSAGING,
    loads=(1,),
    payloads=(0, 1000, 10_000, 100_000),
    placements=_HERE_AND_THERE,
    rounds=ALONE_ROUNDS,
)
SCALE = Experiment(
    name="messaging/scale",
    what="round-trip time of more and more pairs with messages of 2 KB",
    source="Burbeck 2004, Fig. 3, 4, 5",
    varies=_MESSAGING,
    loads=(1, 5, 10, 50, 100),
    payloads=(TWO_KB,),
    placements=_HERE_AND_THERE,
)
ENCRYPTION = Experiment(
    name=names.ENCRYPTION,
    what="round-trip time with TLS and without, of one pair by size and of pairs by number",
    source="Burbeck 2004, Fig. 6, 7",
    varies=_MESSAGING,
    loads=(1, 5, 10),
    payloads=(TWO_KB,),
    placements=(APART, TWO_HOSTS),
    tls=(False, True),
)
OPEN_LOOP = Experiment(
    name=names.OPEN_LOOP,
    what="time from when a message was due until its answer, at a given rate",
    source="our own",
    varies=("rate", "arrivals", *_MESSAGING),
    loads=(10,),
    payloads=(100,),
    placements=_HERE_AND_THERE,
    subjects=("formicary-behaviours", "formicary-micro", "tasks", "tcp"),
    rates=(1000, 5000),
    arrivals=(CONSTANT,),
)
SATURATION = Experiment(
    name=names.SATURATION,
    what="highest rate of messages at which 99% are answered in time",
    source="our own",
    varies=("p99", "arrivals", *_MESSAGING[:-1]),
    loads=OPEN_LOOP.loads,
    payloads=OPEN_LOOP.payloads,
    placements=OPEN_LOOP.placements,
    subjects=OPEN_LOOP.subjects,
    arrivals=OPEN_LOOP.arrivals,
    limit_us=5000,
)
SCALE_OUT = Experiment(
    name=names.SCALE_OUT,
    what="round trips of a fixed number of pairs on each of more and more hosts, and what one more costs",
    source="our own",
    varies=("count", "traffic", "pairs", "payload", "route", "tls", "rounds"),
    loads=(50,),
    payloads=(100,),
    placements=(N_HOSTS,),
    kinds=("behaviours", "micro"),
    traffics=TRAFFICS,
)
DESIGNS = Experiment(
    name=names.DESIGNS,
    what="round-trip time by the design of delivery: other platforms' in one process, ours without its parts",
    source="Alberola 2010, Section 5.1; Frantz 2010",
    varies=_MESSAGING,
    loads=(1, 10, 100),
    payloads=(100,),
    placements=(SAME, APART),
    subjects=(
        "formicary-behaviours",
        *(f"design-{kind}" for kind in DELIVERIES),
        *("formicary-unbatched", "formicary-logins", "tasks", "tcp", "components"),
    ),
)
CREATE = Experiment(
    name="create",
    what="agents created and started per second, and the memory of each",
    source="Dikaiakos 2001, CL; Alberola 2010, Table 8",
    varies=("agents",),
    agents=(10_000,),
    placements=(SAME,),
)

REGISTER = Experiment(
    name="directory/register",
    what="time of one registration of a service",
    source="Alberola 2010, Fig. 12, 13",
    varies=_DIRECTORY,
    services=SERVICES,
    spreads=(AWAY,),
    rounds=DIRECTORY_ROUNDS,
)
DEREGISTER = Experiment(
    name="directory/deregister",
    what="time to take a service back",
    source="Alberola 2010, without a figure, as it was like Fig. 12, 13",
    varies=_DIRECTORY,
    services=SERVICES,
    spreads=(AWAY,),
    rounds=DIRECTORY_ROUNDS,
)
SEARCH = Experiment(
    name="directory/search",
    what="time of one search for the services of a type",
    source="Alberola 2010, Fig. 14, 15, 16",
    varies=_DIRECTORY,
    services=SERVICES,
    spreads=SPREADS,
    rounds=DIRECTORY_ROUNDS,
)
PROPAGATION = Experiment(
    name="directory/propagation",
    what="time until other containers have seen a registration, and have told",
    source="our own; the delay that Alberola 2010 does not measure",
    varies=("services", "containers", "route", "tls", "rounds"),
    services=(0,),
    containers=(3,),
    placements=(APART, TWO_HOSTS),
    kinds=(REPLICA, CENTRAL),
    rounds=DIRECTORY_ROUNDS,
)
CHURN = Experiment(
    name="directory/churn",
    what="agents that register and end, per second, in four containers of two processes",
    source="our own",
    varies=("agents", "route", "tls"),
    agents=(20_000,),
    placements=(APART, TWO_HOSTS),
    kinds=(REPLICA, CENTRAL),
)

MEMORY = Experiment(
    name=names.MEMORY,
    what="memory of the interpreter, of the platform and of idle agents",
    source="Alberola 2010, Table 8",
    varies=("agents", "growth"),
    agents=(100, 1000, 100_000),
    placements=(SAME,),
)
GROWTH = Experiment(
    name=names.GROWTH,
    what="whether memory grows while pairs talk",
    source="our own",
    varies=("growth", "pairs", "payload", "placement", "route", "tls"),
    loads=(10,),
    payloads=(100,),
    placements=(SAME, APART),
    kinds=("behaviours", "micro"),
)
NETWORK = Experiment(
    name=names.NETWORK,
    what="bytes and packets on the wire while pairs talk, beside what they send",
    source="Alberola 2010, Fig. 17",
    varies=("pairs", "payload", "route", "tls", "rounds"),
    loads=(1, 10, 50, 100, 200),
    payloads=(100,),
    placements=(APART, TWO_HOSTS),
    carriers=tuple(Carrier(route, tls) for route in (DIRECT, XMPP, "tcp") for tls in (False, True)),
)

MESSAGING_CPU = Experiment(
    name="messaging/cpu",
    what="where the CPU time goes while pairs talk, by group",
    source="Alberola 2010, Tables 2, 3",
    varies=_BETWEEN_ALL,
    loads=(100,),
    payloads=(100,),
    kinds=("behaviours", "micro"),
    traffics=(ALL_TO_ALL,),
)
REGISTER_CPU = Experiment(
    name="directory/cpu-register",
    what="where the CPU time of registering goes, by group",
    source="Alberola 2010, Tables 4, 5",
    varies=_DIRECTORY,
    services=(200,),
    spreads=(SPLIT,),
)
SEARCH_CPU = Experiment(
    name="directory/cpu-search",
    what="where the CPU time of searching goes, by group",
    source="Alberola 2010, Tables 6, 7",
    varies=_DIRECTORY,
    services=(200,),
    spreads=(SPLIT,),
)

EXPERIMENTS = (
    *(PAIRS, MANY_TO_ONE, SIZE, LOWER_BOUND),
    *(LOCATION, SINGLE_PAIR_SIZE, SCALE, ENCRYPTION),
    *(OPEN_LOOP, SATURATION, SCALE_OUT, DESIGNS, CREATE),
    *(REGISTER, DEREGISTER, SEARCH, PROPAGATION, CHURN),
    *(MEMORY, GROWTH, NETWORK),
    *(MESSAGING_CPU, REGISTER_CPU, SEARCH_CPU),
)
