"""Conversations: what is planned, what bidders bid, what they are held against, and what is said of them."""

import shlex

import numpy as np
import pytest
from msgspec.structs import replace
from tests.unit.bench import synthetic
from tests.unit.bench.synthetic import STARTED, Speed, make_run

from formicary import Message
from formicary.errors import FormicaryError
from formicary_bench.experiments.protocols.conversing import LAST_PRICE, Initiator, bid_of, price_of
from formicary_bench.reports.document.sections import sections_of
from formicary_bench.results.store.model import Repetition
from formicary_bench.results.store.raw import Creations
from formicary_bench.results.summary.baselines import baseline_of
from formicary_bench.results.summary.commands import command
from formicary_bench.results.summary.summary import summarise
from formicary_bench.runner.planning.options import parse
from formicary_bench.runner.planning.plan import describe, make_plan
from formicary_bench.subjects.drivers.installed import Entry, keeping
from formicary_bench.subjects.drivers.protocol import Hello
from formicary_bench.vocabulary.places import APART, SAME

CONVERSATIONS = ("protocols/request", "protocols/contract-net", "protocols/auction")
HERE = SAME, "in-process"


def plan(experiment, **typed):
    return make_plan(parse(experiment, seed="1", **typed))


@pytest.fixture
def speeds(monkeypatch):
    monkeypatch.setitem(synthetic.SPEEDS, ("formicary", "behaviours", *HERE), Speed(200, 100))
    monkeypatch.setitem(synthetic.SPEEDS, ("formicary-messages", "", *HERE), Speed(50, 25))


@pytest.mark.parametrize("experiment", CONVERSATIONS)
def test_agents_that_converse_stand_beside_their_messages_alone_on_the_same_way(experiment):
    found = plan(experiment, pairs="7", placement="same-container,two-containers", route="direct,xmpp")
    assert {(one.platform, one.route) for one in found} == {
        (platform, route)
        for platform in ("formicary", "formicary-messages")
        for route in ("in-process", "direct", "xmpp")
    }
    usual = plan(experiment)
    assert {one.route for one in usual} == {"in-process", "direct"}  # what goes by a server is for who asks
    assert max(one.exchange.pairs for one in usual) == (100 if experiment == "protocols/request" else 1000)


@pytest.mark.parametrize("experiment", CONVERSATIONS[1:])
def test_one_initiator_has_all_bidders(experiment):
    (one,) = plan(experiment, pairs="50", platform="formicary-messages", placement="same-container")
    sizes = one.exchange
    assert (sizes.senders, sizes.receivers, sizes.load, sizes.rounds[-1]) == (1, 50, 1, 0)
    assert describe(one).endswith("50 bidders, 100 bytes")
    words = shlex.split(command(one))[3:]
    given = {name.removeprefix("--"): value for name, value in zip(words[1::2], words[2::2], strict=True)}
    assert make_plan(parse(words[0], **given)) == [one]


def test_threads_of_other_platforms_go_on_for_longer(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    hello = Hello(1, "other", "1", ("messaging/pairs", "protocols/request"), (SAME, APART))
    with keeping(Entry(("a driver",), hello)):
        pass
    both = plan("protocols/request", platform="other,formicary-messages", pairs="10", placement=SAME)
    assert {one.platform: one.exchange.rounds[-1] // one.exchange.measured for one in both} == {
        "other": 3, "formicary-messages": 1,
    }  # fmt: skip
    with pytest.raises(FormicaryError, match="other cannot do protocols/auction"):
        plan("protocols/auction", platform="other")


@pytest.mark.parametrize("bidders", [1, 2, 10, 1000])
def test_bids_differ_and_only_the_last_pays_the_first_price(bidders):
    bids = [bid_of(number, bidders) for number in range(bidders)]
    assert len(set(bids)) == bidders
    assert [number for number, bid in enumerate(bids) if bid >= LAST_PRICE] == [bidders - 1]


def test_the_cheapest_bid_is_by_number():
    bids = [Message(to="a", body=body) for body in ("10", "9", "100")]
    assert min(bids, key=price_of) is bids[1]


def test_a_conversation_that_ends_otherwise_is_no_measurement():
    class OfTwo(Initiator):
        def __init__(self):
            self.partners, self.body = ("a", "b"), "x"

    OfTwo().check("x")
    with pytest.raises(FormicaryError, match="ended with 'y'"):
        OfTwo().check("y")
    with pytest.raises(FormicaryError, match="1 of 2 bidders"):
        OfTwo().check_number(1)


def test_a_section_is_about_conversations(tmp_path, speeds):
    configurations = plan("protocols/contract-net", pairs="10,100", placement=SAME, rounds="5,25,0")
    run = make_run(tmp_path / "run", configurations, repetitions=6)
    rows = summarise(run)
    assert [baseline_of(row, rows).platform for row in rows if row.kind] == ["formicary-messages"] * 2
    apart = replace(rows[0], route="direct", placement=APART)
    assert baseline_of(apart, rows) is None
    (section,) = sections_of(run)
    assert section.title == "Contract nets"
    cells = {column.title: column.cells for column in section.columns}
    assert cells["who"] == ("Agents", "Agents", "Messages alone", "Messages alone")
    assert cells["bidders"] == ("10", "100", "10", "100")
    assert cells["baseline"] == ("messages alone", "messages alone", "", "")
    assert all(cell.startswith(("3.", "4.")) and "slower" in cell for cell in cells["against it"][:2])
    (sentence,) = section.sentences
    assert sentence.startswith("In one process, with 100 bidders: ")
    assert "× slower than messages alone" in sentence
    assert [chart.title for chart in section.charts] == [
        "Time to completion of contract nets, by bidders", "Contract nets per second, 100 bidders",
    ]  # fmt: skip


def test_requests_are_by_pairs(tmp_path, speeds):
    configurations = plan("protocols/request", pairs="10", placement=SAME, rounds="20,60,20")
    (section,) = sections_of(make_run(tmp_path / "run", configurations))
    assert [column.cells for column in section.columns if column.title == "pairs"] == [("10", "10")]
    assert [chart.title for chart in section.charts] == ["Requests per second, 10 pairs"]


def test_what_conversations_hold_is_a_section_of_its_own(tmp_path):
    configurations = plan("protocols/memory", agents="100")
    assert [describe(one).rpartition(", ")[2] for one in configurations] == ["100 conversations"] * 2
    run = make_run(tmp_path / "run", configurations, repetitions=0, complete=False)
    for one in configurations:
        data = Creations(
            batch=np.arange(2, dtype=np.int32),
            agents=np.full(2, 50),
            seconds=np.full(2, 0.01),
            bytes=np.full(2, 50 * (900 if one.kind == "net" else 3000)),
        )
        known = Repetition(configuration=one.key, number=1, seed=1, started=STARTED, ended=STARTED)
        run.add(known, data)
    run.finish(load_after=(0.0, 0.0, 0.0))
    (section,) = sections_of(run)
    cells = {column.title: column.cells for column in section.columns}
    assert cells["memory of each"] == ("900 B", "3.00 kB")
    assert cells["started/s"] == ("5000", "5000")
    assert section.sentences[0] == (
        "Contract nets: 100 conversations of one agent, all waiting, take 900 B of memory each; "
        "5000 start per second."
    )
    assert [chart.title for chart in section.charts] == [
        "Conversations started per second, 100 conversations"
    ]
