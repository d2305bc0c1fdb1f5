"""Places in memory, from which each side reads what the other one has written."""

import pytest

from formicary_bench.subjects.baselines.memory import Places

PLACES, ROOM = 4, 10


@pytest.fixture
def both():
    memory = memoryview(bytearray(Places.size(PLACES, ROOM)))
    sides = Places(memory, PLACES, ROOM), Places(memory, PLACES, ROOM)
    yield sides
    for side in sides:
        side.close()


def test_each_place_has_what_was_written_last(both):
    here, there = both
    for place in range(PLACES):
        assert there.number(place) == 0
        here.write(place, b"x" * ROOM, 1)
    here.write(2, b"short", 7)
    assert [there.number(place) for place in range(PLACES)] == [1, 1, 7, 1]
    assert [there.read(place) for place in range(PLACES)] == [b"x" * ROOM, b"x" * ROOM, b"short", b"x" * ROOM]


def test_a_body_may_be_empty(both):
    here, there = both
    here.write(3, b"", 2)
    assert (there.number(3), there.read(3)) == (2, b"")


def test_a_body_that_does_not_fit_is_not_written_over_the_next_one(both):
    here, there = both
    with pytest.raises(ValueError, match="different structures"):
        here.write(PLACES - 1, b"y" * (ROOM + 1), 1)
    assert there.number(PLACES - 1) == 0
