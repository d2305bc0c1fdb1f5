"""Callbacks for containers that open and close in this process."""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING, Any

from formicary.container.container import Container

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    Follow = Callable[[Container], Awaitable[None]]


@contextlib.contextmanager
def following(opened: Follow, closing: Follow) -> Iterator[None]:
    """Call back when containers of this process open and close while the block lasts.

    Args:
        opened: awaited when a container is open.
        closing: awaited when one is about to close.
    """
    open_, close = Container.open, Container.close

    @functools.wraps(open_)
    async def opening(container: Container) -> Container:
        await open_(container)
        try:
            await opened(container)
        except BaseException:
            await close(container)
            raise
        return container

    @functools.wraps(close)
    async def ending(container: Container) -> None:
        try:
            await closing(container)
        finally:
            await close(container)

    _replace(opening, ending)
    try:
        yield
    finally:
        _replace(open_, close)


def _replace(open_: Callable[..., Any], close: Callable[..., Any]) -> None:
    for name, method in (("open", open_), ("close", close)):
        setattr(Container, name, method)
