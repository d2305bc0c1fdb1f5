"""A client sends an agent shopping, which goes to the data or has it come: `mobile/web-shop`.

- `mixes` and `catalogue`: what is asked for, and what there is, both made from a seed
- `shop` and `databases`: what a request does in the database, and which one that is; `postgresql_server`
- `visits`: what an agent does on a visit, and keeps of it
- `agents`: the client, the agent and the shop; `worker`: their processes
- `plan`, `rows`, `report`: how it is planned, summarised and shown
"""

from __future__ import annotations

from formicary_bench.experiments.experiment import Experiment, Loaded, Preset, Take
from formicary_bench.experiments.messaging import DIRECTLY
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.placements import APART, TWO_HOSTS
from formicary_bench.vocabulary.shop import DATABASES, MIXES, SHOPPING, WAYS

CPU_GROUP = "runtime"

_HERE = "formicary_bench.experiments.mobile.web_shop"
_SUBJECTS = tuple(f"formicary-{way}" for way in WAYS)

EXPERIMENT = Experiment(
    name=names.WEB_SHOP,
    title="An agent goes shopping",
    what="visits to a shop with a database: the agent goes to the data, or has it come by messages",
    source="our own; the micro-application that Dikaiakos 2001 sets out, with the mixes of TPC-W",
    varies=("mix", "requests", "database", "delay", "pairs", "route", "tls", "rounds"),
    pairs=(1,),
    requests=(1, 10, 100),
    mixes=MIXES,
    databases=DATABASES[:1],
    placements=(APART, TWO_HOSTS),
    carriers=DIRECTLY,
    subjects=_SUBJECTS,
    rounds=(10, 50, 0),
    has_fixed_rounds=True,
    quick=Preset(
        requests=(1, 100),
        rounds=(2, 10, 0),
        parts=(Take(subjects=_SUBJECTS, placements=(APART,), carriers=DIRECTLY, mixes=(SHOPPING,)),),
    ),
    plan=Loaded(f"{_HERE}.plan:plan_visits"),
    played_by=f"{_HERE}.worker",
    summarise=Loaded(f"{_HERE}.rows:SUMMARY"),
    report=Loaded(f"{_HERE}.report:REPORT"),
)
