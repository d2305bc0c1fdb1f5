"""What goes over the wire while pairs talk: `network`."""

from __future__ import annotations

from formicary_bench.experiments.experiment import ALBEROLA, Experiment, Loaded, Preset, Repeats, Take
from formicary_bench.experiments.messaging import BY_ALL, OURS, PAPER_PAIRS
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.placements import APART, TWO_HOSTS
from formicary_bench.vocabulary.routes import DIRECT, TCP, XMPP, Carrier

EXPERIMENT = Experiment(
    name=names.NETWORK,
    title="What goes over the wire",
    what="bytes and packets on the wire while pairs talk, beside what they send",
    source="Alberola 2010, Fig. 17",
    repeats=Repeats(ALBEROLA, lambda _: {17}),
    varies=("pairs", "payload", "route", "tls", "rounds"),
    pairs=(1, 10, 50, 100, 200),
    payloads=(100,),
    placements=(APART, TWO_HOSTS),
    carriers=tuple(Carrier(route, tls) for route in (DIRECT, XMPP, TCP) for tls in (False, True)),
    quick=Preset(parts=(Take(subjects=(OURS, "tcp"), placements=(APART,), carriers=BY_ALL),)),
    paper=Preset(pairs=PAPER_PAIRS, placements=(TWO_HOSTS,)),
    measure=Loaded("formicary_bench.experiments.network.measure:measure_network"),
    summarise=Loaded("formicary_bench.experiments.network.rows:SUMMARY"),
    report=Loaded("formicary_bench.experiments.network.report:REPORT"),
)
