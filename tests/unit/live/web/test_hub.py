import asyncio

import pytest
from tests.unit.live.synthetic import StandIn

from formicary.core.errors import LinkError, UsageError
from formicary.live.web.hub import Hub
from formicary.live.web.wire import Play
from formicary.observe.events import Begun, Filters, MessageSeen


def message(number):
    return MessageSeen(1.0, number, "a@c1.x", "b@c1.x", conversation=f"t{number % 2}", container="c1")


def numbers(parcel):
    return [event.number for event in parcel.events if isinstance(event, MessageSeen)]


async def until(is_so):
    async with asyncio.timeout(5):
        while not is_so():  # noqa: ASYNC110 -- nobody tells it
            await asyncio.sleep(0)


@pytest.fixture
def feed():
    return StandIn()


class Running:
    def __init__(self, feed, **options):
        self.hub = Hub(feed, **options)

    async def __aenter__(self):
        self.task = asyncio.create_task(self.hub.run())
        return self.hub

    async def __aexit__(self, *exc_info):
        self.task.cancel()
        await asyncio.wait([self.task])


@pytest.mark.virtual_clock
async def test_nothing_is_collected_while_nobody_looks(feed):
    async with Running(feed) as hub:
        await asyncio.sleep(1)
        assert not feed.is_open
        with hub.seat():
            await until(lambda: feed.is_open)
        await until(lambda: not feed.is_open)
        with hub.seat():
            await until(lambda: feed.is_open)
        await until(lambda: not feed.is_open)
    assert feed.opened == 2


@pytest.mark.virtual_clock
async def test_several_pages_share_one_feed_and_the_second_begins_with_what_is_known(feed):
    async with Running(feed) as hub:
        with hub.seat() as one:
            await one.next()
            feed.batches.put_nowait([message(1)])
            assert numbers(await one.next()) == [1]
            one.outbox.taken(2)
            with hub.seat() as other:
                assert numbers(await other.next()) == [1]
                feed.batches.put_nowait([message(2)])
                assert numbers(await one.next()) == numbers(await other.next()) == [2]
    assert feed.opened == 1


@pytest.mark.virtual_clock
async def test_a_recording_and_what_is_recorded_are_open_without_pages(feed):
    async with Running(feed, is_kept_open=True):
        await until(lambda: feed.is_open)
    recording = StandIn(span=(1.0, 9.0))
    async with Running(recording) as hub:
        await until(lambda: recording.is_open)
        with hub.seat() as seat:
            recording.batches.put_nowait([message(1)])
            parcel = await seat.next()
            assert (parcel.playing.begins, parcel.playing.ends, parcel.playing.position) == (1.0, 9.0, 1.0)
            hub.play(Play("seek", 5.0))
            hub.play(Play("speed", -1e9))
            hub.play(Play("pause"))
            assert recording.sought == [5.0]
            recording.batches.put_nowait([Begun(5.0), message(3)])
            found = []
            while 3 not in numbers(parcel):
                found.append(parcel := await seat.next())
                seat.outbox.taken(parcel.number)
            assert numbers(parcel) == [3]
            playing = next(each.playing for each in found if each.playing)
            assert (playing.position, playing.speed, playing.is_paused) == (5.0, -1000.0, True)
            hub.play(Play("resume"))
            assert not recording.is_paused


@pytest.mark.virtual_clock
async def test_pages_are_told_why_nothing_more_comes(feed):
    running = Running(feed)
    async with running as hub:
        with hub.seat() as seat:
            await seat.next()
            feed.batches.put_nowait(LinkError("container c1 is gone"))
            assert await seat.next() is None
            assert seat.ended == "container c1 is gone"
    with pytest.raises(LinkError, match="is gone"):
        running.task.result()


@pytest.mark.virtual_clock
async def test_containers_are_asked_for_what_all_pages_want(feed):
    async with Running(feed) as hub:
        with hub.seat() as one:
            hub.narrow(one, Filters(conversation="t1"))
            assert feed.filters == Filters(conversation="t1")
            with hub.seat():
                hub.narrow(one, Filters(conversation="t0"))
                assert feed.filters == Filters()  # the other page wants all
            assert feed.filters == Filters(conversation="t0")
            await until(lambda: feed.is_open)
            feed.batches.put_nowait([message(1), message(2)])
            found = []
            while not found:
                found = numbers(await one.next())
            assert found == [2]


def test_there_are_not_more_pages_than_sixteen(feed):
    hub = Hub(feed)
    seats = [hub.seat() for _ in range(17)]
    for seat in seats[:16]:
        seat.__enter__()
    with pytest.raises(UsageError, match="16 pages are already open: close one of them"):
        seats[16].__enter__()
    for seat in seats[:16]:
        seat.__exit__(None, None, None)
