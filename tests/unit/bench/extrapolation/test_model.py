"""The model of many hosts, against synthetic data of which all is known."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formicary_bench.extrapolation.model import (
    CENTRAL,
    DIRECT,
    FEDERATED,
    ONE_SERVER,
    REPLICATED,
    Costs,
    Layout,
    Prediction,
    directory_outlook,
    line_through,
    outlook,
)
from formicary_bench.vocabulary.places import ALL_TO_ALL, RING


def level(value):
    """A line without uncertainty."""
    return line_through([(x, value) for x in (0.0, 0.5, 1.0)])


def costs(**about):
    known = {
        "agents_us": {DIRECT: level(10.0), FEDERATED: level(20.0), ONE_SERVER: level(20.0)},
        "server_us": {FEDERATED: level(40.0), ONE_SERVER: level(25.0)},
        "link_cores": Prediction.exactly(1e-4),
        "link_bytes": Prediction.exactly(50_000),
        "server_bytes": Prediction.exactly(20_000),
        "registration_us": Prediction.exactly(50.0),
        "update_us": Prediction.exactly(10.0),
    }
    return Costs(**{**known, **about})


@given(
    st.floats(-1e3, 1e3),
    st.floats(-1e3, 1e3),
    st.lists(st.floats(0, 10), min_size=3, max_size=9, unique=True),
)
def test_a_line_through_its_own_points_is_found(intercept, slope, places):
    line = line_through([(x, intercept + slope * x) for x in places])
    if line.spread > 1e-6:
        assert line.at(2.0).mean == pytest.approx(intercept + 2 * slope, abs=1e-3)
        assert line.rise.mean == pytest.approx(slope, abs=1e-3)


def test_intervals_hold_the_truth_as_often_as_they_say():
    generator = random.Random(7)
    places = [0.02, 0.02, 0.04, 0.06, 0.33, 0.67, 1.0]
    hits = rises = 0
    for _ in range(1000):
        line = line_through([(x, 8 + 5 * x + generator.gauss(0, 1)) for x in places])
        there, rise = line.at(2.0), line.rise
        hits += there.low <= 18 <= there.high
        rises += rise.low <= 5 <= rise.high
    assert 930 <= hits <= 970
    assert 930 <= rises <= 970


def test_the_farther_away_the_less_is_known():
    line = line_through([(1, 1.0), (2, 2.2), (3, 2.9), (4, 4.1)])
    widths = [line.at(x).high - line.at(x).low for x in (2.5, 4, 10, 100, 1000)]
    assert widths == sorted(widths)
    assert widths[-1] > 100 * widths[0]


def test_what_too_few_points_say_is_no_secret():
    assert line_through([]) is None
    assert line_through([(1, 5.0)]).at(7) == Prediction(5.0, -math.inf, math.inf)
    two = line_through([(1, 5.0), (2, 6.0)]).at(3)
    assert (two.mean, two.high) == (pytest.approx(7.0), math.inf)
    level_line = line_through([(1, 5.0), (1, 7.0)])
    assert level_line.at(1).mean == level_line.at(9).mean == 6.0
    assert level_line.rise.high == math.inf


def test_a_host_sends_to_as_many_others_as_it_can():
    assert [Layout(hosts, 50, ALL_TO_ALL).partners for hosts in (2, 4, 51, 1000)] == [1, 3, 50, 50]
    assert [Layout(hosts, 50, RING).partners for hosts in (2, 1000)] == [1, 1]
    assert Layout(1000, 50, ALL_TO_ALL).frames == 1.0


def test_direct_links_are_used_up_by_agents_and_then_by_their_number():
    few, many = (outlook(costs(), DIRECT, Layout(hosts, 50, RING)) for hosts in (2, 5001))
    assert [part.name for part in few.parts] == ["agents"]
    assert few.parts[0].per_host.mean == pytest.approx((1 - 1e-4) * 1e5)
    assert many.parts[0].per_host.mean == pytest.approx(0.5 * 1e5)
    assert (many.connections, many.all_connections) == (5000, 5001 * 2500)
    assert many.link_bytes.mean == pytest.approx(5000 * 50_000)
    none_left = outlook(costs(), DIRECT, Layout(20_000, 50, RING))
    assert none_left.parts[0].per_host.mean == 0.0


def test_one_server_is_shared_by_all_hosts():
    found = {hosts: outlook(costs(), ONE_SERVER, Layout(hosts, 50, RING)) for hosts in (2, 10, 100)}
    assert {hosts: one.parts[0].name for hosts, one in found.items()} == {
        2: "the server", 10: "the server", 100: "the server"
    }  # fmt: skip
    assert found[100].parts[0].per_host.mean == pytest.approx(1e6 / 25 / 100)
    assert (found[100].connections, found[100].all_connections) == (100, 100)
    cheap = costs(server_us={ONE_SERVER: level(5.0)})
    assert outlook(cheap, ONE_SERVER, Layout(2, 50, RING)).parts[0].name == "agents"


def test_federated_servers_share_the_work_and_have_connections_with_all():
    found = outlook(costs(), FEDERATED, Layout(100, 50, RING))
    assert found.parts[0].name == "each server"
    assert found.parts[0].per_host.mean == pytest.approx(1e6 / 40)
    assert (found.connections, found.all_connections) == (2 * 99 + 1, 100 * 99 + 100)
    assert found.link_bytes.mean == pytest.approx(99 * 20_000)


def test_the_directory_is_used_up_by_all_hosts_registrations():
    central, replicated = (directory_outlook(costs(), kind, 101) for kind in (CENTRAL, REPLICATED))
    assert central.parts[0].per_host.mean == pytest.approx(1e6 / 50 / 101)
    assert replicated.parts[0].per_host.mean == pytest.approx(1e6 / 10 / 100)
    assert directory_outlook(costs(update_us=None), REPLICATED, 101) is None


@given(st.integers(2, 2000), st.sampled_from([DIRECT, FEDERATED, ONE_SERVER]), st.floats(0.0, 0.5))
def test_bounds_enclose_what_is_predicted(hosts, way, doubt):
    unsure = Prediction(1e-4, 1e-4 * (1 - doubt), 1e-4 * (1 + doubt))
    points = [(0.0, 10 - doubt), (0.5, 10 + doubt), (1.0, 10.0), (0.2, 10.0)]
    some = dict.fromkeys((DIRECT, FEDERATED, ONE_SERVER), line_through(points))
    found = outlook(costs(agents_us=some, link_cores=unsure), way, Layout(hosts, 50, ALL_TO_ALL))
    for part in found.parts:
        assert 0 <= part.per_host.low <= part.per_host.mean <= part.per_host.high
