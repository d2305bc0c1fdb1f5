"""Callbacks for containers that open and close in this process."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from formicary.container.container import Container

    Follow = Callable[[Container], Awaitable[None]]

FOLLOWERS: list[tuple[Follow, Follow]] = []


@contextlib.contextmanager
def following(opened: Follow, closing: Follow) -> Iterator[None]:
    """Call back when containers of this process open and close while the block lasts.

    Args:
        opened: awaited when a container is open; if it raises, the container closes again.
        closing: awaited when one is about to close.
    """
    follower = opened, closing
    FOLLOWERS.append(follower)
    try:
        yield
    finally:
        FOLLOWERS.remove(follower)
