"""A recording gives back what was written to it."""

import sqlite3
from contextlib import closing

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from formicary.core.errors import StoreError
from formicary.observe.events import (
    AgentFigures,
    AgentSeen,
    ContainerFigures,
    DeadLetter,
    Figures,
    LeftOut,
    MessageSeen,
    MessageTaken,
)
from formicary.observe.recording import Recorder, Recording

texts = st.text(max_size=20).map(lambda text: text.encode(errors="replace").decode())
times = st.floats(0, 1000)
events = st.one_of(
    st.builds(MessageSeen, times, st.integers(1, 99), texts, texts, conversation=texts, body=texts),
    st.builds(MessageTaken, times, st.integers(1, 99), texts, st.floats(0, 9)),
    st.builds(AgentSeen, times, texts, texts, texts, st.sampled_from(["active", "ended"])),
    st.builds(DeadLetter, times, st.integers(1, 99), texts, texts, texts, texts, texts),
    st.builds(LeftOut, times, texts, st.integers(0, 9), st.integers(0, 9)),
)


def agent(name, state="active", container="c1"):
    return AgentFigures(name, container, "Agent", state)


def container(name="c1"):
    return ContainerFigures(name, "lab", 7, 0.1, 1000, 1, 0, 3.0, 0, 0)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batches=st.lists(st.lists(events, max_size=8), max_size=4))
def test_what_was_written_is_read_in_the_order_of_time(batches, tmp_path_factory):
    path = tmp_path_factory.mktemp("recordings") / "shop.formicary"
    recorder = Recorder(path)
    for batch in batches:
        recorder.write(batch)
    recorder.close()
    written = [event for batch in batches for event in batch]
    with Recording(path) as recording:
        assert recording.read(-1, 1001, 1000) == sorted(written, key=lambda event: event.at)
        assert recording.before(1001, 1000) == recording.read(-1, 1001, 1000)
        assert (
            recording.read(500, 1001, 3)
            == [each for each in sorted(written, key=lambda event: event.at) if each.at > 500][:3]
        )
        assert dict(recording.conversations()).keys() == {
            each.conversation for each in written if isinstance(each, MessageSeen) and each.conversation
        }


def test_the_state_at_any_time_is_what_was_told_until_then(tmp_path):
    path = tmp_path / "shop.formicary"
    recorder = Recorder(path)
    recorder.write([Figures(1.0, containers=(container(),), agents=(agent("ann@c1"), agent("bob@c1")))])
    recorder.write([Figures(9.0, containers=(container(),), agents=(agent("ann@c1", "suspended"),))])
    recorder.write([AgentSeen(10.0, "bob@c1", "c1", "Agent", "ended")])
    both = container("c1"), container("c2")
    recorder.write([Figures(11.0, containers=both, agents=(agent("ann@c1", container="c2"),))])
    recorder.write([AgentSeen(12.0, "ann@c1", "c1", "Agent", "ended")])  # another one, which was there before
    recorder.close()

    def agents(recording, at):
        return {(each.name, each.state, each.container) for each in recording.state(at).agents}

    with Recording(path) as recording:
        assert recording.span == (1.0, 12.0)
        assert agents(recording, 0.5) == set()
        assert agents(recording, 2.0) == {("ann@c1", "active", "c1"), ("bob@c1", "active", "c1")}
        assert agents(recording, 9.5) == {("ann@c1", "suspended", "c1"), ("bob@c1", "active", "c1")}
        assert agents(recording, 10.0) == {("ann@c1", "suspended", "c1")}
        assert agents(recording, 12.0) == {("ann@c1", "active", "c2")}
        assert [each.name for each in recording.state(12.0).containers] == ["c1", "c2"]


def test_a_recording_that_is_too_large_loses_what_is_oldest(tmp_path):
    path = tmp_path / "shop.formicary"
    recorder = Recorder(path, 200_000)
    for number in range(300):
        recorder.write([MessageSeen(float(number), number, "a", "b", body="x" * 2000)])
    recorder.close()
    assert path.stat().st_size < 400_000
    with Recording(path) as recording:
        found = recording.read(-1, 1000, 1000)
    assert [event.number for event in found] == list(range(300 - len(found), 300))
    assert len(found) > 30


def test_what_is_no_recording_is_said_in_one_sentence(tmp_path):
    path = tmp_path / "shop.formicary"
    with pytest.raises(StoreError, match="there is no recording"):
        Recording(path)
    path.write_bytes(b"")
    with pytest.raises(StoreError, match="is empty, and no recording"):
        Recording(path)
    path.write_bytes(b"x" * 4096)
    with pytest.raises(StoreError, match="is not a recording, or it is broken"):
        Recording(path)
    path.unlink()
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("CREATE TABLE other (x)")
    with pytest.raises(StoreError, match="another program's database"):
        Recording(path)
    with pytest.raises(StoreError, match="is there already"):
        Recorder(path)


def test_a_broken_event_is_said_in_one_sentence(tmp_path):
    path = tmp_path / "shop.formicary"
    recorder = Recorder(path)
    recorder.write([LeftOut(1.0, "c1", 1, 0)])
    recorder.close()
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("UPDATE events SET content = x'ff'")
    with Recording(path) as recording, pytest.raises(StoreError, match="is broken; record again"):
        recording.read(0, 2, 10)
