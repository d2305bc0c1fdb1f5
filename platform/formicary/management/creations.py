"""What has become of many agents that were to be created together."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from formicary.core.errors import ManagementError
from formicary.core.quoting import printable
from formicary.management.requests.language import describe_not_created

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary.management.descriptions import NotCreated
    from formicary.management.requests.actions import CreateMany
    from formicary.management.requests.language import Result
    from formicary.management.requests.router import RequestRouter


_SHOWN: Final = 3  # of those that have failed, in the repr


class Creations(tuple[str, ...]):  # noqa: SLOT001 -- a tuple cannot have other slots
    """The full names of agents that were created together: a tuple.

    Where some have failed, its repr says how many, and the first of them with the reasons.

    Attributes:
        failed: the agents that were not created, and why not.
    """

    failed: tuple[NotCreated, ...] = ()

    def __repr__(self) -> str:
        if not self.failed:
            return super().__repr__()
        first = ", ".join(f"{each.name} ({each.message})" for each in self.failed[:_SHOWN])
        more = f", and {len(self.failed) - _SHOWN} more in .failed" if len(self.failed) > _SHOWN else ""
        return printable(f"<{len(self)} created, {len(self.failed)} failed: {first}{more}>")


async def create_all(router: RequestRouter, requests: Iterable[CreateMany]) -> Creations:
    """Have agents created, request by request, each as often as it takes until all of its names were tried.

    Args:
        router: does what is asked.
        requests: completed ones, all for one container.

    Raises:
        ManagementError: the first of them fails as a whole. If a later one does, all that is left counts as
            failed, and is not asked for.
    """
    created: list[str] = []
    failed: list[NotCreated] = []
    waiting = deque(requests)
    while waiting:
        request = waiting.popleft()
        try:
            result = await _perform(router, request)
        except ManagementError as error:
            if not created and not failed:
                raise
            left = [name for each in (request, *waiting) for name in _full_names(each)]
            failed += [describe_not_created(name, error) for name in left]
            break
        lost = {each.name for each in result.failed}
        created += [name for name in _full_names(request)[: result.tried] if name not in lost]
        failed += result.failed
        if names := request.names[result.tried :]:
            waiting.appendleft(replace(request, names=names))
    creations = Creations(created)
    creations.failed = tuple(failed)
    return creations


def _full_names(request: CreateMany) -> list[str]:
    return [f"{name}@{request.container}" for name in request.names]


async def _perform(router: RequestRouter, request: CreateMany) -> Result:
    result = await router.perform(request)
    if not 0 < result.tried <= len(request.names):  # else this would never end
        raise ManagementError(
            f"ams@{request.container} cannot have tried {result.tried} of {len(request.names)} agents"
        )
    return result
