"""The store of all designs: who watches a query is told what it was and what it is now."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from formicary.directory.model.description import ServiceDescription
from formicary.directory.model.entries import Entries
from formicary.directory.model.query import Query

ALICE = "alice@c1.lab.localhost"
KEYS = st.sampled_from("abc")
TYPES = st.sampled_from(["printer", "scanner"])
STEPS = st.lists(st.tuples(KEYS, st.none() | TYPES))


def service(name, type_):
    return ServiceDescription(ALICE, type_, name)


@given(STEPS)
def test_what_a_watcher_is_told_adds_up_to_what_matches(steps):
    entries, told = Entries(), {}

    def changed(before, after):
        either = before or after
        assert told.get(either.name) == before
        told[either.name] = after

    watch = entries.watch(Query(type="printer"), changed)
    for key, type_ in steps:
        if type_ is None:
            entries.remove(key)
        else:
            entries.put(key, service(key, type_))
        matching = {each.name: each for each in entries.matches(Query(type="printer"))}
        assert {name: each for name, each in told.items() if each is not None} == matching
    watch.end()
    watch.end()
    entries.put("d", service("d", "printer"))
    assert "d" not in told


def test_who_is_told_may_stop_watching():
    entries, told = Entries(), []

    def once(before, after):
        told.append((before, after))
        for watch in watches:
            watch.end()

    watches = [entries.watch(Query(type="printer"), once) for _ in range(2)]
    entries.put("a", service("a", "printer"))
    entries.put("a", service("a", "scanner"))
    assert len(told) == 2  # both were to be told of the first change
