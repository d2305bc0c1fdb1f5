"""How the two containers of a measurement meet, and what makes a measurement of theirs worthless."""

from types import SimpleNamespace

import pytest

from formicary.observe.dead_letters import DeadLetters
from formicary.observe.links import LinkStatus
from formicary_bench.engine.messages import Job
from formicary_bench.platforms.containers import ASKING, ECHOING, complaint, reach_of
from formicary_bench.platforms.part import Work
from formicary_bench.results.model import Configuration


def work(route, *, tls=False):
    configuration = Configuration(
        experiment="messaging/pairs", platform="formicary", placement="two-containers", route=route, tls=tls
    )
    return Work(Job(configuration, "ask", 1))


def home(*ways):
    links = [LinkStatus("c2.lab.localhost", way, True, 1, 2, 0, 0, 0, 0, 0, 0, 0, None) for way in ways]
    return SimpleNamespace(dead_letters=DeadLetters(), links=links)


@pytest.mark.parametrize("route", ["direct", "xmpp"])
def test_messages_that_went_another_way_are_no_measurement(route):
    assert complaint(home(route), work(route)) == complaint(home("none"), work(route)) == ""
    assert complaint(home("relay"), work(route)) == (
        f"the messages to c2.lab.localhost went by relay, not by {route}"
    )


def test_the_route_auto_leaves_the_way_to_the_platform():
    assert complaint(home("direct", "xmpp"), work("auto")) == ""


def test_only_the_one_that_echoes_listens_and_only_without_a_server():
    assert reach_of(work("direct"), ECHOING).listen == "127.0.0.1"
    assert [reach_of(work("direct"), ASKING).listen, reach_of(work("xmpp"), ECHOING).listen] == [None, None]
    assert [reach_of(work("direct", tls=tls), ASKING).tls for tls in (True, False)] == ["always", False]
