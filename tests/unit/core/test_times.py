"""Times that users give: what is none is said, in all calls that take one."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest
from tests.unit.core.agents import Collect, Echo, do, start

from formicary import Agent, Container, Message, PeriodicBehaviour, TimeoutBehaviour
from formicary.core.clock import now
from formicary.core.times import check_limit, seconds_left
from formicary.errors import FormicaryError, UsageError
from formicary.protocols import Request, responds
from formicary.testing import MemoryNetwork

LAST_DAY = datetime.max.replace(tzinfo=UTC)
TO_B = {"to": "b", "performative": "request"}
WAITS = {
    "receive": lambda behaviour, time: behaviour.receive(time),
    "ask": lambda behaviour, time: behaviour.ask(Message(**TO_B), time),
    "request": lambda behaviour, time: behaviour.request("b", timeout=time),
    "propose": lambda behaviour, time: behaviour.propose("b", timeout=time),
    "subscribe": lambda behaviour, time: _entered(behaviour.subscribe("b", timeout=time)),
    "converse": lambda behaviour, time: _entered(behaviour.converse(Request, "b", timeout=time)),
    "two_phase_commit": lambda behaviour, time: behaviour.two_phase_commit(["b"], timeout=time),
    "compute": lambda behaviour, time: behaviour.compute(math.sqrt, 4, timeout=time),
    "join": lambda behaviour, time: behaviour.agent.behaviours[1].join(time),
    "gather_answers": lambda behaviour, time: _all(behaviour.gather_answers([Message(**TO_B)], time)),
    "contract_net": lambda behaviour, time: _entered(behaviour.contract_net(["b"], timeout=time)),
    "deactivate": lambda behaviour, time: behaviour.agent.deactivate(time),
}
ABOVE_ZERO = {
    "english_auction": lambda behaviour, time: behaviour.english_auction(
        ["b"], "it", start=1, step=1, timeout=time
    ),
    "clone": lambda behaviour, time: behaviour.agent.clone("c1", "other", timeout=time),
    "move": lambda behaviour, time: behaviour.agent.container.management.move("b", "c1", timeout=time),
    "retract": lambda behaviour, time: behaviour.agent.container.management.retract("b", timeout=time),
}


async def _entered(block):
    async with block:
        pass


async def _all(answers):
    return [answer async for answer in answers]


@pytest.mark.parametrize("time", [math.nan, "5", b"5", [1], 2j])
async def test_what_is_no_time_is_refused_by_whatever_waits(time):
    async with Container("c1") as container:
        for name, wait in (WAITS | ABOVE_ZERO).items():
            behaviour = do(lambda own, wait=wait: wait(own, time))
            await start(container, f"a-{name.replace('_', '-')}", behaviour, Collect())
            with pytest.raises(FormicaryError, match=f"not {time!r}".replace("[", r"\[")) as caught:
                await behaviour.join()
            assert type(caught.value) is UsageError, name


@pytest.mark.parametrize("time", [math.inf, 0, -1, timedelta(seconds=1)])
async def test_some_times_need_an_end_and_a_length(time):
    async with Container("c1") as container:
        for name, wait in ABOVE_ZERO.items():
            behaviour = do(lambda own, wait=wait: wait(own, time))
            await start(container, f"a-{name.replace('_', '-')}", behaviour)
            with pytest.raises(UsageError):
                await behaviour.join()


class Adder(Agent):
    @responds(Request)
    def add(self, message):
        return str(sum(map(int, message.body.split())))


@pytest.mark.parametrize("time", [math.inf, 1e300, 1e12])
async def test_what_lasts_longer_than_a_century_has_no_end(time):
    async with Container("c1") as container:
        await container.start(Adder("adder"))
        assert (await container.request("adder", "1 3", timeout=time)).body == "4"
        await start(container, "echo", Echo())
        assert (await container.ask(Message(to="echo", body="x"), time)).body == "x"
        assert len(await _all(container.gather_answers([Message(to="echo")], time))) == 1


@pytest.mark.virtual_clock
async def test_what_is_over_is_over_at_once():
    async with Container("c1") as container:
        await start(container, "silent", Collect())
        for time in (-1, -math.inf, 0):
            assert await _all(container.gather_answers([Message(to="silent")], time)) == []


@pytest.mark.parametrize("given", [3, 3.5, "2026-12-01T10:00", True, object])
def test_a_start_is_a_datetime_or_a_timedelta(given):
    sentence = r"start_at= must be a datetime or a timedelta, such as timedelta\(seconds=3\), not "
    with pytest.raises(UsageError, match=sentence):
        TimeoutBehaviour(given)
    with pytest.raises(UsageError, match=sentence):
        PeriodicBehaviour(1, start_at=given)


def test_a_start_may_be_in_the_past():
    assert TimeoutBehaviour(datetime(1970, 1, 1, tzinfo=UTC)).strand_time_left
    assert PeriodicBehaviour(1, timedelta(-1)).period == 1


@pytest.mark.parametrize(
    ("time", "deadline", "seconds"),
    [
        (None, None, None),
        (math.inf, None, None),
        (2, None, 2),
        (None, datetime.max.replace(tzinfo=UTC), None),
    ],
)
async def test_an_end_may_be_a_timeout_or_a_deadline(time, deadline, seconds):
    assert seconds_left(check_limit(time, deadline)) == seconds


async def test_a_deadline_is_a_moment():
    at = now() + timedelta(hours=1)
    assert 3500 < seconds_left(check_limit(None, at)) <= 3600
    for given in (3, timedelta(seconds=3), "2026-12-01T10:00"):
        with pytest.raises(UsageError, match=r"^deadline= must be a datetime, such as .*, not "):
            check_limit(None, given)
    with pytest.raises(UsageError, match="timeout= and deadline= cannot both be given"):
        check_limit(1, at)


def test_messages_take_a_time():
    with pytest.raises(UsageError, match="delay= must be a number of seconds"):
        MemoryNetwork(delay="1")
