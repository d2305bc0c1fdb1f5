"""The event loop of programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return the function that creates the event loop; None for asyncio's own."""
    try:
        import uvloop
    except ImportError:  # not available for Windows
        return None
    return uvloop.new_event_loop
