"""Whenever its process is killed, the file equals a dict of the confirmed writes."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from tests.property.searches import at_first

from formicary.directory.central.store import Registration, Store, Subscription
from formicary.directory.model.description import ServiceDescription
from formicary.directory.model.query import Query

agents = st.sampled_from(["a@c1.lab.localhost", "b@c1.lab.localhost"])
names = st.sampled_from(["a", "b", "é", "a\x00b", "'; --"])
types = st.sampled_from(["a", "b", "é", "'; --"])
registrations = st.builds(
    Registration,
    st.builds(
        ServiceDescription,
        agents,
        types,
        properties=st.dictionaries(
            names, st.integers().map(lambda n: n % 100) | st.text(max_size=3), max_size=2
        ),
    ),
    st.none() | st.floats(0.1, 100),
)
subscriptions = st.builds(Subscription, agents, names, st.builds(Query, type=names))
records = registrations | subscriptions
batches = st.lists(st.tuples(records, st.booleans()), min_size=1, max_size=6)


class StoreMachine(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(prefix="formicary-store-")
        self.lives = 0
        self.path = self.new_folder() / "directory"
        self.store = Store(self.path)
        self.records = {}

    def new_folder(self):
        self.lives += 1
        folder = Path(self.folder.name, str(self.lives))
        folder.mkdir()
        return folder

    def teardown(self):
        self.store.close()
        self.folder.cleanup()

    @rule(batch=batches)
    def write(self, batch):
        self.store.write(changes := as_changes(batch))
        apply(self.records, changes)

    @rule()
    def restart(self):
        self.store.close()
        self.store = Store(self.path)

    @rule(batch=batches, share=st.floats(0, 1))
    def kill(self, batch, share):
        """Continue with the disk's content after a process died while writing a batch."""
        log = self.path.with_name("directory-wal")
        before = log.stat().st_size if log.exists() else 0
        self.store.write(changes := as_changes(batch))
        written = log.stat().st_size - before
        folder = self.new_folder()
        for file in (self.path, log):
            shutil.copy(file, folder)
        kept = round(share * written)
        with (folder / log.name).open("r+b") as copy:
            copy.truncate(before + kept)
        if kept == written:
            apply(self.records, changes)
        self.store.close()
        self.path = folder / self.path.name
        self.store = Store(self.path)

    @invariant()
    def has_what_was_confirmed_in_the_order_of_the_last_writes(self):
        assert [*self.store.load()] == [*self.records.values()]


def as_changes(batch):
    changes = {}
    for record, is_kept in batch:
        changes.pop(record.key, None)
        changes[record.key] = record if is_kept else None
    return changes


def apply(records, changes):
    for key, record in changes.items():
        records.pop(key, None)
        if record is not None:
            records[key] = record


test_the_store_is_like_a_dict = StoreMachine.TestCase
test_the_store_is_like_a_dict.settings = at_first(20, 50, stateful_step_count=20)
