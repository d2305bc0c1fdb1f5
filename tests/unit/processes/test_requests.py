"""Requests that wait for answers, and what comes of them."""

import asyncio

import pytest

from formicary.errors import ContainerLostError, FormicaryError, UsageError
from formicary.processes.requests import Answer, Refusal, Requests


async def asked(settle):
    """Return what comes of two requests; `settle` answers them."""
    sent = []
    requests = Requests(sent.append)
    asking = [asyncio.create_task(requests.ask(order)) for order in ("one", "two")]
    await asyncio.sleep(0)  # both run up to where they wait
    settle(requests, [request.number for request in sent])
    return await asyncio.gather(*asking, return_exceptions=True)


async def test_each_gets_its_own_answer_in_whatever_order_they_come():
    def settle(requests, numbers):
        requests.settle(Answer(numbers[1], "second"))
        requests.settle(Answer(99, "nobody has asked"))
        requests.settle(Answer(numbers[0], "first"))

    assert await asked(settle) == ["first", "second"]


async def test_a_refusal_is_raised_and_the_end_of_the_other_side_is_for_all_who_wait():
    def settle(requests, numbers):
        requests.settle(Refusal.of(numbers[0], UsageError("no such agent")))
        requests.fail(ContainerLostError("container c2 has ended"))

    refused, lost = await asked(settle)
    assert (type(refused), str(refused)) == (UsageError, "no such agent")
    assert (type(lost), str(lost)) == (ContainerLostError, "container c2 has ended")


@pytest.mark.parametrize("name", ["__name__", "annotations", "Path", ""])
def test_a_refusal_raises_errors_of_ours_alone(name):
    assert type(Refusal(1, "why", name).exception()) is FormicaryError


def test_a_mistake_is_refused_with_its_kind():
    assert "KeyError" in Refusal.of(1, KeyError("x")).exception().args[0]
