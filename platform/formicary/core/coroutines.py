"""Coroutines that run without asyncio's tasks: how they are created and resumed, and what they yield."""

from __future__ import annotations

import functools
import inspect
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Generator

WAIT: Any = object()
"""Yielded by a strand's coroutine to be resumed by the next message."""


@types.coroutine
def pause() -> Generator[None, None, None]:
    """Yield to the others; like `asyncio.sleep(0)`, but distinct from a user's own."""
    yield


async def rest_until(event: asyncio.Event) -> None:
    """Wait for an event; a behaviour that waits here is at rest, as in `receive`."""
    await pause()  # a point where it can be held, as it may wait for the event for ever
    await event.wait()


SEND: Callable[[Any, Any], Any] = types.CoroutineType.send
"""Resumes a coroutine with a value; one function for all, as bound methods take memory."""

THROW: Callable[[Any, Any], Any] = types.CoroutineType.throw
"""Raises an exception in a coroutine where it waits."""


def coroutine_function(generator_function: Callable[..., Any]) -> Callable[..., Any]:
    """Make coroutines, instead of generators, of a function that yields `WAIT` or None.

    `types.coroutine` makes generators that can be awaited, but `asyncio.create_task` takes no generator from
    Python 3.12 on, and nobody is warned of one that was never awaited. An `async def` can yield only by
    awaiting another object, which would cost more than anything else that `receive` does.
    """
    code = generator_function.__code__
    flags = code.co_flags & ~inspect.CO_GENERATOR | inspect.CO_COROUTINE
    function = types.FunctionType(
        code.replace(co_flags=flags),
        generator_function.__globals__,
        generator_function.__name__,
        generator_function.__defaults__,
        generator_function.__closure__,
    )
    return functools.update_wrapper(function, generator_function)


@coroutine_function
def rest_of(awaited: Any, yielded: Any) -> Generator[Any, Any, Any]:
    """Continue an awaitable that was run to where it first waits, and return its result.

    Args:
        awaited: a coroutine, or a step of an asynchronous generator.
        yielded: the value that it yielded there.
    """
    while True:
        try:
            value = yield yielded
        except BaseException as error:  # noqa: BLE001 -- it belongs to what is awaited
            resume, value = awaited.throw, error
        else:
            resume = awaited.send
        try:
            yielded = resume(value)
        except StopIteration as end:
            return end.value
        finally:
            del value  # an exception would hold this frame, and this frame the exception
