"""Who is told of which change: found by what their queries ask for, and nobody left out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from formicary.directory.model.description import ServiceDescription
from formicary.directory.model.entries import Interests
from formicary.directory.model.query import Query

NAMES = st.sampled_from("ab")
AGENTS = st.sampled_from(["alice@c1.lab.localhost", "bob@c2.lab.localhost"])
QUERIES = st.builds(
    Query, type=st.none() | NAMES, name=st.none() | NAMES, agent=st.none() | AGENTS,
    properties=st.just({}) | st.just({"dpi": 600}),
)  # fmt: skip


def service(agent, name, type_):
    return ServiceDescription(agent, type_, name, properties={"dpi": 600})


@given(
    st.dictionaries(st.integers(0, 20), QUERIES), st.sets(st.integers(0, 20)), AGENTS, NAMES,
    st.none() | NAMES, st.none() | NAMES,
)  # fmt: skip
def test_all_whose_query_matches_before_or_after_are_concerned_each_once(  # noqa: PLR0917 -- as given
    queries, removed, agent, name, type_before, type_after
):
    interests = Interests()
    for key, query in queries.items():
        interests.put(key, query, key)
    for key in removed:
        interests.discard(key, queries.get(key, Query()))
    left = {key: query for key, query in queries.items() if key not in removed}
    assert len(interests) == len(left)
    before, after = (None if it is None else service(agent, name, it) for it in (type_before, type_after))
    found = list(interests.concerned(before, after))
    assert len(found) == len(set(found))
    changed = [it for it in (before, after) if it is not None]
    if changed:
        assert {key for key, query in left.items() if any(map(query.matches, changed))} <= set(found)
    assert set(found) <= set(left)


def test_who_asks_for_something_else_is_not_looked_at():
    interests = Interests()
    interests.put(1, Query(type="a"), 1)
    interests.put(2, Query(type="b"), 2)
    interests.put(3, Query(name="a"), 3)
    interests.put(4, Query(properties={"dpi": 600}), 4)
    assert list(interests.concerned(None, service("alice@c1.lab.localhost", "a", "b"))) == [3, 2, 4]


def test_one_put_again_is_there_once_and_nothing_is_kept_of_who_is_gone():
    interests = Interests()
    for query in (Query(type="a"), Query(name="a"), Query(agent="alice@c1.lab.localhost"), Query()):
        interests.put(1, query, "first")
        interests.put(1, query, "second")
        assert len(interests) == 1
        assert list(interests.concerned(None, service("alice@c1.lab.localhost", "a", "a"))) == ["second"]
        interests.discard(1, query)
        interests.discard(1, query)
        assert not interests
    assert not interests._rest
    assert not any(interests._homes.values())
