"""A recording gives back what was written to it."""

import sqlite3
from contextlib import closing

import msgspec
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
    with pytest.raises(StoreError, match=r"no recording .*; make one"):
        Recording(path)
    path.write_bytes(b"")
    with pytest.raises(StoreError, match="is empty"):
        Recording(path)
    path.write_bytes(b"x" * 4096)
    with pytest.raises(StoreError, match="is not a recording, or it is corrupt"):
        Recording(path)
    path.unlink()
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("CREATE TABLE other (x)")
    with pytest.raises(StoreError, match="another program's database"):
        Recording(path)
    with pytest.raises(StoreError, match="already exists"):
        Recorder(path)


def test_a_broken_event_is_said_in_one_sentence(tmp_path):
    path = tmp_path / "shop.formicary"
    recorder = Recorder(path)
    recorder.write([LeftOut(1.0, "c1", 1, 0)])
    recorder.close()
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("UPDATE events SET content = x'ff'")
    with Recording(path) as recording, pytest.raises(StoreError, match="is corrupt; record again"):
        recording.read(0, 2, 10)


@pytest.fixture
def recorded(tmp_path):
    path = tmp_path / "shop.formicary"
    recorder = Recorder(path)
    recorder.write([MessageSeen(float(number), number, "a", "b", conversation="c") for number in range(100)])
    recorder.close()
    return path


def everything(path):
    """Ask a recording for all that it can be asked for."""
    with Recording(path) as recording:
        recording.state(recording.span[1])
        recording.before(recording.span[1], 1000)
        recording.read(*recording.span, 1000)
        recording.conversations()
        recording.conversation(None, 1000)
        recording.conversation("c", 1000)
        recording.waits()


def spoil(path, *statements):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


@pytest.mark.parametrize("at", ["1e300", "9e999", "-1", "253402300800", "'noon'", "x'00'"])
def test_a_time_that_is_none_is_said_in_one_sentence(recorded, at):
    spoil(recorded, f"UPDATE events SET at = {at} WHERE number = 100")
    with pytest.raises(StoreError, match="is corrupt; record again") as caught:
        everything(recorded)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("at", [1e300, float("inf"), float("nan"), -1.0, 1e12])
def test_an_event_of_a_time_that_is_none_is_said_in_one_sentence(recorded, at):
    content = msgspec.msgpack.encode(MessageSeen(at, 1, "a", "b"))
    spoil(recorded, f"UPDATE events SET content = x'{content.hex()}' WHERE number = 50")
    with pytest.raises(StoreError, match="is corrupt; record again"):
        everything(recorded)


def test_an_event_that_stands_at_another_time_is_said_in_one_sentence(recorded):
    spoil(recorded, "UPDATE events SET at = 7.5 WHERE number = 50")
    with pytest.raises(StoreError, match="an event is stored under the wrong time"):
        everything(recorded)


ENDLESS = (
    "CREATE VIEW events AS WITH RECURSIVE n(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM n) "
    "SELECT number, 1.0 AS at, 'c' AS conversation, x'00' AS content FROM n"
)


@pytest.mark.parametrize(
    "statements",
    [
        ["ALTER TABLE events RENAME TO others", ENDLESS],
        ["CREATE TRIGGER more AFTER INSERT ON events BEGIN DELETE FROM states; END"],
        ["ALTER TABLE events ADD more AS (hex(content))"],
        ["DROP TABLE states", "CREATE VIRTUAL TABLE states USING fts5(at, content)"],
    ],
)
def test_what_is_not_as_we_make_it_is_said_in_one_sentence(recorded, statements):
    spoil(recorded, *statements)
    with pytest.raises(StoreError, match="is not a recording in Formicary's format; choose another file"):
        everything(recorded)


def test_a_file_whose_pages_lead_to_each_other_has_an_end(tmp_path):
    path = tmp_path / "shop.formicary"
    recorder = Recorder(path)
    recorder.write([MessageSeen(1.0, number, "a", "b", body="x" * 1500) for number in range(4000)])
    recorder.close()
    endless(path)
    with pytest.raises(StoreError, match="is corrupt"):
        everything(path)


def endless(path):
    """Have all ways from the root of the table lead to the first of its pages."""
    with closing(sqlite3.connect(path)) as connection:
        (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'events'").fetchone()
        (page,) = connection.execute("PRAGMA page_size").fetchone()
    content = bytearray(path.read_bytes())
    start = (root - 1) * page
    assert content[start] == 5  # an inner page of a table
    cells = int.from_bytes(content[start + 3 : start + 5])
    places = [int.from_bytes(content[start + 12 + 2 * n :][:2]) for n in range(cells)]
    first = content[start + places[0] :][:4]
    for place in places:
        content[start + place : start + place + 4] = first
    path.write_bytes(content)


def test_a_recording_that_was_not_closed_is_read(recorded, tmp_path):
    path = tmp_path / "killed.formicary"
    recorder = Recorder(path)
    recorder.write([MessageSeen(float(number), number, "a", "b", body="x" * 2000) for number in range(100)])
    with Recording(path) as recording:  # most of it is in SQLite's log still
        assert len(recording.conversation(None, 1000)) == 100
    recorder.close()
