"""What a directory with a file says while it writes, and when it cannot."""

from __future__ import annotations

import asyncio
import random
import sqlite3
from contextlib import closing
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.directory.asking import (
    ALICE,
    Gate,
    begin,
    content,
    directory,
    load,
    names,
    register,
    search,
    service,
)

from formicary import Container
from formicary.directory.central import draft as plans
from formicary.directory.central.agent import DirectoryAgent
from formicary.directory.central.ledger import Ledger, Step
from formicary.directory.language import Deregister, Modify, Register
from formicary.directory.model.description import ServiceDescription
from formicary.directory.model.query import Query
from formicary.errors import StoreError


@pytest.fixture
def path(tmp_path):
    return tmp_path / "df.sqlite"


@pytest.fixture
def gate(monkeypatch):
    return Gate(monkeypatch)


async def until(condition):
    """Wait until something is true; the test's own time limit ends it."""
    while not condition():  # noqa: ASYNC110 -- what it is about tells nobody
        await asyncio.sleep(0.001)


async def turns():
    """Let the directory hear what it was told: more turns of the loop than that takes."""
    for _ in range(50):
        await asyncio.sleep(0)


async def writing(gate):
    await until(gate.has_begun.is_set)


async def answers(asker, count):
    """Wait for answers, and return what they say by what they answer."""
    await until(lambda: len(asker.messages) >= count)
    said = {message.in_reply_to: (message.performative, content(message)) for message in asker.messages}
    del asker.messages[:]
    return said


async def found(asker, **query):
    asker.tell(search(**query))
    return names([*(await answers(asker, 1)).values()])


DONE = ("inform", {"done": "register"})


async def test_nobody_sees_what_is_not_on_the_disk_and_everybody_what_is(path, gate):
    async with directory("alice", path=path) as (_, alice):
        alice.tell(register(service(name="a")))
        await writing(gate)
        assert await found(alice) == []
        gate.open.set()
        assert [*(await answers(alice, 1)).values()] == [DONE]
        assert await found(alice) == ["a"]


async def test_what_comes_during_one_write_is_the_next(path, gate):
    async with directory("alice", path=path) as (_, alice):
        alice.tell(register(service(name="a")))
        await writing(gate)
        for name in "bcd":
            alice.tell(register(service(name=name)))
        await turns()
        gate.open.set()
        await answers(alice, 4)
        assert gate.batches == [["a"], ["b", "c", "d"]]
    assert [name for _, name in load(path)] == ["a", "b", "c", "d"]


@pytest.mark.parametrize("is_under_way", [True, False])
async def test_requests_see_what_those_before_them_would_do(path, gate, is_under_way):
    async with directory("alice", path=path) as (_, alice):
        if not is_under_way:
            alice.tell(register(service(name="else")))
            await writing(gate)
        first = alice.tell(register(service(name="a")))
        if is_under_way:
            await writing(gate)
        second = alice.tell(register(service(name="a")))
        third = alice.tell({"action": "deregister", "agent": ALICE})
        fourth = alice.tell({"action": "modify", "services": [service(name="a")]})
        fifth = alice.tell(register(service(name="a", type_="new")))
        await turns()
        gate.open.set()
        said = await answers(alice, 5 if is_under_way else 6)
        assert said[first] == DONE
        assert said[second][1]["error"] == "already-registered"
        assert said[third] == ("inform", {"done": "deregister"})
        assert said[fourth][1]["error"] == "not-registered"
        assert said[fifth] == DONE
        assert await found(alice, type="new") == ["a"]
        assert await found(alice) == ["a"]
    assert [record.description.type for record in load(path).values()] == ["new"]


async def test_a_write_that_fails_changes_nothing_and_is_told_to_all_who_waited_for_it(path, gate, caplog):
    async with directory("alice", path=path) as (_, alice):
        gate.open.set()
        alice.tell(register(service(name="a")))
        await answers(alice, 1)
        gate.failure = StoreError("the disk is full; free some space")
        for content_ in (
            register(service(name="b")),
            register(service(name="b")),
            {"action": "deregister", "agent": ALICE},
        ):
            alice.tell(content_)
        error = {"error": "internal-error", "message": "the disk is full; free some space"}
        assert [*(await answers(alice, 3)).values()] == [("failure", error)] * 3
        assert "the disk is full" in caplog.text
        assert await found(alice) == ["a"]
        gate.failure = None
        alice.tell(register(service(name="b")))
        assert [*(await answers(alice, 1)).values()] == [DONE]
        assert await found(alice) == ["a", "b"]
    assert [name for _, name in load(path)] == ["a", "b"]


async def test_what_has_ended_goes_even_if_the_file_cannot_be_written(path, gate, caplog):
    async with directory(path=path) as (df,):
        gate.open.set()
        (ams,) = await begin(df.container, "alice")
        df._may_write = lambda sender, agent: True
        away = service("bob@c2.lab.localhost", name="away")
        ams.tell(register(away, service("bob@c20.lab.localhost", name="other")))
        await answers(ams, 1)
        gate.failure = StoreError("the disk is full")
        df.container_lost("c2.lab.localhost")
        await until(lambda: len(df.ledger.index) == 1)
        assert await found(ams) == ["other"]
        assert "the disk is full" in caplog.text
        gate.failure = None


async def test_a_container_that_is_lost_leaves_nothing_that_was_on_its_way(path, gate):
    async with directory("alice", path=path, may_write=lambda sender, agent: True) as (df, alice):
        alice.tell(register(service("bob@c2.lab.localhost", name="first")))
        await writing(gate)
        alice.tell(register(service("bob@c2.lab.localhost", name="second")))
        await turns()
        df.container_lost("c2.lab.localhost")
        gate.open.set()
        await answers(alice, 2)
        await until(lambda: len(gate.batches) == 2)
        assert await found(alice) == []
    assert load(path) == {}


async def test_closing_does_what_waits_and_then_refuses(path, gate):
    async with directory("alice", path=path) as (df, alice):
        alice.tell(register(service(name="a")))
        await writing(gate)
        alice.tell(register(service(name="b")))
        await turns()
        closing = asyncio.create_task(df.close())
        await turns()
        assert not closing.done()
        gate.open.set()
        await closing
        assert [*(await answers(alice, 2)).values()] == [DONE, DONE]
        alice.tell(register(service(name="c")))
        ((performative, said),) = (await answers(alice, 1)).values()
        assert (performative, said["error"]) == ("failure", "internal-error")
        assert "closed" in said["message"]
    assert [name for _, name in load(path)] == ["a", "b"]


async def test_when_the_disk_hangs_only_so_many_requests_wait_for_it(path, gate, monkeypatch):
    monkeypatch.setattr("formicary.directory.central.ledger._MOST", 2)
    async with directory("alice", path=path) as (df, alice):
        alice.tell(register(service(name="a")))
        await writing(gate)
        for name in "bc":
            alice.tell(register(service(name=name)))
        refused = alice.tell(register(service(name="d")))
        said = await answers(alice, 1)
        assert said[refused][1]["error"] == "internal-error"
        assert "2 requests are already waiting" in said[refused][1]["message"]
        df.container_lost("c2.lab.localhost")
        gate.open.set()
        assert [*(await answers(alice, 3)).values()] == [DONE] * 3


async def test_an_error_that_nobody_has_thought_of_is_a_failure_too_and_the_next_write_is_tried(
    path, gate, caplog
):
    async with directory("alice", path=path) as (_, alice):
        gate.open.set()
        gate.failure = UnicodeEncodeError("utf-8", "a", 0, 1, "why not")
        alice.tell(register(service(name="a")))
        ((performative, said),) = (await answers(alice, 1)).values()
        assert (performative, said["error"]) == ("failure", "internal-error")
        assert f"{path} could not be written; see the log" in said["message"]
        assert "UnicodeEncodeError" in caplog.text
        gate.failure = None
        alice.tell(register(service(name="a")))
        assert [*(await answers(alice, 1)).values()] == [DONE]


async def test_who_cannot_be_answered_does_not_keep_others_from_it(path, caplog):
    ledger = Ledger(path, lambda *_: None, lambda _: None)
    await ledger.open()
    done = []
    ledger.take(Step(plan_of("register", {"a"}, "t"), lambda _: 1 / 0))
    ledger.take(Step(plan_of("register", {"b"}, "t"), done.append))
    await ledger.close()
    assert done == [None]
    assert "ZeroDivisionError" in caplog.text
    assert [name for _, name in load(path)] == ["a", "b"]


async def test_a_file_with_a_broken_record_is_refused_and_let_go(path):
    async with directory("alice", path=path) as (_, alice):
        alice.tell(register(service(name="a")))
        await answers(alice, 1)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE records SET value = x'93a7'")
    for _ in range(2):
        with pytest.raises(StoreError, match="is corrupt: the record of"):
            await DirectoryAgent(path=path).open()


async def test_a_directory_that_was_not_opened_registers_nothing(path):
    async with Container("c1") as container:
        await container.start(DirectoryAgent(path=path))
        (alice,) = await begin(container, "alice")
        alice.tell(register(service()))
        ((performative, said),) = (await answers(alice, 1)).values()
        assert performative == "failure"
        assert "is not open" in said["message"]
    assert not path.exists()


async def test_a_file_that_cannot_be_used_is_said_when_it_is_opened(path):
    path.touch(mode=0o600)
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(StoreError, match="is not a directory's file"):
        await DirectoryAgent(path=path).open()


KINDS = ["register", "modify", "renew", "deregister", "deregister all"]
REQUESTS = st.lists(
    st.tuples(st.sampled_from(KINDS), st.sets(st.sampled_from("abc"), min_size=1)), max_size=30
)


def plan_of(kind, chosen, type_):
    """Return the plan of a request about services with these names."""
    services = tuple(ServiceDescription(ALICE, type_, name) for name in sorted(chosen))
    if kind == "register":
        return partial(plans.register, request=Register(services))
    if kind == "modify":
        return partial(plans.modify, request=Modify(services))
    if kind == "renew":
        return partial(plans.put, services=services, lease=None)
    gone = () if kind == "deregister all" else tuple(chosen)
    return partial(plans.deregister, request=Deregister(ALICE, gone))


def do(model, kind, chosen, type_):
    """Do a request to a dict, from names to types; return whether it can be done."""
    if kind == "deregister all":
        is_possible = bool(model)
        model.clear()
        return is_possible
    there = chosen & set(model)
    if (kind == "register" and there) or (kind in {"modify", "deregister"} and there != chosen):
        return False
    for name in chosen:
        if kind == "deregister":
            del model[name]
        else:
            model[name] = type_
    return True


@given(requests=REQUESTS, seed=st.integers(0, 2**32))
async def test_memory_and_file_have_what_was_confirmed_whatever_fails(tmp_path_factory, requests, seed):
    path = tmp_path_factory.mktemp("ledger") / "df.sqlite"
    chance = random.Random(seed)
    ledger = Ledger(path, lambda *_: None, lambda _: None)
    await ledger.open()
    ledger._journal._store = Unreliable(ledger._journal._store, chance)
    model, done = {}, []

    def note(request, error):
        done.append(request)
        if not isinstance(error, StoreError):
            assert do(model, *request) is (error is None)

    asked = [(kind, chosen, f"type-{number}") for number, (kind, chosen) in enumerate(requests)]
    for request in asked:
        ledger.take(Step(plan_of(*request), partial(note, request)))
        if chance.random() < 0.3:
            await asyncio.sleep(chance.choice([0, 0.001]))
    await ledger.close()
    assert done == asked
    assert {each.name: each.type for each in ledger.index.search(Query())} == model
    assert {name: record.description.type for (_, name), record in load(path).items()} == model


class Unreliable:
    """A store that often fails."""

    def __init__(self, store, chance):
        self.store = store
        self.chance = chance

    def write(self, changes):
        if self.chance.random() < 0.3:
            raise StoreError("no")
        self.store.write(changes)

    def close(self):
        self.store.close()
