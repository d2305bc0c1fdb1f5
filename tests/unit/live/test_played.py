"""A recording is played forwards and backwards, at any speed, on virtual time."""

import pytest

from formicary.core.errors import StoreError, UsageError
from formicary.live.played import PlayedFeed
from formicary.observe.events import AgentFigures, Begun, Figures, Filters, LeftOut, MessageSeen
from formicary.observe.recording import Recorder
from formicary.testing import run_virtual


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "shop.formicary"
    recorder = Recorder(path)
    for number in range(1, 101):
        agents = (AgentFigures("ann@c1", "c1", "Agent", f"state {number}"),)
        talk = "even" if number % 2 == 0 else "odd"
        recorder.write(
            [
                MessageSeen(1000 + number / 10, number, "ann@c1", "bob@c1", conversation=talk),
                Figures(1000 + number / 10, agents=agents),
            ]
        )
    recorder.close()
    return path


def playing(path, test, **options):
    async def main():
        async with PlayedFeed(path, **options) as feed:
            await test(feed, aiter(feed))

    run_virtual(main())


def numbers(batch):
    return [event.number for event in batch if isinstance(event, MessageSeen)]


async def proceed(batches, count):
    return [number for _ in range(count) for number in numbers(await anext(batches))]


def test_all_events_are_returned_once_in_order(path):
    async def test(feed, batches):
        assert feed.span == pytest.approx((1000.1, 1010.0))
        assert await proceed(batches, 110) == list(range(1, 101))
        assert feed.position == 1010.0

    playing(path, test)


def test_at_ten_times_the_speed_it_takes_a_tenth_of_the_time(path):
    async def test(feed, batches):
        assert await proceed(batches, 11) == list(range(1, 101))

    playing(path, test, speed=10)


def test_a_recording_can_seek_to_any_time(path):
    async def test(feed, batches):
        await anext(batches)
        feed.seek(1005.0)
        feed.pause()
        begun, figures, *messages = await anext(batches)
        assert (begun, figures.agents[0].state) == (Begun(1005.0), "state 50")
        assert numbers(messages) == list(range(1, 51))
        assert await anext(batches) == []
        feed.resume()
        assert await proceed(batches, 5) in ([51, 52, 53, 54, 55], [51, 52, 53, 54])

    playing(path, test)


def test_going_to_a_time_tells_what_was_left_out_before_it(tmp_path):
    path = tmp_path / "sampled.formicary"
    recorder = Recorder(path)
    for number in range(1, 11):
        at = 1000.0 + number
        recorder.write([MessageSeen(at, number, "ann@c1", "bob@c1"), LeftOut(at, "c1", 1, 99)])
    recorder.close()

    async def test(feed, batches):
        feed.seek(1004.5)
        assert sum(event.left_out for event in await anext(batches) if isinstance(event, LeftOut)) == 4 * 99

    playing(path, test)


def test_played_backwards_each_batch_is_the_state_of_its_time(path):
    async def test(feed, batches):
        feed.seek(1009.0)
        await anext(batches)
        feed.speed = -5.0
        for number in (85, 80, 75):
            begun, figures, *messages = await anext(batches)
            assert begun.at == pytest.approx(1000 + number / 10, abs=0.51)
            assert numbers(messages)[-1] == int(figures.agents[0].state.removeprefix("state "))
        await proceed(batches, 30)
        assert feed.position == feed.span[0]

    playing(path, test)


def test_filters_hold_for_what_was_recorded(path):
    async def test(feed, batches):
        feed.filters = Filters(conversation="even")
        assert await proceed(batches, 110) == list(range(2, 101, 2))

    playing(path, test)


def test_a_recording_cannot_be_changed(path):
    async def test(feed, batches):
        with pytest.raises(UsageError, match="a recording cannot be changed"):
            await feed.act("kill", agent="ann@c1")

    playing(path, test)


def test_an_invalid_file_is_refused_at_once(tmp_path):
    with pytest.raises(StoreError, match=r"no recording .*; make one"):
        PlayedFeed(tmp_path / "missing")
