"""Many agents that are to be created together: request by request, until all were tried."""

from __future__ import annotations

import pytest

from formicary.errors import ManagementError, UnauthorisedError
from formicary.management.descriptions import NotCreated
from formicary.management.requests.creating import CreateMany, Tried, create_all


class Router:
    """Answers with what is given: numbers of names that were tried, or errors; and keeps what was asked."""

    def __init__(self, *answers, failed=()):
        self.answers = list(answers)
        self.failed = failed
        self.asked = []

    async def perform(self, request):
        self.asked.append(request.names)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        names = {f"{name}@{request.container}" for name in request.names[:answer]}
        failed = tuple(NotCreated(name, "internal-error", "No.") for name in self.failed if name in names)
        return Tried("create-many", tried=answer, failed=failed)


def wanted(*parts):
    return [CreateMany(class_name="shop:Clerk", names=tuple(part), container="c2") for part in parts]


async def test_all_parts_are_asked_for_in_turn():
    router = Router(2, 1, failed=["b@c2"])
    creations = await create_all(router, wanted("ab", "c"))
    assert creations == ("a@c2", "c@c2")
    assert creations.failed == (NotCreated("b@c2", "internal-error", "No."),)
    assert router.asked == [("a", "b"), ("c",)]


async def test_what_was_not_tried_is_asked_for_again():
    router = Router(2, 1, 3, failed=["b@c2", "e@c2"])
    creations = await create_all(router, wanted("abcdef"))
    assert creations == ("a@c2", "c@c2", "d@c2", "f@c2")
    assert [each.name for each in creations.failed] == ["b@c2", "e@c2"]
    assert router.asked == [tuple("abcdef"), tuple("cdef"), tuple("def")]


async def test_how_many_have_failed_and_the_first_of_them_are_seen_at_once():
    creations = await create_all(Router(6, failed=["b@c2", "c@c2"]), wanted("abcdef"))
    assert repr(creations) == str(creations) == "<4 created, 2 failed: b@c2 (No.), c@c2 (No.)>"
    creations = await create_all(Router(6, failed=[f"{name}@c2" for name in "abcde"]), wanted("abcdef"))
    assert str(creations) == (
        "<1 created, 5 failed: a@c2 (No.), b@c2 (No.), c@c2 (No.), and 2 more in .failed>"
    )
    assert str(await create_all(Router(2), wanted("ab"))) == "('a@c2', 'b@c2')"


async def test_nothing_is_asked_for_nobody():
    creations = await create_all(Router(), [])
    assert (creations, creations.failed) == ((), ())


async def test_if_nothing_was_tried_the_reason_is_raised():
    with pytest.raises(UnauthorisedError, match="not allowed"):
        await create_all(Router(UnauthorisedError("not allowed")), wanted("ab", "c"))


async def test_what_fails_later_counts_as_failed_with_all_that_is_left():
    router = Router(1, ManagementError("it does not answer"))
    creations = await create_all(router, wanted("abc", "d"))
    assert creations == ("a@c2",)
    assert creations.failed == tuple(
        NotCreated(f"{name}@c2", "internal-error", "it does not answer") for name in "bcd"
    )
    assert router.asked == [("a", "b", "c"), ("b", "c")]


@pytest.mark.parametrize("tried", [0, -1, 3])
async def test_an_answer_that_cannot_be_does_not_go_on_for_ever(tried):
    with pytest.raises(ManagementError, match=f"ams@c2 cannot have tried {tried} of 2 agents"):
        await create_all(Router(tried), wanted("ab"))
