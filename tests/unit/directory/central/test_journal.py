"""The journal: who waits is told when it is on disk, or why not."""

from __future__ import annotations

import asyncio
import threading
from contextlib import closing

import pytest

from formicary.directory.central.journal import Journal
from formicary.directory.central.store import Registration, Store
from formicary.directory.model.description import ServiceDescription
from formicary.errors import StoreError


def register(name, **more):
    record = Registration(ServiceDescription("alice@c1.lab.localhost", "printer", name, **more))
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
def store(tmp_path):
    return Gated(tmp_path / "directory.sqlite")


def load(store):
    with closing(Store(store.path)) as again:
        return [record.description.name for record in again.load()]


async def test_writes_are_done_one_after_the_other(store):
    journal = Journal(store)
    writing = [asyncio.create_task(journal.write(register(name))) for name in "cba"]
    await asyncio.sleep(0)
    store.gate.set()
    await asyncio.gather(*writing)
    await journal.close()
    assert load(store) == ["c", "b", "a"]


async def test_a_failure_is_told_and_the_next_write_is_tried(store):
    journal = Journal(store)
    store.gate.set()
    store.failure = StoreError("the disk is full")
    with pytest.raises(StoreError, match="the disk is full"):
        await journal.write(register("a"))
    store.failure = None
    await journal.write(register("c"))
    await journal.close()
    assert load(store) == ["c"]


async def test_what_a_cancelled_caller_has_written_is_written_all_the_same(store):
    journal = Journal(store)
    writing = asyncio.create_task(journal.write(register("a")))
    await asyncio.sleep(0)
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    store.gate.set()
    await journal.close()
    assert load(store) == ["a"]


async def test_closing_writes_what_is_waiting_and_refuses_what_comes_later(store):
    journal = Journal(store)
    writing = asyncio.create_task(journal.write(register("a")))
    await asyncio.sleep(0)
    closing = asyncio.create_task(journal.close())
    await asyncio.sleep(0)
    with pytest.raises(StoreError, match="the directory's file is closed"):
        await journal.write(register("b"))
    store.gate.set()
    await closing
    await writing
    await journal.close()
    assert load(store) == ["a"]
