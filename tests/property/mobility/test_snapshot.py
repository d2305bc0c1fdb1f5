"""An agent's state arrives unchanged, if it can be carried; any bytes make an agent or an error."""

from __future__ import annotations

import asyncio

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.property.searches import at_first
from tests.unit.mobility.travellers import HERE, Basket, Count, Item, Machine, Shopper, Ticks

from formicary import Agent, Container, Message, Template
from formicary.core.base_agent import BaseAgent
from formicary.errors import MoveError
from formicary.mobility import plain_data
from formicary.mobility.kinds import Entrance
from formicary.mobility.quiescence import dissolve, quiesce
from formicary.mobility.snapshot import Snapshot, read_snapshot, restore, take_snapshot
from formicary.testing import run_virtual

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(1 << 63), (1 << 64) - 1)
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
    | st.binary(max_size=5)
)
hashable = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner, max_size=3),
    max_leaves=5,
)
plain_values = st.recursive(
    hashable,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.sets(hashable, max_size=3)
        | st.dictionaries(st.text(max_size=3) | st.integers(0, 9), inner, max_size=3)
    ),
    max_leaves=10,
)
baskets = st.builds(
    Basket,
    st.lists(st.builds(Item, st.text(max_size=5), st.floats(allow_nan=False)), max_size=4),
    st.sets(st.text(max_size=3), max_size=3),
)
words = st.sampled_from(["a", "b"])
leaves = st.fixed_dictionaries(
    {},
    optional={
        "performative": words,
        "body": words,
        "protocol": words | st.none(),
        "to": st.sampled_from(["x@c1.lab.localhost", ("x@c1.lab.localhost", "y@c1.lab.localhost")]),
        "metadata": st.dictionaries(words, words, max_size=2),
    },
).map(lambda values: Template(**values))
templates = st.recursive(
    leaves,
    lambda inner: (
        st.tuples(inner, inner).map(lambda two: two[0] & two[1])
        | st.tuples(inner, inner).map(lambda two: two[0] | two[1])
        | inner.map(lambda one: ~one)
    ),
    max_leaves=6,
)
messages = st.builds(
    Message,
    to=st.sampled_from(["x@c1.lab.localhost", ("x@c1.lab.localhost", "y@c1.lab.localhost")]),
    performative=words,
    body=words,
    protocol=words | st.none(),
    metadata=st.none() | st.dictionaries(words, words, max_size=2),
)


def same(one, two):
    """Return whether two values are equal, and of the same types throughout."""
    if type(one) is not type(two):
        return False
    if isinstance(one, list | tuple):
        return len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(same(one[key], two[key]) for key in one)
    return one == two


@given(plain_values)
def test_plain_data_is_carried_with_its_types(value):
    assert same(plain_data.decode(plain_data.encode(value)), value)


@at_first(40)
@given(plain_values | st.binary())
def test_what_is_no_plain_data_is_said_to_be_none(value):
    data = value if isinstance(value, bytes) else msgspec.msgpack.encode(plain_data.encode(value))
    error = None
    try:
        plain_data.decode(data)
    except ValueError as caught:
        error = caught
    assert error is None or "plain data" in str(error)


@given(
    baskets,
    plain_values,
    st.lists(templates | st.none(), max_size=4),
    st.floats(0.001, 1e6),
    st.lists(messages),
)
def test_an_agent_arrives_as_it_was(basket, known, wanted, period, probes):
    async def carry():
        async with Container("c1", accepts=[HERE]) as c1:
            alice = Shopper("alice", *map(Count, wanted), Ticks(period), Machine())
            alice.data = basket
            alice.set("known", known)
            await c1.start(alice)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            await quiesce(alice, None)
            new = restore(read_snapshot(take_snapshot(alice)), "alice", Entrance.of(c1))
            dissolve(alice, "c2.lab.localhost")
            await asyncio.sleep(0.001)
        assert new.data == basket
        assert same(new.get("known"), known)
        assert [type(each) for each in new.behaviours] == [type(each) for each in alice.behaviours]
        assert [each.strand_phase for each in new.behaviours] == len(new.behaviours) * [1]
        assert new.behaviours[len(wanted)].period == period
        for message in probes:
            found = [
                type(each) is not Count or each.template is None or each.template.match(message)
                for each in new.behaviours
            ]
            assert found == [
                each.template is None or each.template.match(message) for each in alice.behaviours
            ]

    run_virtual(carry())


fields = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(words, inner, max_size=3),
    max_leaves=20,
)


BEYOND_ALL_TIMES = (f"{HERE}.travellers:Ticks", False, None, {}, None, 86_400e9, None)  # s until it is due


@given(
    st.lists(fields, max_size=9)
    | st.tuples(
        st.just(1),
        st.sampled_from(
            [f"{HERE}.travellers:{name}" for name in ("Shopper", "Cell", "Count", "Basket", "x")]
        ),
        st.integers(0, 2),
        st.sampled_from(["active", "suspended", "gone"]),
        fields,
        fields,
        st.lists(
            st.tuples(
                st.sampled_from(
                    [f"{HERE}.travellers:{name}" for name in ("Count", "Ticks", "Machine", "Alarm")]
                ),
                st.booleans(),
                fields,
                fields | st.just({"performative": "a"}) | st.just(["not", [{"body": "a"}]]),
                st.none() | st.floats(),
                st.none() | st.floats(),
                st.none() | st.tuples(words | st.none(), words | st.none(), st.just({})),
            ),
            max_size=3,
        ),
        st.none(),
    )
)
@example((1, f"{HERE}.travellers:Shopper", 1, "active", {}, None, [BEYOND_ALL_TIMES], None))
def test_whatever_arrives_makes_an_agent_or_a_sentence(value):
    container = Container("c1", accepts=[HERE])

    async def arrive():
        try:
            snapshot = read_snapshot(msgspec.msgpack.encode(value))
            assert isinstance(snapshot, Snapshot)
            agent = restore(snapshot, "alice", Entrance.of(container))
        except MoveError:
            return
        assert isinstance(agent, BaseAgent)
        assert not isinstance(agent, Agent) or all(each.agent is agent for each in agent.behaviours)

    run_virtual(arrive())


@pytest.mark.parametrize("depth", [100, 100_000])
def test_deep_nesting_is_carried_or_refused(depth):
    value: list = []
    for _ in range(depth):
        value = [value]
    if depth == 100:
        assert plain_data.decode(plain_data.encode(value)) == value
    else:
        with pytest.raises(plain_data.UncarriedError, match="nested too deeply"):
            plain_data.encode(value)
    while value:
        value = value[0]
