"""A client sends an agent shopping, which goes to the data or fetches it: `mobile/web-shop`.

- `mixes` and `catalogue`: the requests and the data, both made from a seed
- `shop` and `databases`: what a request does in the database, and the databases; `postgresql_server`
- `visits`: what an agent does on a visit, and keeps of it
- `agents`: the client, the agent and the shop; `worker`: their processes
- `pipeline`: planning, summarising and showing it
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from formicary_bench.experiments.experiment import Experiment, Figure, Loaded, Preset, Take
from formicary_bench.experiments.messaging import DIRECTLY
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.kinds import choice, duration, whole
from formicary_bench.vocabulary.metrics import BYTES, MEAN, PER_SECOND, SECONDS, Metric
from formicary_bench.vocabulary.names import TOUR
from formicary_bench.vocabulary.parameters.parameter import Parameter
from formicary_bench.vocabulary.parameters.shared import CLIENTS, ROUNDS, Exchange, Rounds
from formicary_bench.vocabulary.places import APART, DIRECT, TWO_HOSTS, Carrier
from formicary_bench.vocabulary.values import DATABASES, MIXES, SHOP_WAYS, SHOPPING

CPU_GROUP = "runtime"

_HERE = "formicary_bench.experiments.mobile.web_shop"
_SUBJECTS = tuple(f"formicary-{way}" for way in SHOP_WAYS)

REQUESTS = Parameter(
    name="requests",
    kind=whole(1, 10_000_000),
    unit="requests",
    help="Number of requests per visit.",
    example=[1, 10, 100],
    few=10_000,
)
MIX = Parameter(
    name="mix",
    kind=choice("mix", MIXES),
    metavar="MIX,...",
    help="Mix of requests, as in TPC-W. browsing: 5% about orders; shopping: 20%; ordering: 50%.",
    example=[SHOPPING],
)
DATABASE = Parameter(
    name="database",
    kind=choice("database", DATABASES),
    panel="Placement",
    metavar="NAME,...",
    help="Where the data is. sqlite: a file; postgresql: the server in FORMICARY_POSTGRESQL, or one "
    "started here if PostgreSQL is installed.",
    default=DATABASES[0],
    example=[DATABASES[0]],
)
DELAY = Parameter(
    name="delay",
    kind=duration(several=True),
    unit="µs of delay",
    column="delay",
    panel="Placement",
    metavar="TIME,...",
    help="Delay of each packet between the processes, if the kernel supports it (netem).",
    default="none",
    example=["1ms", "10ms"],
    absent=0,
)


class Shopping(Exchange, frozen=True, kw_only=True):
    """Visits to a shop: their requests, and the data.

    Attributes:
        delay_us: the additional delay of each packet in microseconds.
    """

    delay_us: Annotated[int, DELAY] = 0
    database: Annotated[str, DATABASE] = ""
    mix: Annotated[str, MIX] = ""
    requests: Annotated[int, REQUESTS] = 0
    pairs: Annotated[int, CLIENTS] = 0
    rounds: Annotated[Rounds, ROUNDS] = (0, 0, 0)


VISIT = replace(MEAN, title="time of a visit", column="a visit")
SUSTAINED_VISITS = Metric(
    "sustained_per_s", "visits per second, sustained", PER_SECOND, "visits/s, sustained"
)
PEAK_VISITS = Metric("peak_per_s", "visits per second at the peak", PER_SECOND, "peak")
REQUESTS_PER_S = Metric("requests_per_s", "requests per second", PER_SECOND, "requests/s", is_judged=False)
TAKES = Metric("all_visits_s", "time of all visits", SECONDS, "all visits", minor=True)
PAGES = Metric("page_bytes", "page bytes of a visit", BYTES, "pages of a visit")
ORDERS = Metric("orders", "orders of a visit")

EXPERIMENT = Experiment(
    name=names.WEB_SHOP,
    title="An agent goes shopping",
    what="visits to a shop with a database: the agent goes to the data, or gets it by messages",
    source="our own; the micro-application that Dikaiakos 2001 sets out, with the mixes of TPC-W",
    parameters=Shopping,
    varies=("route", "tls"),
    sizes={
        "pairs": (1,),
        "requests": (1, 10, 100),
        "mix": MIXES,
        "database": DATABASES[:1],
        "rounds": (10, 50, 0),
    },
    placements=(APART, TWO_HOSTS),
    carriers=DIRECTLY,
    subjects=_SUBJECTS,
    has_fixed_rounds=True,
    quick=Preset(
        sizes={"requests": (1, 100), "rounds": (2, 10, 0)},
        parts=(Take(subjects=_SUBJECTS, placements=(APART,), carriers=DIRECTLY, sizes={"mix": (SHOPPING,)}),),
    ),
    selected={
        TOUR: (
            Take(
                subjects=_SUBJECTS,
                sizes={"mix": (SHOPPING,), "requests": (10,), "rounds": (2, 10, 0)},
                placements=(APART,),
                carriers=(Carrier(DIRECT),),
            ),
        )
    },
    fit=Loaded(f"{_HERE}.pipeline:visits"),
    duration=Loaded(f"{_HERE}.pipeline:duration"),
    played_by=f"{_HERE}.worker",
    metrics=(VISIT, SUSTAINED_VISITS, PEAK_VISITS, REQUESTS_PER_S, TAKES, PAGES),
    unshown=(ORDERS,),
    main=VISIT,
    over="requests",
    figures=(Figure(metric=VISIT, over="requests"),),
    summarise=Loaded(f"{_HERE}.pipeline:SUMMARY"),
    report=Loaded(f"{_HERE}.pipeline:REPORT"),
)
