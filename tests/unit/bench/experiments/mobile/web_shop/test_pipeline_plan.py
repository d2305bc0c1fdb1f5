"""How visits to a shop are planned, named and repeated."""

import pytest

from formicary.errors import UsageError
from formicary_bench.experiments.mobile.web_shop import Shopping
from formicary_bench.results.summary.commands import command
from formicary_bench.runner.planning.options import parse
from formicary_bench.runner.planning.plan import describe, make_plan
from formicary_bench.vocabulary.names import WEB_SHOP
from formicary_bench.vocabulary.values import BROWSING, FETCHES, MIXES, ORDERING, SQLITE, TRAVELS


def test_both_ways_make_all_visits_of_all_mixes():
    plan = make_plan(parse(WEB_SHOP, seed="1"))
    assert {(one.kind, Shopping.of(one).mix, Shopping.of(one).requests) for one in plan} == {
        (way, mix, many) for way in (TRAVELS, FETCHES) for mix in MIXES for many in (1, 10, 100)
    }
    assert {(Shopping.of(one).database, one.route, one.placement) for one in plan} == {
        (SQLITE, "direct", "two-containers")
    }


def test_a_configuration_has_a_name_and_a_command():
    given = {"mix": "ordering", "requests": "30", "database": "postgresql", "pairs": "4", "rounds": "1,5,1"}
    (one,) = make_plan(parse(WEB_SHOP, platform="formicary-fetches", seed="1", **given))
    assert Shopping.of(one).mix == ORDERING
    assert one.key == (
        "mobile/web-shop/formicary-fetches/two-containers/direct/"
        "database-postgresql-mix-ordering-pairs-4-requests-30-rounds-1-5-1"
    )
    assert all(f"--{name} {value}" in command(one) for name, value in given.items())
    assert "30 requests" in describe(one)
    assert "ordering" in describe(one)


def test_several_clients_keep_up_the_load_for_each_other():
    plan = make_plan(parse(WEB_SHOP, mix=BROWSING, requests="10", pairs="1,4", seed="1"))
    assert {(one.exchange.pairs, one.exchange.rounds[-1] > 0) for one in plan} == {(1, False), (4, True)}


def test_an_unknown_mix_is_refused():
    with pytest.raises(UsageError, match="no mix 'buying'"):
        parse(WEB_SHOP, mix="buying", seed="1")


def test_links_may_have_delays():
    given = {"mix": "ordering", "requests": "30", "route": "direct", "delay": "1ms,500us", "seed": "1"}
    plan = make_plan(parse(WEB_SHOP, platform="formicary-fetches", **given))
    assert [Shopping.of(one).delay_us for one in plan] == [1000, 500]
    assert "delay-us-1000" in plan[0].key
    assert "--delay 1000us" in command(plan[0])
    assert "1000 µs of delay" in describe(plan[0])


@pytest.mark.parametrize(
    ("given", "hosts", "sentence"),
    [
        ({"route": "xmpp"}, (), "--delay is for direct links"),
        ({}, ("a", "b"), "set the delay of the hosts"),
    ],
)
def test_delays_that_cannot_be(given, hosts, sentence):
    with pytest.raises(UsageError, match=sentence):
        make_plan(parse(WEB_SHOP, hosts=hosts, delay="1ms", seed="1", **given))
