"""The index answers like a list that is searched from end to end."""

from __future__ import annotations

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from tests.property.searches import at_first

from formicary.directory.model.description import ServiceDescription
from formicary.directory.model.index import Index
from formicary.directory.model.query import OPERATORS, Condition, Query

KEYS = st.integers(0, 30)
texts = st.sampled_from(["a", "b", "ab", ""])
names = st.sampled_from(["a", "b", "c"])
lists = st.lists(texts, max_size=3)
agents = st.sampled_from([f"agent-{number}@c1.lab.localhost" for number in range(4)])
singles = texts | st.integers(-1, 2) | st.sampled_from([0.0, 1.0, 1.5]) | st.booleans()
properties = st.dictionaries(names, singles | lists, max_size=3)
descriptions = st.builds(
    ServiceDescription,
    agent=agents,
    type=names,
    name=texts,
    protocols=lists,
    ontologies=lists,
    languages=lists,
    ownership=texts,
    properties=properties,
)


def can_be_asked(condition):
    _, operator, value = condition
    kinds = {"in": list, "prefix": str}.get(operator, (str, float, int) if operator[0] in "<>" else object)
    return isinstance(value, kinds) and not (operator[0] in "<>" and isinstance(value, bool))


conditions = (
    st.tuples(names, st.sampled_from(OPERATORS), singles | lists)
    .filter(can_be_asked)
    .map(lambda values: Condition(*values))
)
queries = st.builds(
    Query,
    type=st.none() | names,
    name=st.none() | texts,
    agent=st.none() | agents,
    protocols=st.just(()) | lists,
    ontologies=st.just(()) | lists,
    languages=st.just(()) | lists,
    ownership=st.none() | texts,
    properties=st.just({}) | properties,
    where=st.lists(conditions, max_size=2),
    max_results=st.integers(1, 5) | st.just(100),
    offset=st.integers(0, 3),
)
plain = st.builds(Query, type=names) | st.builds(Query, name=names) | st.builds(Query, agent=agents)


class IndexMachine(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.index = Index()
        self.entries = []  # of (key, description), oldest first

    @rule(key=KEYS, description=descriptions)
    def put(self, key, description):
        assert self.index.put(key, description) == self.forget(key)
        self.entries.append((key, description))

    @rule(keys=st.lists(KEYS, max_size=10))
    def remove(self, keys):
        for key in keys:
            assert self.index.remove(key) == self.forget(key)

    def forget(self, key):
        former = dict(self.entries).get(key)
        self.entries = [entry for entry in self.entries if entry[0] != key]
        return former

    @rule(query=queries | plain)
    def search(self, query):
        matches = [description for _, description in self.entries if query.matches(description)]
        found = self.index.search(query)
        assert [*found] == matches[query.offset : query.offset + query.max_results]
        assert msgspec.json.decode(msgspec.json.encode(query), type=Query) == query

    @rule(key=KEYS)
    def get(self, key):
        assert self.index.get(key) == dict(self.entries).get(key)
        assert (key in self.index) == (key in dict(self.entries))

    @invariant()
    def has_the_same_entries_in_the_same_order(self):
        assert [(key, self.index.get(key)) for key in self.index] == self.entries
        assert len(self.index) == len(self.entries)


test_the_index_is_like_a_list = IndexMachine.TestCase
test_the_index_is_like_a_list.settings = at_first(30, like=test_the_index_is_like_a_list.settings)
