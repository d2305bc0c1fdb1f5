"""The file of a directory: what is written is there again; what cannot be used is left alone."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
import threading
from contextlib import closing

import pytest

from formicary.directory.central.store import Journal, Key, Registration, Store, Subscription
from formicary.directory.model.description import ServiceDescription
from formicary.directory.model.query import Condition, Query
from formicary.errors import StoreError

AGENT = "alice@c1.lab.localhost"


def register(name, **more):
    return Registration(ServiceDescription(AGENT, "printer", name, **more), 60.0)


def by_key(*records):
    return {record.key: record for record in records}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "directory.sqlite"


def load(path):
    with closing(Store(path)) as store:
        return [*store.load()]


def test_what_is_written_is_there_again_in_the_order_of_writing(path):
    subscription = Subscription(AGENT, "c1", Query(where=(Condition("dpi", "in", (1, "a")),)), "r1")
    records = [register("b", properties={"dpi": 600}), subscription, register("a")]
    with closing(Store(path)) as store:
        store.write(by_key(*records))
        store.write(by_key(register("c")))
    assert load(path) == [*records, register("c")]


def test_what_is_written_again_is_the_newest_and_what_is_removed_is_gone(path):
    with closing(Store(path)) as store:
        store.write(by_key(register("a"), register("b"), register("c")))
        store.write({Key(AGENT, "service", "b"): None, Key(AGENT, "service", "never"): None})
        store.write(by_key(register("a", languages=["json"])))
    with closing(Store(path)) as store:
        store.write(by_key(register("d")))
    assert load(path) == [register("c"), register("a", languages=["json"]), register("d")]


def test_a_service_and_a_subscription_of_one_name_are_two_records(path):
    records = [register("a"), Subscription(AGENT, "a", Query())]
    with closing(Store(path)) as store:
        store.write(by_key(*records))
    assert load(path) == records


def test_only_its_owner_can_read_the_file(path):
    with closing(Store(path)) as store:
        store.write(by_key(register("a")))
        modes = {entry.name: stat.S_IMODE(entry.stat().st_mode) for entry in path.parent.iterdir()}
    assert set(modes) >= {path.name, f"{path.name}-wal"}
    assert set(modes.values()) == {0o600}


def test_a_batch_that_fails_changes_nothing(path):
    with closing(Store(path)) as store:
        store.write(by_key(register("a")))
        with pytest.raises(AttributeError):
            store.write({**by_key(register("b")), "no key": register("c")})
        store.write(by_key(register("d")))
    assert load(path) == [register("a"), register("d")]


def test_a_file_in_use_is_refused_and_free_again_when_it_is_closed(path):
    with (
        closing(Store(path)),
        pytest.raises(StoreError, match="is in use by another process; stop that one, or choose"),
    ):
        Store(path)
    assert load(path) == []


def broken_pages(path):
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\xa5" * (len(content) - 4096))


def newer(path):
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 3")
    connection.close()


def foreign(path):
    path.unlink()
    path.touch(mode=0o600)
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE stamps (country)")
    connection.close()


def unreadable_record(path):
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE records SET value = x'93a7' WHERE name = 'service-7'")
    connection.close()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda path: path.write_bytes(b"no database" * 1000), "is not a directory's file, or it is corrupt"),
        (broken_pages, "is corrupt; restore a copy, or move it away"),
        (lambda path: path.write_bytes(path.read_bytes()[:8192]), "is corrupt; restore a copy"),
        (newer, r"by a newer version of Formicary \(format 3; this one supports 2\)"),
        (foreign, "is another program's database; choose another file"),
        (
            unreadable_record,
            "is corrupt: the record of 'alice@c1.lab.localhost', 'service-7', cannot be read",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_and_stays_as_it_is(path, spoil, message):
    with closing(Store(path)) as store:
        store.write(by_key(*(register(f"service-{number}") for number in range(1000))))
    spoil(path)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=message) as refused:
        load(path)
    assert str(path) in str(refused.value)
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_place_where_no_file_can_be_is_said(tmp_path):
    with pytest.raises(StoreError, match="cannot be opened: No such file or directory"):
        Store(tmp_path / "nowhere" / "directory.sqlite")
    with pytest.raises(StoreError, match="cannot be opened: it is not a file"):
        Store(tmp_path)


def test_a_closed_store_says_so(path):
    store = Store(path)
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.write(by_key(register("a")))


# -- the journal ------------------------------------------------------------------------------------------


def registered(name):
    record = Registration(ServiceDescription(AGENT, "printer", name))
    return {record.key: record}


class Gated(Store):
    """A store that waits to be let through, and keeps what it was asked to write."""

    def __init__(self, path):
        super().__init__(path)
        self.gate = threading.Event()
        self.failure = None

    def write(self, changes):
        assert self.gate.wait(10)
        if self.failure:
            raise self.failure
        super().write(changes)


@pytest.fixture
def gated(tmp_path):
    return Gated(tmp_path / "directory.sqlite")


def names_in(store):
    with closing(Store(store.path)) as again:
        return [record.description.name for record in again.load()]


async def test_writes_are_done_one_after_the_other(gated):
    journal = Journal(gated)
    writing = [asyncio.create_task(journal.write(registered(name))) for name in "cba"]
    await asyncio.sleep(0)
    gated.gate.set()
    await asyncio.gather(*writing)
    await journal.close()
    assert names_in(gated) == ["c", "b", "a"]


async def test_a_failure_is_told_and_the_next_write_is_tried(gated):
    journal = Journal(gated)
    gated.gate.set()
    gated.failure = StoreError("the disk is full")
    with pytest.raises(StoreError, match="the disk is full"):
        await journal.write(registered("a"))
    gated.failure = None
    await journal.write(registered("c"))
    await journal.close()
    assert names_in(gated) == ["c"]


async def test_what_a_cancelled_caller_has_written_is_written_all_the_same(gated):
    journal = Journal(gated)
    writing = asyncio.create_task(journal.write(registered("a")))
    await asyncio.sleep(0)
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    gated.gate.set()
    await journal.close()
    assert names_in(gated) == ["a"]


async def test_closing_writes_what_is_waiting_and_refuses_what_comes_later(gated):
    journal = Journal(gated)
    writing = asyncio.create_task(journal.write(registered("a")))
    await asyncio.sleep(0)
    closing = asyncio.create_task(journal.close())
    await asyncio.sleep(0)
    with pytest.raises(StoreError, match="the directory's file is closed"):
        await journal.write(registered("b"))
    gated.gate.set()
    await closing
    await writing
    await journal.close()
    assert names_in(gated) == ["a"]
