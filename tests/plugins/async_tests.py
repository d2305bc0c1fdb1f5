"""Runs `async def test_...` functions, each in a fresh event loop of asyncio.

With `@pytest.mark.virtual_clock` the test runs in virtual time (`formicary.testing.run_virtual`); one with a
page of the browser runs in the browser's loop. A test that ends while tasks of its own are still pending
fails, and so does one whose loop had an error that nobody looked at.
"""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> None:
    """Put a plain function in the place of a coroutine function; pytest goes on with it as with any other."""
    virtual = pyfuncitem.get_closest_marker("virtual_clock") is not None
    # Hypothesis calls the test once per example: each gets a loop of its own.
    given = getattr(pyfuncitem.obj, "hypothesis", None)
    browser_loop = pyfuncitem.funcargs.get("browser_loop")
    if given is not None and inspect.iscoroutinefunction(given.inner_test):
        given.inner_test = _plain(given.inner_test, virtual=virtual)
    elif inspect.iscoroutinefunction(pyfuncitem.obj):
        pyfuncitem.obj = _plain(pyfuncitem.obj, browser_loop, virtual=virtual)
    elif virtual:
        pytest.fail("the marker virtual_clock is for async tests", pytrace=False)


def _plain(
    test: Callable[..., Coroutine[Any, Any, None]], runner: asyncio.Runner | None = None, *, virtual: bool
) -> Callable[..., None]:
    def run(*args: Any, **kwargs: Any) -> None:
        errors: list[str] = []
        if virtual:
            from formicary.testing import run_virtual

            run_virtual(_watched(test(*args, **kwargs), errors))
        elif runner is not None:
            runner.run(_watched(test(*args, **kwargs), errors))
        else:
            asyncio.run(_watched(test(*args, **kwargs), errors), debug=False)
        if errors:
            pytest.fail("errors in the event loop that nobody looked at: " + "; ".join(errors), pytrace=False)

    return run


async def _watched(test: Coroutine[Any, Any, None], errors: list[str]) -> None:
    def note(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        # Aioxmpp forgets a request of its own whose task is cancelled before the request is sent.
        if type(error).__name__ != "DestructionRequested":
            errors.append(f"{context['message']}: {error!r}")

    before = asyncio.all_tasks()
    asyncio.get_running_loop().set_exception_handler(note)
    await test
    pending = asyncio.all_tasks() - before
    if pending:
        names = ", ".join(sorted(f"{task.get_name()} ({_where(task)})" for task in pending))
        pytest.fail(f"the test ended and left pending: the tasks {names}", pytrace=False)


def _where(task: asyncio.Task[Any]) -> str:
    return getattr(task.get_coro(), "__qualname__", "?")
