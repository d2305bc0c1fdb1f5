"""Visits to a shop, in real processes: the agents of a client and of the shop, and a database."""

import pytest

from formicary_bench.runner.execution.repetition import Task, measure
from formicary_bench.runner.planning.options import Options
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.vocabulary.names import WEB_SHOP
from formicary_bench.vocabulary.values import FETCHES, ORDERING, ORDERS_MADE, PAGE_BYTES, POSTGRESQL, TRAVELS


def visits(way, **sizes):
    (configuration,) = make_plan(
        Options(
            WEB_SHOP,
            subjects=(f"formicary-{way}",),
            sizes={"mix": (ORDERING,), "requests": (20,), "rounds": (1, 4, 1), **sizes},
            routes=("direct",),
        )
    )
    return configuration


@pytest.mark.parametrize(
    ("way", "sizes"),
    [
        (FETCHES, {}),
        (TRAVELS, {}),
        pytest.param(TRAVELS, {"database": (POSTGRESQL,)}, marks=pytest.mark.postgresql),
    ],
)
def test_a_visit_is_a_round_trip_of_a_client_and_its_agent(way, sizes, silent):
    repetition, data = measure(Task(visits(way, pairs=(2,), **sizes), 1, 7), silent())
    assert repetition.round_trips == 8
    assert data.pair.tolist() == [0] * 6 + [1] * 6
    assert (data.rtt_ns > 0).all()
    assert repetition.counters[PAGE_BYTES] > 1000
    assert repetition.counters[ORDERS_MADE] > 0.5
