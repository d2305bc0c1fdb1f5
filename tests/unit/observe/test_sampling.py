"""What a sampler keeps is bounded, and it is whole conversations."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from formicary.observe.sampling import MARKS, Marks, Sampler

marks = st.integers(0, MARKS - 1)
names = st.lists(marks, min_size=1, max_size=8)


def offer(sampler, mark, item):
    """Offer an item as those do who are on the way of messages."""
    if mark < sampler.threshold:
        sampler.add(mark, item)


@given(st.lists(marks, max_size=300), st.integers(1, 20))
def test_never_more_is_kept_than_was_asked_for(offered, most):
    sampler = Sampler(most)
    for mark in offered:
        offer(sampler, mark, mark)
        assert len(sampler) <= most
    assert len(sampler.take()) <= most
    assert len(sampler) == 0


@given(st.lists(marks, max_size=100))
def test_all_is_kept_where_there_is_room(offered):
    sampler = Sampler(100)
    for number, mark in enumerate(offered):
        offer(sampler, mark, number)
    assert sampler.take() == list(range(len(offered)))


@given(st.data(), names, st.integers(4, 20))
def test_conversations_are_kept_whole_where_each_has_room(data, conversations, most):
    offered = data.draw(st.lists(st.sampled_from(conversations), max_size=200))
    sampler = Sampler(most)
    for mark in offered:
        offer(sampler, mark, mark)
    amounts, kept = Counter(offered), Counter(sampler.take())
    torn = [mark for mark in kept if kept[mark] != amounts[mark]]
    assert len(torn) <= 1
    assert all(amounts[mark] >= most for mark in torn)  # only what has no room by itself


def test_something_is_shown_however_much_comes():
    sampler = Sampler(10)
    for _ in range(20):
        for number in range(1000):
            offer(sampler, number * 60, number)
        assert 1 <= len(sampler.take()) <= 10


def test_all_is_kept_again_when_less_comes():
    sampler = Sampler(10)
    for number in range(10_000):
        offer(sampler, number * 7 % MARKS, number)
    for _ in range(20):
        sampler.take()
    assert sampler.threshold == MARKS


def test_a_name_has_the_same_mark_in_all_processes():
    assert Marks()["ann@c1.lab.localhost"] == 20112
    assert Marks()["ann"] == Marks()["ann"]
