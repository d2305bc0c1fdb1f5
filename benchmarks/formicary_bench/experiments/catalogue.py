"""The experiments with the values that they take by default."""

from __future__ import annotations

from dataclasses import dataclass

from formicary_bench.platforms.catalogue import APART, SAME, Subject

PAPER_ROUNDS = (500, 1000, 500)
"""Round trips of each pair before, while and after it is measured, as in Alberola 2010."""


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
        placements: where the agents are.
    """

    name: str
    what: str
    source: str
    varies: tuple[str, ...]
    loads: tuple[int, ...] = ()
    payloads: tuple[int, ...] = ()
    agents: tuple[int, ...] = ()
    placements: tuple[str, ...] = (SAME, APART)

    def has(self, subject: Subject) -> bool:
        """Say whether a platform can take part."""
        return subject.creates if self.agents else True


@dataclass(frozen=True)
class Part:
    """What a run takes of an experiment.

    Attributes:
        experiment: the experiment.
        subjects: names of the platforms that take part; all if empty.
        loads: pairs or senders.
        payloads: bytes.
        placements: where the agents are.
    """

    experiment: Experiment
    subjects: tuple[str, ...] = ()
    loads: tuple[int, ...] = ()
    payloads: tuple[int, ...] = (100,)
    placements: tuple[str, ...] = (SAME, APART)


_MESSAGING = ("pairs", "payload", "placement", "rounds")

PAIRS = Experiment(
    name="messaging/pairs",
    what="round-trip time of pairs at full load",
    source="Alberola 2010, Fig. 5, 6, 7",
    varies=_MESSAGING,
    loads=(1, 10, 50, 100, 150, 200),
    payloads=(100,),
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
    source="Alberola 2010, Fig. 8; Burbeck 2004, Fig. 2",
    varies=_MESSAGING,
    loads=(50,),
    payloads=(1, 10, 100, 1000, 10_000, 100_000),
)
CREATE = Experiment(
    name="create",
    what="agents created and started per second, and the memory of each",
    source="Dikaiakos 2001, CL; Alberola 2010, Table 8",
    varies=("agents",),
    agents=(10_000,),
    placements=(SAME,),
)

EXPERIMENTS = (PAIRS, MANY_TO_ONE, SIZE, CREATE)
