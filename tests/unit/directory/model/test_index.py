"""The index: order, limits, replacing; and what it costs, counted in entries that are looked at."""

from __future__ import annotations

import pytest

from formicary.directory.model.description import ServiceDescription
from formicary.directory.model.index import Index
from formicary.directory.model.query import Condition, Query


def describe(number, kind="printer", **more):
    return ServiceDescription(f"agent-{number}@c1.lab.localhost", kind, **more)


def filled(count, **more):
    index = Index()
    for number in range(count):
        index.put(number, describe(number, **more))
    return index


def agents(answers):
    return [int(answer.agent.partition("@")[0].removeprefix("agent-")) for answer in answers]


def test_answers_come_in_the_order_of_registration_up_to_the_limit():
    index = filled(300)
    assert agents(index.search(Query(type="printer"))) == [*range(100)]
    assert agents(index.search(Query(type="printer", max_results=2, offset=298))) == [298, 299]
    assert index.search(Query(type="printer", offset=300)) == ()
    assert agents(index.search(Query(max_results=3))) == [0, 1, 2]


def test_what_is_put_again_counts_as_new_and_is_found_by_its_new_values_only():
    index = filled(3, properties={"dpi": 600})
    former = index.put(0, describe(0, "scanner", properties={"dpi": 300}))
    assert former == describe(0, properties={"dpi": 600})
    assert agents(index.search(Query())) == [1, 2, 0]
    assert agents(index.search(Query(type="scanner"))) == [0]
    assert agents(index.search(Query(properties={"dpi": 600}))) == [1, 2]
    assert agents(index.search(Query(properties={"dpi": 300}))) == [0]


def test_what_is_removed_is_gone():
    index = filled(2)
    assert index.remove(0) == describe(0)
    assert index.remove(0) is None
    assert 0 not in index
    assert index.get(0) is None
    assert agents(index.search(Query(type="printer"))) == [1]
    assert [(key, index.get(key)) for key in index] == [(1, describe(1))]


def test_an_empty_index_keeps_nothing_of_what_was_there():
    index = filled(50, properties={"a": ["x", "x", "y"], "b": 1})
    for number in range(50):
        index.remove(number)
    assert len(index) == 0
    columns = [index._all, index._types, index._names, index._agents, index._properties]
    assert [len(column) for column in columns] == [0] * 5


def test_yes_and_one_are_not_the_same():
    index = Index()
    for key, value in enumerate([True, 1, 1.0, False, 0, "1"]):
        index.put(key, describe(key, properties={"a": value}))
    assert agents(index.search(Query(properties={"a": True}))) == [0]
    assert agents(index.search(Query(properties={"a": 1}))) == [1, 2]
    assert agents(index.search(Query(properties={"a": 0}))) == [4]


class Counting(Query):
    """Counts the entries that are held against it."""

    looked: list[int]

    def matches(self, description):
        self.looked.append(1)
        return super().matches(description)


@pytest.mark.parametrize(
    ("values", "most"),
    [
        ({"type": "printer"}, 0),
        ({"name": "odd"}, 0),
        ({"agent": "agent-7@c1.lab.localhost"}, 0),
        ({"type": "printer", "agent": "agent-7@c1.lab.localhost"}, 1),
        ({"type": "printer", "properties": {"number": 7}}, 1),
        ({"type": "printer", "properties": {"number": -7}}, 0),
        ({"type": "none", "where": [Condition("number", ">", 0)]}, 0),
        ({"where": [Condition("number", "=", -1)]}, 1000),
    ],
)
def test_only_the_rarest_of_a_querys_values_is_looked_through(values, most):
    index = Index()
    for number in range(1000):
        index.put(number, describe(number, name="odd" if number % 2 else "", properties={"number": number}))
    query = Counting(**values, looked=[])
    index.search(query)
    assert len(query.looked) == most


def test_few_holes_are_left_in_front_of_the_first_answer():
    index = filled(10_000)
    for number in range(9_000):
        index.remove(number)
        assert index._all.holes <= len(index) / 4 + 16
    assert agents(index.search(Query(type="printer", max_results=1))) == [9_000]
