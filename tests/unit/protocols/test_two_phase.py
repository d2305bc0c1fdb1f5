"""Two-phase commit: all do it, or none does, whoever is against it, late or dead."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.core.agents import Collect, start
from tests.unit.protocols.agents import run

from formicary import Agent, Container
from formicary.errors import FailedError, NoAnswerError, RefusedError
from formicary.protocols import Confirm, Disconfirm, TwoPhaseCommit, responds
from formicary.protocols.dialogue import Dialogue
from formicary.testing import until_idle

pytestmark = pytest.mark.virtual_clock


class Account(Agent):
    """Has money, and gives some if all do."""

    def __init__(self, name, money, *, delay=0.0, act="commit"):
        super().__init__(name)
        self.money = money
        self.delay = delay
        self.act = act
        self.decided = None

    @responds(TwoPhaseCommit)
    async def give(self, question):
        await asyncio.sleep(self.delay)
        if int(question.body) > self.money:
            yield Disconfirm("too little")
            return
        decision = yield Confirm()
        self.decided = decision.performative
        if self.act == "fail":
            raise ValueError("disk full")
        if self.act == "sleep":
            await asyncio.sleep(100)
        if self.decided == "accept-proposal":
            self.money -= int(question.body)


async def commit(*accounts, partners=None, error=None, match=None):
    async with Container("c1") as container:
        for account in accounts:
            await container.start(account)
        await start(container, "deaf", Collect())
        names = partners or [account.name for account in accounts]

        async def do(behaviour):
            if error is None:
                await behaviour.two_phase_commit(names, "10", timeout=5)
                return None
            with pytest.raises(error, match=match) as caught:
                await behaviour.two_phase_commit(names, "10", timeout=5)
            return caught.value

        result = await run(container, do)
        await asyncio.sleep(20)
        await until_idle()
        return result


async def test_where_all_are_for_it_all_do_it():
    a, b = Account("a", 10), Account("b", 50)
    await commit(a, b)
    assert (a.money, b.money) == (0, 40)


async def test_where_one_is_against_it_nobody_does_it():
    a, b = Account("a", 100), Account("b", 5)
    caught = await commit(
        a, b, error=RefusedError, match="b@c1.lab.localhost voted against it, so the transaction is aborted"
    )
    assert caught.message.performative == "disconfirm"
    assert (a.money, b.money) == (100, 5)
    assert a.decided == "reject-proposal"


@pytest.mark.parametrize("other", ["deaf", "nobody"])
async def test_where_one_does_not_vote_nobody_does_it(other):
    a = Account("a", 100)
    error = NoAnswerError if other == "deaf" else FailedError
    caught = await commit(a, partners=["a", other], error=error)
    assert a.money == 100
    assert a.decided == "reject-proposal"
    assert other == "nobody" or caught.missing == ("deaf@c1.lab.localhost",)


async def test_one_that_votes_while_it_is_over_does_not_do_it():
    slow, against = Account("slow", 100, delay=2), Account("against", 5)
    async with Container("c1") as container:
        await container.start(slow)
        await container.start(against)
        with pytest.raises(RefusedError):
            await container.two_phase_commit(["slow", "against"], "10", timeout=5)
        await asyncio.sleep(5)
    assert (slow.money, slow.decided) == (100, "reject-proposal")


async def test_one_that_fails_to_do_it_is_said():
    await commit(Account("a", 100), Account("b", 100, act="fail"), error=FailedError, match="disk full")


async def test_one_that_does_not_say_that_it_has_done_it_is_named():
    caught = await commit(Account("a", 100), Account("b", 100, act="sleep"), error=NoAnswerError)
    assert caught.missing == ("b@c1.lab.localhost",)


async def test_who_has_voted_is_not_looked_at_again_for_each_vote(monkeypatch):
    looks = []
    state = Dialogue.state.fget
    monkeypatch.setattr(Dialogue, "state", property(lambda each: looks.append(each) or state(each)))
    count = 100
    await commit(*(Account(f"a{number}", 100, delay=number / 100) for number in range(count)))
    assert len(looks) < 10 * count
